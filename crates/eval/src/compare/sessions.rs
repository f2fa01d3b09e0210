//! The cells of a run, by configuration and session.

use std::collections::BTreeMap;

use super::Question;
use super::inputs::{Difference, touch};
use super::stretch::{OverAxis, over_axis, points};
use crate::drive::Mode;
use crate::frame::{Frame, MeasuredCell, Summarized};
use crate::measure::MetricId;
use crate::run_dir::read::RunData;

/// A configuration under one mode and summarizer.
#[derive(Clone, Debug)]
pub(super) struct Contestant<'a> {
    pub(super) configuration: String,
    pub(super) mode: &'a str,
    pub(super) summarizer: &'a str,
    /// By scenario, seed and replicate: what partners have in common.
    pub(super) cells: BTreeMap<(&'a str, u64, u32), &'a MeasuredCell>,
    /// The same and those under other summarizers.
    pub(super) driven: Summarized<'a>,
    /// The points of the axis of summarizers that its run was driven on.
    pub(super) points: Vec<&'a str>,
    frame: &'a Frame<'a>,
}

impl<'a> Contestant<'a> {
    pub(super) fn name(&self) -> String {
        contestant(&self.configuration, self.mode)
    }

    pub(super) fn common(
        &self,
        other: &Contestant<'a>,
    ) -> Vec<(&'a MeasuredCell, &'a MeasuredCell)> {
        let cells = self.cells.iter();
        cells.filter_map(|(place, cell)| Some((*cell, *other.cells.get(place)?))).collect()
    }

    pub(super) fn over_axis(&self) -> OverAxis<'a> {
        over_axis(&self.points, |name| self.driven.under(name).unwrap_or_default())
    }

    pub(super) fn number(&self, cell: &MeasuredCell, metric: MetricId) -> Option<f64> {
        self.frame.figure(cell, metric)
    }
}

/// Configuration, with its mode where that is an intervention.
pub fn contestant(configuration: &str, mode: &str) -> String {
    match Mode::is_usual(mode) {
        true => configuration.to_owned(),
        false => format!("{configuration} ({mode})"),
    }
}

/// All that were driven, by name; swept limits and the control only where they are asked for.
pub(super) fn contestants<'a>(
    data: &'a RunData,
    frame: &'a Frame<'a>,
    question: &Question,
    differing: &[Difference],
) -> Vec<Contestant<'a>> {
    let main = data.manifest.main_summarizer();
    let named = |configuration: &String| {
        question.baseline.as_ref() == Some(configuration)
            || question.candidates.contains(configuration)
    };
    let points = points(&data.manifest.summarizers);
    let mut found: BTreeMap<(String, &str), Contestant> = BTreeMap::new();
    for row in data.measurements.iter().filter(|row| row.is_done()) {
        let key = &row.key;
        let configuration = key.configuration();
        let passed_over = !key.is_windowed() && !named(&configuration)
            || row.is_twin()
            || touch(differing, &key.scenario, key.seed);
        if passed_over {
            continue;
        }
        let contestant =
            found.entry((configuration.clone(), &key.mode)).or_insert_with(|| Contestant {
                configuration,
                mode: &key.mode,
                summarizer: main,
                cells: BTreeMap::new(),
                driven: Summarized::default(),
                points: points.clone(),
                frame,
            });
        contestant.driven.add(row);
        if key.summarizer == main {
            contestant.cells.insert((&key.scenario, key.seed, key.replicate), row);
        }
    }
    found.into_values().filter(|one| !one.cells.is_empty()).collect()
}
