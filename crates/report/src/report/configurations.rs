//! What each configuration is, as its own file describes it.

use super::prelude::*;
use crate::pipeline::Pipeline;
use crate::run_dir::Manifest;

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let manifest = &figures.run.manifest;
    let rows = names(figures).into_iter().enumerate().map(|(place, name)| {
        let own = built_in(figures, name);
        let about = own.as_ref().map_or_else(|| elsewhere(manifest, name), |own| &own.about);
        let source = own.as_ref().map_or(UNDEFINED, |own| &own.source);
        let known = own.as_ref().map(|own| &own.fidelity).or_else(|| manifest.fidelity.get(name));
        let fidelity = known.map_or("not stated", |known| known.told());
        let name = Cell { anchor: Some(anchor(place)), ..Cell::code(name) };
        vec![name, Cell::text(about), Cell::text(source), Cell::text(fidelity)]
    });
    let titles = ["Name", "What it does", "Source", "Fidelity to its source"];
    let table = Table::of("Configurations", titles, rows);
    Ok(Some(Parts::default().table("configurations", table)))
}

pub fn linked(figures: &Figures, config: &Config) -> Cell {
    let place = names(figures).iter().position(|name| *name == config.pipeline);
    Cell { link: place.map(anchor), ..Cell::code(config.name()) }
}

/// The anchor of a row; names could hold anything.
fn anchor(place: usize) -> String {
    format!("configuration-{}", place + 1)
}

fn names<'b>(figures: &'b Figures) -> Vec<&'b str> {
    each_once(figures.shown().map(|config| config.pipeline.as_str()))
}

/// The pipeline of this name where the run drove the one that is built in.
fn built_in(figures: &Figures, name: &str) -> Option<Pipeline> {
    let own = crate::strategy::pipeline(name).ok()?;
    // The manifest names a pipeline with its window, as often as it was driven.
    let configs = figures.configs.iter().filter(|config| config.pipeline == name);
    let names: Vec<String> =
        configs.map(|config| format!("{}@{}", config.pipeline, config.variant)).collect();
    let inputs = figures.run.manifest.pipelines.iter();
    let driven: Vec<_> = inputs.filter(|input| names.contains(&input.name)).collect();
    let same = driven.iter().all(|input| input.digest == own.digest());
    (same && !driven.is_empty()).then_some(own)
}

fn elsewhere(manifest: &Manifest, name: &str) -> &'static str {
    if manifest.orders.iter().any(|order| order.name == name) {
        "an order of stages that the suite asked for: its name lists them"
    } else if manifest.grids.iter().any(|grid| grid.points.iter().any(|point| point == name)) {
        "a point of a grid of parameters that the suite asked for"
    } else {
        "described in its own file"
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_built_in_pipeline_says_what_it_does_and_where_it_is_from() {
        for name in crate::strategy::shipped().pipeline_names() {
            let own = crate::strategy::pipeline(name).expect("it is built in");
            assert!(!own.about.is_empty() && !own.source.is_empty(), "{name}");
        }
    }
}
