//! The plan of a run: a suite with everything that it names looked up.

use crate::matrix::{
    self, CellSpec, Configuration, GridPoints, OrderedStages, Suite, SummarizerName,
};
use crate::measure;
use crate::prelude::*;
use crate::price::PriceSheet;
use crate::run::Options;
use crate::run_dir::inputs::{Inputs, Prompts};
use crate::run_dir::{Manifest, ManifestInput, redact};
use crate::scenario::{Scenario, SessionSource};
use crate::strategy::Registry;
use crate::token::Counter;

/// What is to be run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan {
    /// The suite, for its name, seeds, modes and summarizers.
    pub suite: Suite,
    /// Its scenarios, resolved.
    pub scenarios: Vec<Scenario>,
    /// Its configurations, resolved.
    pub configurations: Vec<Configuration>,
    /// The orders of stages that it asks for.
    pub orders: Vec<OrderedStages>,
    /// The grids that it asks for.
    pub grids: Vec<GridPoints>,
    /// What tokens cost.
    pub sheet: PriceSheet,
    /// What the command line asked for, as words, for the manifest.
    pub command: String,
    /// Only cells whose id holds this text are driven.
    pub filter: Option<String>,
}

impl Plan {
    /// A suite on its scenarios; an error where a pipeline is not known or not sound.
    pub fn new(
        registry: &Registry,
        suite: Suite,
        scenarios: Vec<Scenario>,
        command: String,
    ) -> Result<Plan> {
        Ok(Plan {
            configurations: matrix::configurations(registry, &suite)?,
            orders: matrix::orders(registry, &suite)?,
            grids: matrix::grids(registry, &suite)?,
            sheet: PriceSheet::embedded(),
            suite,
            scenarios,
            command,
            filter: None,
        })
    }

    pub(crate) fn of_inputs(inputs: Inputs, command: String) -> Result<Plan> {
        let sheet = inputs.sheet()?;
        let Inputs { suite, scenarios, configurations, orders, grids, filter, .. } = inputs;
        Ok(Plan { suite, scenarios, configurations, orders, grids, sheet, command, filter })
    }

    /// What the run directory keeps of the plan. `redact` hides what transcripts are called.
    pub(super) fn inputs(&self, redact: bool) -> Inputs {
        let shown = |scenario: &Scenario| match &scenario.source {
            SessionSource::Synth(_) => scenario.clone(),
            SessionSource::Transcript(path) => {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                let name = name.unwrap_or_default();
                scenario.at(PathBuf::from(if redact { redact::name(&name) } else { name }))
            }
        };
        Inputs {
            suite: self.suite.clone(),
            scenarios: self.scenarios.iter().map(shown).collect(),
            configurations: self.configurations.clone(),
            orders: self.orders.clone(),
            grids: self.grids.clone(),
            prices: self.sheet.text().to_owned(),
            filter: self.filter.clone(),
            prompts: Prompts::new(),
        }
    }

    /// The same plan with digests for the names of transcripts, under another command.
    #[must_use]
    pub fn redacted(mut self, command: String) -> Plan {
        let mut hidden: Vec<String> = Vec::new();
        for scenario in &mut self.scenarios {
            if matches!(scenario.source, SessionSource::Transcript(_)) {
                hidden.push(scenario.name.clone());
                scenario.name = redact::name(&scenario.name);
                scenario.family = scenario.family.as_deref().map(redact::name);
            }
        }
        let suite = &mut self.suite;
        for name in suite.scenarios.iter_mut().chain([&mut suite.name]) {
            if hidden.contains(name) {
                *name = redact::name(name);
            }
        }
        self.command = command;
        self
    }

    /// The same plan with whole paths: it may be driven from another directory.
    pub fn anchored(mut self) -> Result<Plan> {
        for scenario in &mut self.scenarios {
            if let SessionSource::Transcript(path) = &mut scenario.source {
                let whole = std::path::absolute(&*path);
                *path = whole.map_err(|source| Error::io("find", path, source))?;
            }
        }
        Ok(self)
    }

    /// Whether both stand for the same cells of the same sessions, all of them synthesized: what is
    /// recorded is known only when it is read.
    pub fn is_same(&self, other: &Plan) -> bool {
        let sheet = |plan: &Plan| plan.sheet.digest().clone();
        let synthesized = |scenario: &Scenario| matches!(scenario.source, SessionSource::Synth(_));
        self.scenarios.iter().all(synthesized)
            && (&self.suite, &self.scenarios, &self.filter)
                == (&other.suite, &other.scenarios, &other.filter)
            && self.configurations == other.configurations
            && sheet(self) == sheet(other)
    }

    /// The sessions in order: every scenario under every seed; a transcript once.
    pub fn sessions(&self) -> Vec<(&Scenario, u64)> {
        let seeds = |scenario: &Scenario| match scenario.source {
            SessionSource::Transcript(_) => vec![0],
            SessionSource::Synth(_) => self.suite.seeds_of(scenario).to_vec(),
        };
        let of = |scenario| seeds(scenario).into_iter().map(move |seed| (scenario, seed));
        self.scenarios.iter().flat_map(of).collect()
    }

    /// The cells of a session.
    pub fn cells(&self, scenario: &Scenario, turns: u32, seed: u64) -> Vec<CellSpec> {
        let all = matrix::cells(&self.suite, &self.configurations, scenario, turns, seed);
        let wanted = |cell: &CellSpec| {
            self.filter.as_ref().is_none_or(|filter| cell.key.cell.contains(filter.as_str()))
        };
        all.into_iter().filter(wanted).collect()
    }

    /// Digests of everything that determines the figures, before any cell is driven.
    pub(crate) fn manifest(&self, options: &Options) -> Manifest {
        let input = |name: &str, digest| ManifestInput { name: name.to_owned(), digest };
        let mut summarizers = vec![self.suite.summarizer];
        summarizers.extend(&self.suite.brackets);
        let pipelines = self.configurations.iter().map(|one| &one.pipeline);
        Manifest {
            schema: crate::row::SCHEMA,
            tool: tool(),
            command: self.command.clone(),
            suite: matrix::named(&self.suite),
            asks: self.suite.asks,
            tokenizer: Counter::REFERENCE.tokenizer.name().to_owned(),
            prices: input(self.sheet.name(), self.sheet.digest().clone()),
            scenarios: self.scenarios.iter().map(|s| input(&s.name, s.digest())).collect(),
            pipelines: self
                .configurations
                .iter()
                .map(|c| input(&format!("{}@{}", c.pipeline.name, c.variant), c.pipeline.digest()))
                .collect(),
            aliases: self.aliases(),
            orders: self.orders.clone(),
            grids: self.grids.clone(),
            references: pipelines
                .clone()
                .filter_map(|one| Some((one.name.clone(), one.reference.clone()?)))
                .collect(),
            fidelity: pipelines.map(|one| (one.name.clone(), one.fidelity)).collect(),
            sessions: Vec::new(),
            summarizers: summarizers.iter().map(ToString::to_string).collect(),
            faults: self.suite.faults.iter().map(ToString::to_string).collect(),
            offline: self.suite.summarizer.name != SummarizerName::Http,
            live: options.live.as_ref().map(|live| live.terms().clone()),
            fitted: self.suite.fitted.digests(),
            stories: options.stories,
            redacted: options.redact,
            part: None,
            metrics: measure::table::versions(),
            cells: Vec::new(),
        }
    }

    /// By the name of a pipeline that was not driven under it: the name under which it was.
    fn aliases(&self) -> BTreeMap<String, String> {
        let of = |one: &Configuration| {
            one.aliases.clone().into_iter().zip(std::iter::repeat(one.name()))
        };
        self.configurations.iter().flat_map(of).collect()
    }
}

/// Version of the tool, as manifests name it.
pub fn tool() -> String {
    format!("proctor {}", env!("CARGO_PKG_VERSION"))
}
