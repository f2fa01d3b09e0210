//! Figures of a run by configuration: the one place where the report looks things up.

use std::collections::{BTreeMap, BTreeSet};

use crate::frame::{Basis, Derived, Frame, MeasuredCell, Scope, Setting, Subject};
use crate::measure::floor::verdict::Verdict;
use crate::measure::{MetricId, Sign, Word};
use crate::number;
use crate::row::CellKey;
use crate::run_dir::read::RunData;
use crate::run_dir::{CellState, Manifest};
use crate::scenario::twin_of;
use crate::stats;
use crate::stats::fit::Model;

/// How a figure is written.
pub type Write = fn(f64) -> String;

/// The mode that needs no mention.
const USUAL_MODE: &str = "deployed";

/// A configuration in a mode: a row of most tables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Config {
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
    /// Whether an ordering or a grid of the suite made it.
    pub generated: bool,
}

impl Config {
    /// Its name in tables.
    pub fn name(&self) -> String {
        let mode = (!self.is_deployed()).then_some(self.mode.as_str());
        let inferred = self.inferred.then_some("inferred");
        match (mode, inferred) {
            (None, None) => self.configuration.clone(),
            (Some(word), None) | (None, Some(word)) => format!("{} ({word})", self.configuration),
            (Some(mode), Some(word)) => format!("{} ({mode}, {word})", self.configuration),
        }
    }

    /// Whether it runs as its own stages say.
    pub fn is_deployed(&self) -> bool {
        self.mode == USUAL_MODE
    }

    /// Whether it is one point of a sweep over limits.
    pub fn is_swept(&self) -> bool {
        !self.is_windowless() && self.variant != "windowed"
    }

    /// Whether it is the control of all sessions: nothing done, no window.
    pub fn is_control(&self) -> bool {
        self.is_windowless() && self.is_idle()
    }

    /// Whether its pipeline does nothing.
    pub fn is_idle(&self) -> bool {
        self.pipeline == "none"
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

    /// Whether a cell is one of its own.
    pub fn matches(&self, key: &CellKey) -> bool {
        self.axes() == axes(key)
    }
}

/// The generated configurations that represent all.
pub struct Representatives {
    /// How many were generated.
    pub generated: usize,
    /// The best, the median and the worst.
    pub three: [String; 3],
    /// The mode by which they were ranked.
    pub mode: String,
}

impl Representatives {
    /// Whether a configuration is shown in every table.
    pub fn shows(&self, config: &Config) -> bool {
        !config.generated || self.three.contains(&config.configuration)
    }
}

/// A figure with what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Its value where it is a number.
    pub value: Option<f64>,
    /// Its value where it is a word.
    pub word: Option<Word>,
    /// 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Sessions behind it.
    pub n: u32,
    /// What it rests on, or why it is undefined.
    pub basis: Basis,
}

impl Figure {
    fn derived(row: &Derived) -> Figure {
        Figure {
            value: row.as_number(),
            word: row.as_word(),
            interval: row.interval.map(|interval| (interval.low, interval.high)),
            n: row.n,
            basis: row.basis.clone(),
        }
    }

    fn missing(basis: Basis) -> Figure {
        Figure { basis, ..Figure::default() }
    }

    /// The verdict on a floor.
    pub fn verdict(&self) -> Option<Verdict> {
        match self.word {
            Some(Word::Floor(verdict)) => Some(verdict),
            _ => None,
        }
    }

    /// The law of growth that fits best.
    pub fn model(&self) -> Option<Model> {
        match self.word {
            Some(Word::Growth(model)) => Some(model),
            _ => None,
        }
    }

    /// Why it is undefined.
    pub fn why(&self) -> String {
        self.why_or("not measured in this run")
    }

    /// Why it is undefined, where that is known, else this.
    pub fn why_or(&self, otherwise: &str) -> String {
        match self.basis {
            Basis::Direct => otherwise.to_owned(),
            ref basis => basis.to_string(),
        }
    }

    /// Its interval. One without a width says only that all sessions have the same value,
    /// and is left out.
    pub fn written_interval(&self, write: Write) -> Option<String> {
        let wide = self.interval.filter(|(low, high)| low < high);
        wide.map(|ends| number::interval(ends, write))
    }

    /// Written with its interval; `None` where it is undefined.
    pub fn estimate(&self, write: Write) -> Option<String> {
        let figure = write(self.value?);
        Some(match self.written_interval(write) {
            Some(interval) => format!("{figure} {interval}"),
            None => figure,
        })
    }

    /// Whether its interval lies above zero.
    pub fn is_above_zero(&self) -> bool {
        self.interval.is_some_and(|(low, _)| low > 0.0)
    }
}

/// Pipeline, variant and mode.
type Axes<'a> = (&'a str, &'a str, &'a str);

fn axes(key: &CellKey) -> Axes<'_> {
    (&key.pipeline, &key.variant, &key.mode)
}

/// The cells of a configuration under one summarizer, without the twins of sessions.
#[derive(Clone, Debug, Default)]
struct Cells<'a> {
    done: Vec<&'a MeasuredCell>,
    failed: usize,
}

/// The cells of a configuration, by summarizer.
type BySummarizer<'a> = BTreeMap<&'a str, Cells<'a>>;

/// The cells by configuration, in the order of their axes.
fn cells_by_setting(run: &RunData) -> Vec<(Axes<'_>, BySummarizer<'_>)> {
    let mut settings: BTreeMap<Axes, BySummarizer> = BTreeMap::new();
    for cell in &run.manifest.cells {
        let own = settings.entry(axes(&cell.key)).or_default();
        let own = own.entry(&cell.key.summarizer).or_default();
        own.failed += usize::from(matches!(cell.state, CellState::Failed(_)));
    }
    let done = run.measurements.iter().filter(|row| row.is_done());
    for row in done.filter(|row| twin_of(&row.key.scenario).is_none()) {
        let own = settings.entry(axes(&row.key)).or_default();
        own.entry(&row.key.summarizer).or_default().done.push(row);
    }
    settings.into_iter().collect()
}

fn configs(manifest: &Manifest) -> Vec<Config> {
    let inferred = manifest.inferred();
    let generated = generated(manifest);
    let mut known: BTreeSet<Axes> = BTreeSet::new();
    // A configuration of which all cells were excluded is listed with its reason only.
    let driven = manifest.cells.iter().filter(|cell| !matches!(cell.state, CellState::Excluded(_)));
    let first = driven.filter(|cell| known.insert(axes(&cell.key)));
    first
        .map(|cell| {
            let (key, configuration) = (&cell.key, cell.key.configuration());
            Config {
                inferred: inferred.contains(&key.pipeline),
                generated: generated.contains(configuration.as_str()),
                pipeline: key.pipeline.clone(),
                variant: key.variant.clone(),
                mode: key.mode.clone(),
                configuration,
            }
        })
        .collect()
}

/// Configurations that only orderings and grids of the suite name.
fn generated(manifest: &Manifest) -> BTreeSet<&str> {
    let orders = manifest.orders.iter().map(|order| order.name.as_str());
    let points = manifest.grids.iter().flat_map(|grid| grid.points.iter().map(String::as_str));
    orders.chain(points).filter(|name| !manifest.aliases.contains_key(*name)).collect()
}

/// A run, indexed.
pub struct Figures<'a> {
    /// The run.
    pub run: &'a RunData,
    /// Its configurations in the order of the manifest.
    pub configs: Vec<Config>,
    /// The summarizer that figures hold for where nothing else is said.
    pub main: &'a str,
    /// Whether inferred pipelines are ranked among the others.
    pub ranks_inferred: bool,
    /// The generated configurations that represent all, where there are too many for every
    /// table; else none.
    pub representatives: Option<Representatives>,
    /// Cells and derived figures.
    frame: Frame<'a>,
    measured: BTreeMap<&'a str, &'a MeasuredCell>,
    settings: Vec<(Axes<'a>, BySummarizer<'a>)>,
    /// Configurations of which some compaction asked a summarizer.
    asking: BTreeSet<Axes<'a>>,
}

impl<'a> Figures<'a> {
    /// Indexes a run. Pipelines that are inferred are ranked only where that is asked for.
    pub fn new(run: &'a RunData, ranks_inferred: bool) -> Figures<'a> {
        let measured = run.measurements.iter().map(|row| (row.key.cell.as_str(), row));
        let measured: BTreeMap<&str, &MeasuredCell> = measured.collect();
        let plans = run.compactions.iter().filter(|plan| plan.attempts > 0);
        let asking = plans.filter_map(|plan| Some(axes(&measured.get(plan.cell.as_str())?.key)));
        Figures {
            run,
            ranks_inferred,
            representatives: None,
            configs: configs(&run.manifest),
            main: run.manifest.summarizers.first().map_or("", String::as_str),
            frame: run.frame(),
            asking: asking.collect(),
            settings: cells_by_setting(run),
            measured,
        }
    }

    /// Configurations that are shown in every table: no points of a sweep, and of many
    /// generated ones the representatives.
    pub fn shown(&self) -> impl Iterator<Item = &Config> {
        let shown = |config: &&Config| {
            self.representatives.as_ref().is_none_or(|chosen| chosen.shows(config))
        };
        self.unswept().filter(shown)
    }

    /// The shown configurations without the control.
    pub fn shown_but_control(&self) -> impl Iterator<Item = &Config> {
        self.shown().filter(|config| !config.is_control())
    }

    /// Configurations that are no point of a sweep, however many were generated.
    pub fn unswept(&self) -> impl Iterator<Item = &Config> {
        self.configs.iter().filter(|config| !config.is_swept())
    }

    /// Whether a configuration may be called best or worst of anything.
    pub fn ranks(&self, config: &Config) -> bool {
        self.ranks_inferred || !config.inferred
    }

    /// A derived figure by what it is about.
    pub fn derived(&self, subject: &Subject, metric: MetricId) -> Option<Figure> {
        self.frame.derived(subject, metric).map(Figure::derived)
    }

    /// The measurements of a cell.
    pub fn cell(&self, cell: &str) -> Option<&'a MeasuredCell> {
        self.measured.get(cell).copied()
    }

    /// The session families of the run in the order of the manifest.
    pub fn families(&self) -> Vec<&'a str> {
        let mut families = Vec::new();
        let keys = self.run.manifest.cells.iter().map(|cell| &cell.key);
        for key in keys.filter(|key| twin_of(&key.scenario).is_none()) {
            if !families.contains(&key.family.as_str()) {
                families.push(key.family.as_str());
            }
        }
        families
    }

    /// The lengths of a family's sessions in turns, ascending.
    pub fn lengths(&self, family: &str) -> Vec<u32> {
        let keys = self.run.manifest.cells.iter().map(|cell| &cell.key);
        let turns = keys.filter(|key| key.family == family).map(|key| key.turns);
        turns.collect::<BTreeSet<u32>>().into_iter().collect()
    }

    /// The number of sessions, without twins.
    pub fn sessions(&self) -> usize {
        let sessions = self.run.manifest.sessions.iter();
        sessions.filter(|session| twin_of(&session.scenario).is_none()).count()
    }

    /// The signs of the difference in recall between two configurations over the bracketing
    /// summarizers, by scenario.
    pub fn signs(&self, one: &Config, other: &Config) -> Vec<Sign> {
        let sign = |scenario: &str, left: &Config, right: &Config| {
            let pair = Subject {
                beside: right.configuration.clone(),
                ..Subject::on(scenario, Scope::Pair, left.setting(""))
            };
            match self.derived(&pair, MetricId::BracketSign)?.word? {
                Word::Sign(sign) => Some(sign),
                _ => None,
            }
        };
        let scenarios = self.run.manifest.scenarios.iter().map(|scenario| scenario.name.as_str());
        scenarios
            .filter_map(|name| sign(name, one, other).or_else(|| sign(name, other, one)))
            .collect()
    }

    /// The summarizer whose cells stand for this one: a configuration that asks none was
    /// driven under one alone, and that stands for all.
    pub fn summarizer(&self, config: &Config, wanted: &str) -> Option<&'a str> {
        let found = self.setting(config)?;
        match found.get_key_value(wanted) {
            Some((name, _)) => Some(name),
            None if found.len() > 1 || self.asking.contains(&config.axes()) => None,
            None => found.keys().next().copied(),
        }
    }

    /// A figure over the sessions that have a twin in the second phrase bank.
    pub fn of_both_banks(&self, config: &Config, summarizer: &str, metric: MetricId) -> Figure {
        let subject = Subject::new(Scope::Bank, config.setting(summarizer));
        self.derived(&subject, metric).unwrap_or_default()
    }

    fn setting(&self, config: &Config) -> Option<&BySummarizer<'a>> {
        let place = self.settings.binary_search_by(|(axes, _)| axes.cmp(&config.axes()));
        Some(&self.settings[place.ok()?].1)
    }

    fn found(&self, config: &Config, summarizer: &str) -> Option<&Cells<'a>> {
        let summarizer = self.summarizer(config, summarizer)?;
        self.setting(config)?.get(summarizer)
    }

    /// Measured cells of a configuration under a summarizer.
    pub fn cells_under(&self, config: &Config, summarizer: &str) -> &[&'a MeasuredCell] {
        self.found(config, summarizer).map_or(&[], |cells| &cells.done)
    }

    /// Measured cells of a configuration under the main summarizer.
    pub fn cells(&self, config: &Config) -> &[&'a MeasuredCell] {
        self.cells_under(config, self.main)
    }

    /// How many cells of a configuration failed under a summarizer.
    pub fn failed_under(&self, config: &Config, summarizer: &str) -> usize {
        self.found(config, summarizer).map_or(0, |cells| cells.failed)
    }

    /// How many cells of a configuration failed under the main summarizer.
    pub fn failed(&self, config: &Config) -> usize {
        self.failed_under(config, self.main)
    }

    /// A metric over all sessions: as derived, else the mean over cells.
    pub fn under(&self, config: &Config, summarizer: &str, metric: MetricId) -> Figure {
        let Some(summarizer) = self.summarizer(config, summarizer) else {
            return Figure::missing(Basis::NotDrivenUnder);
        };
        let subject = Subject::new(Scope::Configuration, config.setting(summarizer));
        self.derived(&subject, metric)
            .unwrap_or_else(|| self.mean(self.cells_under(config, summarizer), metric))
    }

    /// A metric over all sessions under the main summarizer.
    pub fn figure(&self, config: &Config, metric: MetricId) -> Figure {
        self.under(config, self.main, metric)
    }

    /// A metric over the sessions of one family, under the main summarizer.
    pub fn in_family(&self, family: &str, config: &Config, metric: MetricId) -> Figure {
        let Some(summarizer) = self.summarizer(config, self.main) else {
            return Figure::missing(Basis::NotDrivenUnder);
        };
        let setting = config.setting(summarizer);
        let subject = Subject::on(family, Scope::Group, setting);
        self.derived(&subject, metric).unwrap_or_else(|| {
            let mut cells = self.cells(config).to_vec();
            cells.retain(|row| row.key.family == family);
            self.mean(&cells, metric)
        })
    }

    /// The mean of a metric over cells: measured, else derived by cell.
    pub fn mean(&self, cells: &[&MeasuredCell], metric: MetricId) -> Figure {
        let derived = |row: &MeasuredCell| self.frame.of_cell(&row.key.cell, metric);
        let value_of = |row: &&MeasuredCell| {
            row.number(metric).or_else(|| derived(row).and_then(Derived::as_number))
        };
        let values: Vec<f64> = cells.iter().filter_map(value_of).collect();
        let value = stats::mean(&values);
        let basis = match value {
            Some(_) => Basis::Direct,
            None if cells.is_empty() => Basis::NoSession,
            None => {
                let found = cells.iter().find_map(|row| derived(row));
                found.map(|row| row.basis.clone()).unwrap_or_default()
            }
        };
        Figure { value, n: values.len() as u32, basis, ..Figure::default() }
    }
}
