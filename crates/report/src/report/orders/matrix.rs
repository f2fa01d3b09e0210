//! Every order by every figure, as tables and as heat maps.

use super::{Orders, Shown, told};
use crate::chart::{ToneCell, ToneChart, ToneRow, table_of_tones};
use crate::error::Result;
use crate::matrix::OrderedStages;
use crate::report::document::{Block, Cell, Prose, Table, Tone};
use crate::report::pictures::block;

/// A table and a chart for each mode in which orders differ at all.
pub fn blocks(orders: &Orders) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    for mode in &orders.modes {
        if !orders.differs(mode) {
            let says = format!(
                "In mode {mode} all orders have the same in every figure above that is known of all \
                 of them."
            );
            let known = orders.shown().iter().any(|shown| orders.verdict(mode, shown.0).is_some());
            blocks.extend(known.then(|| Block::Prose(Prose::new(says))));
            continue;
        }
        let sorted = sorted(orders, mode);
        blocks.push(Block::Heading(format!("Every order, {mode}")));
        blocks.push(Block::Prose(Prose::new(
            "The order with the best mean has that mean; the others have their difference to it, \
             session by session. Red is worse by more than the margin, the whole interval beyond \
             it; = is the same in every session. Intervals are in derived.csv (order-best).",
        )));
        blocks.push(Block::Table(table(orders, mode, &sorted)));
        blocks.push(chart(orders, mode, &sorted)?);
    }
    Ok(blocks)
}

fn row(
    orders: &Orders,
    scope: &str,
    order: &OrderedStages,
    mode: &str,
    metric: &str,
) -> Option<crate::report::figures::Figure> {
    let subject = format!("{}/{mode}/{}", order.name, orders.figures.main);
    orders.figures.derived(scope, &subject, metric)
}

/// By completion, then recall at need, then dollars; best first.
fn sorted<'a>(orders: &Orders<'a>, mode: &str) -> Vec<&'a OrderedStages> {
    let mut all = orders.driven();
    let place = |order: &OrderedStages| {
        let mean = |metric| row(orders, "order", order, mode, metric).and_then(|row| row.value);
        [
            -mean("completion").unwrap_or(0.0),
            -mean("recall_at_need").unwrap_or(0.0),
            mean("cost.usd").unwrap_or(f64::MAX),
        ]
    };
    all.sort_by(|one, other| {
        let (one, other) = (place(one), place(other));
        let pairs = one.iter().zip(&other).map(|(one, other)| one.total_cmp(other));
        pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    all
}

fn table(orders: &Orders, mode: &str, sorted: &[&OrderedStages]) -> Table {
    let shown = orders.shown();
    let titles: Vec<String> = std::iter::once("Order".to_owned())
        .chain(shown.iter().map(|shown| format!("#{}", shown.1)))
        .collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut table = Table::new(format!("Every order beside the best, {mode}"), &titles);
    for order in sorted {
        let mut cells = vec![Cell::text(told(order))];
        for shown in &shown {
            let cell = cell(orders, &mut table, order, mode, *shown);
            cells.push(cell);
        }
        table.rows.push(cells);
    }
    table
}

fn cell(
    orders: &Orders,
    table: &mut Table,
    order: &OrderedStages,
    mode: &str,
    shown: Shown,
) -> Cell {
    let beside = row(orders, "order-best", order, mode, shown.0);
    let Some((beside, value)) = beside.and_then(|row| Some((row.clone(), row.value?))) else {
        return table.undefined("no session has the figure under every order");
    };
    if beside.reason == "the best" {
        let mean = row(orders, "order", order, mode, shown.0).and_then(|row| row.value);
        return Cell::text(mean.map(shown.3).unwrap_or_default()).toned(Tone::Good);
    }
    if beside.reason.starts_with("identical") {
        return Cell::text("=");
    }
    let tone = if beside.reason.starts_with("worse") { Tone::Bad } else { Tone::Plain };
    Cell::text(shown.2(value)).toned(tone)
}

fn chart(orders: &Orders, mode: &str, sorted: &[&OrderedStages]) -> Result<Block> {
    let shown = orders.shown();
    let value = |order: &OrderedStages, shown: &Shown| {
        row(orders, "order-best", order, mode, shown.0).and_then(|row| row.value)
    };
    let most = |shown: &Shown| {
        let sizes = sorted.iter().filter_map(|order| value(order, shown)).map(f64::abs);
        sizes.fold(0.0, f64::max)
    };
    let cell = |order: &OrderedStages, shown: &Shown| {
        let value = value(order, shown)?;
        let most = most(shown);
        let share = if most > 0.0 { value.abs() / most } else { 0.0 };
        Some(ToneCell { share, text: shown.2(value) })
    };
    let data = ToneChart {
        title: format!("Orders beside the best, {mode}"),
        value: "difference to the best order of each figure".to_owned(),
        ends: ("none".to_owned(), "that of the worst".to_owned()),
        empty: "no figure".to_owned(),
        columns: shown.iter().map(|shown| shown.1.to_lowercase()).collect(),
        rows: sorted
            .iter()
            .map(|order| ToneRow {
                name: told(order),
                cells: shown.iter().map(|shown| cell(order, shown)).collect(),
            })
            .collect(),
    };
    let window = orders.window.map(|size| format!("-{size}")).unwrap_or_default();
    let caption = format!(
        "All orders in mode {mode}, sorted as in the table: the darker, the further from the best \
         order of the column. Shares are in points.",
    );
    let why_not = "no order has a figure in every session";
    Ok(block(&format!("orders-{mode}{window}"), &caption, table_of_tones(&data)?, why_not))
}
