//! Recall at need by summarizer: what of a ranking is the strategy's.

use super::prelude::*;
use super::stretch::{self, Pair};
use crate::compare::points;
use crate::measure::Sign;
use crate::number::share;

/// The offline summarizers, from the least helpful to the most.
const BRACKETS: [&str; 8] = [
    "empty",
    "lead",
    "random-sentence",
    "simulated-poor",
    "extractive",
    "simulated",
    "simulated-good",
    "perfect",
];

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let driven: Vec<&str> = figures.run.manifest.summarizers.iter().map(String::as_str).collect();
    let known = BRACKETS.into_iter().filter(|name| driven.contains(name));
    let known: Vec<&str> = known.collect();
    let others = driven.iter().filter(|name| !known.contains(name));
    let summarizers = others.chain(&known).copied();
    let summarizers: Vec<&str> = summarizers.collect();
    let configs: Vec<&Config> = figures.shown_but_control().collect();
    let pairs = stretch::pairs(figures);
    let rows = configs.iter().filter(|_| driven.len() > 1).map(|config| {
        let recalls = summarizers.iter().map(|name| recall(figures, config, name));
        let order = order(figures, config, (&configs, &pairs));
        [Cell::code(config.name())].into_iter().chain(recalls).chain([order]).collect()
    });
    let called = |name: &&str| figures.run.manifest.called(name);
    let titles = summarizers.iter().map(|name| format!("#{}", called(name)));
    let titles = ["Configuration".to_owned()].into_iter().chain(titles);
    let titles = titles.chain(["#Order changes against".to_owned()]);
    let caption = "Recall at need by summarizer";
    let table = Table::of(caption, titles, rows);
    let stretches = stretch::table(figures, &pairs);
    let axis = !points(&driven).is_empty();
    // One summarizer alone says nothing of what it contributes.
    Ok(Parts::alone("brackets", table).map(|parts| {
        parts.value("known", &known).value("axis", axis).table("stretches", stretches)
    }))
}

fn recall(figures: &Figures, config: &Config, summarizer: &str) -> Cell {
    let cell = Cell::figure(&figures.under(config, summarizer, MetricId::RecallAtNeed), share);
    let (complete, all) = completion::counts(figures, config, summarizer);
    match cell.value {
        Some(_) if complete < all => {
            cell.followed_by(&format!("({complete}/{all})")).toned(Tone::Bad)
        }
        _ => cell,
    }
}

/// Against how many others the order turns along the axis of summarizers; without an axis, the sign
/// of the difference depends on the summarizer on any scenario.
fn order(figures: &Figures, config: &Config, (all, pairs): (&[&Config], &[Pair])) -> Cell {
    let own: Vec<&Pair> = pairs.iter().filter(|pair| pair.configs.contains(&config)).collect();
    if !own.is_empty() {
        return of_compared(own.iter().filter(|pair| pair.stretch.turns()).count(), own.len());
    }
    let others = all.iter().filter(|other| **other != config && other.mode == config.mode);
    let signs: Vec<Vec<Sign>> = others.map(|other| figures.signs(config, other)).collect();
    let differs = |signs: &&Vec<Sign>| signs.iter().any(|sign| *sign != Sign::Equal);
    let compared = signs.iter().filter(differs).count();
    let depends = |signs: &&Vec<Sign>| signs.contains(&Sign::SummarizerDependent);
    let dependent = signs.iter().filter(depends).count();
    match compared {
        0 => Cell::undefined("not compared under empty, extractive and perfect"),
        _ => of_compared(dependent, compared),
    }
}

fn of_compared(count: usize, compared: usize) -> Cell {
    Cell { text: format!("{count} of {compared}"), ..Cell::count(count) }
}
