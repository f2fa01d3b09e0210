//! `inputs.json`: everything that a run was made from, but for recorded sessions.

use crate::config;
use crate::matrix::{self, Configuration, GridPoints, OrderedStages, Suite};
use crate::pipeline::Pipeline;
use crate::prelude::*;
use crate::price::PriceSheet;
use crate::run_dir::Manifest;
use crate::run_dir::layout::at_line;
use crate::scenario::Scenario;
use crate::strategy::Registry;

pub const FILE: &str = "inputs.json";

/// What strategies wrote into their summary requests, by digest.
pub type Prompts = BTreeMap<Digest, String>;

/// The inputs of a run. `C` is a configuration: as the file has it, or with its strategies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs<C = Configuration> {
    /// The suite, with what the command line changed in it.
    pub suite: Suite,
    /// Its scenarios. Transcripts have their file's name for a path.
    pub scenarios: Vec<Scenario>,
    /// Its configurations, parameters and limits resolved.
    pub configurations: Vec<C>,
    pub orders: Vec<OrderedStages>,
    pub grids: Vec<GridPoints>,
    pub prices: String,
    /// Only cells whose id holds this text were driven.
    pub filter: Option<String>,
    #[serde(default)]
    pub prompts: Prompts,
}

/// A configuration whose strategies nobody has looked up.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Stored {
    pipeline: serde_json::Value,
    windowless: bool,
    window: Option<Tokens>,
    variant: String,
    aliases: Vec<String>,
}

impl Stored {
    fn known(self, registry: &Registry) -> serde_json::Result<Configuration> {
        let Stored { pipeline, windowless, window, variant, aliases } = self;
        let pipeline = Pipeline::from_json(registry, pipeline)?;
        Ok(Configuration { pipeline, windowless, window, variant, aliases })
    }
}

impl<C> Inputs<C> {
    /// The same with other configurations.
    fn with<D, E>(self, known: impl FnMut(C) -> Result<D, E>) -> Result<Inputs<D>, E> {
        let Inputs { suite, scenarios, configurations, orders, grids, prices, filter, prompts } =
            self;
        let configurations = configurations.into_iter().map(known).collect::<Result<_, E>>()?;
        Ok(Inputs { suite, scenarios, configurations, orders, grids, prices, filter, prompts })
    }
}

impl Inputs {
    /// Reads the inputs of a run. [`Error::Invalid`] names the one that is not the manifest's,
    /// [`Error::Line`] a strategy that the registry does not have.
    pub fn load(registry: &Registry, dir: &Path, manifest: &Manifest) -> Result<Inputs> {
        let path = dir.join(FILE);
        let text = config::text(&path)?;
        let broken = |error| at_line(&path.display().to_string(), &error);
        let stored: Inputs<Stored> = serde_json::from_str(&text).map_err(broken)?;
        let inputs = stored.with(|stored| stored.known(registry)).map_err(broken)?;
        match inputs.other(manifest) {
            None => Ok(inputs),
            Some(what) => Err(Error::refused(
                format!("{}: {what}", path.display()),
                "is not what the manifest says was run",
                "one of the two files was changed after the run",
            )),
        }
    }

    /// The first input that is not the manifest's.
    fn other(&self, manifest: &Manifest) -> Option<String> {
        let scenarios = self.scenarios.iter().map(|one| (one.name.clone(), one.digest()));
        let configurations = self
            .configurations
            .iter()
            .map(|one| (format!("{}@{}", one.pipeline.name, one.variant), one.pipeline.digest()));
        let recorded = manifest.scenarios.iter().chain(&manifest.pipelines);
        let count = self.scenarios.len() + self.configurations.len();
        if manifest.suite != matrix::named(&self.suite) {
            return Some("suite".to_owned());
        }
        if count != manifest.scenarios.len() + manifest.pipelines.len() {
            return Some("the number of scenarios and pipelines".to_owned());
        }
        let mut pairs = scenarios.chain(configurations).zip(recorded);
        pairs
            .find(|((name, digest), input)| (name, digest) != (&input.name, &input.digest))
            .map(|((name, _), _)| format!("`{name}`"))
    }

    pub fn sheet(&self) -> Result<PriceSheet> {
        PriceSheet::parse(&format!("{FILE}: prices"), &self.prices)
    }
}
