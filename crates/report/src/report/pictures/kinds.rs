//! Facts retained by kind, and facts lost by cause.

use crate::chart::{LossBar, LossChart, ToneChart, loss_attribution, table_of_tones};
use crate::error::Result;
use crate::measure::MetricId;
use crate::report::choice::{ROWS, choose};
use crate::report::completion;
use crate::report::figures::{Config, Figures};
use crate::report::template::Parts;
use crate::report::verdicts::retention;
use crate::truth::FactKind;

/// Retention by kind of fact.
pub fn kinds(figures: &Figures, parts: Parts) -> Result<Parts> {
    let choice = choose(figures, figures.shown().collect(), ROWS);
    let rows: Vec<(String, Vec<_>)> =
        choice.drawn.iter().map(|config| (config.name(), retention(figures, config))).collect();
    let known = |index: usize| rows.iter().any(|(_, kinds)| kinds[index].1.is_some());
    let shown: Vec<usize> = (0..FactKind::ALL.len()).filter(|index| known(*index)).collect();
    let kinds = shown.iter().map(|index| FactKind::ALL[*index].name().to_owned()).collect();
    let shares = rows.into_iter().map(|(name, kinds)| {
        let shares = shown.iter().map(|index| kinds[*index].1);
        (name, shares.collect())
    });
    let title = "Facts retained at the end of the session, by kind";
    let value = "share of the session's facts in the last prompt (0 to 1)";
    let drawn = table_of_tones(&ToneChart::of_shares(title, value, kinds, shares.collect()))?;
    Ok(parts.chart("kinds", "retention", drawn).value("kinds_choice", choice.left_out))
}

/// Facts lost by cause, with how far each configuration's sessions got.
pub fn losses(figures: &Figures, losses: &[(&Config, [u64; 5])], parts: Parts) -> Result<Parts> {
    let choice = choose(figures, losses.iter().map(|(config, _)| *config).collect(), ROWS);
    let drawn = losses.iter().filter(|(config, _)| choice.drawn.contains(config));
    let bars = drawn.map(|(config, facts)| {
        let steps =
            figures.cells(config).iter().filter_map(|row| row.number(MetricId::StepsReached));
        LossBar {
            configuration: config.name(),
            facts: *facts,
            steps: steps.sum::<f64>() as u64,
            early: completion::early(figures, config),
        }
    });
    let data = LossChart { title: "Facts lost, by cause".to_owned(), bars: bars.collect() };
    let drawn = loss_attribution(&data)?;
    Ok(parts.chart("causes", "losses", drawn).value("causes_choice", choice.left_out))
}
