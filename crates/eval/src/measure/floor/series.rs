//! The two floor figures that are followed over turns, and the metrics of each.

use crate::measure::MetricId;
use crate::words;

words! {
    /// A floor figure that is followed over the turns of a session.
    pub enum FloorSeries {
        /// The view after one round of the floor probe.
        OnePass = "one_pass",
        /// The least view that the run's own compactions left.
        LowWater = "low_water",
    }
}

impl FloorSeries {
    /// Tokens per turn.
    pub fn slope(self) -> MetricId {
        self.pick(MetricId::FloorSlope, MetricId::FloorSlopeLowWater)
    }

    /// The slope less the reference's.
    pub fn slope_difference(self) -> MetricId {
        self.pick(MetricId::FloorSlopeDifference, MetricId::FloorSlopeDifferenceLowWater)
    }

    /// The model that fits best.
    pub fn growth(self) -> MetricId {
        self.pick(MetricId::FloorGrowth, MetricId::FloorGrowthLowWater)
    }

    /// How much the points speak against linear growth.
    pub fn growth_lead(self) -> MetricId {
        self.pick(MetricId::FloorGrowthLead, MetricId::FloorGrowthLeadLowWater)
    }

    /// The turn at which the window is full.
    pub fn horizon(self) -> MetricId {
        self.pick(MetricId::FloorHorizon, MetricId::FloorHorizonLowWater)
    }

    fn pick(self, one_pass: MetricId, low_water: MetricId) -> MetricId {
        match self {
            FloorSeries::OnePass => one_pass,
            FloorSeries::LowWater => low_water,
        }
    }
}
