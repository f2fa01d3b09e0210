//! Figures behind the claims of the source designs, pooled over the sessions that each
//! claim is about.
//!
//! A mean has a bootstrapped interval over sessions. What must never happen is counted
//! in sessions without it, with Wilson's interval ("Probable inference, the law of
//! succession, and statistical inference", 1927): ten sessions without a fault do not
//! show that there is none.

use std::collections::BTreeMap;

use crate::derive::firings::firings;
use crate::derive::groups::seed;
use crate::derive::pool::{Savings, by_session};
use crate::derive::{Index, MeasuredCell, Setting};
use crate::row::{CompactionRow, DerivedRow, optional};
use crate::stats;
use crate::stats::resample::{Resampling, bootstrap_mean};

/// Sessions that the record of the three tiers calls long, in tokens.
const LONG: f64 = 50_000.0;
/// Where its band of ordinary long sessions ends.
const LONGER: f64 = 100_000.0;
/// The time that a summarization may take, in milliseconds.
const TARGET: f64 = 5_000.0;

/// How a claim's figure is pooled.
#[derive(Clone, Copy)]
enum Pooling {
    /// Mean over sessions.
    Mean,
    /// Share of sessions in which the figure is 1.
    Share,
    /// The largest over sessions.
    Worst,
}

type FigureOf = fn(&Facts, &MeasuredCell) -> Option<f64>;

/// What a figure may be read from.
struct Facts<'a> {
    index: &'a Index<'a>,
    derived: &'a Savings<'a>,
}

impl Facts<'_> {
    /// A figure of a cell that needed a partner.
    fn derived(&self, cell: &MeasuredCell, metric: &str) -> Option<f64> {
        self.derived.get(&(cell.key.cell.as_str(), metric)).copied()
    }

    /// A saving of a completed session of so many tokens: the control's last prompt.
    fn saving(&self, cell: &MeasuredCell, metric: &str, size: (f64, f64)) -> Option<f64> {
        let tokens = self.index.controls.get(&cell.session())?.number("tokens.peak")?;
        let wanted = cell.completed() && (size.0..size.1).contains(&tokens);
        wanted.then(|| self.derived(cell, metric)).flatten()
    }

    /// Share of the firings with billed requests that took no longer than the target.
    fn within_target(&self, cell: &MeasuredCell) -> Option<f64> {
        let rows: Vec<CompactionRow> =
            self.index.compactions_of(cell).iter().map(|row| (*row).clone()).collect();
        let billed: Vec<f64> = firings(&rows)
            .iter()
            .filter(|firing| firing.billed)
            .map(|firing| firing.blocking)
            .collect();
        let soon = billed.iter().filter(|wait| **wait <= TARGET).count();
        (!billed.is_empty()).then(|| soon as f64 / billed.len() as f64)
    }
}

const FIGURES: [(&str, Pooling, FigureOf); 23] = [
    ("claim.saved.from_50k", Pooling::Mean, |facts, cell| {
        facts.saving(cell, "savings.gross", (LONG, LONGER))
    }),
    ("claim.saved.from_100k", Pooling::Mean, |facts, cell| {
        facts.saving(cell, "savings.gross", (LONGER, f64::INFINITY))
    }),
    ("claim.saved_net.from_50k", Pooling::Mean, |facts, cell| {
        facts.saving(cell, "savings.net", (LONG, LONGER))
    }),
    ("claim.saved_net.from_100k", Pooling::Mean, |facts, cell| {
        facts.saving(cell, "savings.net", (LONGER, f64::INFINITY))
    }),
    ("claim.freed", Pooling::Mean, |_, cell| {
        Some(1.0 - cell.number("compactions.after_over_before")?)
    }),
    ("claim.completed.from_50_turns", Pooling::Share, |_, cell| completed(cell, 50)),
    ("claim.completed.from_100_turns", Pooling::Share, |_, cell| completed(cell, 100)),
    ("claim.within_5s", Pooling::Mean, |facts, cell| facts.within_target(cell)),
    ("claim.rate_for_5s", Pooling::Worst, |_, cell| cell.number("latency.rate_for_5s")),
    ("claim.counter", Pooling::Mean, |_, cell| Some(cell.number("counter.error")?.abs())),
    ("claim.counter_billing", Pooling::Mean, |_, cell| {
        let own = 1.0 + cell.number("counter.error")?;
        Some((own * (1.0 + cell.number("counter.reference_error")?) - 1.0).abs())
    }),
    ("claim.breach", Pooling::Mean, |facts, cell| facts.derived(cell, "floor.breach")),
    ("claim.arcs_whole", Pooling::Mean, |_, cell| cell.number("arc.integrity")),
    ("claim.direction", Pooling::Mean, |_, cell| cell.number("direction.retained")),
    ("claim.dead_end", Pooling::Mean, |_, cell| cell.number("dead_end.retained")),
    ("claim.constraint", Pooling::Mean, |_, cell| cell.number("constraint.retained")),
    ("claim.sound.pairs", Pooling::Share, |_, cell| {
        let rules = ["orphan-result", "orphan-call", "split-pair"];
        let broken = rules.map(|rule| cell.number(&format!("violations.{rule}")));
        Some(none(broken.into_iter().sum::<Option<f64>>()?))
    }),
    ("claim.sound.turns", Pooling::Share, |_, cell| never(cell, "violations.turn-split")),
    ("claim.sound.system", Pooling::Share, |_, cell| never(cell, "violations.system-changed")),
    ("claim.sound.live_goal", Pooling::Share, |_, cell| never(cell, "live_goal.lost")),
    ("claim.sound.raised", Pooling::Share, |_, cell| {
        let ended = cell.figures.get("ended_by").filter(|ended| !ended.is_empty())?;
        Some(if ended == "raised" { 0.0 } else { 1.0 })
    }),
    ("claim.sound.early", Pooling::Share, |_, cell| never(cell, "utilization_at_compaction.high")),
    ("claim.sound.drift", Pooling::Share, |_, cell| {
        let fired = cell.number("compactions.count")? > 0.0;
        let generation = cell.number("compactions.max_generation")?;
        fired.then_some(if generation <= 1.0 { 1.0 } else { 0.0 })
    }),
];

fn completed(cell: &MeasuredCell, turns: u32) -> Option<f64> {
    (cell.key.turns >= turns).then(|| if cell.completed() { 1.0 } else { 0.0 })
}

fn never(cell: &MeasuredCell, metric: &str) -> Option<f64> {
    cell.number(metric).map(none)
}

fn none(count: f64) -> f64 {
    if count == 0.0 { 1.0 } else { 0.0 }
}

pub(super) fn rows(index: &Index, derived: &Savings<'_>) -> Vec<DerivedRow> {
    let mut everywhere: BTreeMap<Setting, Vec<&MeasuredCell>> = BTreeMap::new();
    let told_once = index.cells.iter().filter(|cell| !cell.is_twin() && !cell.is_control());
    let told_once = told_once.filter(|cell| cell.key.fault().is_none());
    for cell in told_once.filter(|cell| !cell.key.variant.starts_with("limit=")) {
        everywhere.entry(cell.setting().everywhere()).or_default().push(cell);
    }
    let facts = Facts { index, derived };
    everywhere
        .iter()
        .flat_map(|(setting, cells)| {
            let figures = FIGURES.into_iter();
            figures.map(|figure| pooled(&facts, &setting.subject(), cells, figure))
        })
        .collect()
}

fn pooled(
    facts: &Facts,
    subject: &str,
    cells: &[&MeasuredCell],
    (metric, pooling, figure): (&str, Pooling, FigureOf),
) -> DerivedRow {
    let values = by_session(cells, |cell| figure(facts, cell));
    let all = by_session(cells, |_| Some(0.0)).len();
    let (value, interval) = match pooling {
        Pooling::Mean => {
            let standard = Resampling::standard(seed(subject, metric, "claim"));
            let Resampling { seed, resamples, level } = standard;
            let interval = bootstrap_mean(&values, seed, resamples, level);
            (stats::mean(&values), interval.map(|interval| (interval.low, interval.high)))
        }
        Pooling::Share => {
            let sound = values.iter().filter(|value| **value >= 1.0).count();
            let share = (!values.is_empty()).then(|| sound as f64 / values.len() as f64);
            (share, wilson(sound, values.len()))
        }
        Pooling::Worst => (values.iter().copied().reduce(f64::max), None),
    };
    let reason = match values.len() {
        0 => "no session that the claim is about has the figure".to_owned(),
        some => format!("{some} of {all} sessions"),
    };
    DerivedRow {
        scope: "configuration".to_owned(),
        subject: subject.to_owned(),
        metric: metric.to_owned(),
        value: optional(value),
        low: optional(interval.map(|(low, _)| low)),
        high: optional(interval.map(|(_, high)| high)),
        n: values.len() as u32,
        reason,
    }
}

/// Wilson's 95 % interval of a share of sessions; `None` without one. It has a width
/// where all or none of them are as counted, too.
pub fn wilson(successes: usize, all: usize) -> Option<(f64, f64)> {
    const Z: f64 = 1.959_963_985;
    if all == 0 {
        return None;
    }
    let (n, share) = (all as f64, successes as f64 / all as f64);
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    let (low, high) = ((middle - half) / scale, (middle + half) / scale);
    Some((low.max(0.0), high.min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::derive;
    use crate::derive::sample::{Sample, cell};

    fn found(sample: &Sample, metric: &str) -> (String, u32) {
        let rows = derive(sample.record());
        let row = rows
            .iter()
            .find(|row| row.metric == metric && row.subject == "forge/deployed/extractive");
        let row = row.expect("a row of the claim");
        (row.value.clone(), row.n)
    }

    #[test]
    fn wilsons_interval_is_the_published_one() {
        // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I.
        for (successes, all, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)]
        {
            let (found_low, found_high) = wilson(successes, all).expect("an interval");
            assert!((found_low - low).abs() < 1e-4, "{found_low}");
            assert!((found_high - high).abs() < 1e-4, "{found_high}");
        }
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn savings_are_of_the_sessions_in_the_band_that_completed() {
        let control = |seed, last| {
            let peak = u64::to_string(&last);
            cell("none", "windowless").seed(seed).prompts(&[1_000, last]).with("tokens.peak", &peak)
        };
        let own = |seed, completion| {
            cell("forge", "windowed")
                .seed(seed)
                .with("completion", completion)
                .with("tokens.summarizer", "0")
                .with("cost.reacquire", "0")
                .prompts(&[1_000, 14_500])
        };
        let cells = vec![
            control(1, 61_000),
            control(2, 30_000),
            control(3, 61_000),
            own(1, "1"),
            own(2, "1"),
            own(3, "0"),
        ];
        let sample = Sample::of(cells);
        assert_eq!(found(&sample, "claim.saved.from_50k"), ("0.75".to_owned(), 1));
        assert_eq!(found(&sample, "claim.saved.from_100k"), (String::new(), 0));
    }

    #[test]
    fn what_must_never_happen_is_counted_in_sessions() {
        let of = |seed, splits| {
            cell("forge", "windowed").seed(seed).with("violations.turn-split", splits)
        };
        let sample = Sample::of(vec![of(1, "0"), of(2, "7"), of(3, "0"), of(4, "0")]);
        assert_eq!(found(&sample, "claim.sound.turns"), ("0.75".to_owned(), 4));
        assert_eq!(found(&sample, "claim.sound.system"), (String::new(), 0));
    }

    #[test]
    fn only_long_sessions_count_where_the_claim_is_of_turns() {
        let of = |turns, completion| {
            cell("forge", "windowed").turns(turns).with("completion", completion)
        };
        let sample = Sample::of(vec![of(40, "0"), of(60, "0"), of(120, "1")]);
        assert_eq!(found(&sample, "claim.completed.from_50_turns"), ("0.5".to_owned(), 2));
        assert_eq!(found(&sample, "claim.completed.from_100_turns"), ("1".to_owned(), 1));
    }
}
