//! What each configuration is, as its own file describes it.

use super::document::{Cell, Table, text};
use super::figures::{Config, Figures};
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::number::UNDEFINED;
use crate::pipeline::Pipeline;
use crate::run_dir::{Manifest, ManifestInput};

/// One row per pipeline of the verdict table.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let columns = ["Name", "What it does", "Source", "Fidelity to its source"].map(text);
    let mut table = Table::new("Configurations", columns);
    for (place, name) in names(context.figures).into_iter().enumerate() {
        let mut row = row(&context.figures.run.manifest, name);
        row[0].anchor = Some(anchor(place));
        table.rows.push(row);
    }
    Ok(Some(Parts::default().table("configurations", table)))
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

fn row(manifest: &Manifest, name: &str) -> Vec<Cell> {
    let (about, source, fidelity) = match built_in(manifest, name) {
        Some(own) => (own.about.clone(), own.source.clone(), own.fidelity.told()),
        None => {
            let fidelity = manifest.fidelity.get(name).map_or("not stated", |known| known.told());
            (elsewhere(manifest, name).to_owned(), UNDEFINED.to_owned(), fidelity)
        }
    };
    vec![Cell::code(name), Cell::text(about), Cell::text(source), Cell::text(fidelity)]
}

/// The pipeline of this name where the run drove the one that is built in: the digest covers
/// all that its file says.
fn built_in(manifest: &Manifest, name: &str) -> Option<Pipeline> {
    let own = crate::strategy::pipeline(name).ok()?;
    // The manifest names a pipeline with its window, as often as it was driven.
    let is_own = |input: &&ManifestInput| input.name.split('@').next() == Some(name);
    let mut driven = manifest.pipelines.iter().filter(is_own).peekable();
    driven.peek()?;
    driven.all(|input| input.digest == own.digest()).then_some(own)
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
