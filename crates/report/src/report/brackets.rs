//! Recall at need under every offline summarizer: what of a ranking is the
//! strategy's, and what the summarizer's.

use super::completion;
use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figures, Subject};
use super::number;
use crate::measure::{MetricId, Sign};

/// From the least helpful to the most.
const BRACKETS: [&str; 5] = ["empty", "lead", "random-sentence", "extractive", "perfect"];
/// A difference is claimed where its sign holds under these.
const DECIDING: [&str; 3] = ["empty", "extractive", "perfect"];

/// The brackets with the rankings that hold.
pub fn section(figures: &Figures) -> Section {
    let title = "Brackets: recall at need by summarizer";
    let driven =
        |name: &&&str| figures.run.manifest.summarizers.iter().any(|known| known == **name);
    let brackets: Vec<&str> = BRACKETS.iter().filter(driven).copied().collect();
    let extra = figures.run.manifest.summarizers.iter().map(String::as_str);
    let columns: Vec<&str> =
        extra.filter(|name| !BRACKETS.contains(name)).chain(brackets).collect();
    if columns.len() < 2 {
        let says = "The run has one summarizer, so what follows from it cannot be told from what \
                    follows from the strategies. Treat every difference in recall as \
                    summarizer-dependent.";
        return Section { id: "brackets", title, blocks: vec![Block::Prose(Prose::new(says))] };
    }
    let intro = intro(&columns)
        .then(
            ". Each field is recall at need, how many sessions were completed, and the mean prompt in \
             tokens. The last column says against how many other configurations (its note names \
             them where they are many) the sign of the difference is not the same, on \
             some scenario, under ",
        )
        .names(&DECIDING)
        .then(
            ": such a difference is no property of the strategies. It counts those that it was \
             compared with and that are not equal on every scenario.",
        );
    let table = table(figures, &columns);
    Section { id: "brackets", title, blocks: vec![Block::Prose(intro), Block::Table(table)] }
}

/// What the summarizers of the run are.
fn intro(columns: &[&str]) -> Prose {
    const KINDS: [(&str, &str); 5] = [
        ("empty", "no text at all"),
        ("lead", "the beginning of their material"),
        ("random-sentence", "sentences of it by lot"),
        ("extractive", "sentences that are picked by pattern"),
        ("perfect", "every fact they were shown, as far as fits"),
    ];
    let mut says = Prose::new("The same sessions under other summaries: ");
    let known = KINDS.iter().filter(|(name, _)| columns.contains(name));
    for (place, (name, kind)) in known.enumerate() {
        says = says.then(if place == 0 { "" } else { "; " }).code(*name).then(format!(", {kind}"));
    }
    says
}

fn table(figures: &Figures, columns: &[&str]) -> Table {
    let mut titles = vec!["Configuration".to_owned()];
    titles.extend(columns.iter().map(|name| format!("#{name}")));
    titles.push("Order against others".to_owned());
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut table =
        Table::new("Recall at need (sessions completed; mean prompt) by summarizer", &titles);
    let subjects: Vec<&Subject> =
        figures.unswept().filter(|subject| !subject.is_control()).collect();
    for subject in &subjects {
        let mut row = vec![Cell::code(subject.name())];
        for name in columns {
            let figure = figures.run.manifest.summarizers.iter().find(|known| known == name);
            let figure = figure.map(|name| figures.pooled(subject, name, MetricId::RecallAtNeed));
            let figure = figure.unwrap_or_default();
            let complete = completion::counts(figures, subject, name);
            let known = figures.run.manifest.summarizers.iter().find(|known| known == name);
            let prompt =
                known.map(|name| figures.pooled(subject, name, MetricId::TokensMeanPrompt));
            let prompt = prompt.and_then(|figure| figure.value);
            let prompt = prompt.map_or(String::new(), |mean| format!("; {}", number::tokens(mean)));
            row.push(table.figure(figure.write(number::share).map(|recall| match complete {
                Some((complete, all)) => format!("{recall} ({complete} of {all}{prompt})"),
                None => recall,
            })));
        }
        row.push(order(figures, &mut table, subject, &subjects));
        table.rows.push(row);
    }
    table
}

/// Against whom the sign of the difference is the summarizer's doing, on any scenario.
fn order(figures: &Figures, table: &mut Table, subject: &Subject, all: &[&Subject]) -> Cell {
    let others = all.iter().filter(|other| **other != subject && other.mode == subject.mode);
    let mut dependent = Vec::new();
    let mut compared = 0;
    let all = others.clone().count();
    for other in others {
        let scenarios = figures.run.manifest.scenarios.iter();
        let signs = scenarios.filter_map(|scenario| figures.sign(&scenario.name, subject, other));
        let signs: Vec<Sign> = signs.collect();
        compared += usize::from(signs.iter().any(|sign| *sign != Sign::Equal));
        if signs.contains(&Sign::SummarizerDependent) {
            dependent.push(other.name());
        }
    }
    match dependent.len() {
        _ if compared == 0 => table.undefined("not compared under empty, extractive and perfect"),
        0 if compared == all => Cell::text("holds against all"),
        0 => Cell::text(format!(
            "holds against {compared} of {all}, the others equal or not compared"
        )),
        1..=3 => Cell::text(format!("summarizer-dependent against {}", dependent.join(", ")))
            .toned(Tone::Bad),
        many => {
            let note = table.note(&format!("{}: against {}", subject.name(), dependent.join(", ")));
            let says = format!("summarizer-dependent against {many} of {compared}");
            Cell { note: Some(note), ..Cell::text(says).toned(Tone::Bad) }
        }
    }
}
