//! Neighbours that do not commute, and what a stage's place is worth.

use super::{LEVEL, Orders, Shown, chance, difference};
use crate::report::document::{Block, Cell, Prose, Table};
use crate::report::number;

/// The figures for which places are shown.
const PLACED: [&str; 4] = ["recall_at_need", "cost.usd", "floor.one_pass", "tokens.last_kept"];

pub fn blocks(orders: &Orders) -> Vec<Block> {
    let mut blocks = vec![
        Block::Heading("Neighbours that do not commute".to_owned()),
        Block::Prose(Prose::new(
            "Over all orders that differ only by swapping two neighbours: the figure with the one \
             first less that with the other first, as the mean over these pairs of orders in each \
             session, then over sessions. Shown where the chance of so large a difference, signs \
             flipped by session and corrected by Holm over the pairs of stages, is at most 5 %.",
        )),
    ];
    let table = swaps(orders);
    blocks.push(match table.rows.is_empty() {
        true => Block::Prose(Prose::new("No pair of neighbours is shown not to commute.")),
        false => Block::Table(table),
    });
    blocks.push(Block::Table(alike(orders)));
    let table = places(orders);
    if !table.rows.is_empty() {
        blocks.push(Block::Heading("What a place is worth".to_owned()));
        blocks.push(Block::Prose(Prose::new(
            "The mean over the orders that have the stage at a place less the mean over all \
             orders, within each session, with 95 % intervals. Only where the order matters for \
             the figure.",
        )));
        blocks.push(Block::Table(table));
    }
    blocks
}

/// All pairs of stages in the base order.
fn pairs<'a>(orders: &Orders<'a>) -> Vec<(&'a str, &'a str)> {
    let Some(base) = orders.orders.first() else { return Vec::new() };
    let stages = &base.stages;
    let pairs = stages.iter().enumerate().flat_map(|(place, first)| {
        stages[place + 1..].iter().map(move |second| (first.as_str(), second.as_str()))
    });
    pairs.collect()
}

fn swaps(orders: &Orders) -> Table {
    let titles = ["Mode", "First", "Then", "Figure", "#Difference [95 %]", "#p (Holm)", "#n"];
    let mut table = Table::new("Neighbours that do not commute", &titles);
    for mode in &orders.modes {
        for (first, second) in pairs(orders) {
            for shown in orders.shown() {
                table.rows.extend(swap(orders, mode, (first, second), shown));
            }
        }
    }
    table
}

fn swap(
    orders: &Orders,
    mode: &str,
    (first, second): (&str, &str),
    shown: Shown,
) -> Option<Vec<Cell>> {
    let what = format!("{first},{second}");
    let p = orders.figure("order-swap-p", &what, mode, shown.0)?.value?;
    let found = orders.figure("order-swap", &what, mode, shown.0)?;
    (p <= LEVEL).then_some(())?;
    Some(vec![
        Cell::text(mode),
        Cell::code(first),
        Cell::code(second),
        Cell::text(shown.1),
        Cell::text(difference(&found, shown.2)?),
        Cell::text(chance(p)),
        Cell::text(found.n.to_string()),
    ])
}

/// The share of sessions in which a swap changes nothing that is measured.
fn alike(orders: &Orders) -> Table {
    let mut titles = vec!["Neighbours".to_owned()];
    titles.extend(orders.modes.iter().map(|mode| format!("#{mode}")));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut table =
        Table::new("Sessions in which swapping two neighbours changes no figure at all", &titles);
    for (first, second) in pairs(orders) {
        let mut row = vec![Cell::text(format!("{first}, {second}"))];
        for mode in &orders.modes {
            let found =
                orders.figure("order-swap", &format!("{first},{second}"), mode, "order.same");
            let why = "no two orders differ by this swap alone";
            let told = found.and_then(|found| Some((found.value?, found.reason)));
            let told = told.map(|(share, reason)| format!("{} ({reason})", number::share(share)));
            row.push(table.figure(told.ok_or(why)));
        }
        table.rows.push(row);
    }
    table
}

fn places(orders: &Orders) -> Table {
    let stages = orders.orders.first().map_or(&[][..], |base| base.stages.as_slice());
    let mut titles = vec!["Mode".to_owned(), "Figure".to_owned(), "Stage".to_owned()];
    titles.extend((1..=stages.len()).map(|place| format!("#At place {place}")));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut table = Table::new("What a place is worth", &titles);
    for mode in &orders.modes {
        let shown = orders.shown().into_iter().filter(|shown| PLACED.contains(&shown.0));
        let shown =
            shown.filter(|shown| orders.verdict(mode, shown.0).as_deref() == Some("matters"));
        for shown in shown {
            for stage in stages {
                let mut row = vec![Cell::text(*mode), Cell::text(shown.1), Cell::code(stage)];
                for place in 1..=stages.len() {
                    let what = format!("{stage}@{place}");
                    let found = orders.figure("order-place", &what, mode, shown.0);
                    let told = found.and_then(|found| difference(&found, shown.2));
                    row.push(table.figure(told.ok_or("no order has it there")));
                }
                table.rows.push(row);
            }
        }
    }
    table
}
