//! What compaction saves and what it costs.

use super::Context;
use super::choice::{ROWS, choose};
use super::completion::{self, completes};
use super::document::{Cell, Table, text};
use super::figures::{Config, Figures};
use super::metric_table::MetricColumn;
use super::template::Parts;
use crate::chart::{
    DollarBar, DollarChart, Estimate, SavingRow, SavingsChart, dollars_by_part,
    savings_with_intervals,
};
use crate::error::Result;
<<<<<<< HEAD
use crate::number::{dollars, share, tokens};

/// The parts of a session's dollars, in the order of the chart.
const PARTS: [(&str, &str); 5] = [
    ("Cached input", MetricId::CostUsdCached),
    ("Written to the cache", MetricId::CostUsdWritten),
    ("Other input", MetricId::CostUsdUncached),
    ("Answers", MetricId::CostUsdOutput),
    ("Summarizer", MetricId::CostUsdSummarizer),
=======
use crate::measure::MetricId;

/// The parts of a session's dollars, in the order of the chart.
const PARTS: [MetricId; 5] = [
    MetricId::CostUsdCached,
    MetricId::CostUsdWritten,
    MetricId::CostUsdUncached,
    MetricId::CostUsdOutput,
    MetricId::CostUsdSummarizer,
>>>>>>> frame
];

/// Savings in tokens with their intervals, and dollars by what they were paid for.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let parts = Parts::default().value("prices", &figures.run.manifest.prices.name);
    let parts = savings(figures, parts)?;
    let choice = choose(figures, figures.shown().collect(), ROWS);
    let bars = choice.drawn.iter().filter_map(|config| bar(figures, config)).collect();
    let title = format!("Dollars a session, prices {}", figures.run.manifest.prices.name);
    let drawn = dollars_by_part(&DollarChart { title, bars })?;
    let parts = parts.chart("dollars", "dollars", drawn).value("dollars_choice", choice.left_out);
    Ok(Some(parts.table("by_part", table(figures))))
}

<<<<<<< HEAD
fn savings(figures: &Figures, parts: Parts) -> Result<Parts> {
    let choice = choose(figures, figures.shown_but_control().collect(), ROWS);
    let rows = choice.drawn.iter().map(|config| {
        let n = figures.figure(config, MetricId::SavingsNet).n;
=======
fn savings(figures: &Figures) -> Result<Block> {
    let driven: Vec<&Subject> = figures.unswept().filter(|subject| !subject.is_control()).collect();
    let choice = choose(figures, driven, ROWS);
    let rows = choice.drawn.iter().map(|subject| {
        let n = figures.figure(subject, MetricId::SavingsNet).n;
>>>>>>> frame
        let estimate = |metric| {
            let figure = figures.figure(config, metric);
            // Sessions that ended early compare with nothing, alone or in a mean.
            let value = figure.value.filter(|_| n > 0)?;
            Some(Estimate { value, interval: figure.interval })
        };
        SavingRow {
<<<<<<< HEAD
            configuration: config.name(),
            savings: [MetricId::SavingsGross, MetricId::SavingsNet, MetricId::SavingsEffective].map(estimate),
            sessions: format!("{n} of {}", figures.cells(config).len()),
            partial: !completes(figures, config),
=======
            configuration: subject.name(),
            savings: [MetricId::SavingsGross, MetricId::SavingsNet, MetricId::SavingsEffective]
                .map(estimate),
            sessions: format!("{n} of {all}"),
            partial: !completes(figures, subject),
>>>>>>> frame
        }
    });
    let rows: Vec<SavingRow> = rows.collect();
    let unknown = rows.iter().filter(|row| row.savings.iter().all(Option::is_none));
    let unknown: Vec<String> = unknown.map(|row| row.configuration.clone()).collect();
    let title = "Tokens saved against sending everything".to_owned();
    let drawn = savings_with_intervals(&SavingsChart { title, rows })?;
    Ok(parts
        .chart("savings", "savings", drawn)
        .value("savings_choice", choice.left_out)
        .value("without_savings", unknown))
}

<<<<<<< HEAD
fn bar(figures: &Figures, config: &Config) -> Option<DollarBar> {
    let [cached, written, uncached, output, summarizer] =
        PARTS.map(|(_, metric)| figures.figure(config, metric).value);
    Some(DollarBar {
        configuration: config.name(),
        parts: [cached?, written?, uncached?, output?, summarizer?],
        hit_rate: figures.figure(config, MetricId::CacheHitRate).value,
        early: completion::early(figures, config),
    })
}

fn table(figures: &Figures) -> Table {
    let mut columns: Vec<MetricColumn> = PARTS
        .iter()
        .map(|(title, metric)| MetricColumn::up_to_the_end(title, metric, dollars))
        .collect();
    columns.extend([
        MetricColumn::estimate("All [95 %]", MetricId::CostUsd, dollars),
        MetricColumn::mean("Tokens cached", MetricId::CacheHitRate, share),
        MetricColumn::mean("Tokens invalidated", MetricId::CacheInvalidatedTokens, tokens),
    ]);
    let titles = [text("Configuration"), text("Sessions completed")].into_iter();
    let titles = titles.chain(columns.iter().map(MetricColumn::column));
    let mut table = Table::new("Dollars a session by what they are paid for", titles);
    let known = |config: &&Config| figures.figure(config, PARTS[0].1).value.is_some();
    for config in figures.shown().filter(known) {
        let mut row =
            vec![Cell::code(config.name()), completion::cell(figures, &mut table, config)];
        row.extend(columns.iter().map(|column| column.cell(figures, &mut table, config)));
=======
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
>>>>>>> frame
        table.rows.push(row);
    }
    table
}
