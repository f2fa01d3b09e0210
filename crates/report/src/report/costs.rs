//! What compaction saves and what it costs.

use super::prelude::*;
use crate::number::{axis_percent, dollars, share, tokens};

/// The parts of a session's dollars, in the order of the chart.
const PARTS: [MetricColumn; 5] = [
    up_to_the_end("Cached input", MetricId::CostUsdCached, dollars),
    up_to_the_end("Written to the cache", MetricId::CostUsdWritten, dollars),
    up_to_the_end("Other input", MetricId::CostUsdUncached, dollars),
    up_to_the_end("Answers", MetricId::CostUsdOutput, dollars),
    up_to_the_end("Summarizer", MetricId::CostUsdSummarizer, dollars),
];
const WHOLE: [MetricColumn; 3] = [
    estimate("All [95 %]", MetricId::CostUsd, dollars),
    mean("Tokens cached", MetricId::CacheHitRate, share),
    mean("Tokens invalidated", MetricId::CacheInvalidatedTokens, tokens),
];

/// Savings in tokens with their intervals, and dollars by what they were paid for.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
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
        PARTS.map(|part| figures.figure(config, part.metric).value);
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
    let columns = PARTS.into_iter().chain(WHOLE).map(|column| column.of(figures));
    let fields = [configuration(), completed(figures)].into_iter().chain(columns);
    let known = |config: &&Config| figures.figure(config, PARTS[0].metric).value.is_some();
    Table::of("Dollars a session by what they are paid for", figures.shown().filter(known), fields)
}
