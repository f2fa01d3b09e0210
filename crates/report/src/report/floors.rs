//! The floor by family of sessions.

mod charts;
pub mod verdict;

use super::composition;
use super::prelude::*;
use crate::measure::floor::{FloorSeries, LinearGrowth};
use verdict::FloorVerdict;

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let mut parts = charts::parts(figures)?;
    let mut families = Vec::new();
    for name in figures.families() {
        let family = Family { figures, name };
        let configs = family.probed();
        if configs.is_empty() {
            continue;
        }
        let content = composition::table(figures, name, |config| family.longest(config));
        families.push(context! {
            name,
            turns => figures.lengths(name),
            verdicts => parts.place(family.verdicts(&configs)),
            sizes => parts.place(family.sizes(&configs)),
            composition => parts.place(content),
        });
    }
    Ok(Some(parts.value("families", families)))
}

struct Family<'a> {
    figures: &'a Figures<'a>,
    name: &'a str,
}

impl<'a> Family<'a> {
    fn figure(&self, config: &Config, metric: MetricId) -> Figure {
        self.figures.in_family(self.name, config, metric)
    }

    fn probed(&self) -> Vec<&'a Config> {
        let probed = |config: &&Config| {
            self.figure(config, MetricId::FloorOnePass).value.is_some()
                || self.figure(config, MetricId::FloorVerdict).verdict().is_some()
        };
        self.figures.shown_but_control().filter(probed).collect()
    }

    fn longest(&self, config: &Config) -> Vec<&'a MeasuredCell> {
        let mut rows = self.figures.cells_where(config, |key| key.family == self.name);
        let most = rows.iter().map(|row| row.key.turns).max();
        rows.retain(|row| Some(row.key.turns) == most);
        rows
    }

    fn verdicts(&self, configs: &[&Config]) -> Table {
        let growth = |title, series: FloorSeries| {
            text(title, move |config: &Config| law(&self.figure(config, series.growth())))
        };
        let beside = |config: &Config| self.figure(config, FloorSeries::OnePass.slope_difference());
        let difference = |title, series: FloorSeries| {
            figure(title, move |config: &Config| {
                let found = self.figure(config, series.slope_difference());
                let is_known = found.value.is_some();
                if is_known { Cell::estimate(&found, number::change) } else { Cell::undefined("") }
            })
        };
        let compares = configs.iter().any(|config| beside(config).value.is_some());
        let differences = [
            difference("One pass: slope less the reference's [95 %]", FloorSeries::OnePass),
            difference("Low water: slope less the reference's [95 %]", FloorSeries::LowWater),
        ];
        let fields = [
            configuration(),
            text("Verdict", |config| self.judged(config)),
            growth("Law of one pass", FloorSeries::OnePass),
            growth("Law of low water", FloorSeries::LowWater),
            text("Reference", |config| reference(&beside(config))),
        ];
        let fields = fields.into_iter().chain(differences.into_iter().filter(|_| compares));
        let caption = format!("Verdicts on the floor in sessions of family {}", self.name);
        Table::of(caption, configs.iter().copied(), fields)
    }

    fn judged(&self, config: &Config) -> Cell {
        match FloorVerdict::of(self.figures, self.name, config) {
            None => {
                let found = self.figure(config, MetricId::FloorVerdict);
                Cell::undefined(&found.why_or("the family has one length only"))
            }
            Some(verdict) if verdict.reason.is_empty() => verdict.cell(),
            Some(verdict) => verdict.cell().noted(&verdict.reason),
        }
    }

    fn sizes(&self, configs: &[&Config]) -> Table {
        const NOT_COUNTED: &str = "not counted: no session was probed to its end";
        let mean = |config: &Config, metric, write, why| {
            Cell::number(self.figures.mean(&self.longest(config), metric).value, write, why)
        };
        let size = |title, metric, write: Write, why: &'static str| {
            figure(title, move |config: &Config| mean(config, metric, write, why))
        };
        let slope = |title, series: FloorSeries| {
            figure(title, move |config: &Config| {
                Cell::estimate(&self.figure(config, series.slope()), number::change)
            })
        };
        let count = |title, metric| size(title, metric, number::count, NOT_COUNTED);
        let absorbed = |config: &Config| {
            let why = "not counted in this run";
            let cell = mean(config, MetricId::FloorGoalsAbsorbed, number::count, why);
            let tone = if cell.value > Some(0.0) { Tone::Bad } else { cell.tone };
            cell.toned(tone)
        };
        let unprobed = "no session of the longest was probed";
        let unfired = "nothing fired in the longest as deployed";
        let fields = [
            configuration(),
            size("One pass, longest", MetricId::FloorOnePass, number::tokens, unprobed),
            size("Low water, longest", MetricId::FloorLowWater, number::tokens, unfired),
            slope("Slope of one pass [95 %]", FloorSeries::OnePass),
            slope("Slope of low water [95 %]", FloorSeries::LowWater),
            count("Goal batches made", MetricId::FloorGoalBatches),
            count("Users left", MetricId::FloorUsersLeft),
            count("Ownerless left", MetricId::FloorOwnerless),
            figure("Live goals absorbed", absorbed),
        ];
        let caption = format!("Floor in sessions of family {}", self.name);
        Table::of(caption, configs.iter().copied(), fields)
    }
}

/// The law that fits best, and whether growth in proportion to the turns is settled.
fn law(growth: &Figure) -> Cell {
    let settled = match growth.basis.linear_growth() {
        Some(LinearGrowth::Excluded) => ", linear excluded",
        Some(LinearGrowth::Open) => ", not settled",
        Some(LinearGrowth::Established) | None => "",
    };
    match growth.model() {
        None => Cell::undefined(&growth.why_or("too few checkpoints for a fit")),
        Some(model) => Cell::text(format!("{}{settled}", model.name())),
    }
}

fn reference(difference: &Figure) -> Cell {
    match &difference.basis {
        Basis::Beside { reference } => Cell::code(reference),
        Basis::ReferenceNotDriven { reference } => {
            Cell::text(format!("{reference}, not driven")).toned(Tone::Faint)
        }
        Basis::NoReference => Cell::text("none named").toned(Tone::Faint),
        _ => Cell::undefined(&difference.why()),
    }
}
