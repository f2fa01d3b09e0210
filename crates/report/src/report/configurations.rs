//! What each configuration is: its pipeline in the words of its own file.

use super::document::{Block, Cell, Prose, Section, Table};
use super::figures::{Figures, Subject};
use crate::pipeline::Pipeline;
use crate::run_dir::{Manifest, ManifestInput};

/// One row per pipeline of the verdict table.
pub fn section(figures: &Figures) -> Section {
    let intro = Prose::new(
        "What stands behind each name, in the words of the file that describes it, where that file \
         is the one built into this version. A suffix such as ",
    )
    .code("@windowless")
    .then(" names the window that a pipeline was driven in and changes nothing of it.");
    let columns = ["Name", "What it does", "Source", "Fidelity to its source"];
    let mut table = Table::new("Configurations", &columns);
    for (place, name) in names(figures).into_iter().enumerate() {
        let mut row = row(&figures.run.manifest, name);
        row[0].anchor = Some(anchor(place));
        table.rows.push(row);
    }
    let blocks = vec![Block::Prose(intro), Block::Table(table)];
    Section { id: "configurations", title: "Configurations", blocks }
}

/// A configuration's name with a link to its row.
pub fn linked(figures: &Figures, subject: &Subject) -> Cell {
    let place = names(figures).iter().position(|name| *name == subject.pipeline);
    Cell { link: place.map(anchor), ..Cell::code(subject.name()) }
}

/// The place of a row in the page; names could hold anything.
fn anchor(place: usize) -> String {
    format!("configuration-{}", place + 1)
}

/// The pipelines of the verdict table, each once.
fn names<'b>(figures: &'b Figures) -> Vec<&'b str> {
    let mut names: Vec<&str> = Vec::new();
    for subject in figures.unswept() {
        if !names.contains(&subject.pipeline.as_str()) {
            names.push(&subject.pipeline);
        }
    }
    names
}

fn row(manifest: &Manifest, name: &str) -> Vec<Cell> {
    let (about, source, fidelity) = match built_in(manifest, name) {
        Some(own) => (own.about.clone(), own.source.clone(), own.fidelity.told()),
        None => {
            let fidelity = manifest.fidelity.get(name).map_or("not said", |known| known.told());
            (elsewhere(manifest, name).to_owned(), super::number::UNDEFINED.to_owned(), fidelity)
        }
    };
    vec![Cell::code(name), Cell::text(about), Cell::text(source), Cell::text(fidelity)]
}

/// The pipeline of this name where the run drove the one that is built in: the digest is
/// of all that it says.
fn built_in(manifest: &Manifest, name: &str) -> Option<Pipeline> {
    let own = crate::strategy::pipeline(name).ok()?;
    // The manifest names a pipeline with its window, as often as it was driven.
    let of_it = |input: &&ManifestInput| input.name.split('@').next() == Some(name);
    let mut driven = manifest.pipelines.iter().filter(of_it).peekable();
    driven.peek()?;
    driven.all(|input| input.digest == own.digest()).then_some(own)
}

/// What can be said of a pipeline that is not built in.
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
