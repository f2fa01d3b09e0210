//! What forgetting costs an agent that acts on it: the closed loop, apart from the open replay.

use super::prelude::*;
use crate::drive::Mode;
use crate::number;

/// A closed-loop configuration at the estimate and at both ends of the sweep.
struct Swept<'a> {
    open: &'a Config,
    closed: [&'a Config; 3],
}

const PAID: [(MetricId, &str); 2] = [
    (MetricId::OutcomeExtraUsd, "Extra calls, dollars a session"),
    (MetricId::OutcomeExtraMinutes, "Extra calls, minutes a session"),
];
const MEASURED: [(MetricId, &str); 6] = [
    (MetricId::OutcomeExtraCalls, "Extra calls"),
    (MetricId::OutcomeRereads, "Files read again"),
    (MetricId::OutcomeSearches, "Searches"),
    (MetricId::OutcomeRetries, "Failures repeated"),
    (MetricId::OutcomeRelapses, "Read again, forgotten, read again"),
    (MetricId::OutcomeExtraTokens, "Extra tokens"),
];
const EXPECTED: [(MetricId, &str); 3] = [
    (MetricId::OutcomeViolations, "Rules broken"),
    (MetricId::OutcomeContradictions, "Decisions contradicted"),
    (MetricId::OutcomeCorrections, "Of these, corrected"),
];

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let swept: Vec<Swept> = figures.shown().filter_map(|open| Swept::of(figures, open)).collect();
    if swept.is_empty() {
        return Ok(None);
    }
    let contestants: Vec<&Swept> = swept.iter().filter(|one| !one.open.is_control()).collect();
    let (pairs, turned) = orders(figures, &contestants);
    let relapses =
        |one: &&&Swept| figures.value(one.closed[0], MetricId::OutcomeRelapses) > Some(0.0);
    let spirals = contestants.iter().filter(relapses).map(|one| one.open.name());
    let spirals: Vec<String> = spirals.collect();
    let parts = Parts::default()
        .value("pairs", pairs)
        .value("turned", turned)
        .value("spirals", spirals)
        .table("prices", prices(figures, &swept))
        .table(
            "measured",
            table("Closed loop: what recorded agents did", figures, &swept, &MEASURED),
        )
        .table(
            "expected",
            table("Closed loop: expected by assumed rates", figures, &swept, &EXPECTED),
        );
    Ok(Some(parts))
}

/// How many pairs have a price of a finished goal each, and those whose order turns between the open
/// replay and the points of the sweep.
fn orders(figures: &Figures, all: &[&Swept]) -> (usize, Vec<[String; 2]>) {
    let prices = |one: &Swept| -> Option<Vec<f64>> {
        one.all().into_iter().map(|at| figures.value(at, MetricId::CostPerGoal)).collect()
    };
    // Who ends early pays less.
    let complete = |one: &&&Swept| one.all().iter().all(|at| completes(figures, at));
    let priced =
        all.iter().filter(complete).filter_map(|one| Some((one.open.name(), prices(one)?)));
    let priced: Vec<(String, Vec<f64>)> = priced.collect();
    let (mut pairs, mut turned) = (0, Vec::new());
    for (place, (name, own)) in priced.iter().enumerate() {
        for (other, theirs) in &priced[place + 1..] {
            let below = own.iter().zip(theirs).filter(|(own, theirs)| own < theirs).count();
            pairs += 1;
            if below > 0 && below < own.len() {
                turned.push([name.clone(), other.clone()]);
            }
        }
    }
    (pairs, turned)
}

impl<'a> Swept<'a> {
    fn of(figures: &'a Figures, open: &'a Config) -> Option<Swept<'a>> {
        let at = |mode: Mode| {
            let mut all = figures.closed.iter();
            all.find(|one| {
                one.mode == mode.name()
                    && (&one.pipeline, &one.variant) == (&open.pipeline, &open.variant)
            })
        };
        let [estimate, low, high] = Mode::CLOSED.map(at);
        let closed = [estimate?, low?, high?];
        (open.mode == Mode::Deployed.name()).then_some(Swept { open, closed })
    }

    fn all(&self) -> [&'a Config; 4] {
        let [estimate, low, high] = self.closed;
        [self.open, low, estimate, high]
    }

    /// A mean with its range over the sweep.
    fn cell(&self, figures: &Figures, metric: MetricId) -> Cell {
        let write = write(metric);
        let [estimate, low, high] = self.closed.map(|one| figures.figure(one, metric));
        // More re-reads can set off a compaction that changes what follows.
        let all = [estimate.value, low.value, high.value];
        let all: Option<Vec<f64>> = all.into_iter().collect();
        let ends = all.map(|all| {
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            (least, all.iter().copied().fold(least, f64::max))
        });
        Cell::figure(&estimate, write).within(ends, write)
    }

    fn cells(&self, figures: &Figures, of: &[(MetricId, &str)]) -> Vec<Cell> {
        of.iter().map(|(metric, _)| self.cell(figures, *metric)).collect()
    }
}

/// What a finished goal costs, and what the added calls come to.
fn prices(figures: &Figures, swept: &[Swept]) -> Table {
    let rows = swept.iter().map(|one| {
        let open = mean(figures, one.open, MetricId::CostPerGoal);
        let closed = one.cell(figures, MetricId::CostPerGoal);
        let first =
            [Cell::code(one.open.name()), completion::cell(figures, one.closed[0]), open, closed];
        first.into_iter().chain(one.cells(figures, &PAID)).collect()
    });
    let first = ["Configuration", "Sessions completed"].into_iter();
    let goal = ["#Dollars a finished goal, open replay", "#Dollars a finished goal, closed loop"];
    let titles = first.chain(goal).map(str::to_owned).chain(titles(&PAID));
    Table::of("Closed loop: what a finished goal costs", titles, rows)
}

/// One row per configuration, means over sessions.
fn table(caption: &str, figures: &Figures, swept: &[Swept], of: &[(MetricId, &str)]) -> Table {
    let rows = swept.iter().map(|one| {
        [Cell::code(one.open.name())].into_iter().chain(one.cells(figures, of)).collect()
    });
    Table::of(caption, ["Configuration".to_owned()].into_iter().chain(titles(of)), rows)
}

fn titles(of: &[(MetricId, &str)]) -> impl Iterator<Item = String> {
    of.iter().map(|(_, title)| format!("#{title}"))
}

fn write(metric: MetricId) -> Write {
    match metric.metric().unit {
        "tokens" => number::tokens,
        "dollars" => number::dollars,
        _ => number::count,
    }
}
