//! The feed: an Atom document (RFC 4287) of the last nights and the last steps.
//!
//! Ids are UUIDs made of what an entry is about, so that they are the same whenever and
//! wherever the site is rendered. Times are those of nights' dates: of a finding that of
//! the night on which it was made, so that readers who sort by time see news as news.

use std::cmp::Reverse;

use serde::Serialize;

use super::book::{self, Book};
use super::markup::Markup;
use super::told;
use super::words::plain;
use crate::error::Result;
use crate::history::{Finding, Night};
use crate::ident::Digest;
use crate::sanitize;

/// Entries of a feed.
const ENTRIES: usize = 60;

#[derive(Serialize)]
struct Entry {
    id: String,
    title: String,
    updated: String,
    href: String,
    content: String,
}

#[derive(Serialize)]
struct Feed<'a> {
    id: String,
    title: String,
    updated: String,
    tool: &'a str,
    /// Where the feed itself is, where that is known.
    own: Option<String>,
    href: String,
    entries: Vec<Entry>,
}

/// The feed; links start with the base where there is one, else they are relative.
pub(super) fn feed(book: &Book, markup: &Markup, base: Option<&str>) -> Result<String> {
    let base = base.map_or_else(String::new, |base| format!("{}/", base.trim_end_matches('/')));
    let mut entries: Vec<(Reverse<String>, Entry)> = Vec::new();
    for (index, night) in book.nights.iter().enumerate().rev().take(ENTRIES) {
        let entry = of_night(book, index, night, &base);
        entries.push((Reverse(entry.updated.clone()), entry));
    }
    for finding in &book.findings {
        let entry = of_finding(book, finding, &base);
        entries.push((Reverse(entry.updated.clone()), entry));
    }
    // Stable: nights stand before the steps of the same date.
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    let entries: Vec<Entry> = entries.into_iter().map(|(_, entry)| entry).take(ENTRIES).collect();
    markup.render(
        "atom.xml",
        &Feed {
            id: uuid(&["feed", book.suite()]),
            title: format!("Compaction nights: {}", book.suite()),
            updated: at(book.last().date.as_str()),
            tool: &book.last().tool,
            own: (!base.is_empty()).then(|| format!("{base}atom.xml")),
            href: format!("{base}index.html"),
            entries,
        },
    )
}

fn of_night(book: &Book, index: usize, night: &Night, base: &str) -> Entry {
    let cells = &night.cells;
    let mut content = format!(
        "{}, run {}: {} cells, {} failed.",
        night.tool, night.run, cells.done, cells.failed
    );
    let verdict = match &night.gate {
        Some(gate) => {
            for finding in gate.findings.iter().take(10) {
                content += &format!(" {}: {}.", finding.verdict, finding.says);
            }
            gate.verdict.clone()
        }
        None => format!("{} cells measured", cells.done),
    };
    for mark in book.marks.iter().filter(|mark| mark.night == index).take(10) {
        content += &format!(" {}.", mark.says);
    }
    Entry {
        id: uuid(&["night", night.date.as_str(), &night.run.0]),
        title: format!("{}: {verdict}", night.date),
        updated: at(night.date.as_str()),
        href: format!("{base}index.html#nights"),
        content: sanitize::line(&content),
    }
}

fn of_finding(book: &Book, finding: &Finding, base: &str) -> Entry {
    let told = told::told(book, finding);
    let on = told.scenario.as_ref().map_or(String::new(), |name| format!(" on {name}"));
    let worth = told.worth.map_or(String::new(), |worth| format!(", {}", plain(&[worth])));
    let named = book.date(finding.named);
    let run = book.nights.get(finding.named).map_or("", |night| night.run.0.as_str());
    let key = &finding.key;
    let scenario = key.scenario.as_deref().unwrap_or("");
    let names = [told.kind, &key.metric, &key.configuration, &key.mode, scenario, named, run];
    let beside = told.beside.join("; ");
    Entry {
        id: uuid(&names),
        title: format!("{} of {}{on} {}{worth}", told.metric, told.contestant, told.verb),
        updated: at(book.date(finding.made)),
        href: format!("{base}{}", book::place_of(key)),
        content: sanitize::line(&format!(
            "{}{}: {} → {}{} ({}{}){}{beside}",
            told.date,
            told.until.map_or(String::new(), |until| format!(" to {until}")),
            told.from,
            told.to,
            told.share.map_or(String::new(), |share| format!(", {share}")),
            told.fitted.map_or(String::new(), |fitted| format!("{fitted}, ")),
            told.sure,
            if beside.is_empty() { "" } else { "; " },
        )),
    }
}

/// Midnight of the date (RFC 3339).
fn at(date: &str) -> String {
    format!("{date}T00:00:00Z")
}

/// A UUID of version 8 (RFC 9562) from a digest of the names.
fn uuid(names: &[&str]) -> String {
    let mut told = String::from("proctor nights");
    for name in names {
        // The length keeps ["ab", "c"] and ["a", "bc"] apart.
        told += &format!("\n{} {name}", name.len());
    }
    let digest = Digest::of(told.as_bytes()).0;
    let part = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    let (a, b, c, d, e) = (part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32));
    format!("urn:uuid:{a}-{b}-8{c}-a{d}-{e}")
}
