//! Orders of the same stages: whether it matters which comes first, for what, by how much.

mod matrix;
mod swaps;

use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figure, Figures};
use super::number;
use crate::error::Result;
use crate::matrix::OrderedStages;
use crate::unit::Tokens;

/// The figures that orders are compared by: metric, heading, and how a difference and a
/// value are written.
const FIGURES: [Shown; 8] = [
    Shown("completion", "Completion", points, number::share),
    Shown("recall_at_need", "Recall at need", points, number::share),
    Shown("savings.net", "Net savings", points, number::share),
    Shown("cost.usd", "Dollars", dollars, number::dollars),
    Shown("floor.one_pass", "Floor (tokens)", number::change, number::tokens),
    Shown("tokens.last_kept", "Last kept (tokens)", number::change, number::tokens),
    Shown("violations", "Violations", number::change, number::count),
    Shown("latency.total", "Waiting (s)", seconds, whole_seconds),
];

/// A chance that is small enough to call a difference real.
const LEVEL: f64 = 0.05;

/// A figure as it is shown.
#[derive(Clone, Copy)]
struct Shown(&'static str, &'static str, fn(f64) -> String, fn(f64) -> String);

impl Shown {
    /// Goes behind a difference in a sentence.
    fn unit(self) -> &'static str {
        match self.0 {
            "completion" | "recall_at_need" | "savings.net" => " points",
            "floor.one_pass" | "tokens.last_kept" => " tokens",
            "latency.total" => " seconds",
            _ => "",
        }
    }
}

fn points(share: f64) -> String {
    number::change(share * 100.0)
}

fn dollars(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        below if below < 0.0 => number::dollars(below),
        above => format!("+{}", number::dollars(above)),
    }
}

fn seconds(milliseconds: f64) -> String {
    number::change(milliseconds / 1_000.0)
}

fn whole_seconds(milliseconds: f64) -> String {
    number::count(milliseconds / 1_000.0)
}

/// The orders of one window.
struct Orders<'a> {
    figures: &'a Figures<'a>,
    window: Option<Tokens>,
    orders: Vec<&'a OrderedStages>,
    modes: Vec<&'a str>,
}

impl<'a> Orders<'a> {
    /// What rows that are about all of them say they are about.
    fn subject(&self, what: &str, mode: &str) -> String {
        let window = self.window.map(|size| format!("_window-{size}")).unwrap_or_default();
        format!("{what}{window}/{mode}/{}", self.figures.main)
    }

    fn figure(&self, scope: &str, what: &str, mode: &str, metric: &str) -> Option<Figure> {
        self.figures.derived(scope, &self.subject(what, mode), metric)
    }

    fn verdict(&self, mode: &str, metric: &str) -> Option<String> {
        Some(self.figure("order-verdict", "orders", mode, metric)?.word)
    }

    /// Figures that are known in some mode.
    fn shown(&self) -> Vec<Shown> {
        let known =
            |shown: &Shown| self.modes.iter().any(|mode| self.verdict(mode, shown.0).is_some());
        FIGURES.into_iter().filter(known).collect()
    }

    /// Whether any figure differs between any two orders in a mode.
    fn differs(&self, mode: &str) -> bool {
        let known = self.shown().into_iter().filter_map(|shown| self.verdict(mode, shown.0));
        known.into_iter().any(|verdict| verdict != "alike")
    }

    /// Orders that were driven under a name of their own or of a named pipeline.
    fn driven(&self) -> Vec<&'a OrderedStages> {
        let aliases = &self.figures.run.manifest.aliases;
        let is_order = |name: &String| self.orders.iter().any(|order| order.name == *name);
        let own = self.orders.iter().copied();
        own.filter(|order| aliases.get(&order.name).is_none_or(|target| !is_order(target)))
            .collect()
    }
}

fn told(order: &OrderedStages) -> String {
    order.stages.join(", ")
}

/// `None` where the run has no orders to compare.
pub fn section(figures: &Figures) -> Result<Option<Section>> {
    let manifest = &figures.run.manifest;
    let mut windows: Vec<Option<Tokens>> =
        manifest.orders.iter().map(|order| order.window).collect();
    windows.dedup();
    windows.sort();
    windows.dedup();
    let mut blocks = Vec::new();
    let several = windows.len() > 1;
    for window in windows {
        let orders = manifest.orders.iter().filter(|order| order.window == window).collect();
        let orders = Orders { figures, window, orders, modes: modes(figures) };
        if orders.shown().is_empty() {
            continue;
        }
        if let Some(size) = window.filter(|_| several) {
            blocks.push(Block::Heading(format!("Window of {}", number::tokens(size.as_f64()))));
        }
        blocks.extend(in_window(&orders)?);
    }
    if blocks.is_empty() {
        return Ok(None);
    }
    Ok(Some(Section {
        id: "orderings",
        title: "Orderings: does it matter which comes first?",
        blocks,
    }))
}

/// Deployed, forced and reactive, then whatever else was driven.
fn modes<'a>(figures: &Figures<'a>) -> Vec<&'a str> {
    let mut modes: Vec<&str> = Vec::new();
    for cell in &figures.run.manifest.cells {
        if !modes.contains(&cell.key.mode.as_str()) {
            modes.push(&cell.key.mode);
        }
    }
    let place = |mode: &&str| ["deployed", "forced", "reactive"].iter().position(|one| one == mode);
    modes.sort_by_key(|mode| place(mode).unwrap_or(usize::MAX));
    modes
}

fn in_window(orders: &Orders) -> Result<Vec<Block>> {
    let mut blocks = vec![Block::Prose(lead(orders))];
    blocks.push(Block::Prose(Prose::new(
        "Every comparison is within a session, over the sessions that have the figure under every \
         order (n); dollars, tokens, violations and waiting where all orders completed. Whole \
         sessions are resampled for the 95 % intervals. The best and the worst order are picked \
         after looking, which makes their interval too narrow; so the order is said to matter only \
         where so large a spread has a chance of at most 5 % when the orders of every session may \
         be exchanged (corrected by Holm over the figures of a mode), and where the worst is worse \
         than the best by more than a margin: 2 points of a share, 5 % of dollars, tokens or time, \
         none of violations.",
    )));
    blocks.push(Block::Table(spread(orders)));
    blocks.extend(aliases(orders).map(Block::Prose));
    blocks.extend(matrix::blocks(orders)?);
    blocks.extend(swaps::blocks(orders));
    Ok(blocks)
}

/// One sentence for each mode.
fn lead(orders: &Orders) -> Prose {
    let mut says = Prose::default();
    for mode in &orders.modes {
        let verdicts = told_apart(orders, mode);
        if verdicts.iter().all(Vec::is_empty) {
            continue;
        }
        let when = match *mode {
            "deployed" => "As deployed",
            "forced" => "Forced at the same points",
            "reactive" => "Reactively, when the window is full",
            other => other,
        };
        let [matters, small, alike] = verdicts;
        let mut parts = vec![match matters.is_empty() {
            true => "order is not shown to matter".to_owned(),
            false => format!("order matters for {}", matters.join(", ")),
        }];
        if !small.is_empty() {
            let small = small.join(", ");
            parts
                .push(format!("there is a difference, not shown to exceed its margin, in {small}"));
        }
        if !alike.is_empty() {
            parts.push(format!("all orders are alike in {}", alike.join(", ")));
        }
        let before = if says.0.is_empty() { "" } else { " " };
        says = says.then(before).strong(format!("{when}, {}.", parts.join("; ")));
    }
    says.then(" In brackets: the best order less the worst.")
}

/// The figures for which the order matters, those in which it makes a difference all the
/// same, and those in which it makes none.
fn told_apart(orders: &Orders, mode: &str) -> [Vec<String>; 3] {
    let mut told: [Vec<String>; 3] = Default::default();
    for shown in orders.shown() {
        let Some(verdict) = orders.verdict(mode, shown.0) else { continue };
        let name = shown.1.split(" (").next().unwrap_or(shown.1).to_lowercase();
        let found = orders.figure("order-spread", "orders", mode, shown.0);
        let p = orders.figure("order-spread-p", "orders", mode, shown.0);
        let real = p.and_then(|p| p.value).is_some_and(|p| p <= LEVEL);
        let apart = found.and_then(|found| difference(&found, shown.2));
        let apart = apart.map_or(name.clone(), |apart| format!("{name} ({apart}{})", shown.unit()));
        match verdict.as_str() {
            "matters" => told[0].push(apart),
            "alike" => told[2].push(name),
            _ if real => told[1].push(apart),
            _ => {}
        }
    }
    told
}

fn difference(found: &Figure, write: fn(f64) -> String) -> Option<String> {
    let value = write(found.value?);
    Some(match found.interval {
        Some(ends) => format!("{value} {}", number::interval(ends, write)),
        None => value,
    })
}

/// The widest difference in each figure, a pair of columns for each mode.
fn spread(orders: &Orders) -> Table {
    let mut titles = vec!["Figure".to_owned()];
    for mode in &orders.modes {
        titles.push(format!("#{mode}: best less worst [95 %]"));
        titles.push(format!("{mode}: does order matter?"));
        titles.push(format!("#{mode}: n"));
    }
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut table = Table::new("How much the order matters", &titles);
    for shown in orders.shown() {
        let unit = if shown.unit() == " points" { " (points)" } else { "" };
        let mut row = vec![Cell::text(format!("{}{unit}", shown.1))];
        for mode in &orders.modes {
            let found = orders.figure("order-spread", "orders", mode, shown.0);
            let why = "no session has the figure under every order";
            let text = found.as_ref().and_then(|found| difference(found, shown.2)).ok_or(why);
            row.push(table.figure(text));
            row.push(match orders.verdict(mode, shown.0) {
                None => table.undefined(why),
                Some(word) => {
                    let p = orders.figure("order-spread-p", "orders", mode, shown.0);
                    let p = p.and_then(|p| p.value).filter(|_| word != "alike");
                    let p = p.map(|p| format!(", p {}", chance(p))).unwrap_or_default();
                    let tone = if word == "matters" { Tone::Bad } else { Tone::Plain };
                    Cell::text(format!("{word}{p}")).toned(tone)
                }
            });
            let n = found.map(|found| found.n.to_string());
            row.push(table.figure(n.ok_or(why)));
        }
        table.rows.push(row);
    }
    table
}

/// A p-value: `0.032`, `<0.001`.
fn chance(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

/// Orders that are another pipeline under a name of their own.
fn aliases(orders: &Orders) -> Option<Prose> {
    let aliases = &orders.figures.run.manifest.aliases;
    let mut own = orders.orders.iter().filter_map(|order| {
        aliases.get(&order.name).map(|target| (order.name.as_str(), target.as_str()))
    });
    let (first, target) = own.next()?;
    let mut says = Prose::new("Equal plans run once: ").code(first).then(" is ").code(target);
    for (name, target) in own {
        says = says.then("; ").code(name).then(" is ").code(target);
    }
    Some(says.then("."))
}
