//! Strategies by name: what a pipeline file can name, shipped or brought from outside.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::{Parameter, Strategy};
use crate::error::{Error, Result};
use crate::ident::did_you_mean;
use crate::pipeline::Pipeline;

/// A strategy under the name that pipeline files use, with its parameters.
#[derive(Clone)]
pub struct StrategySpec {
    name: Arc<str>,
    strategy: Arc<dyn Strategy>,
    parameters: Arc<Parameters>,
}

impl StrategySpec {
    /// A strategy under a name. What it serializes to, a table, are its parameters; panics if none.
    pub fn new(name: &str, strategy: impl Strategy + Serialize + 'static) -> StrategySpec {
        // OK because the fields of a strategy, not its values, decide whether this succeeds.
        let written = serde_json::to_string(&strategy).expect("parameters can be written as JSON");
        let parameters = serde_json::from_str(&written).expect("parameters are a table");
        let (strategy, parameters) = (Arc::new(strategy), Arc::new(parameters));
        StrategySpec { name: name.into(), strategy, parameters }
    }

    /// The strategy.
    pub fn strategy(&self) -> &dyn Strategy {
        &*self.strategy
    }

    /// The name that pipeline files use.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// As pipeline files write it: `{ NAME = { PARAMETERS } }`.
impl Serialize for StrategySpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(&*self.name, &*self.parameters)])
    }
}

impl fmt::Debug for StrategySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.name, self.strategy)
    }
}

impl PartialEq for StrategySpec {
    fn eq(&self, other: &StrategySpec) -> bool {
        self.name == other.name && self.parameters == other.parameters
    }
}

/// Parameters in the order of their declaration, in which digests read them.
#[derive(PartialEq)]
struct Parameters(Vec<(String, Value)>);

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // TOML knows no null: it leaves out what is absent.
        serializer.collect_map(
            self.0.iter().map(|(key, value)| (key, Some(value).filter(|v| !v.is_null()))),
        )
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Parameters, D::Error> {
        struct Table;
        impl<'de> Visitor<'de> for Table {
            type Value = Parameters;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of parameters")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
                let mut parameters = Vec::new();
                while let Some(parameter) = map.next_entry()? {
                    parameters.push(parameter);
                }
                Ok(Parameters(parameters))
            }
        }
        json.deserialize_map(Table)
    }
}

/// A strategy that can be named in a pipeline file.
#[derive(Clone, Debug)]
pub struct Known {
    /// As pipeline files write it.
    pub name: String,
    /// What it does, in a sentence.
    pub about: String,
    /// With the parameters that hold where a file says nothing.
    pub standard: StrategySpec,
    /// What its parameters mean, every one.
    pub parameters: &'static [Parameter],
    read: fn(&str, Value, Option<&Path>) -> Result<StrategySpec, String>,
}

/// Everything that a suite can name. A copy of `proctor_strategies::shipped` can hold your own too.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    strategies: Vec<Known>,
    pipelines: Vec<(String, String)>,
}

impl Registry {
    /// Adds a strategy, or replaces the one of this name. Its fields are its parameters, `Default`
    /// where a file says nothing; one without parameters is a struct with braces and no field.
    pub fn add<S>(&mut self, name: &str, about: &str, parameters: &'static [Parameter])
    where
        S: Strategy + Default + Serialize + DeserializeOwned + 'static,
    {
        self.strategies.retain(|known| known.name != name);
        self.strategies.push(Known {
            name: name.to_owned(),
            about: about.to_owned(),
            standard: StrategySpec::new(name, S::default()),
            parameters,
            read: |name, table, directory| {
                let read = serde_json::from_value::<S>(table);
                let strategy = read.map_err(|error| error.to_string())?;
                let strategy = match directory {
                    Some(directory) => strategy.beside(directory)?,
                    None => strategy,
                };
                Ok(StrategySpec::new(name, strategy))
            },
        });
    }

    /// Adds or replaces the text of a pipeline file. It is parsed when it is used.
    pub fn add_pipeline(&mut self, name: &str, text: &str) {
        self.pipelines.retain(|(known, _)| known != name);
        self.pipelines.push((name.to_owned(), text.to_owned()));
    }

    /// All strategies in the order in which they were added.
    pub fn strategies(&self) -> &[Known] {
        &self.strategies
    }

    /// Names of all pipelines in the order in which they were added.
    pub fn pipeline_names(&self) -> impl Iterator<Item = &str> {
        self.pipelines.iter().map(|(name, _)| name.as_str())
    }

    /// The strategy of this name, or [`Error::Unknown`] with the nearest name.
    pub fn strategy(&self, name: &str) -> Result<&Known> {
        let found = self.strategies.iter().find(|known| known.name == name);
        let names = self.strategies.iter().map(|known| known.name.as_str());
        found.ok_or_else(|| Error::unknown("strategy", name, did_you_mean(name, names)))
    }

    /// The pipeline of this name, or [`Error::Unknown`], or what is wrong with its text.
    pub fn pipeline(&self, name: &str) -> Result<Pipeline> {
        match self.pipelines.iter().find(|(known, _)| known == name) {
            Some((name, text)) => Pipeline::parse(self, &format!("embedded:{name}"), text),
            None => {
                Err(Error::unknown("pipeline", name, did_you_mean(name, self.pipeline_names())))
            }
        }
    }

    /// The strategy of a stage's table `{ NAME = { PARAMETERS } }`; `directory` is that of the file
    /// that holds it, where it is one.
    pub fn read(&self, stage: &Value, directory: Option<&Path>) -> Result<StrategySpec, Misread> {
        let table = stage.as_object().filter(|table| table.len() == 1);
        let Some((name, parameters)) = table.and_then(|table| table.iter().next()) else {
            let rule = "a stage names one strategy: `strategy.NAME = {}`".to_owned();
            return Err(Misread { rule, hint: None });
        };
        let known = self.strategy(name).map_err(|error| {
            let hint = error.hint().map(str::to_owned);
            Misread { rule: error.to_string(), hint }
        })?;
        let read = (known.read)(&known.name, parameters.clone(), directory);
        read.map_err(|rule| Misread { hint: crate::config::suggestion(&rule), rule })
    }
}

/// Why a stage's strategy cannot be read, and what to do about it.
#[derive(Debug)]
pub struct Misread {
    /// The rule that is broken.
    pub rule: String,
    /// The remedy, where there is one.
    pub hint: Option<String>,
}
