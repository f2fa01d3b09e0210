//! What the words of a report mean.

use super::document::{Block, Cell, Prose, Section, Table};
use crate::measure::table::METRICS;

/// Every figure: its name, unit and definition.
pub fn section() -> Section {
    let mut table = Table::new("Glossary", &["Figure", "Unit", "Definition"]);
    table.rows = METRICS
        .iter()
        .map(|metric| {
            vec![Cell::code(metric.id), Cell::text(metric.unit), Cell::text(metric.definition)]
        })
        .collect();
    Section { id: "glossary", title: "Glossary", blocks: vec![Block::Glossary(table)] }
}

/// The words of a verdict on the floor.
pub fn verdicts() -> Vec<Prose> {
    [
        (
            "eliminated",
            "growth in proportion to the turns is excluded, and at least half of the live facts \
             known before survive forcing.",
        ),
        (
            "eliminated by forgetting",
            "growth is excluded likewise, but less than half of the live facts known before \
             survive forcing.",
        ),
        (
            "lowered, grown, unchanged",
            "beside the reference pipeline, the interval of the difference in slope lies below \
             zero, above zero or across it, in either one pass or low water; where the two disagree, grown goes first. Without a \
             reference, grown means linear growth.",
        ),
        ("not reached", "a session of the family ended early."),
        ("inconclusive", "the data decide none of these."),
        (
            "n too small",
            "fewer than eight sessions: the word beside it is an indication, not a verdict.",
        ),
    ]
    .into_iter()
    .map(|(word, meaning)| Prose::default().strong(word).then(format!(": {meaning}")))
    .collect()
}
