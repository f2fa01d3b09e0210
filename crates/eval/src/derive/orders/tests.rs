use crate::derive::derive;
use crate::derive::sample::{Sample, SampleCell, cell};
use crate::matrix::OrderedStages;
use crate::row::DerivedRow;

fn order(stages: &[&str]) -> OrderedStages {
    OrderedStages {
        name: format!("order_{}", stages.join("_")),
        stages: stages.iter().map(|stage| (*stage).to_owned()).collect(),
        window: None,
    }
}

/// One cell of each session with these recalls.
fn driven(stages: &[&str], recalls: &[&str]) -> Vec<SampleCell> {
    let name = order(stages).name;
    let seeds = recalls.iter().zip(1..);
    seeds
        .map(|(recall, seed)| {
            cell(&name, "windowed").seed(seed).with("recall_at_need", recall).with("cost.usd", "2")
        })
        .collect()
}

fn two() -> Sample {
    let mut cells = driven(&["a", "b"], &["0.5", "0.6", "0.7"]);
    cells.extend(driven(&["b", "a"], &["0.4", "0.6", "0.5"]));
    let orders = vec![order(&["a", "b"]), order(&["b", "a"])];
    Sample { orders, ..Sample::of(cells) }
}

fn found(sample: &Sample, scope: &str, subject: &str, metric: &str) -> DerivedRow {
    let rows = derive(sample.record());
    let row = rows.into_iter().find(|row| {
        (row.scope.as_str(), row.subject.as_str(), row.metric.as_str()) == (scope, subject, metric)
    });
    row.unwrap_or_else(|| panic!("no row {scope} {subject} {metric}"))
}

fn close(row: &DerivedRow, expected: [f64; 3]) {
    let own = [&row.value, &row.low, &row.high].map(|text| text.parse::<f64>().unwrap_or(f64::NAN));
    let near = own.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-8);
    assert!(near, "{own:?} is not {expected:?}");
}

#[test]
fn orders_stand_beside_the_best_session_by_session() {
    let sample = two();
    // 0.5, 0.6, 0.7: the least mean of three draws is 0.5, the most 0.7, each with a
    // chance of 1 in 27, which is more than 2.5 %.
    close(
        &found(&sample, "order", "order_a_b/deployed/extractive", "recall_at_need"),
        [0.6, 0.5, 0.7],
    );
    let best = found(&sample, "order-best", "order_a_b/deployed/extractive", "recall_at_need");
    assert_eq!((best.reason.as_str(), best.value.as_str()), ("the best", "0"));
    // -0.1, 0, -0.2.
    let other = found(&sample, "order-best", "order_b_a/deployed/extractive", "recall_at_need");
    close(&other, [-0.1, -0.2, 0.0]);
    assert_eq!(other.n, 3);
    assert_eq!(other.reason, "open at the margin of 0.02: beside order_a_b");
    let widest = found(&sample, "order-spread", "orders/deployed/extractive", "recall_at_need");
    close(&widest, [0.1, 0.0, 0.2]);
    assert_eq!(widest.reason, "order_a_b less order_b_a");
    // Dollars are the same to the cent.
    let dollars = found(&sample, "order-best", "order_b_a/deployed/extractive", "cost.usd");
    assert_eq!(
        (dollars.value.as_str(), dollars.reason.as_str()),
        ("0", "identical: beside order_a_b")
    );
}

#[test]
fn a_swap_is_the_mean_over_its_pairs_clustered_by_session() {
    let sample = two();
    let swap = found(&sample, "order-swap", "a,b/deployed/extractive", "recall_at_need");
    close(&swap, [0.1, 0.0, 0.2]);
    assert_eq!(swap.reason, "a first less b first, 1 pairs of orders");
    // Two sessions differ: both signs up or both down, 2 ways of 4; one pair of stages.
    let p = found(&sample, "order-swap-p", "a,b/deployed/extractive", "recall_at_need");
    assert_eq!(p.value, "0.5");
    let same = found(&sample, "order-swap", "a,b/deployed/extractive", "order.same");
    assert_eq!((same.value.as_str(), same.reason.as_str()), ("0.333333333", "1 of 3 sessions"));
}

#[test]
fn a_place_is_worth_what_its_orders_have_over_all() {
    let sample = two();
    // Half of 0.1, 0 and 0.2.
    let first = found(&sample, "order-place", "a@1/deployed/extractive", "recall_at_need");
    close(&first, [0.05, 0.0, 0.1]);
    let last = found(&sample, "order-place", "a@2/deployed/extractive", "recall_at_need");
    close(&last, [-0.05, -0.1, 0.0]);
}

#[test]
fn neighbours_are_compared_with_all_else_alike() {
    let recalls = [
        (["a", "b", "c"], ["0.9", "0.9"]),
        (["a", "c", "b"], ["0.8", "0.8"]),
        (["b", "a", "c"], ["0.5", "0.7"]),
        (["b", "c", "a"], ["0.4", "0.4"]),
        (["c", "a", "b"], ["0.6", "0.6"]),
        (["c", "b", "a"], ["0.2", "0.6"]),
    ];
    let cells = recalls.iter().flat_map(|(stages, recalls)| driven(stages, recalls));
    let orders = recalls.iter().map(|(stages, _)| order(stages)).collect();
    let sample = Sample { orders, ..Sample::of(cells.collect()) };
    // (abc - bac, cab - cba): 0.4 and 0.4 in one session, 0.2 and 0 in the other.
    let swap = found(&sample, "order-swap", "a,b/deployed/extractive", "recall_at_need");
    close(&swap, [0.25, 0.1, 0.4]);
    assert_eq!((swap.n, swap.reason.as_str()), (2, "a first less b first, 2 pairs of orders"));
    // b first of three, over its two orders: 0.45 and 0.55 where all six have 3.4 / 6 and
    // 4 / 6.
    let place = found(&sample, "order-place", "b@1/deployed/extractive", "recall_at_need");
    let (one, other) = (0.45 - 3.4 / 6.0, 0.55 - 4.0 / 6.0);
    close(&place, [(one + other) / 2.0, one.min(other), one.max(other)]);
}

#[test]
fn an_alias_is_the_order_that_was_driven() {
    let sample = two();
    let cells = driven(&["a", "b"], &["0.5", "0.6", "0.7"]);
    let aliases = [("order_b_a".to_owned(), "order_a_b".to_owned())].into();
    let sample = Sample { orders: sample.orders, aliases, ..Sample::of(cells) };
    let other = found(&sample, "order-best", "order_b_a/deployed/extractive", "recall_at_need");
    assert_eq!(other.reason, "identical: beside order_a_b");
    let same = found(&sample, "order-swap", "a,b/deployed/extractive", "order.same");
    assert_eq!(same.value, "1");
    // There is nothing to exchange.
    let p = found(&sample, "order-spread-p", "orders/deployed/extractive", "recall_at_need");
    let reason = "1 orders, exchanged within sessions; Holm over 3 figures";
    assert_eq!((p.value.as_str(), p.reason.as_str()), ("", reason));
    let verdict = found(&sample, "order-verdict", "orders/deployed/extractive", "recall_at_need");
    assert_eq!(verdict.value, "alike");
}

#[test]
fn order_matters_where_the_spread_is_no_chance_and_beyond_the_margin() {
    let verdict = |other: &str| {
        let mut cells = driven(&["a", "b"], &["0.5"; 12]);
        cells.extend(driven(&["b", "a"], &[other; 12]));
        let orders = vec![order(&["a", "b"]), order(&["b", "a"])];
        let sample = Sample { orders, ..Sample::of(cells) };
        found(&sample, "order-verdict", "orders/deployed/extractive", "recall_at_need").value
    };
    assert_eq!(verdict("0.4"), "matters");
    assert_eq!(verdict("0.49"), "within the margin");
    assert_eq!(verdict("0.5"), "alike");
    // Three sessions are too few to tell.
    let few = found(&two(), "order-verdict", "orders/deployed/extractive", "recall_at_need");
    assert_eq!(few.value, "open");
}

#[test]
fn what_a_session_costs_counts_where_every_order_completed_it() {
    let mut sample = Sample::of(
        [("a", "b"), ("b", "a")]
            .iter()
            .flat_map(|(one, other)| driven(&[one, other], &["0.5", "0.5"]))
            .enumerate()
            .map(|(place, cell)| match place {
                0 => cell.with("completion", "0").with("cost.usd", "0.1"),
                _ => cell,
            })
            .collect(),
    );
    sample.orders = vec![order(&["a", "b"]), order(&["b", "a"])];
    let dollars = found(&sample, "order", "order_a_b/deployed/extractive", "cost.usd");
    assert_eq!((dollars.value.as_str(), dollars.n), ("2", 1));
    let completion = found(&sample, "order", "order_a_b/deployed/extractive", "completion");
    assert_eq!((completion.value.as_str(), completion.n), ("0.5", 2));
}
