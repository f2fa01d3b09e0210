//! The cells of a run, by configuration and session.

use std::collections::BTreeMap;

use super::Question;
use super::agreed::Agreed;
use crate::frame::{Frame, MeasuredCell};
use crate::measure::MetricId;
use crate::run_dir::read::RunData;

/// Scenario, seed and replicate: what partners have in common.
pub(super) type Place<'a> = (&'a str, u64, u32);

/// A measured cell with what was derived for it.
#[derive(Clone, Debug)]
pub(super) struct Cell<'a> {
    pub(super) row: &'a MeasuredCell,
    frame: &'a Frame<'a>,
}

impl Cell<'_> {
    /// The metric, measured or derived; `None` where it is undefined.
    pub(super) fn number(&self, metric: MetricId) -> Option<f64> {
        self.frame.figure(self.row, metric)
    }

    pub(super) fn completed(&self) -> bool {
        self.row.completed()
    }

    pub(super) fn steps(&self) -> f64 {
        self.row.steps_reached()
    }
}

/// A configuration under one mode and summarizer.
#[derive(Clone, Debug)]
pub(super) struct Contestant<'a> {
    pub(super) configuration: String,
    pub(super) mode: &'a str,
    pub(super) summarizer: &'a str,
    /// Its summarizer is the run's main one.
    main: bool,
    pub(super) cells: BTreeMap<Place<'a>, Cell<'a>>,
}

impl Contestant<'_> {
    pub(super) fn name(&self) -> String {
        contestant(&self.configuration, self.mode)
    }

    /// Whether a comparison with the other changes the configuration alone: the same
    /// mode, and the same summarizer or the main one of either run.
    pub(super) fn suits(&self, other: &Contestant) -> bool {
        let same = self.summarizer == other.summarizer || (self.main && other.main);
        self.mode == other.mode && same
    }

    /// Places that both have.
    pub(super) fn common<'b>(&'b self, other: &'b Contestant) -> Vec<(&'b Cell<'b>, &'b Cell<'b>)> {
        let both =
            self.cells.iter().filter_map(|(place, cell)| Some((cell, other.cells.get(place)?)));
        both.collect()
    }
}

/// Configuration, with its mode where that is an intervention.
pub fn contestant(configuration: &str, mode: &str) -> String {
    match mode {
        "deployed" => configuration.to_owned(),
        mode => format!("{configuration} ({mode})"),
    }
}

/// A contestant with its name in this comparison.
pub(super) type Named<'a> = (String, &'a Contestant<'a>);

/// All that were driven, in the order of their names; swept limits and the control
/// only where the question names them, sessions told again in the other bank never.
pub(super) fn contestants<'a>(
    data: &'a RunData,
    frame: &'a Frame<'a>,
    question: &Question,
    agreed: &Agreed,
) -> Vec<Contestant<'a>> {
    let main = data.manifest.main_summarizer();
    let wanted = question.summarizer.as_deref().unwrap_or(main);
    let named = |configuration: &String| {
        question.baseline.as_ref() == Some(configuration)
            || question.candidates.contains(configuration)
    };
    let mut found: BTreeMap<(String, &str), Contestant> = BTreeMap::new();
    for row in data.measurements.iter().filter(|row| row.is_done()) {
        let key = &row.key;
        let configuration = key.configuration();
        let passed_over = !key.is_windowed() && !named(&configuration)
            || key.summarizer != wanted
            || question.mode.as_ref().is_some_and(|mode| *mode != key.mode)
            || row.is_twin()
            || !agreed.holds(&key.scenario, key.seed);
        if passed_over {
            continue;
        }
        let cell = Cell { row, frame };
        let contestant =
            found.entry((configuration.clone(), &key.mode)).or_insert_with(|| Contestant {
                configuration,
                mode: &key.mode,
                summarizer: &key.summarizer,
                main: key.summarizer == main,
                cells: BTreeMap::new(),
            });
        contestant.cells.insert((&key.scenario, key.seed, key.replicate), cell);
    }
    found.into_values().collect()
}
