//! Whether the order of stages matters: the best order beside the worst.

use super::prelude::*;
use super::standing;
use crate::stats::resample::Interval;

/// The best and the worst order by mode; `None` where the suite asked for no orders.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let rows = spread(figures).into_iter().flatten().map(|one| {
        let differs = if one.differs { "yes" } else { "not shown" };
        let ends = (one.interval.low, one.interval.high);
        vec![
            Cell::text(one.mode),
            Cell::text(differs),
            Cell::number(Some(one.gap), number::points, "").within(Some(ends), number::points),
            Cell::code(one.best),
            Cell::code(one.worst),
            Cell::count(one.orders),
            Cell::count(one.pairs),
        ]
    });
    let titles =
        "Mode|Order matters|#Best less worst (points of recall)|Best|Worst|#Orders|#Sessions";
    Ok(Parts::alone("orders", Table::of("The best and the worst order", titles.split('|'), rows)))
}

/// The best and the worst of all orders in a mode.
#[derive(Serialize)]
pub struct Spread<'b> {
    mode: &'b str,
    orders: usize,
    best: &'b str,
    worst: &'b str,
    /// The difference in recall at need, and its interval over all pairs of orders at once.
    gap: f64,
    interval: Interval,
    differs: bool,
    /// Sessions of both.
    pairs: usize,
}

/// A smaller difference in recall is none.
const MARGIN: f64 = 0.02;

/// The best and the worst order by recall at need in each mode, and whether they differ; `None`
/// where the suite asked for no orders.
pub fn spread<'b>(figures: &'b Figures) -> Option<Vec<Spread<'b>>> {
    let orders = &figures.run.manifest.orders;
    if orders.is_empty() {
        return None;
    }
    let names: Vec<&String> = orders.iter().map(|order| &order.name).collect();
    let is_order = |config: &&Config| names.contains(&&config.configuration);
    let modes = each_once(figures.unswept().filter(is_order).map(|config| config.mode.as_str()));
    let spread = modes.into_iter().filter_map(|mode| {
        let own = figures.unswept().filter(is_order).filter(|config| config.mode == mode);
        let known =
            own.filter_map(|config| Some((figures.value(config, MetricId::RecallAtNeed)?, config)));
        let known: Vec<(f64, &Config)> = known.collect();
        let best = known.iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
        let worst = known.iter().min_by(|one, other| one.0.total_cmp(&other.0))?;
        let estimate = standing::difference(figures, best.1, worst.1)?;
        // The best and the worst of many were chosen by their figures: all pairs are tested at once.
        let pairs = known.len() * (known.len() - 1) / 2;
        let interval = estimate.interval(1.0 - 0.05 / pairs.max(1) as f64)?;
        Some(Spread {
            mode,
            orders: known.len(),
            best: &best.1.configuration,
            worst: &worst.1.configuration,
            gap: estimate.mean,
            interval,
            differs: interval.is_above(MARGIN),
            pairs: estimate.units,
        })
    });
    Some(spread.collect())
}
