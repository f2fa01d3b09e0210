//! What compaction saves and what it costs.

use super::choice::{ROWS, choose};
use super::completion::{self, completes};
use super::document::{Cell, Table, text};
use super::figures::{Config, Figures};
use super::metric_table::MetricColumn;
use super::section::Context;
use super::template::Parts;
use crate::chart::{Bar, BarChart, Chart, DOLLARS, Estimate, SavingRow, SavingsChart};
use crate::error::Result;
use crate::measure::MetricId;
use crate::number::{axis_percent, dollars, share, tokens};

/// The parts of a session's dollars, in the order of the chart.
const PARTS: [(&str, MetricId); 5] = [
    ("Cached input", MetricId::CostUsdCached),
    ("Written to the cache", MetricId::CostUsdWritten),
    ("Other input", MetricId::CostUsdUncached),
    ("Answers", MetricId::CostUsdOutput),
    ("Summarizer", MetricId::CostUsdSummarizer),
];

/// Savings in tokens with their intervals, and dollars by what they were paid for.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let parts = Parts::default().value("prices", &figures.run.manifest.prices.name);
    let parts = savings(figures, parts)?;
    let choice = choose(figures, figures.shown().collect(), ROWS);
    let bars = choice.drawn.iter().filter_map(|config| bar(figures, config)).collect();
    let title = format!("Dollars a session, prices {}", figures.run.manifest.prices.name);
    let drawn = BarChart { title, of: &DOLLARS, bars }.draw()?;
    let parts = parts.chart("dollars", "dollars", drawn).value("dollars_choice", choice.left_out);
    Ok(Some(parts.table("by_part", table(figures))))
}

fn savings(figures: &Figures, parts: Parts) -> Result<Parts> {
    let choice = choose(figures, figures.shown_but_control().collect(), ROWS);
    let rows = choice.drawn.iter().map(|config| {
        let n = figures.figure(config, MetricId::SavingsNet).n;
        let estimate = |metric| {
            let figure = figures.figure(config, metric);
            // Sessions that ended early compare with nothing, alone or in a mean.
            let value = figure.value.filter(|_| n > 0)?;
            Some(Estimate { value, interval: figure.interval })
        };
        SavingRow {
            configuration: config.name(),
            savings: [MetricId::SavingsGross, MetricId::SavingsNet, MetricId::SavingsEffective]
                .map(estimate),
            sessions: format!("{n} of {}", figures.cells(config).len()),
            partial: !completes(figures, config),
        }
    });
    let rows: Vec<SavingRow> = rows.collect();
    let unknown = rows.iter().filter(|row| row.savings.iter().all(Option::is_none));
    let unknown: Vec<String> = unknown.map(|row| row.configuration.clone()).collect();
    let title = "Tokens saved against sending everything".to_owned();
    let drawn = SavingsChart { title, rows }.draw()?;
    Ok(parts
        .chart("savings", "savings", drawn)
        .value("savings_choice", choice.left_out)
        .value("without_savings", unknown))
}

fn bar(figures: &Figures, config: &Config) -> Option<Bar> {
    let [cached, written, uncached, output, summarizer] =
        PARTS.map(|(_, metric)| figures.figure(config, metric).value);
    let share_cached = |rate| format!("{} cached", axis_percent(rate));
    Some(Bar {
        configuration: config.name(),
        parts: [cached?, written?, uncached?, output?, summarizer?],
        remark: figures
            .figure(config, MetricId::CacheHitRate)
            .value
            .map(share_cached)
            .unwrap_or_default(),
        failed: completion::early(figures, config),
    })
}

fn table(figures: &Figures) -> Table {
    let mut columns: Vec<MetricColumn> = PARTS
        .iter()
        .map(|(title, metric)| MetricColumn::up_to_the_end(title, *metric, dollars))
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
        table.rows.push(row);
    }
    table
}
