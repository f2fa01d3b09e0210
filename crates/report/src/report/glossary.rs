//! What the terms of a report mean.

use super::document::{Cell, Table, text};
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::measure::METRICS;

/// Every figure: its name, unit and definition.
pub fn parts(_: &Context) -> Result<Option<Parts>> {
    let mut table = Table::new("Glossary", ["Figure", "Unit", "Definition"].map(text));
    table.rows = METRICS
        .iter()
        .map(|metric| {
            vec![Cell::code(metric.name), Cell::text(metric.unit), Cell::text(metric.definition)]
        })
        .collect();
    let mut parts = Parts::default();
    let figures = parts.place_folded(table);
    Ok(Some(parts.value("figures", figures)))
}
