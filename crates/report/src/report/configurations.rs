//! What each configuration is, as its own file describes it.

use super::prelude::*;
use crate::number::UNDEFINED;
use crate::pipeline::Pipeline;
use crate::run_dir::Manifest;

/// A pipeline of the verdict table by its place and name, and the one built in if it is that.
type Row<'a> = (usize, &'a str, Option<Pipeline>);

/// One row per pipeline of the verdict table.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let (figures, manifest) = (figures, &figures.run.manifest);
    let names = names(figures).into_iter().enumerate();
    let rows = names.map(|(place, name)| (place, name, built_in(figures, name)));
    let rows: Vec<Row> = rows.collect();
    let name = |row: &Row| Cell { anchor: Some(anchor(row.0)), ..Cell::code(row.1) };
    let about = |(_, name, own): &Row| match own {
        Some(own) => Cell::text(&own.about),
        None => Cell::text(elsewhere(manifest, name)),
    };
    let source = |(_, _, own): &Row| match own {
        Some(own) => Cell::text(&own.source),
        None => Cell::text(UNDEFINED),
    };
    let fidelity = |(_, name, own): &Row| {
        let known = own.as_ref().map(|own| &own.fidelity).or_else(|| manifest.fidelity.get(*name));
        Cell::text(known.map_or("not stated", |known| known.told()))
    };
    let fields = [
        text("Name", name),
        text("What it does", about),
        text("Source", source),
        text("Fidelity to its source", fidelity),
    ];
    Ok(Some(Parts::default().table("configurations", Table::of("Configurations", &rows, fields))))
}

/// A configuration's name with a link to its row.
pub fn linked(figures: &Figures, config: &Config) -> Cell {
    let place = names(figures).iter().position(|name| *name == config.pipeline);
    Cell { link: place.map(anchor), ..Cell::code(config.name()) }
}

/// The anchor of a row; names could hold anything.
fn anchor(place: usize) -> String {
    format!("configuration-{}", place + 1)
}

/// The pipelines of the verdict table, each once.
fn names<'b>(figures: &'b Figures) -> Vec<&'b str> {
    let mut names: Vec<&str> = Vec::new();
    for config in figures.shown() {
        if !names.contains(&config.pipeline.as_str()) {
            names.push(&config.pipeline);
        }
    }
    names
}

/// The pipeline of this name where the run drove the one that is built in: the digest covers
/// all that its file says.
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

/// What is known of a pipeline that is not built in.
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
