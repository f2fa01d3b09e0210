//! What compaction saves and what it costs.

use super::choice::{ROWS, choose};
use super::completion::{self, completes};
use super::document::{Block, Cell, Prose, Section, Table};
use super::figures::{Figures, Subject};
use super::number;
use super::pictures::block;
use super::verdicts::{completed, up_to_the_end};
use crate::chart::{
    DollarBar, DollarChart, Estimate, SavingRow, SavingsChart, dollars_by_part,
    savings_with_intervals,
};
use crate::error::Result;
use crate::measure::MetricId;

/// The parts of a session's dollars, in the order of the chart.
const PARTS: [MetricId; 5] = [
    MetricId::CostUsdCached,
    MetricId::CostUsdWritten,
    MetricId::CostUsdUncached,
    MetricId::CostUsdOutput,
    MetricId::CostUsdSummarizer,
];

/// Savings in tokens with their intervals, and dollars by what they were paid for.
pub fn section(figures: &Figures) -> Result<Section> {
    let intro = Prose::new(
        "Savings are shares of the tokens that the control without a window sends over the same \
         steps, over the sessions that completed. The control's prompts grow with the session, so \
         its sum grows with the square: long sessions make any cutting look good, and plain \
         truncation stands beside. Dollars follow the price sheet ",
    )
    .code(&figures.run.manifest.prices.name)
    .then(
        " and a simulated prefix cache: whoever rewrites the middle of a conversation pays for all \
         that follows it anew, so fewer tokens need not be fewer dollars.",
    );
    let blocks = vec![Block::Prose(intro), savings(figures)?, dollars(figures)?];
    let table = table(figures);
    let mut section = Section { id: "costs", title: "What it saves and what it costs", blocks };
    if !table.rows.is_empty() {
        section.blocks.push(Block::Table(table));
    }
    Ok(section)
}

fn savings(figures: &Figures) -> Result<Block> {
    let driven: Vec<&Subject> = figures.unswept().filter(|subject| !subject.is_control()).collect();
    let choice = choose(figures, driven, ROWS);
    let rows = choice.drawn.iter().map(|subject| {
        let n = figures.figure(subject, MetricId::SavingsNet).n;
        let estimate = |metric| {
            let figure = figures.figure(subject, metric);
            // Sessions that ended early compare with nothing, alone or in a mean.
            if n == 0 {
                return None;
            }
            Some(Estimate { value: figure.value?, interval: figure.interval })
        };
        let all = figures.cells(subject, figures.main).len();
        SavingRow {
            configuration: subject.name(),
            savings: [MetricId::SavingsGross, MetricId::SavingsNet, MetricId::SavingsEffective]
                .map(estimate),
            sessions: format!("{n} of {all}"),
            partial: !completes(figures, subject),
        }
    });
    let rows: Vec<SavingRow> = rows.collect();
    let missing: Vec<&str> = rows
        .iter()
        .filter(|row| row.savings.iter().all(Option::is_none))
        .map(|row| row.configuration.as_str())
        .collect();
    let mut caption = format!(
        "Tokens saved against sending everything: in prompts alone, with what the summarizer read \
         and wrote, and with what it would take to call again for what was needed and gone. Means \
         over completed sessions with 95 % intervals over sessions.{}",
        choice.left_out
    );
    if !missing.is_empty() {
        let names = missing.join(", ");
        caption.push_str(&format!(" Without a completed session to compare: {names}."));
    }
    let title = "Tokens saved against sending everything".to_owned();
    let drawn = savings_with_intervals(&SavingsChart { title, rows })?;
    let why_not = "no session completed beside a control without a window";
    Ok(block("savings", &caption, drawn, why_not))
}

fn dollars(figures: &Figures) -> Result<Block> {
    let choice = choose(figures, figures.unswept().collect(), ROWS);
    let bars = choice.drawn.iter().filter_map(|subject| {
        let parts = PARTS.map(|metric| figures.figure(subject, metric).value);
        Some(DollarBar {
            configuration: subject.name(),
            parts: [parts[0]?, parts[1]?, parts[2]?, parts[3]?, parts[4]?],
            hit_rate: figures.figure(subject, MetricId::CacheHitRate).value,
            early: completion::early(figures, subject),
        })
    });
    let title = format!("Dollars a session, prices {}", figures.run.manifest.prices.name);
    let data = DollarChart { title, bars: bars.collect() };
    let caption = format!(
        "Mean dollars of a session by what they are paid for, and the share of prompt tokens read \
         from the cache. A session that ended early costs nothing after its end.{}",
        choice.left_out
    );
    let why_not = "the run does not tell dollars by part";
    Ok(block("dollars", &caption, dollars_by_part(&data)?, why_not))
}

fn table(figures: &Figures) -> Table {
    let mut table = Table::new(
        "Dollars a session by what they are paid for",
        &[
            "Configuration",
            "Sessions completed",
            "#Cached input",
            "#Written to the cache",
            "#Other input",
            "#Answers",
            "#Summarizer",
            "#All [95 %]",
            "#Tokens cached",
            "#Tokens invalidated",
        ],
    );
    for subject in figures.unswept() {
        if figures.figure(subject, PARTS[0]).value.is_none() {
            continue;
        }
        let mut row = vec![Cell::code(subject.name()), completed(figures, &mut table, subject)];
        for metric in PARTS {
            let figure = (metric, number::dollars as fn(f64) -> String);
            row.push(up_to_the_end(figures, &mut table, subject, figure));
        }
        let all = figures.figure(subject, MetricId::CostUsd);
        row.push(table.figure(all.write_with_interval(number::dollars)));
        row.push(
            table.figure(figures.figure(subject, MetricId::CacheHitRate).write(number::share)),
        );
        let invalidated = figures.figure(subject, MetricId::CacheInvalidatedTokens);
        row.push(table.figure(invalidated.write(number::tokens)));
        table.rows.push(row);
    }
    table
}
