//! Figures of a run by configuration: the one place where reports look things up.

use crate::measure::{MetricId, Sign, Word};
use std::collections::{BTreeMap, BTreeSet};

use super::number;
use super::standing::Standing;
use crate::frame::{self, Basis, Derived, Frame, MeasuredCell, Setting};
use crate::row::CellKey;
use crate::run_dir::read::RunData;
use crate::run_dir::{CellState, ManifestCell};
use crate::scenario::twin_of;
use crate::stats;

/// The mode that needs no mention.
const USUAL_MODE: &str = "deployed";

/// A configuration in a mode: a row of most tables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// Pipeline.
    pub pipeline: String,
    /// `windowed`, `windowless` or a swept limit.
    pub variant: String,
    /// Mode.
    pub mode: String,
    /// Pipeline and variant as tables write them.
    pub configuration: String,
    /// Whether its pipeline was completed where its source is silent.
    pub inferred: bool,
}

impl Subject {
    fn of(key: &CellKey, inferred: &BTreeSet<String>) -> Subject {
        Subject {
            inferred: inferred.contains(&key.pipeline),
            pipeline: key.pipeline.clone(),
            variant: key.variant.clone(),
            mode: key.mode.clone(),
            configuration: key.configuration(),
        }
    }

    /// As tables name it.
    pub fn name(&self) -> String {
        let mode = (self.mode != USUAL_MODE).then_some(self.mode.as_str());
        let inferred = self.inferred.then_some("inferred");
        match (mode, inferred) {
            (None, None) => self.configuration.clone(),
            (Some(word), None) | (None, Some(word)) => format!("{} ({word})", self.configuration),
            (Some(mode), Some(word)) => format!("{} ({mode}, {word})", self.configuration),
        }
    }

    /// Whether it is one point of a sweep over limits.
    pub fn is_swept(&self) -> bool {
        !self.is_windowless() && self.variant != "windowed"
    }

    /// Whether it is the control of all sessions: nothing done, no window.
    pub fn is_control(&self) -> bool {
        self.is_windowless() && self.pipeline == "none"
    }

    /// Whether no window bounds it.
    pub fn is_windowless(&self) -> bool {
        self.variant == "windowless"
    }

    /// It under a summarizer, as derived figures name it.
    pub fn setting(&self, summarizer: &str) -> Setting {
        Setting {
            configuration: self.configuration.clone(),
            mode: self.mode.clone(),
            summarizer: summarizer.to_owned(),
        }
    }

    fn axes(&self) -> Axes<'_> {
        (&self.pipeline, &self.variant, &self.mode)
    }

    /// Whether these axes are its own.
    pub fn holds(&self, key: &CellKey) -> bool {
        self.axes() == axes(key)
    }
}

/// A figure with what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Its value as written; empty where undefined.
    pub word: String,
    /// Its value where it is a number.
    pub value: Option<f64>,
    /// 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Sessions behind it.
    pub n: u32,
    /// Why it is undefined, or how it was come by.
    pub reason: String,
    /// The same, typed.
    pub basis: Basis,
}

impl Figure {
    fn derived(row: &Derived) -> Figure {
        Figure {
            word: row.value.map(|value| value.to_string()).unwrap_or_default(),
            value: row.as_number(),
            interval: row.interval.map(|interval| (interval.low, interval.high)),
            n: row.n,
            reason: row.basis.to_string(),
            basis: row.basis.clone(),
        }
    }

    /// Written, or why it cannot be.
    pub fn write(&self, write: fn(f64) -> String) -> Result<String, &str> {
        match (self.value, self.reason.as_str()) {
            (Some(value), _) => Ok(write(value)),
            (None, "") => Err("not measured in this run"),
            (None, reason) => Err(reason),
        }
    }

    /// As [`Figure::write`], with the interval where there is one. One without a width
    /// tells only that all sessions have the same value, and is left out.
    pub fn write_with_interval(&self, write: fn(f64) -> String) -> Result<String, &str> {
        let figure = self.write(write)?;
        let wide = self.interval.filter(|(low, high)| low < high);
        let around = wide.map(|ends| number::interval(ends, write));
        Ok(around.map_or(figure.clone(), |around| format!("{figure} {around}")))
    }
}

/// The cells of a run by configuration and summarizer; of those that are done the rows,
/// without the twins that tell a session again.
fn settings(run: &RunData) -> BTreeMap<Axes<'_>, BTreeMap<&str, Vec<&MeasuredCell>>> {
    let mut settings: BTreeMap<Axes, BTreeMap<&str, Vec<&MeasuredCell>>> = BTreeMap::new();
    for cell in &run.manifest.cells {
        let own = settings.entry(axes(&cell.key)).or_default();
        own.entry(&cell.key.summarizer).or_default();
    }
    let done = run.measurements.iter().filter(|row| row.is_done());
    for row in done.filter(|row| twin_of(&row.key.scenario).is_none()) {
        let own = settings.entry(axes(&row.key)).or_default();
        own.entry(&row.key.summarizer).or_default().push(row);
    }
    settings
}

fn is_excluded(state: &CellState) -> bool {
    matches!(state, CellState::Excluded(_))
}

/// A run, indexed.
pub struct Figures<'a> {
    /// The run.
    pub run: &'a RunData,
    /// Its configurations in the order of the manifest.
    pub subjects: Vec<Subject>,
    /// The summarizer that figures hold for where nothing else is said.
    pub main: &'a str,
    /// Whether inferred pipelines are ranked among the others.
    pub ranks_inferred: bool,
    /// The generated configurations that stand for all, where there are too many for
    /// every table; else none.
    pub standing: Option<Standing>,
    /// Cells and derived figures.
    pub frame: Frame<'a>,
    measured: BTreeMap<&'a str, &'a MeasuredCell>,
    /// Under which summarizers each configuration has cells, and which of these are done
    /// and tell no session again.
    settings: BTreeMap<Axes<'a>, BTreeMap<&'a str, Vec<&'a MeasuredCell>>>,
    /// Configurations of which some compaction asked a summarizer.
    asking: BTreeSet<Axes<'a>>,
}

/// Pipeline, variant and mode.
type Axes<'a> = (&'a str, &'a str, &'a str);

fn axes(key: &CellKey) -> Axes<'_> {
    (&key.pipeline, &key.variant, &key.mode)
}

impl<'a> Figures<'a> {
    /// Indexes a run. Pipelines that are inferred are ranked only where that is asked for.
    pub fn of(run: &'a RunData, ranks_inferred: bool) -> Figures<'a> {
        let inferred = run.manifest.inferred();
        let mut subjects: Vec<Subject> = Vec::new();
        // What was excluded as a whole is listed with its reason and nowhere else.
        let driven = run.manifest.cells.iter().filter(|cell| !is_excluded(&cell.state));
        for cell in driven {
            if !subjects.iter().any(|subject| subject.holds(&cell.key)) {
                subjects.push(Subject::of(&cell.key, &inferred));
            }
        }
        let measured = run.measurements.iter().map(|row| (row.key.cell.as_str(), row));
        let measured: BTreeMap<&str, &MeasuredCell> = measured.collect();
        let plans = run.compactions.iter().filter(|plan| plan.attempts > 0);
        let asking = plans.filter_map(|plan| Some(axes(&measured.get(plan.cell.as_str())?.key)));
        let mut figures = Figures {
            run,
            ranks_inferred,
            standing: None,
            subjects,
            main: run.manifest.summarizers.first().map_or("", String::as_str),
            frame: run.frame(),
            asking: asking.collect(),
            settings: settings(run),
            measured,
        };
        figures.standing = Standing::of(&figures);
        figures
    }

    /// Configurations that are no point of a sweep; of many generated ones those that
    /// stand for all.
    pub fn unswept(&self) -> impl Iterator<Item = &Subject> {
        self.every_unswept().filter(|subject| self.shows(subject))
    }

    /// Whether it is named, or one of the generated ones that stand for all.
    pub fn shows(&self, subject: &Subject) -> bool {
        self.standing.as_ref().is_none_or(|standing| standing.shows(&subject.configuration))
    }

    /// The same, however many were generated.
    pub fn every_unswept(&self) -> impl Iterator<Item = &Subject> {
        self.subjects.iter().filter(|subject| !subject.is_swept())
    }

    /// Whether a configuration may be called best or worst of anything.
    pub fn ranks(&self, subject: &Subject) -> bool {
        self.ranks_inferred || !subject.inferred
    }

    /// A derived figure by what it is about.
    pub fn derived(&self, subject: &frame::Subject, metric: MetricId) -> Option<Figure> {
        self.frame.derived(subject, metric).map(Figure::derived)
    }

    /// The measurements of a cell.
    pub fn cell(&self, cell: &str) -> Option<&'a MeasuredCell> {
        self.measured.get(cell).copied()
    }

    /// The session families of the run in the order of the manifest.
    pub fn families(&self) -> Vec<&'a str> {
        let mut families = Vec::new();
        let told_once = |cell: &&ManifestCell| twin_of(&cell.key.scenario).is_none();
        for cell in self.run.manifest.cells.iter().filter(told_once) {
            if !families.contains(&cell.key.family.as_str()) {
                families.push(cell.key.family.as_str());
            }
        }
        families
    }

    /// Lengths of session in a family.
    pub fn lengths(&self, family: &str) -> usize {
        let keys = self.run.manifest.cells.iter().map(|cell| &cell.key);
        let lengths = keys.filter(|key| key.family == family).map(|key| key.turns);
        lengths.collect::<BTreeSet<_>>().len()
    }

    /// The sign of the difference in recall between two configurations on a scenario,
    /// as `higher`, `lower`, `equal` or `summarizer-dependent`.
    pub fn sign(&self, scenario: &str, one: &Subject, other: &Subject) -> Option<Sign> {
        let value = |left: &Subject, right: &Subject| {
            let pair = frame::Subject::Pair {
                scenario: scenario.to_owned(),
                configuration: left.configuration.clone(),
                beside: right.configuration.clone(),
                mode: left.mode.clone(),
            };
            match self.frame.derived(&pair, MetricId::BracketSign)?.as_word() {
                Some(Word::Sign(sign)) => Some(sign),
                _ => None,
            }
        };
        value(one, other).or_else(|| value(other, one))
    }

    /// Under which summarizer a configuration's cells stand when this one is asked
    /// for: a configuration that was driven under one alone stands there for all.
    pub fn summarizer(&self, subject: &Subject, wanted: &'a str) -> Option<&'a str> {
        let found = self.settings.get(&subject.axes())?;
        match found.len() {
            _ if found.contains_key(wanted) => Some(wanted),
            1 if !self.asking.contains(&subject.axes()) => found.keys().next().copied(),
            _ => None,
        }
    }

    /// A figure over the sessions that were told in both phrase banks.
    pub fn told_twice(&self, subject: &Subject, summarizer: &str, metric: MetricId) -> Figure {
        let bank = frame::Subject::Bank { setting: subject.setting(summarizer) };
        self.derived(&bank, metric).unwrap_or_default()
    }

    /// Measured cells of a configuration under a summarizer, without the twins that
    /// tell a session again.
    pub fn cells(&self, subject: &Subject, summarizer: &'a str) -> Vec<&'a MeasuredCell> {
        let Some(summarizer) = self.summarizer(subject, summarizer) else { return Vec::new() };
        let rows = self.settings.get(&subject.axes()).and_then(|found| found.get(summarizer));
        rows.cloned().unwrap_or_default()
    }

    /// How many cells of a configuration failed under a summarizer.
    pub fn failed(&self, subject: &Subject, summarizer: &str) -> usize {
        let wanted = self.run.manifest.summarizers.iter().find(|name| *name == summarizer);
        let summarizer = wanted.and_then(|name| self.summarizer(subject, name));
        let cells = self.run.manifest.cells.iter().filter(|cell| subject.holds(&cell.key));
        cells
            .filter(|cell| matches!(cell.state, CellState::Failed(_)))
            .filter(|cell| summarizer.is_none_or(|name| name == cell.key.summarizer))
            .count()
    }

    /// A metric over all sessions: as derived, else the mean over cells.
    pub fn pooled(&self, subject: &Subject, summarizer: &'a str, metric: MetricId) -> Figure {
        let Some(summarizer) = self.summarizer(subject, summarizer) else {
            return Figure {
                reason: "not driven under this summarizer".into(),
                ..Figure::default()
            };
        };
        let pooled = frame::Subject::Configuration { setting: subject.setting(summarizer) };
        if let Some(figure) = self.derived(&pooled, metric) {
            return figure;
        }
        self.mean(&self.cells(subject, summarizer), metric)
    }

    /// A metric under the main summarizer.
    pub fn figure(&self, subject: &Subject, metric: MetricId) -> Figure {
        self.pooled(subject, self.main, metric)
    }

    /// A metric over the sessions of one family, under the main summarizer.
    pub fn in_family(&self, family: &str, subject: &Subject, metric: MetricId) -> Figure {
        let Some(summarizer) = self.summarizer(subject, self.main) else {
            return Figure {
                reason: "not driven under this summarizer".into(),
                ..Figure::default()
            };
        };
        let (family_name, setting) = (family.to_owned(), subject.setting(summarizer));
        let group = frame::Subject::Group { family: family_name, setting };
        if let Some(figure) = self.derived(&group, metric) {
            return figure;
        }
        let mut cells = self.cells(subject, summarizer);
        cells.retain(|row| row.key.family == family);
        self.mean(&cells, metric)
    }

    fn mean(&self, cells: &[&MeasuredCell], metric: MetricId) -> Figure {
        let value_of = |row: &&MeasuredCell| {
            let own = row.number(metric);
            own.or_else(|| self.of_cell(&row.key.cell, metric).and_then(|figure| figure.value))
        };
        let values: Vec<f64> = cells.iter().filter_map(value_of).collect();
        let value = stats::mean(&values);
        let why = || cells.iter().find_map(|row| Some(self.of_cell(&row.key.cell, metric)?.reason));
        let reason = match value {
            Some(_) => String::new(),
            None if cells.is_empty() => "no cell of it is done".to_owned(),
            None => why().unwrap_or_default(),
        };
        let word = value.map(crate::unit::float).unwrap_or_default();
        Figure { word, value, n: values.len() as u32, reason, ..Figure::default() }
    }

    /// A derived figure of one cell.
    pub fn of_cell(&self, cell: &str, metric: MetricId) -> Option<Figure> {
        self.frame.of_cell(cell, metric).map(Figure::derived)
    }
}
