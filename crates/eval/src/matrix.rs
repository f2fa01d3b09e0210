//! Suites and the matrix of cells that they stand for.

mod adversaries;
mod generated;
mod grid;
mod key;
mod orderings;
mod size;
mod summarizer;

pub use adversaries::{ADVERSARY, CHANCE, UNDER};
pub use grid::{Grid, GridAxis, GridPoints, grids};
pub(crate) use key::unusual;
pub use key::{CellKey, configuration};
pub use orderings::{Order, OrderedStages, Orderings, orders};
pub use summarizer::{Summarizer, SummarizerName};

use crate::config;
use crate::drive::Mode;
use crate::ident::{self};
use crate::pipeline::{Pipeline, Stage};
use crate::prelude::*;
use crate::scenario::{Scenario, twin_of};
use crate::simulated::Fitted;
use crate::strategy::Registry;
use crate::summarize::fault::Fault;
use proctor_external::command;
pub use proctor_external::command::is_command;

/// The suites that the binary carries, by name.
pub static EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/suites.rs"));

crate::words! {
    /// The question that a suite is there to answer: its report answers it first.
    #[derive(Default)]
    pub enum Asks {
        /// Which strategy to use.
        #[default]
        Strategy = "strategy",
        /// Whether the order of stages matters.
        Order = "order",
        /// Whether floors are gone.
        Floor = "floor",
        /// Who survives a summarizer that fails.
        Faults = "faults",
        /// What the sessions at hand lose.
        Session = "session",
    }
}

/// Scenarios × pipelines × modes × seeds × summarizers × replicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Suite {
    /// Name in reports.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// What its report answers first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub asks: Asks,
    /// Scenario names.
    pub scenarios: Vec<String>,
    /// Pipelines that are driven in the scenario's window.
    #[serde(default)]
    pub pipelines: Vec<String>,
    /// Pipelines that are driven without a window; `none` is the control.
    #[serde(default)]
    pub windowless: Vec<String>,
    /// Shares of the window at which `truncate` is swept.
    #[serde(default)]
    pub truncate_sweep: Vec<f64>,
    /// Modes.
    #[serde(default = "deployed")]
    pub modes: Vec<Mode>,
    /// Seeds.
    pub seeds: Vec<u64>,
    /// Seeds under which every scenario is driven once more in phrase bank B ([`Scenario::twin`]).
    #[serde(default)]
    pub second_bank: Vec<u64>,
    /// The summarizer that verdicts rest on.
    #[serde(default)]
    pub summarizer: Summarizer,
    /// Simulated summarizers of one's own (`proctor fit`): by `NAME` the file of `fitted-NAME`, or its
    /// parameters, which runs embed.
    #[serde(default, skip_serializing_if = "Fitted::is_empty")]
    pub fitted: Fitted,
    /// Summarizers that bracket it.
    #[serde(default)]
    pub brackets: Vec<Summarizer>,
    /// Scenarios in which the adversaries are driven as controls, each under the first seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adversaries: Vec<String>,
    /// Faults that are put around the summarizer, each a further one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// Draws of stochastic summarizers.
    #[serde(default = "one")]
    pub replicates: u32,
    /// Whether floors are probed: as deployed, under the main summarizer.
    #[serde(default = "yes")]
    pub probes: bool,
    /// Whether floors are probed under the brackets too: what is the summarizer's of a slope.
    #[serde(default, skip_serializing_if = "is_default")]
    pub probe_brackets: bool,
    /// The same stages in several orders, each a pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orderings: Option<Orderings>,
    /// Pipelines at every combination of some parameters and windows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grid: Vec<Grid>,
}

fn deployed() -> Vec<Mode> {
    vec![Mode::Deployed]
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

impl Suite {
    /// Parses and checks a suite file.
    pub fn parse(file: &str, text: &str) -> Result<Suite> {
        let suite: Suite = config::parse("suite", file, text)?;
        let invalid = |(key, rule)| Error::invalid(format!("{file}: {key}"), rule);
        suite.check().map_err(invalid)?;
        suite.check_fitted()?;
        Ok(suite)
    }

    fn check(&self) -> generated::Rule {
        let sweep = &self.truncate_sweep;
        let swept: Vec<String> = sweep.iter().copied().map(swept).collect();
        let summarizers = [&self.brackets[..], &[self.summarizer]].concat();
        let generates = self.orderings.is_some() || !self.grid.is_empty();
        let named = !self.pipelines.is_empty() || !self.windowless.is_empty() || generates;
        let in_range = sweep.iter().all(|share| (0.01..=1.0).contains(share));
        let seed = "the same seed twice is one session counted twice";
        let name = "the same name stands twice";
        let bracket = "the same summarizer twice counts every session twice";
        let first = "the closed loop stands beside the open replay, never first";
        let rules = [
            ("name", ident::is_name(&self.name), "a suite's name is lower-case-with-hyphens"),
            ("seeds", !self.seeds.is_empty(), "at least one seed is needed"),
            ("seeds", !has_doubles(&self.seeds), seed),
            ("scenarios", !has_doubles(&self.scenarios), name),
            ("pipelines", !has_doubles(&self.pipelines), name),
            ("windowless", !has_doubles(&self.windowless), name),
            ("second-bank", !has_doubles(&self.second_bank), seed),
            ("adversaries", !has_doubles(&self.adversaries), name),
            ("pipelines", named, "at least one pipeline is needed"),
            ("faults", !has_doubles(&self.faults), "the same fault stands twice"),
            ("truncate-sweep", in_range, "every share lies between 0.01 and 1"),
            ("truncate-sweep", !has_doubles(&swept), "the same share stands twice"),
            ("modes", !self.modes.is_empty(), "at least one mode is needed"),
            ("modes", self.modes.first().is_none_or(|mode| mode.sweep().is_none()), first),
            ("modes", !has_doubles(&self.modes), "the same mode twice counts every session twice"),
            ("brackets", !has_doubles(&summarizers), bracket),
            ("replicates", (1..=size::MOST_DRAWS).contains(&self.replicates), "1 to 1000"),
        ];
        if let Some((key, _, rule)) = rules.iter().find(|(_, holds, _)| !holds) {
            return Err(((*key).to_owned(), (*rule).to_owned()));
        }
        if let Some(seed) = self.second_bank.iter().find(|seed| !self.seeds.contains(seed)) {
            let rule = format!("{seed} is not among `seeds`: a twin needs its scenario beside it");
            return Err(("second-bank".to_owned(), rule));
        }
        if let Some(stray) = self.adversaries.iter().find(|one| !self.scenarios.contains(one)) {
            let rule = format!("`{stray}` is not among `scenarios`: nothing would be driven");
            return Err(("adversaries".to_owned(), rule));
        }
        self.orderings.iter().try_for_each(Orderings::check)?;
        self.grid.iter().enumerate().try_for_each(|(number, grid)| grid.check(number))?;
        size::check(self)
    }

    /// Whether the suite has the parameters of every fitted summarizer; else [`Error::Invalid`].
    pub fn check_fitted(&self) -> Result<()> {
        let missing = |one: &&Summarizer| match one.name {
            SummarizerName::Fitted(name) => self.fitted.get(name).is_none(),
            _ => false,
        };
        let mut all = self.brackets.iter().chain([&self.summarizer]);
        all.find(missing).map_or(Ok(()), |one| {
            let rule = "the suite has no parameters for it";
            let hint = "`--summarizer simulated:FILE` takes those of a file, `fitted.NAME = \"FILE\"` \
                        in a suite those of `fitted-NAME`";
            Err(Error::refused(format!("summarizer `{}`", one.name.name()), rule, hint))
        })
    }

    /// The configuration of a recorded cell, where orderings or grids stand for it.
    pub fn generated(&self, registry: &Registry, key: &CellKey) -> Result<Option<Configuration>> {
        let all = generated::configurations(registry, self)?;
        Ok(all.into_iter().find(|one| one.name() == key.configuration()))
    }

    /// An error about a name that the suite uses says where it stands.
    pub fn within(&self, key: &str, error: Error) -> Error {
        match error {
            Error::Unknown { what, name, hint } => {
                let place = format!("suite `{}`: {key}", self.name);
                Error::Invalid { place, rule: format!("unknown {what} `{name}`"), hint }
            }
            other => other,
        }
    }

    /// The embedded suite of this name.
    pub fn embedded(name: &str) -> Option<Result<Suite>> {
        let (name, text) = EMBEDDED.iter().find(|(known, _)| *known == name)?;
        Some(Suite::parse(&format!("embedded:{name}"), text))
    }

    /// What is driven over sessions of one's own: what was really done, and what others would have
    /// done; the recorded compactions only where there are any.
    pub fn of_sessions(scenarios: Vec<String>, compacted: bool) -> Result<Suite> {
        const TEXT: &str = include_str!("../data/own-sessions.toml");
        let mut suite = Suite::parse("own-sessions.toml", TEXT)?;
        suite.pipelines.retain(|name| compacted || name != "recorded");
        Ok(Suite { scenarios, ..suite })
    }

    /// The suite with these pipelines in place of its own and of those that it generates; the
    /// control stays.
    #[must_use]
    pub fn driving(mut self, pipelines: Vec<String>) -> Suite {
        self.pipelines = pipelines;
        self.windowless.retain(|name| name == "none");
        self.orderings = None;
        self.grid.clear();
        self
    }

    /// The twins of these scenarios that the suite asks for.
    pub fn twins(&self, scenarios: &[Scenario]) -> Vec<Scenario> {
        let wanted = !self.second_bank.is_empty();
        scenarios.iter().filter(|_| wanted).filter_map(Scenario::twin).collect()
    }

    /// The seeds of a scenario; a twin has fewer.
    pub fn seeds_of(&self, scenario: &Scenario) -> &[u64] {
        if twin_of(&scenario.name).is_some() && !self.second_bank.is_empty() {
            return &self.second_bank;
        }
        &self.seeds
    }
}

/// Whether anything stands twice in the list.
pub fn has_doubles<T: Ord>(list: &[T]) -> bool {
    let distinct: BTreeSet<&T> = list.iter().collect();
    distinct.len() < list.len()
}

/// A pipeline as the matrix drives it: in a window, without one, or with its limits moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Configuration {
    /// The pipeline, limits moved already.
    pub pipeline: Pipeline,
    /// Whether the window is taken away.
    pub windowless: bool,
    /// A window in place of the scenario's.
    pub window: Option<Tokens>,
    /// `windowed`, `windowless`, `limit=SHARE` or `adversary`.
    pub variant: String,
    /// Names of generated pipelines that are this one under another name.
    pub aliases: Vec<String>,
}

/// One cell: what to drive and its key.
#[derive(Clone, Debug)]
pub struct CellSpec {
    /// Its axes and id.
    pub key: CellKey,
    /// Index into [`configurations`].
    pub configuration: usize,
    /// Mode.
    pub mode: Mode,
    /// Summarizer.
    pub summarizer: Summarizer,
}

/// The configurations of a suite, in order.
pub fn configurations(registry: &Registry, suite: &Suite) -> Result<Vec<Configuration>> {
    let windowed = |(key, name): (&str, &String)| {
        let pipeline = load_pipeline(registry, name).map_err(|error| suite.within(key, error))?;
        let windowless = key == "windowless";
        let variant = if windowless { key } else { "windowed" };
        Ok(Configuration::new(pipeline, windowless, variant))
    };
    let limits = suite.truncate_sweep.iter().map(|share| {
        let mut pipeline = registry.pipeline("truncate")?;
        for pressure in pipeline.stages.iter_mut().flat_map(|stage| &mut stage.pressure) {
            pressure.limit.share = *share;
        }
        Ok(Configuration::new(pipeline, false, &swept(*share)))
    });
    let windowless = suite.windowless.iter().map(|name| ("windowless", name));
    let pipelines = suite.pipelines.iter().map(|name| ("pipelines", name));
    let adversaries = adversaries::configurations(registry, suite);
    let named = windowless.chain(pipelines).map(windowed).chain(limits).chain(adversaries);
    let generated = generated::configurations(registry, suite)?;
    generated::joined(&suite.name, named.collect::<Result<_>>()?, generated)
}

fn swept(share: f64) -> String {
    let two = format!("{share:.2}");
    if two.parse() == Ok(share) { format!("limit={two}") } else { format!("limit={share}") }
}

/// A pipeline by registered name, by file, or as the command line of a program.
pub fn load_pipeline(registry: &Registry, name: &str) -> Result<Pipeline> {
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Pipeline::parse(registry, name, &config::text(path)?);
    }
    if is_command(name) {
        return Pipeline::parse(registry, name, &command::pipeline(name)?);
    }
    registry.pipeline(name)
}

/// Whether an intervention can change what a configuration does: there is a window, and stages have
/// other occasions than those it leaves them.
fn differs(configuration: &Configuration, mode: Mode) -> bool {
    let stages = &configuration.pipeline.stages;
    let has_reactive = |stage: &Stage| stage.on.keys().any(|occasion| occasion.is_reactive());
    match mode {
        Mode::Deployed | Mode::AsRecorded => true,
        Mode::ClosedLoop | Mode::ClosedLoopLow | Mode::ClosedLoopHigh => !configuration.is_swept(),
        _ if configuration.windowless || configuration.is_swept() => false,
        Mode::Proactive => stages.iter().any(has_reactive),
        Mode::Reactive => stages.iter().any(|stage| stage.on.keys().any(|own| !own.is_reactive())),
        Mode::Both => stages.iter().any(|stage| !has_reactive(stage)),
        Mode::Forced => !stages.is_empty(),
    }
}

/// The cells of one session: every configuration as deployed under every summarizer, and with the
/// main one under every other mode in which it differs. What asks nothing is driven once.
pub fn cells(
    suite: &Suite,
    configurations: &[Configuration],
    scenario: &Scenario,
    turns: u32,
    seed: u64,
) -> Vec<CellSpec> {
    let (mut cells, main) = (Vec::new(), suite.summarizer);
    // A twin answers one question, how much the words matter to the summarizer: with
    // `perfect`, to which they do not, beside it as the measure.
    let is_twin = twin_of(&scenario.name).is_some();
    for (number, configuration) in configurations.iter().enumerate() {
        if is_twin && configuration.is_swept() {
            continue;
        }
        if configuration.is_adversary() {
            let session = (scenario, turns, seed);
            cells.extend(adversaries::cells(suite, (number, configuration), session));
            continue;
        }
        let asks = configuration.pipeline.asks() && !configuration.is_swept();
        let brackets = suite.brackets.iter().filter(|_| asks);
        let brackets = brackets.filter(|one| !is_twin || one.name == SummarizerName::Perfect);
        let faults = suite.faults.iter().filter(|_| asks && !is_twin);
        let faults = faults.map(|fault| Summarizer { fault: Some(*fault), ..main });
        for summarizer in [main].into_iter().chain(brackets.copied()).chain(faults) {
            let is_main = summarizer.without_fault() == main.without_fault();
            // Nothing can be forced on the control: it is driven whatever the modes are.
            let closed = suite.modes.iter().filter(|mode| mode.sweep().is_some());
            let unforced: Vec<Mode> = [Mode::Deployed].iter().chain(closed).copied().collect();
            let modes = if configuration.windowless { &unforced } else { &suite.modes };
            let modes = modes.iter().filter(|mode| {
                differs(configuration, **mode) && (is_main || **mode == suite.modes[0])
            });
            for mode in modes {
                let draws = if summarizer.is_stochastic() { suite.replicates } else { 1 };
                for replicate in 0..draws {
                    let session = (scenario, turns, seed);
                    let by = (summarizer, main);
                    let key = CellKey::new(session, configuration, *mode, by, replicate);
                    cells.push(CellSpec { key, configuration: number, mode: *mode, summarizer });
                }
            }
        }
    }
    cells
}

impl CellSpec {
    /// Whether its floor is probed in a suite that probes floors.
    pub fn is_probed(&self, suite: &Suite) -> bool {
        let is_bracket = suite.probe_brackets && suite.brackets.contains(&self.summarizer);
        let is_main = self.summarizer == suite.summarizer || is_bracket;
        self.mode == suite.modes[0] && is_main && !self.key.is_adversary()
    }
}

impl Configuration {
    fn new(pipeline: Pipeline, windowless: bool, variant: &str) -> Configuration {
        let variant = variant.to_owned();
        Configuration { pipeline, windowless, window: None, variant, aliases: Vec::new() }
    }

    /// Pipeline and variant as tables name a configuration.
    pub fn name(&self) -> String {
        configuration(&self.pipeline.name, &self.variant)
    }

    fn is_swept(&self) -> bool {
        self.variant.starts_with("limit=")
    }

    fn is_adversary(&self) -> bool {
        self.variant == ADVERSARY
    }
}

/// A suite as manifests name it: with the digest of everything that it says.
pub fn named(suite: &Suite) -> String {
    format!("{} ({})", suite.name, Digest::of_json(suite))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::strategy::shipped;

    pub(super) fn suite_of(rest: &str) -> Result<Suite> {
        let head = "name = \"s\"\nabout = \"\"\nscenarios = []\nseeds = [1]\n";
        Suite::parse("s.toml", &format!("{head}{rest}"))
    }

    fn suite(name: &str) -> Suite {
        Suite::embedded(name).expect("it ships").expect("it parses")
    }

    #[test]
    fn every_shipped_suite_names_only_what_ships() {
        for (name, _) in EMBEDDED {
            let suite = suite(name);
            assert_eq!(suite.name, *name);
            configurations(shipped(), &suite).unwrap_or_else(|error| panic!("{name}: {error}"));
            for scenario in &suite.scenarios {
                Scenario::of_suite(name, scenario)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
    }

    #[test]
    fn cells_are_driven_where_they_can_differ_and_ids_print_what_is_not_default() {
        let suite = Suite { modes: Mode::ALL.to_vec(), ..suite("tiers") };
        let configurations = configurations(shipped(), &suite).expect("they ship");
        let scenario = Scenario::embedded("multi-goal-arcs").expect("it ships");
        let cells = cells(&suite, &configurations, &scenario, 72, 7);
        let ids: BTreeSet<&str> = cells.iter().map(|cell| &*cell.key.cell).collect();
        assert_eq!(ids.len(), cells.len());
        for (id, driven) in [
            ("none@windowless/7", true),
            ("none@windowless/7/both", false),
            ("none/7/perfect", false),
            ("none/7/reactive", false),
            ("forge-adr/7", true),
            ("forge-adr/7/perfect", true),
            ("forge-adr/7/reactive", true),
            ("forge-adr/7/both", true),
            ("forge-adr/7/proactive", false),
            ("forge-adr/7/reactive/perfect", false),
            ("truncate/7/reactive", true),
        ] {
            let id = format!("multi-goal-arcs@100k/{id}");
            assert_eq!(ids.contains(id.as_str()), driven, "{id}");
        }
    }
}
