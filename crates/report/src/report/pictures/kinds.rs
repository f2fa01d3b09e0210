//! Facts retained by kind, and facts lost by cause.

use super::super::prelude::*;
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
    let data = ToneChart::of_shares(title, value, kinds, shares.collect());
    Ok(parts.chart("kinds", "retention", data.draw()?).value("kinds_choice", choice.left_out))
}

/// Facts lost by cause, with how far each configuration's sessions got.
pub fn losses(figures: &Figures, losses: &[(&Config, [u64; 5])], parts: Parts) -> Result<Parts> {
    let choice = choose(figures, losses.iter().map(|(config, _)| *config).collect(), ROWS);
    let drawn = losses.iter().filter(|(config, _)| choice.drawn.contains(config));
    let bars = drawn.map(|(config, facts)| {
        let steps =
            figures.cells(config).iter().filter_map(|row| row.number(MetricId::StepsReached));
        Bar {
            configuration: config.name(),
            parts: facts.map(|facts| facts as f64),
            remark: rate(facts.iter().sum::<u64>() as f64, steps.sum()),
            failed: completion::early(figures, config),
        }
    });
    let title = "Facts lost, by cause".to_owned();
    let data = BarChart { title, of: &LOST_FACTS, bars: bars.collect() };
    Ok(parts.chart("causes", "losses", data.draw()?).value("causes_choice", choice.left_out))
}

/// Losses for each hundred steps reached: what sessions of different ends have in common.
fn rate(facts: f64, steps: f64) -> String {
    if steps < 1.0 {
        return String::new();
    }
    let rate = facts * 100.0 / steps;
    let figure = if rate < 9.95 { format!("{rate:.1}") } else { number::axis(rate.round()) };
    format!("{figure} per 100 steps")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_given_for_each_hundred_steps_reached() {
        assert_eq!(rate(2.0, 0.0), "");
        assert_eq!(rate(3.0, 400.0), "0.8 per 100 steps");
        assert_eq!(rate(200.0, 100.0), "200 per 100 steps");
    }
}
