//! What forgetting costs an agent that acts on it: the closed loop, apart from the open replay.

use super::prelude::*;
use crate::drive::Mode;
use crate::number;

/// A closed-loop configuration at the estimate and at both ends of the sweep.
struct Swept<'a> {
    open: &'a Config,
    closed: [&'a Config; 3],
}

/// What recorded agents did after a compaction, a session.
const MEASURED: [(MetricId, &str); 8] = [
    (MetricId::OutcomeExtraCalls, "Extra calls"),
    (MetricId::OutcomeRereads, "Files read again"),
    (MetricId::OutcomeSearches, "Searches"),
    (MetricId::OutcomeRetries, "Failures repeated"),
    (MetricId::OutcomeRelapses, "Read again, forgotten, read again"),
    (MetricId::OutcomeExtraTokens, "Extra tokens"),
    (MetricId::OutcomeExtraMinutes, "Extra minutes"),
    (MetricId::OutcomeExtraUsd, "Extra dollars"),
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
        .table("measured", measured(figures, &swept))
        .table("expected", expected(figures, &swept));
    Ok(Some(parts))
}

/// How many pairs have a price of a finished goal each, and those whose order turns between the open
/// replay and the points of the sweep.
fn orders(figures: &Figures, all: &[&Swept]) -> (usize, Vec<String>) {
    let prices = |one: &Swept| -> Option<Vec<f64>> {
        one.all().into_iter().map(|at| figures.value(at, MetricId::CostPerGoal)).collect()
    };
    let priced = all.iter().filter_map(|one| Some((one.open.name(), prices(one)?)));
    let priced: Vec<(String, Vec<f64>)> = priced.collect();
    let (mut pairs, mut turned) = (0, Vec::new());
    for (place, (name, own)) in priced.iter().enumerate() {
        for (other, theirs) in &priced[place + 1..] {
            let below = own.iter().zip(theirs).filter(|(own, theirs)| own < theirs).count();
            pairs += 1;
            if below > 0 && below < own.len() {
                turned.push(format!("{name} and {other}"));
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
        open.is_deployed().then_some(Swept { open, closed })
    }

    fn all(&self) -> [&'a Config; 4] {
        let [estimate, low, high] = self.closed;
        [self.open, low, estimate, high]
    }

    /// A mean with its range over the sweep.
    fn cell(&self, figures: &Figures, metric: MetricId, write: Write) -> Cell {
        let [estimate, low, high] = self.closed.map(|one| figures.figure(one, metric));
        let ends = low.value.zip(high.value).map(|(low, high)| (low.min(high), low.max(high)));
        Cell::figure(&estimate, write).within(ends, write)
    }
}

fn measured(figures: &Figures, swept: &[Swept]) -> Table {
    let rows = swept.iter().map(|one| {
        let first = [Cell::code(one.open.name()), completion::cell(figures, one.closed[0])];
        let figures_of =
            MEASURED.iter().map(|(metric, _)| one.cell(figures, *metric, write(*metric)));
        let open = mean(figures, one.open, MetricId::CostPerGoal);
        let closed = one.cell(figures, MetricId::CostPerGoal, number::dollars);
        first.into_iter().chain(figures_of).chain([open, closed]).collect()
    });
    let titles = ["Configuration", "Sessions completed"].map(str::to_owned).into_iter();
    let titles = titles.chain(MEASURED.iter().map(|(_, title)| format!("#{title}")));
    let goal = ["#Dollars a finished goal, open replay", "#Closed loop"].map(str::to_owned);
    Table::of("Closed loop: what recorded agents did", titles.chain(goal), rows)
}

fn expected(figures: &Figures, swept: &[Swept]) -> Table {
    let rows = swept.iter().map(|one| {
        let expected = EXPECTED.iter().map(|(metric, _)| one.cell(figures, *metric, number::count));
        [Cell::code(one.open.name())].into_iter().chain(expected).collect()
    });
    let titles = ["Configuration".to_owned()].into_iter();
    let titles = titles.chain(EXPECTED.iter().map(|(_, title)| format!("#{title}")));
    Table::of("Closed loop: expected by assumed rates", titles, rows)
}

fn write(metric: MetricId) -> Write {
    match metric.metric().unit {
        "tokens" => number::tokens,
        "dollars" => number::dollars,
        _ => number::count,
    }
}
