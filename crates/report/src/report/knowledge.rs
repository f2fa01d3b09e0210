//! Bounds, old values, words of summaries, archives, and how much depends on wording.

use super::columns::table;
use super::prelude::*;
use crate::number::{points, share};

/// Where the two bounds of the oracle are, behind the configuration.
const ORACLES: [usize; 2] = [3, 4];

pub fn bounds(figures: &Figures) -> Result<Option<Parts>> {
    let configs = figures.shown().filter(|config| !config.is_windowless());
    let mut table = table(figures, "bounds", configs)?;
    if table.rows.is_empty() {
        return Ok(None);
    }
    let [least, most] = ORACLES;
    let one_oracle = table.drop_repeated(least, most, share);
    Ok(Some(Parts::default().table("bounds", table).value("one_oracle", one_oracle)))
}

pub fn stale(figures: &Figures) -> Result<Option<Parts>> {
    let (mut parts, mut rows) = (Parts::default(), 0);
    for name in ["at_need", "at_end", "resolved"] {
        let table = table(figures, name, figures.shown())?;
        rows += table.rows.len();
        parts = parts.table(name, table);
    }
    Ok((rows > 0).then_some(parts))
}

pub fn summaries(figures: &Figures) -> Result<Option<Parts>> {
    let has = |config: &Config, metric| figures.value(config, metric).is_some();
    let summarize = |config: &&Config| has(config, MetricId::SummaryRatio);
    let fold = |config: &&Config| summarize(config) || has(config, MetricId::ArcIntegrity);
    let words = table(figures, "words", figures.shown().filter(summarize))?;
    let folds = table(figures, "folds", figures.shown().filter(fold))?;
    let some = !(words.rows.is_empty() && folds.rows.is_empty());
    Ok(some.then(|| Parts::default().table("words", words).table("folds", folds)))
}

/// What archives gave back, where any configuration has one.
pub fn archive(figures: &Figures) -> Result<Option<Parts>> {
    let recalls = |config: &&Config| figures.value(config, MetricId::ArchiveCalls).is_some();
    Ok(Parts::alone("archive", table(figures, "archive", figures.shown().filter(recalls))?))
}

pub fn banks(figures: &Figures) -> Result<Option<Parts>> {
    let rows = figures.shown_but_control().filter_map(|config| {
        let of = |metric| figures.of_both_banks(config, figures.main, metric);
        let gap = of(MetricId::BankGap);
        gap.value?;
        let recalls = [MetricId::BankA, MetricId::BankB].map(|bank| Cell::figure(&of(bank), share));
        let perfect = figures.of_both_banks(config, "perfect", MetricId::BankGap);
        let perfect = match perfect.value {
            Some(_) => Cell::estimate(&perfect, points),
            None => Cell::undefined("not driven"),
        };
        let gaps = [Cell::estimate(&gap, points), perfect, Cell::count(gap.n as usize)];
        Some([Cell::code(config.name())].into_iter().chain(recalls).chain(gaps).collect())
    });
    let titles = ["Configuration", "#Bank A", "#Bank B", "#Gap", "#Gap under perfect", "#n"];
    Ok(Parts::alone("banks", Table::of("Recall at need by phrase bank", titles, rows)))
}
