//! Recall at need under every summarizer: what of a ranking is the strategy's, and what the
//! summarizer's.

use super::completion;
use super::document::{Cell, Table, Tone, figure, text};
use super::figures::{Config, Figures};
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::measure::{MetricId, Sign};
use crate::number::{share, tokens};

/// The offline summarizers, from the least helpful to the most, and what their summaries are.
const BRACKETS: [(&str, &str); 5] = [
    ("empty", "no text at all"),
    ("lead", "the beginning of their material"),
    ("random-sentence", "random sentences of it"),
    ("extractive", "sentences that are picked by pattern"),
    ("perfect", "every fact they were shown, as far as fits"),
];
/// A difference counts as the strategies' where its sign holds under these.
const DECIDING: [&str; 3] = ["empty", "extractive", "perfect"];
/// Configurations that a field names; more go into its footnote.
const NAMED: usize = 3;

/// The brackets with the rankings that hold.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let driven = &figures.run.manifest.summarizers;
    let known: Vec<(&str, &str)> = BRACKETS
        .into_iter()
        .filter(|(name, _)| driven.iter().any(|driven| driven == name))
        .collect();
    let is_bracket = |name: &&str| BRACKETS.iter().any(|(known, _)| known == name);
    let others = driven.iter().map(String::as_str).filter(|name| !is_bracket(name));
    let columns: Vec<&str> = others.chain(known.iter().map(|(name, _)| *name)).collect();
    let parts = Parts::default().value("known", &known).value("deciding", DECIDING);
    let table = if columns.len() < 2 { Table::new("", []) } else { table(figures, &columns) };
    Ok(Some(parts.table("brackets", table)))
}

fn table(figures: &Figures, summarizers: &[&str]) -> Table {
    let titles = summarizers.iter().map(|name| figure(*name));
    let columns = std::iter::once(text("Configuration")).chain(titles);
    let caption = "Recall at need (sessions completed; mean prompt) by summarizer";
    let mut table = Table::new(caption, columns.chain([text("Order against others")]));
    let configs: Vec<&Config> = figures.shown_but_control().collect();
    for config in &configs {
        let mut row = vec![Cell::code(config.name())];
        for name in summarizers {
            let recall = figures.under(config, name, MetricId::RecallAtNeed);
            let prompt = figures.under(config, name, MetricId::TokensMeanPrompt).value.map(tokens);
            let prompt = prompt.map_or(String::new(), |prompt| format!("; {prompt}"));
            let cell = table.figure(&recall, share);
            row.push(match completion::counts(figures, config, name) {
                (complete, all) if all > 0 && recall.value.is_some() => {
                    Cell { text: format!("{} ({complete} of {all}{prompt})", cell.text), ..cell }
                }
                _ => cell,
            });
        }
        row.push(order(figures, &mut table, config, &configs));
        table.rows.push(row);
    }
    table
}

/// Against whom the sign of the difference depends on the summarizer, on any scenario.
fn order(figures: &Figures, table: &mut Table, config: &Config, all: &[&Config]) -> Cell {
    let others: Vec<&&Config> =
        all.iter().filter(|other| **other != config && other.mode == config.mode).collect();
    let mut dependent = Vec::new();
    let mut compared = 0;
    for other in &others {
        let signs = figures.signs(config, other);
        compared += usize::from(signs.iter().any(|sign| *sign != Sign::Equal));
        if signs.contains(&Sign::SummarizerDependent) {
            dependent.push(other.name());
        }
    }
    let names = dependent.join(", ");
    match dependent.len() {
        _ if compared == 0 => table.undefined("not compared under empty, extractive and perfect"),
        0 if compared == others.len() => Cell::text("holds against all"),
        0 => Cell::text(format!(
            "holds against {compared} of {}, the others equal or not compared",
            others.len()
        )),
        1..=NAMED => Cell::text(format!("summarizer-dependent against {names}")).toned(Tone::Bad),
        many => {
            let note = table.note(&format!("{}: against {names}", config.name()));
            let text = format!("summarizer-dependent against {many} of {compared}");
            Cell::text(text).toned(Tone::Bad).noted(note)
        }
    }
}
