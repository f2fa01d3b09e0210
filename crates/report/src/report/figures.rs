//! Figures of a run by configuration: the one place where the report looks things up.

use serde::Serializer;

use super::figure::Figure;
use crate::audit::LEAST_NEEDS;
use crate::chart::each_once;
use crate::drive::Mode;
use crate::frame::{Frame, Scope, Setting, Subject};
use crate::matrix::Asks;
use crate::measure::Sign;
use crate::prelude::*;
use crate::run_dir::{CellState, Manifest};

/// With fewer needs one more or less decides recall.
pub const FEW_NEEDS: f64 = LEAST_NEEDS as f64;

/// A configuration in a mode: a row of most tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    place: usize,
    pub pipeline: String,
    /// `windowed`, `windowless` or a swept limit.
    pub variant: String,
    pub mode: String,
    /// Pipeline and variant as tables write them.
    pub configuration: String,
    /// Whether its pipeline was completed where its source is silent.
    pub inferred: bool,
    /// Whether an ordering or a grid of the suite made it.
    pub generated: bool,
}

impl Config {
    pub fn name(&self) -> String {
        let mode = (!self.is_deployed()).then_some(self.mode.as_str());
        let words = mode.into_iter().chain(self.inferred.then_some("inferred"));
        match &words.collect::<Vec<_>>()[..] {
            [] => self.configuration.clone(),
            words => format!("{} ({})", self.configuration, words.join(", ")),
        }
    }

    /// Whether it runs as its own stages say, or at its sessions' own compactions.
    pub fn is_deployed(&self) -> bool {
        Mode::is_usual(&self.mode)
    }

    /// Whether its agent acts on what it has lost.
    pub fn is_closed(&self) -> bool {
        Mode::is_closed(&self.mode)
    }

    pub fn is_swept(&self) -> bool {
        !self.is_windowless() && self.variant != "windowed"
    }

    /// Whether it is the control of all sessions: nothing done, no window.
    pub fn is_control(&self) -> bool {
        self.is_windowless() && self.is_idle()
    }

    pub fn is_idle(&self) -> bool {
        self.pipeline == "none"
    }

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

    pub fn matches(&self, key: &CellKey) -> bool {
        self.axes() == axes(key)
    }
}

/// Templates write it by its name.
impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

#[derive(Serialize)]
pub struct Representatives {
    pub generated: usize,
    pub three: Vec<String>,
    pub mode: String,
}

/// These by name, names in the order of their first.
pub fn grouped<Name: PartialEq, T>(
    all: impl IntoIterator<Item = (Name, T)>,
) -> Vec<(Name, Vec<T>)> {
    let mut groups: Vec<(Name, Vec<T>)> = Vec::new();
    for (name, one) in all {
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, own)) => own.push(one),
            None => groups.push((name, vec![one])),
        }
    }
    groups
}

type Axes<'a> = (&'a str, &'a str, &'a str);

fn axes(key: &CellKey) -> Axes<'_> {
    (&key.pipeline, &key.variant, &key.mode)
}

#[derive(Clone, Debug, Default)]
struct Driven<'a> {
    /// Its done cells by summarizer, without the twins of sessions, and how many failed.
    by_summarizer: BTreeMap<&'a str, (Vec<&'a MeasuredCell>, usize)>,
    /// Whether some compaction asked a summarizer.
    asks: bool,
}

fn driven<'a>(run: &'a RunData, frame: &Frame, configs: &[Config]) -> Vec<Driven<'a>> {
    let places: BTreeMap<Axes, usize> = configs.iter().map(Config::axes).zip(0..).collect();
    let mut driven: Vec<Driven> = configs.iter().map(|_| Driven::default()).collect();
    for cell in &run.manifest.cells {
        let Some(place) = places.get(&axes(&cell.key)) else { continue };
        let (_, failed) = driven[*place].by_summarizer.entry(&cell.key.summarizer).or_default();
        *failed += usize::from(matches!(cell.state, CellState::Failed(_)));
    }
    for row in run.measurements.iter().filter(|row| row.is_done()) {
        let Some(place) = places.get(&axes(&row.key)) else { continue };
        driven[*place].asks |= frame.compactions_of(row).iter().any(|plan| plan.attempts > 0);
        if !row.is_twin() {
            driven[*place].by_summarizer.entry(&row.key.summarizer).or_default().0.push(row);
        }
    }
    driven
}

fn configs(manifest: &Manifest) -> Vec<Config> {
    let inferred = manifest.inferred();
    // Configurations that only orderings and grids of the suite name.
    let orders = manifest.orders.iter().map(|order| &order.name);
    let points = manifest.grids.iter().flat_map(|grid| &grid.points);
    let generated = orders.chain(points).filter(|name| !manifest.aliases.contains_key(*name));
    let generated: BTreeSet<&String> = generated.collect();
    let mut known: BTreeSet<Axes> = BTreeSet::new();
    // A configuration of which all cells were excluded is listed with its reason only.
    let driven = manifest.cells.iter().filter(|cell| !matches!(cell.state, CellState::Excluded(_)));
    let contestants = driven.map(|cell| &cell.key).filter(|key| !key.is_adversary());
    let first = contestants.filter(|key| known.insert(axes(key)));
    let configs = first.enumerate().map(|(place, key)| {
        let configuration = key.configuration();
        Config {
            place,
            inferred: inferred.contains(&key.pipeline),
            generated: generated.contains(&configuration),
            pipeline: key.pipeline.clone(),
            variant: key.variant.clone(),
            mode: key.mode.clone(),
            configuration,
        }
    });
    configs.collect()
}

/// Needs that recall at need rests on, over cells.
pub fn needs(cells: &[&MeasuredCell]) -> f64 {
    cells.iter().filter_map(|row| row.number(MetricId::DemandsAtNeed)).sum()
}

pub struct Figures<'a> {
    pub run: &'a RunData,
    /// Its directory, for tables that are not held in memory.
    pub dir: &'a Path,
    pub configs: Vec<Config>,
    /// Those whose agent acts on what it has lost: in a section of their own.
    pub closed: Vec<Config>,
    /// The summarizer that figures hold for where nothing else is said.
    pub main: &'a str,
    pub ranks_inferred: bool,
    /// Stands for all generated configurations where these are too many for every table.
    pub representatives: Option<Representatives>,
    pub frame: Frame<'a>,
    driven: Vec<Driven<'a>>,
}

impl<'a> Figures<'a> {
    /// Indexes a run. Pipelines that are inferred are ranked only where that is asked for.
    pub fn new(run: &'a RunData, dir: &'a Path, ranks_inferred: bool) -> Figures<'a> {
        let (configs, frame) = (configs(&run.manifest), run.frame());
        let driven = driven(run, &frame, &configs);
        let (closed, configs) = configs.into_iter().partition(Config::is_closed);
        Figures {
            run,
            dir,
            ranks_inferred,
            representatives: None,
            main: run.manifest.summarizers.first().map_or("", String::as_str),
            driven,
            frame,
            configs,
            closed,
        }
    }

    /// Configurations in every table: no points of a sweep, of generated ones representatives.
    pub fn shown(&self) -> impl Iterator<Item = &Config> {
        self.unswept().filter(|config| {
            let chosen = self.representatives.as_ref().filter(|_| config.generated);
            chosen.is_none_or(|chosen| chosen.three.contains(&config.configuration))
        })
    }

    pub fn shown_but_control(&self) -> impl Iterator<Item = &Config> {
        self.shown().filter(|config| !config.is_control())
    }

    /// Configurations that are no point of a sweep, however many were generated.
    pub fn unswept(&self) -> impl Iterator<Item = &Config> {
        self.configs.iter().filter(|config| !config.is_swept())
    }

    /// Puts configurations in this order, by name; those that it lacks stay behind.
    pub fn arrange(&mut self, order: &[String]) {
        let place = |config: &Config| order.iter().position(|name| *name == config.name());
        self.configs.sort_by_key(|config| place(config).unwrap_or(usize::MAX));
    }

    /// The number of a configuration's colour in every chart; a swept one has its pipeline's.
    pub fn colour(&self, config: &Config) -> usize {
        let mut own = self.shown_but_control();
        own.position(|other| (&other.pipeline, &other.mode) == (&config.pipeline, &config.mode))
            .unwrap_or(config.place)
    }

    /// Whether a configuration may be called best or worst of anything.
    pub fn ranks(&self, config: &Config) -> bool {
        self.ranks_inferred || !config.inferred
    }

    pub fn derived(&self, subject: &Subject, metric: MetricId) -> Option<Figure> {
        self.frame.derived(subject, metric).map(Figure::from)
    }

    pub fn cell(&self, cell: &str) -> Option<&'a MeasuredCell> {
        self.frame.cell(cell)
    }

    fn keys(&self) -> impl Iterator<Item = &'a CellKey> {
        self.run.manifest.cells.iter().map(|cell| &cell.key)
    }

    pub fn families(&self) -> Vec<&'a str> {
        let own = self.keys().filter(|key| twin_of(&key.scenario).is_none());
        each_once(own.map(|key| key.family.as_str()))
    }

    pub fn lengths(&self, family: &str) -> Vec<u32> {
        let turns = self.keys().filter(|key| key.family == family).map(|key| key.turns);
        turns.collect::<BTreeSet<u32>>().into_iter().collect()
    }

    pub fn sessions_of(&self, families: &[&str]) -> Vec<&'a ManifestSession> {
        let own = self.keys().filter(|key| families.contains(&key.family.as_str()));
        let scenarios: BTreeSet<&str> = own.map(|key| key.scenario.as_str()).collect();
        let sessions = self.run.manifest.sessions.iter();
        sessions.filter(|session| scenarios.contains(session.scenario.as_str())).collect()
    }

    /// A configuration's cell of a session under the main summarizer.
    pub fn cell_of(&self, config: &Config, session: &ManifestSession) -> Option<&'a MeasuredCell> {
        let (scenario, seed) = (&session.scenario, session.seed);
        let mut own = self.cells(config).iter();
        own.find(|row| row.key.scenario == *scenario && row.key.seed == seed).copied()
    }

    pub fn sessions(&self) -> usize {
        let sessions = self.run.manifest.sessions.iter();
        sessions.filter(|session| twin_of(&session.scenario).is_none()).count()
    }

    /// The signs of the difference in recall over the bracketing summarizers, by scenario.
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

    /// The summarizer whose cells stand for this one; one alone stands for all where none is asked.
    pub fn summarizer(&self, config: &Config, wanted: &str) -> Option<&'a str> {
        let Driven { by_summarizer, asks } = &self.driven[config.place];
        match by_summarizer.get_key_value(wanted) {
            Some((name, _)) => Some(name),
            None if by_summarizer.len() > 1 || *asks => None,
            None => by_summarizer.keys().next().copied(),
        }
    }

    /// A figure over the sessions that have a twin in the second phrase bank.
    pub fn of_both_banks(&self, config: &Config, summarizer: &str, metric: MetricId) -> Figure {
        let subject = Subject::new(Scope::Bank, config.setting(summarizer));
        self.derived(&subject, metric).unwrap_or_default()
    }

    fn found(&self, config: &Config, wanted: &str) -> Option<&(Vec<&'a MeasuredCell>, usize)> {
        let summarizer = self.summarizer(config, wanted)?;
        self.driven[config.place].by_summarizer.get(summarizer)
    }

    pub fn cells_under(&self, config: &Config, summarizer: &str) -> &[&'a MeasuredCell] {
        self.found(config, summarizer).map_or(&[], |(done, _)| done)
    }

    pub fn cells(&self, config: &Config) -> &[&'a MeasuredCell] {
        self.cells_under(config, self.main)
    }

    pub fn cells_where(
        &self,
        config: &Config,
        wanted: impl Fn(&CellKey) -> bool,
    ) -> Vec<&'a MeasuredCell> {
        self.cells(config).iter().copied().filter(|row| wanted(&row.key)).collect()
    }

    pub fn failed_under(&self, config: &Config, summarizer: &str) -> usize {
        self.found(config, summarizer).map_or(0, |(_, failed)| *failed)
    }

    /// A metric over all sessions: as derived, else the mean over cells.
    pub fn under(&self, config: &Config, summarizer: &str, metric: MetricId) -> Figure {
        let Some(summarizer) = self.summarizer(config, summarizer) else {
            return Figure::missing(Basis::NotDrivenUnder);
        };
        let cells = self.cells_under(config, summarizer);
        if let Some(few) = self.few_needs(cells, metric) {
            return few;
        }
        let subject = Subject::new(Scope::Configuration, config.setting(summarizer));
        self.derived(&subject, metric).unwrap_or_else(|| self.mean(cells, metric))
    }

    pub fn figure(&self, config: &Config, metric: MetricId) -> Figure {
        self.under(config, self.main, metric)
    }

    pub fn value(&self, config: &Config, metric: MetricId) -> Option<f64> {
        self.figure(config, metric).value
    }

    pub fn in_family(&self, family: &str, config: &Config, metric: MetricId) -> Figure {
        self.in_family_under(family, config, self.main, metric)
    }

    /// A metric over the sessions of a family: as derived, else the mean over cells.
    pub fn in_family_under(
        &self,
        family: &str,
        config: &Config,
        summarizer: &str,
        metric: MetricId,
    ) -> Figure {
        let Some(summarizer) = self.summarizer(config, summarizer) else {
            return Figure::missing(Basis::NotDrivenUnder);
        };
        let subject = Subject::on(family, Scope::Group, config.setting(summarizer));
        let cells = || {
            let all = self.cells_under(config, summarizer).iter().copied();
            all.filter(|row| row.key.family == family).collect::<Vec<_>>()
        };
        self.derived(&subject, metric).unwrap_or_else(|| self.mean(&cells(), metric))
    }

    /// Of sessions of one's own no recall over a few needs is told.
    fn few_needs(&self, cells: &[&MeasuredCell], metric: MetricId) -> Option<Figure> {
        let asked = self.run.manifest.asks == Asks::Session && metric == MetricId::RecallAtNeed;
        let needs = needs(cells);
        let few = asked && (1.0..FEW_NEEDS).contains(&needs);
        few.then(|| Figure::missing(Basis::FewNeeds { needs: needs as u32 }))
    }

    /// The mean of a metric over cells: measured, else derived by cell.
    pub fn mean(&self, cells: &[&MeasuredCell], metric: MetricId) -> Figure {
        if let Some(few) = self.few_needs(cells, metric) {
            return few;
        }
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
                cells.iter().find_map(|row| Some(derived(row)?.basis.clone())).unwrap_or_default()
            }
        };
        Figure { value, n: values.len() as u32, basis, ..Figure::default() }
    }
}
