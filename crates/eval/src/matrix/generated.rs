//! What orderings and grids share: windows, names, pipelines that are the same under two names.

use crate::matrix::key::in_thousands;
use crate::matrix::{Configuration, Suite};
use crate::pipeline::{Fidelity, Pipeline};
use crate::prelude::*;
use crate::strategy::{Registry, Scope};

/// Nothing, or the key and the rule that its value breaks.
pub(super) type Rule = std::result::Result<(), (String, String)>;

pub(super) const MOST: usize = 2_000;

pub(super) fn check_windows(key: &str, windows: &[Tokens]) -> Rule {
    if let Some(window) = windows.iter().find(|window| !(1_000..=100_000_000).contains(&window.0)) {
        let rule = format!("{window} is out of range: expected 1000 to 100000000");
        return Err((key.to_owned(), rule));
    }
    if crate::matrix::has_doubles(windows) {
        return Err((key.to_owned(), "the same window stands twice".to_owned()));
    }
    Ok(())
}

pub(super) fn in_windows(pipeline: &Pipeline, windows: &[Tokens]) -> Vec<Configuration> {
    let configuration = |pipeline, window| Configuration {
        window,
        ..Configuration::new(pipeline, false, "windowed")
    };
    if windows.is_empty() {
        return vec![configuration(pipeline.clone(), None)];
    }
    let named = |window: &Tokens| {
        // The window is in the name too: figures are pooled by name.
        let name = format!("{}_window-{}", pipeline.name, in_thousands(*window));
        configuration(Pipeline { name, ..pipeline.clone() }, Some(*window))
    };
    windows.iter().map(named).collect()
}

pub(super) fn configurations(registry: &Registry, suite: &Suite) -> Result<Vec<Configuration>> {
    let mut all = Vec::new();
    if let Some(orderings) = &suite.orderings {
        let described = orderings.described(registry, &suite.name)?;
        all.extend(described.into_iter().map(|(_, configuration)| configuration));
    }
    for (number, grid) in suite.grid.iter().enumerate() {
        all.extend(grid.configurations(registry, &suite.name, number)?);
    }
    if all.len() > MOST {
        let rule = format!("orderings and grids stand for {} pipelines: at most {MOST}", all.len());
        return Err(Error::invalid(format!("suite `{}`", suite.name), rule));
    }
    Ok(all)
}

/// The named configurations with the generated ones behind them. A generated pipeline
/// that differs from an earlier one in nothing but its name is that one's alias.
pub(super) fn joined(
    suite: &str,
    mut all: Vec<Configuration>,
    generated: Vec<Configuration>,
) -> Result<Vec<Configuration>> {
    let mut known: BTreeMap<Digest, usize> = BTreeMap::new();
    let mut names: BTreeMap<String, Digest> = BTreeMap::new();
    for (place, configuration) in all.iter().enumerate() {
        known.entry(sameness(configuration)).or_insert(place);
        let name = configuration.name();
        if names.insert(name.clone(), sameness(configuration)).is_some() {
            let rule = format!("two pipelines are called `{name}`: their cells would be one");
            return Err(Error::invalid(format!("suite `{suite}`"), rule));
        }
    }
    for configuration in generated {
        let (name, same) = (configuration.name(), sameness(&configuration));
        match names.get(&name) {
            Some(known) if *known == same => continue,
            Some(_) => {
                let rule = format!("two different pipelines would be called `{name}`");
                return Err(Error::invalid(format!("suite `{suite}`"), rule));
            }
            None => names.insert(name.clone(), same.clone()),
        };
        match known.get(&same) {
            Some(place) => all[*place].aliases.push(name),
            None => {
                known.insert(same, all.len());
                all.push(configuration);
            }
        }
    }
    Ok(all)
}

/// Digest of all that can make a difference to a cell; request stages run after all others.
fn sameness(configuration: &Configuration) -> Digest {
    let mut pipeline = configuration.pipeline.clone();
    pipeline.name.clear();
    pipeline.about.clear();
    pipeline.source.clear();
    pipeline.fidelity = Fidelity::Baseline;
    pipeline.reference = None;
    pipeline.stages.sort_by_key(|stage| stage.strategy.strategy().scope() == Scope::Request);
    let drive = (configuration.windowless, configuration.window, &configuration.variant);
    Digest::of_json(&(pipeline, drive))
}
