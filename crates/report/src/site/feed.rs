//! The feed: an Atom document (RFC 4287) of the last nights and findings. Ids are made of what
//! an entry is about; times are those of nights, of a finding that on which it was made.

use super::prelude::*;

use super::finding;
use crate::ident::Digest;

const ENTRIES: usize = 60;
/// Marks that the entry of a night has, and findings of the gate in its template.
const TOLD: usize = 10;

/// The feed; links start with the base where there is one, else they are relative.
pub fn feed(book: &Book, markup: &Markup, base: Option<&str>) -> Result<String> {
    let base = base.map_or_else(String::new, |base| format!("{}/", base.trim_end_matches('/')));
    let nights = book.nights.iter().enumerate().rev().take(ENTRIES);
    let nights = nights.map(|(index, night)| (night.date.as_str(), of_night(book, index, night)));
    let findings = book.announced().map(|one| (book.date(one.made), of_finding(book, one)));
    let mut entries: Vec<(&str, Value)> = nights.chain(findings).collect();
    // Stable: nights stand before the steps of the same date.
    entries.sort_by_key(|(date, _)| Reverse(*date));
    let entries = entries.into_iter().take(ENTRIES);
    let entries = entries.map(|(date, entry)| context! { date, ..entry });
    markup.render(
        "atom.xml",
        context! {
            id => uuid(&["feed", book.suite()]),
            suite => book.suite(),
            date => book.last().date.as_str(),
            tool => &book.last().tool,
            base,
            entries => entries.collect::<Value>(),
        },
    )
}

fn of_night(book: &Book, index: usize, night: &Night) -> Value {
    context! {
        id => uuid(&["night", night.date.as_str(), &night.run.0]),
        href => "index.html#nights",
        night => context! {
            tool => &night.tool,
            run => &night.run.0,
            cells => Serde(night.cells),
            gate => Serde(&night.gate),
            marks => book.marks_on(index).take(TOLD).collect::<Value>(),
        },
    }
}

fn of_finding(book: &Book, finding: &Finding) -> Value {
    let date = book.date(finding.night);
    let run = book.nights.get(finding.night).map_or("", |night| night.run.0.as_str());
    let key = &finding.key;
    let scenario = key.scenario.as_deref().unwrap_or("");
    context! {
        id => uuid(&["change", &key.metric, &key.configuration, &key.mode, scenario, date, run]),
        href => book::place_of(key),
        finding => finding::view(book, finding),
    }
}

/// A UUID of version 8 (RFC 9562) from a digest of the names.
fn uuid(names: &[&str]) -> String {
    let mut text = String::from("proctor nights");
    for name in names {
        // The length keeps ["ab", "c"] and ["a", "bc"] apart.
        text += &format!("\n{} {name}", name.len());
    }
    let digest = Digest::of(text.as_bytes()).0;
    let part = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    let (a, b, c, d, e) = (part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32));
    format!("urn:uuid:{a}-{b}-8{c}-a{d}-{e}")
}
