//! What orderings and grids vary, written down beside the names that they give.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::matrix::{Grid, Suite};
use crate::strategy::Registry;
use crate::unit::Tokens;

/// One order of a suite's stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderedStages {
    /// Name of the configuration; that of an alias where it is another one's.
    pub name: String,
    /// The stages by label, in order.
    pub stages: Vec<String>,
    /// The window in place of the scenario's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Tokens>,
}

/// A grid with all its points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridPoints {
    /// The pipeline that is varied.
    pub pipeline: String,
    /// Its axes.
    pub axes: Vec<GridAxis>,
    /// Its points, the last axis running fastest.
    pub points: Vec<String>,
}

/// One thing that a grid varies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridAxis {
    /// The key as the suite writes it, or `window`.
    pub key: String,
    /// The values as written.
    pub values: Vec<String>,
}

impl GridPoints {
    /// Where a point stands on each axis.
    pub fn place(&self, point: usize) -> Vec<usize> {
        let mut rest = point;
        let mut place: Vec<usize> = Vec::new();
        for axis in self.axes.iter().rev() {
            let size = axis.values.len().max(1);
            place.push(rest % size);
            rest /= size;
        }
        place.reverse();
        place
    }
}

/// Every order of a suite, base order first; none where it has no orderings.
///
/// # Errors
///
/// Those of [`configurations`](crate::matrix::configurations).
pub fn orders(registry: &Registry, suite: &Suite) -> Result<Vec<OrderedStages>> {
    let Some(orderings) = &suite.orderings else { return Ok(Vec::new()) };
    let described = orderings.described(registry, &suite.name)?;
    Ok(described.into_iter().map(|(order, _)| order).collect())
}

/// Every grid of a suite.
///
/// # Errors
///
/// Those of [`configurations`](crate::matrix::configurations).
pub fn grids(registry: &Registry, suite: &Suite) -> Result<Vec<GridPoints>> {
    let grids = suite.grid.iter().enumerate();
    grids.map(|(number, grid)| points(registry, &suite.name, grid, number)).collect()
}

fn points(registry: &Registry, suite: &str, grid: &Grid, number: usize) -> Result<GridPoints> {
    let all = grid.configurations(registry, suite, number)?;
    let written = |value: &serde_json::Value| match value {
        serde_json::Value::String(word) => word.clone(),
        other => other.to_string(),
    };
    let mut axes: Vec<GridAxis> = grid
        .parameters
        .iter()
        .map(|(key, values)| GridAxis {
            key: key.clone(),
            values: values.iter().map(written).collect(),
        })
        .collect();
    if !grid.windows.is_empty() {
        let values = grid.windows.iter().map(ToString::to_string).collect();
        axes.push(GridAxis { key: "window".to_owned(), values });
    }
    let points = all.iter().map(crate::matrix::Configuration::name).collect();
    Ok(GridPoints { pipeline: grid.pipeline.clone(), axes, points })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::tests::suite_of;

    #[test]
    fn orders_are_told_by_their_labels_in_each_window() {
        let suite = suite_of(
            "[orderings]\nstages = [\"forge-tool-call\", \"forge-threshold\"]\n\
             labels = [\"call\", \"threshold\"]\nwindows = [50_000, 100_000]\n",
        )
        .expect("a suite");
        let orders = orders(crate::strategy::shipped(), &suite).expect("they ship");
        let told: Vec<(&str, String, u64)> = orders
            .iter()
            .map(|one| (one.name.as_str(), one.stages.join(" "), one.window.expect("a window").0))
            .collect();
        assert_eq!(
            told,
            [
                ("order_call_threshold_window-50k", "call threshold".to_owned(), 50_000),
                ("order_call_threshold_window-100k", "call threshold".to_owned(), 100_000),
                ("order_threshold_call_window-50k", "threshold call".to_owned(), 50_000),
                ("order_threshold_call_window-100k", "threshold call".to_owned(), 100_000),
            ]
        );
    }

    #[test]
    fn points_of_a_grid_know_their_place_on_each_axis() {
        let suite = suite_of(
            "[[grid]]\npipeline = \"forge-adr\"\nwindows = [50_000, 100_000]\n\
             parameters = { \"forge-goal-batch.min-turns\" = [2, 3, 6] }\n",
        )
        .expect("a suite");
        let grids = grids(crate::strategy::shipped(), &suite).expect("they ship");
        let grid = &grids[0];
        let keys: Vec<&str> = grid.axes.iter().map(|axis| axis.key.as_str()).collect();
        assert_eq!(keys, ["forge-goal-batch.min-turns", "window"]);
        assert_eq!(grid.points.len(), 6);
        assert_eq!(grid.points[3], "forge-adr_min-turns-3_window-100k");
        assert_eq!(grid.place(3), [1, 1]);
        assert_eq!(grid.place(4), [2, 0]);
    }
}
