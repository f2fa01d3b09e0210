//! What each configuration is, as its own file describes it.

use super::figures::{Config, Figures};
use super::section::Context;
use super::table::{Cell, Table, text};
use super::template::Parts;
use crate::error::Result;
use crate::number::UNDEFINED;
use crate::pipeline::Pipeline;
use crate::run_dir::Manifest;

/// A pipeline of the verdict table, and what is known of it.
struct Known<'a> {
    place: usize,
    name: &'a str,
    about: String,
    source: String,
    fidelity: &'static str,
}

/// One row per pipeline of the verdict table.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let names = names(context.figures).into_iter().enumerate();
    let rows = names.map(|(place, name)| known(context.figures, place, name));
    let rows: Vec<Known> = rows.collect();
    let name = |row: &Known| Cell { anchor: Some(anchor(row.place)), ..Cell::code(row.name) };
    let fields = [
        text("Name", name),
        text("What it does", |row: &Known| Cell::text(&row.about)),
        text("Source", |row: &Known| Cell::text(&row.source)),
        text("Fidelity to its source", |row: &Known| Cell::text(row.fidelity)),
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

fn known<'a>(figures: &Figures, place: usize, name: &'a str) -> Known<'a> {
    let manifest = &figures.run.manifest;
    if let Some(own) = built_in(figures, name) {
        let fidelity = own.fidelity.told();
        return Known { place, name, about: own.about, source: own.source, fidelity };
    }
    let fidelity = manifest.fidelity.get(name).map_or("not stated", |known| known.told());
    let (about, source) = (elsewhere(manifest, name).to_owned(), UNDEFINED.to_owned());
    Known { place, name, about, source, fidelity }
}

/// The pipeline of this name where the run drove the one that is built in: the digest covers
/// all that its file says.
fn built_in(figures: &Figures, name: &str) -> Option<Pipeline> {
    let own = crate::strategy::pipeline(name).ok()?;
    // The manifest names a pipeline with its window, as often as it was driven.
    let configs = figures.configs.iter().filter(|config| config.pipeline == name);
    let names: Vec<&str> = configs.map(|config| config.configuration.as_str()).collect();
    let inputs = figures.run.manifest.pipelines.iter();
    let driven: Vec<_> = inputs.filter(|input| names.contains(&input.name.as_str())).collect();
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
