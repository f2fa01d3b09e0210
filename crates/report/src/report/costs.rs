//! What compaction saves and what it costs.

use super::prelude::*;
use crate::number::axis_percent;

/// The parts of a session's dollars, in the order of the chart.
const PARTS: [MetricId; 5] = [
    MetricId::CostUsdCached,
    MetricId::CostUsdWritten,
    MetricId::CostUsdUncached,
    MetricId::CostUsdOutput,
    MetricId::CostUsdSummarizer,
];
const SAVINGS: [MetricId; 3] =
    [MetricId::SavingsGross, MetricId::SavingsNet, MetricId::SavingsEffective];

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let savings = choose(figures, figures.shown_but_control().collect(), ROWS);
    let rows: Vec<SavingRow> = savings.drawn.iter().map(|config| saved(figures, config)).collect();
    let unknown = rows.iter().filter(|row| row.savings.iter().all(Option::is_none));
    let unknown: Vec<&str> = unknown.map(|row| row.configuration.as_str()).collect();
    let paid = choose(figures, figures.shown().collect(), ROWS);
    let bars = paid.drawn.iter().filter_map(|config| bar(figures, config)).collect();
    let prices = &figures.run.manifest.prices.name;
    let dollars = BarChart { of: &DOLLARS, bars };
    let dollars = dollars.draw(&format!("Dollars a session, prices {prices}"))?;
    let parts = Parts::default()
        .value("prices", prices)
        .value("without_savings", unknown)
        .chart("savings", "savings", rows.draw("Tokens saved against sending everything")?)
        .value("savings_choice", savings.left_out)
        .chart("dollars", "dollars", dollars)
        .value("dollars_choice", paid.left_out);
    Ok(Some(parts.table("by_part", table(figures))))
}

fn saved(figures: &Figures, config: &Config) -> SavingRow {
    let n = figures.figure(config, MetricId::SavingsNet).n;
    let estimate = |metric| {
        let figure = figures.figure(config, metric);
        // Sessions that ended early compare with nothing, alone or in a mean.
        let value = figure.value.filter(|_| n > 0)?;
        Some((value, figure.interval))
    };
    SavingRow {
        configuration: config.name(),
        savings: SAVINGS.map(estimate),
        sessions: format!("{n} of {}", figures.cells(config).len()),
        partial: !completes(figures, config),
    }
}

fn bar(figures: &Figures, config: &Config) -> Option<Bar> {
    let [cached, written, uncached, output, summarizer] =
        PARTS.map(|part| figures.value(config, part));
    let hits = figures.value(config, MetricId::CacheHitRate);
    Some(Bar {
        configuration: config.name(),
        parts: [cached?, written?, uncached?, output?, summarizer?],
        remark: hits.map_or(String::new(), |rate| format!("{} cached", axis_percent(rate))),
        failed: completion::early(figures, config),
    })
}

fn table(figures: &Figures) -> Table {
    let known = figures.shown().filter(|config| figures.value(config, PARTS[0]).is_some());
    let rows = known.map(|config| {
        let first = [Cell::code(config.name()), completion::cell(figures, config)];
        let parts = PARTS.map(|part| up_to_the_end(figures, config, part));
        let whole = [
            estimate(figures, config, MetricId::CostUsd),
            mean(figures, config, MetricId::CacheHitRate),
            mean(figures, config, MetricId::CacheInvalidatedTokens),
        ];
        first.into_iter().chain(parts).chain(whole).collect()
    });
    let titles = "Configuration|Sessions completed|#Cached input|#Written to the cache|\
                  #Other input|#Answers|#Summarizer|#All [95 %]|#Tokens cached|\
                  #Tokens invalidated";
    Table::of("Dollars a session by what they are paid for", titles.split('|'), rows)
}
