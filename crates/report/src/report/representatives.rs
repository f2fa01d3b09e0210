//! Chooses representatives when a suite generates many configurations.

use super::figures::{Config, Figures, Representatives};
use crate::measure::MetricId;

/// Generated configurations that every table still has room for.
const MOST: usize = 12;

/// Chooses them; `None` where there are few enough for every table.
pub fn choose(figures: &Figures) -> Option<Representatives> {
    let generated = || figures.unswept().filter(|config| config.generated);
    let mode = generated().next()?.mode.clone();
    let in_mode = || generated().filter(|config| config.mode == mode);
    let count = in_mode().count();
    if count <= MOST {
        return None;
    }
    let mut ranked: Vec<&Config> = in_mode().filter(|config| figures.ranks(config)).collect();
    if ranked.is_empty() {
        ranked = in_mode().collect();
    }
    let rank = |config: &&Config| {
        let figure = |metric| figures.figure(config, metric).value;
        [
            -figure(MetricId::Completion).unwrap_or(0.0),
            -figure(MetricId::RecallAtNeed).unwrap_or(0.0),
            figure(MetricId::CostUsd).unwrap_or(f64::MAX),
        ]
    };
    ranked.sort_by(|left, right| {
        let pairs = rank(left).into_iter().zip(rank(right));
        let orders = pairs.map(|(left, right)| left.total_cmp(&right));
        orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    let at = |place: usize| ranked.get(place).map(|config| config.configuration.clone());
    let three = [at(0)?, at(ranked.len() / 2)?, at(ranked.len() - 1)?];
    Some(Representatives { generated: count, three, mode })
}
