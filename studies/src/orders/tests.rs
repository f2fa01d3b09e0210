use proctor_eval::frame::{Basis, Derived, Scope, Setting, Stage, Subject as SubjectOf};
use proctor_eval::measure::{Measurement, MetricId, Value};
use proctor_eval::row::CellKey;

use super::*;

fn order(stages: &[&str]) -> OrderedStages {
    OrderedStages {
        name: format!("order_{}", stages.join("_")),
        stages: stages.iter().map(|stage| (*stage).to_owned()).collect(),
        window: None,
    }
}

fn cell(seed: u64, recall: &str) -> Cell {
    let recall: f64 = recall.parse().expect("a number");
    let mut figures = Measurement::default();
    for (metric, value) in
        [(MetricId::Completion, 1.0), (MetricId::CostUsd, 2.0), (MetricId::RecallAtNeed, recall)]
    {
        figures.set(metric, Some(Value::Number(value)));
    }
    let (cell, scenario) = (format!("scenario/{seed}"), "scenario".to_owned());
    Cell::done(CellKey { cell, scenario, seed, ..CellKey::default() }, figures)
}

/// Orders of stages, each with the recall of every session.
struct Driven {
    orders: Vec<OrderedStages>,
    cells: Vec<Vec<Cell>>,
}

impl Driven {
    fn of(recalls: &[(&[&str], &[&str])]) -> Driven {
        let orders = recalls.iter().map(|(stages, _)| order(stages)).collect();
        let cells = |(_, recalls): &(&[&str], &[&str])| {
            recalls.iter().zip(1..).map(|(recall, seed)| cell(seed, recall)).collect()
        };
        Driven { orders, cells: recalls.iter().map(cells).collect() }
    }

    fn set(&self) -> Set<'_> {
        let all = self.orders.iter().zip(&self.cells);
        let orders = all.map(|(named, cells)| Order {
            named,
            driven: &named.name,
            cells: cells.iter().map(|cell| (cell.session(), vec![cell])).collect(),
        });
        let (mode, summarizer) = ("deployed", "extractive");
        Set { window: None, mode, summarizer, orders: orders.collect() }
    }
}

fn two() -> Driven {
    Driven::of(&[(&["a", "b"], &["0.5", "0.6", "0.7"]), (&["b", "a"], &["0.4", "0.6", "0.5"])])
}

fn of(set: &Set, metric: MetricId) -> Comparison {
    let all = set.comparisons(&Frame::default(), &[]);
    all.into_iter().find(|one| one.columns.figure.metric == metric).expect("a comparison")
}

fn close(found: Option<Difference>, expected: [f64; 3]) {
    let found = found.expect("a difference");
    let ends = found.interval.expect("a spread");
    let near = |(one, other): (&f64, f64)| (one - other).abs() < 1e-8;
    let all = [found.mean, ends.low, ends.high];
    assert!(all.iter().zip(expected).all(near), "{all:?} is not {expected:?}");
}

#[test]
fn orders_stand_beside_the_best_session_by_session() {
    let driven = two();
    let recall = of(&driven.set(), MetricId::RecallAtNeed);
    // 0.5, 0.6, 0.7: the least mean of three draws is 0.5, the most 0.7, each with a chance of
    // 1 in 27, which is more than 2.5 %.
    close(recall.orders[0].0, [0.6, 0.5, 0.7]);
    assert_eq!(recall.orders[0].2, Standing::Best);
    // -0.1, 0, -0.2.
    close(recall.orders[1].1, [-0.1, -0.2, 0.0]);
    assert_eq!((recall.orders[1].2, recall.columns.sessions), (Standing::Open, 3));
    close(recall.spread, [0.1, 0.0, 0.2]);
    // Three sessions are too few to tell.
    assert_eq!(recall.verdict, Verdict::Open);
    // Dollars are the same to the cent.
    let dollars = of(&driven.set(), MetricId::CostUsd);
    assert_eq!((dollars.orders[1].2, dollars.verdict), (Standing::Identical, Verdict::Alike));
}

#[test]
fn a_swap_is_the_mean_over_its_pairs_clustered_by_session() {
    let driven = two();
    let set = driven.set();
    let (recall, swaps) = (of(&set, MetricId::RecallAtNeed), set.swaps(&[]));
    assert_eq!((swaps.len(), swaps[0].first, swaps[0].second), (1, "a", "b"));
    let effects = set.effects(&swaps, &recall.columns);
    close(effects[0].0, [0.1, 0.0, 0.2]);
    // Two sessions differ: both signs up or both down, 2 ways of 4; one pair of stages.
    assert_eq!(effects[0].1, 0.5);
    assert_eq!(set.alike(&swaps[0]), (1, 3));
}

#[test]
fn a_place_is_worth_what_its_orders_have_over_all() {
    let driven = two();
    let set = driven.set();
    let recall = of(&set, MetricId::RecallAtNeed);
    // Half of 0.1, 0 and 0.2.
    close(set.place(&recall.columns, "a", 0), [0.05, 0.0, 0.1]);
    close(set.place(&recall.columns, "a", 1), [-0.05, -0.1, 0.0]);
}

#[test]
fn neighbours_are_compared_with_all_else_alike() {
    let driven = Driven::of(&[
        (&["a", "b", "c"], &["0.9", "0.9"]),
        (&["a", "c", "b"], &["0.8", "0.8"]),
        (&["b", "a", "c"], &["0.5", "0.7"]),
        (&["b", "c", "a"], &["0.4", "0.4"]),
        (&["c", "a", "b"], &["0.6", "0.6"]),
        (&["c", "b", "a"], &["0.2", "0.6"]),
    ]);
    let set = driven.set();
    let (recall, swaps) = (of(&set, MetricId::RecallAtNeed), set.swaps(&[]));
    // (abc - bac, cab - cba): 0.4 and 0.4 in one session, 0.2 and 0 in the other.
    close(set.effects(&swaps, &recall.columns)[0].0, [0.25, 0.1, 0.4]);
    // b first of three, over its two orders: 0.45 and 0.55 where all six have 3.4 / 6 and
    // 4 / 6.
    let (one, other): (f64, f64) = (0.45 - 3.4 / 6.0, 0.55 - 4.0 / 6.0);
    let expected = [(one + other) / 2.0, one.min(other), one.max(other)];
    close(set.place(&recall.columns, "b", 0), expected);
}

#[test]
fn an_order_under_two_names_is_one() {
    let driven =
        Driven::of(&[(&["a", "b"], &["0.5", "0.6", "0.7"]), (&["b", "a"], &["0.5", "0.6", "0.7"])]);
    let mut set = driven.set();
    set.orders[1].driven = set.orders[0].driven;
    let recall = of(&set, MetricId::RecallAtNeed);
    // There is nothing to exchange.
    assert_eq!((recall.p, recall.verdict), (None, Verdict::Alike));
    assert_eq!(set.alike(&set.swaps(&[])[0]), (3, 3));
}

#[test]
fn order_matters_where_the_spread_is_no_chance_and_beyond_the_margin() {
    for (other, verdict) in
        [("0.4", Verdict::Matters), ("0.49", Verdict::WithinMargin), ("0.5", Verdict::Alike)]
    {
        let driven = Driven::of(&[(&["a", "b"], &["0.5"; 12]), (&["b", "a"], &[other; 12])]);
        assert_eq!(of(&driven.set(), MetricId::RecallAtNeed).verdict, verdict, "{other}");
    }
}

#[test]
fn what_a_session_costs_counts_where_every_order_completed_it() {
    let mut driven = Driven::of(&[(&["a", "b"], &["0.5", "0.5"]), (&["b", "a"], &["0.5", "0.5"])]);
    driven.cells[0][0].figures.set(MetricId::Completion, Some(Value::Number(0.0)));
    driven.cells[0][0].figures.set(MetricId::CostUsd, Some(Value::Number(0.1)));
    let dollars = of(&driven.set(), MetricId::CostUsd);
    assert_eq!((dollars.orders[0].0.map(|one| one.mean), dollars.columns.sessions), (Some(2.0), 1));
    let completion = of(&driven.set(), MetricId::Completion);
    assert_eq!(completion.orders[0].0.map(|one| one.mean), Some(0.5));
}

#[test]
fn a_spread_that_any_order_gives_is_none() {
    // Two columns, two rows: of 4 orders two put both ones in a column.
    let rows = vec![vec![1.0, 0.0], vec![1.0, 0.0]];
    let p = spread(rows, Seed(1), 4_000).expect("a value");
    assert!((p - 0.5).abs() < 0.03, "{p}");
    assert_eq!(spread(vec![vec![2.0, 2.0, 2.0]], Seed(1), 100), Some(1.0));
    // Twelve sessions of one mind: 1 in 2^11 by chance.
    let firm = (0..12).map(|row| vec![f64::from(row), f64::from(row) + 1.0]).collect();
    assert!(spread(firm, Seed(1), 999).expect("a value") < 0.01);
    for rows in [vec![], vec![vec![1.0]], vec![vec![1.0, 2.0], vec![1.0]]] {
        assert_eq!(spread(rows, Seed(1), 100), None);
    }
}

/// The counts of a stage of an order, as a run derives them.
fn counted(order: &str, number: u32, strategy: &str, fired: f64) -> Vec<Derived> {
    let setting = Setting {
        configuration: order.to_owned(),
        mode: "deployed".to_owned(),
        summarizer: "extractive".to_owned(),
    };
    let stage = Some(Stage { number, strategy: strategy.to_owned() });
    let subject = SubjectOf { stage, ..SubjectOf::new(Scope::Stage, setting) };
    let row =
        |metric, value| Derived::number(subject.clone(), metric, Some(value), 3, Basis::Direct);
    vec![row(MetricId::TriggerDue, 100.0), row(MetricId::TriggerFired, fired)]
}

#[test]
fn nothing_is_said_of_a_stage_that_never_fired() {
    let driven =
        Driven::of(&[(&["a", "b"], &["0.5", "0.6", "0.7"]), (&["b", "a"], &["0.5", "0.6", "0.7"])]);
    let set = driven.set();
    let derived = |fired: f64| -> Vec<Derived> {
        let orders = [("order_a_b", ["x", "y"]), ("order_b_a", ["y", "x"])];
        let stages = orders.iter().flat_map(|(order, stages)| {
            (1..).zip(stages).map(move |(number, strategy)| (order, number, strategy))
        });
        let rows = stages.map(|(order, number, strategy)| {
            counted(order, number, strategy, if *strategy == "x" { 7.0 } else { fired })
        });
        rows.flatten().collect()
    };
    let frame = Frame::default();
    let verdict = |firings: &[Firing]| {
        let all = set.comparisons(&frame, firings);
        let recall = all.iter().find(|one| one.columns.figure.metric == MetricId::RecallAtNeed);
        recall.expect("a comparison").verdict
    };
    let idle = set.firings(&derived(0.0), &frame);
    assert_eq!(verdict(&idle), Verdict::NotTested);
    let untested = firing::untested(&idle);
    assert_eq!(untested.as_deref(), Some("not tested: `b` never fired (0 of 200 occasions)"));
    let told = "`a` fired on 14 of 200 occasions, in 0 of 3 sessions";
    assert_eq!(firing::told(&idle), told);
    assert_eq!(set.swaps(&idle).len(), 0, "no neighbours of which one never fired");
    let acting = set.firings(&derived(1.0), &frame);
    assert_eq!((verdict(&acting), firing::untested(&acting)), (Verdict::Alike, None));
    assert_eq!(set.swaps(&acting).len(), 1);
    // A difference that is shown stays shown.
    assert_eq!(firing::earned(Verdict::Matters, &idle), Verdict::Matters);
}
