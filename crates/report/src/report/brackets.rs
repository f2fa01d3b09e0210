//! Recall at need by summarizer: what of a ranking is the strategy's.

use super::prelude::*;
use crate::measure::Sign;
use crate::number::{share, tokens};

/// The offline summarizers, from the least helpful to the most.
const BRACKETS: [&str; 5] = ["empty", "lead", "random-sentence", "extractive", "perfect"];
/// Configurations that a field names; more go into its footnote.
const NAMED: usize = 3;

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let driven: Vec<&str> = figures.run.manifest.summarizers.iter().map(String::as_str).collect();
    let known = BRACKETS.into_iter().filter(|name| driven.contains(name));
    let known: Vec<&str> = known.collect();
    let others = driven.iter().filter(|name| !known.contains(name));
    let summarizers = others.chain(&known).copied();
    let summarizers: Vec<&str> = summarizers.collect();
    let configs: Vec<&Config> = figures.shown_but_control().collect();
    let rows = configs.iter().filter(|_| driven.len() > 1).map(|config| {
        let recalls = summarizers.iter().map(|name| recall(figures, config, name));
        let order = order(figures, config, &configs);
        [Cell::code(config.name())].into_iter().chain(recalls).chain([order]).collect()
    });
    let titles = summarizers.iter().map(|name| format!("#{name}"));
    let titles = ["Configuration".to_owned()].into_iter().chain(titles);
    let titles = titles.chain(["Order against others".to_owned()]);
    let caption = "Recall at need (sessions completed; mean prompt) by summarizer";
    let table = Table::of(caption, titles, rows);
    let parts = Parts::default().value("known", &known);
    Ok(Some(parts.table("brackets", table)))
}

fn recall(figures: &Figures, config: &Config, summarizer: &str) -> Cell {
    let recall = figures.under(config, summarizer, MetricId::RecallAtNeed);
    let cell = Cell::figure(&recall, share);
    let (complete, all) = completion::counts(figures, config, summarizer);
    if all == 0 || recall.value.is_none() {
        return cell;
    }
    let prompt = figures.under(config, summarizer, MetricId::TokensMeanPrompt).value;
    let prompt = prompt.map_or(String::new(), |prompt| format!("; {}", tokens(prompt)));
    cell.followed_by(&format!("({complete} of {all}{prompt})"))
}

/// Against whom the sign of the difference depends on the summarizer, on any scenario.
fn order(figures: &Figures, config: &Config, all: &[&Config]) -> Cell {
    let others = all.iter().filter(|other| **other != config && other.mode == config.mode);
    let others: Vec<(&Config, Vec<Sign>)> =
        others.map(|other| (*other, figures.signs(config, other))).collect();
    let differs = |signs: &[Sign]| signs.iter().any(|sign| *sign != Sign::Equal);
    let compared = others.iter().filter(|(_, signs)| differs(signs)).count();
    let dependent = others.iter().filter(|(_, signs)| signs.contains(&Sign::SummarizerDependent));
    let dependent: Vec<String> = dependent.map(|(other, _)| other.name()).collect();
    let names = dependent.join(", ");
    match dependent.len() {
        _ if compared == 0 => Cell::undefined("not compared under empty, extractive and perfect"),
        0 if compared == others.len() => Cell::text("holds against all"),
        0 => Cell::text(format!(
            "holds against {compared} of {}, the others equal or not compared",
            others.len()
        )),
        1..=NAMED => Cell::text(format!("summarizer-dependent against {names}")).toned(Tone::Bad),
        many => Cell::text(format!("summarizer-dependent against {many} of {compared}"))
            .toned(Tone::Bad)
            .noted(format!("{}: against {names}", config.name())),
    }
}
