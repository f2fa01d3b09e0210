//! From ranked lines to an answer of the length and shape asked for.

use rustc_hash::FxHashSet;

use crate::summarize::cut_within;
use crate::summarize::extractive::brief::{Brief, Layout, Section};
use crate::summarize::extractive::rank::{Candidate, Ranking};
use crate::summarize::extractive::topic::{Topic, Topics};
use crate::token::Tokenizer;
use crate::unit::Tokens;

/// The answer, of at most this many tokens.
pub(super) fn compose(brief: &Brief, ranking: &Ranking<'_>, most: Tokens) -> String {
    let brief = &with_sections(brief);
    let mut allowance = natural_length(brief, ranking.tokens).min(most.0);
    let mut text = String::new();
    // Estimates are near, so the second round fits but for freak text.
    for _ in 0..4 {
        text = write(brief, ranking, &select(brief, ranking, allowance), allowance);
        // A token is at least a byte.
        if text.len() as u64 <= most.0 {
            return text;
        }
        let count = Tokenizer::O200k.count(&text);
        if count <= most {
            return text;
        }
        allowance = (allowance as f64 * most.over(count) * 0.95) as u64;
    }
    cut_within(text, most)
}

/// How long a summary of this much material is by itself, in tokens: recorded ones grow about as
/// the square root (650 from 3 thousand, 4 thousand from 160 thousand); none is longer than three
/// fifths of its material.
fn natural_length(brief: &Brief, material: u64) -> u64 {
    let natural = 100 + (10.0 * (material as f64).sqrt()) as u64;
    let most = brief.sentences.map_or(u64::MAX, |sentences| sentences as u64 * 50);
    let lines = natural.min(material * 3 / 5).min(most);
    lines + lines / 7 + titles(brief)
}

/// Tokens of titles and lead-ins, if every section has lines.
fn titles(brief: &Brief) -> u64 {
    match brief.sentences {
        Some(_) => 4,
        None => brief.sections.len() as u64 * if is_titled(brief) { 10 } else { 6 },
    }
}

/// A brief that names no section is answered by topic, without titles.
fn with_sections(brief: &Brief) -> Brief {
    let mut brief = brief.clone();
    if brief.sections.is_empty() {
        let untitled =
            |topic: Topic| Section { title: String::new(), topics: Topics::default().with(topic) };
        brief.sections = Topic::all().map(untitled).collect();
    }
    brief
}

/// Candidates by section, each in order of the material.
type Selection<'a> = Vec<Vec<Candidate<'a>>>;

/// The best lines within the allowance: first each section up to its share with lines that are
/// about it, then up to twice that with whatever is best, then without regard to shares.
fn select<'a>(brief: &Brief, ranking: &Ranking<'a>, allowance: u64) -> Selection<'a> {
    let listed = listing(brief).map_or(0, |_| allowance / 8);
    let allowance = allowance.saturating_sub(titles(brief).min(allowance / 4) + listed);
    let places: Vec<_> = ranking.candidates.iter().map(|c| place_for(brief, c)).collect();
    let mut selection: Selection = vec![Vec::new(); brief.sections.len()];
    let mut taken = vec![false; ranking.candidates.len()];
    let mut said = SaidWords::default();
    let mut left = allowance;
    let shares = shares(brief, allowance);
    let mut used = vec![0; brief.sections.len()];
    for (times, fitting) in [(Some(1), true), (Some(2), false), (None, false)] {
        for (number, candidate) in ranking.candidates.iter().enumerate() {
            // No line costs less than three: a word, its bullet and its end.
            if left < 3 {
                break;
            }
            let (section, suits) = places[number];
            let tokens = u64::from(candidate.tokens);
            // Its first line may be longer than a section's share.
            let most = times.map_or(u64::MAX, |times| shares[section] * times);
            let full = used[section] > 0 && used[section] + tokens > most;
            let astray = fitting && !suits;
            if taken[number] || tokens > left || full || astray || !said.is_news(candidate.text) {
                continue;
            }
            taken[number] = true;
            used[section] += tokens;
            left -= tokens;
            selection[section].push(*candidate);
            if brief.sentences.is_some_and(|most| said.lines >= most) {
                left = 0;
            }
        }
    }
    // Material too short for any line to fit still leaves its best one: a summary
    // without a word tells nobody that anything was there.
    let best = ranking.candidates.first().zip(places.first());
    if let (Some((best, (section, _))), true) = (best, selection.iter().all(Vec::is_empty)) {
        selection[*section].push(*best);
    }
    for lines in &mut selection {
        lines.sort_unstable_by_key(|candidate| candidate.order);
    }
    selection
}

/// What each section may use of the allowance.
fn shares(brief: &Brief, allowance: u64) -> Vec<u64> {
    let weight = |section: &Section| {
        section.topics.iter().map(|topic| topic.words().weight).max().unwrap_or(2)
    };
    let all: u64 = brief.sections.iter().map(weight).sum();
    brief.sections.iter().map(|section| allowance * weight(section) / all.max(1)).collect()
}

/// The section that a line suits best, by its own topics, else by neighbours of what it is most
/// about, else the first; and whether that is what the section is about.
fn place_for(brief: &Brief, candidate: &Candidate<'_>) -> (usize, bool) {
    let fit = |section: &Section| -> u8 {
        section.topics.iter().map(|topic| candidate.fit.of(topic)).max().unwrap_or(0)
    };
    let main = candidate.fit.main();
    let strongest = main.map_or(0, |topic| candidate.fit.of(topic));
    // The earliest of equals: `max_by_key` keeps the last, so it goes backwards.
    let best = brief.sections.iter().map(fit).enumerate().rev().max_by_key(|(_, fit)| *fit);
    if let Some((section, fit)) = best
        && fit > 0
        && u32::from(fit) * 2 > u32::from(strongest)
    {
        return (section, true);
    }
    let holding = |topic: &Topic| brief.sections.iter().position(|s| s.topics.contains(*topic));
    let neighbours = &main.unwrap_or(Topic::Outcome).words().neighbours;
    (neighbours.iter().find_map(holding).unwrap_or(0), false)
}

/// The words that the answer already has, to keep out lines that repeat them.
#[derive(Default)]
struct SaidWords<'a> {
    words: FxHashSet<&'a str>,
    lines: usize,
}

impl<'a> SaidWords<'a> {
    /// Whether the text has a word in six that is new; if so they are added.
    fn is_news(&mut self, text: &'a str) -> bool {
        let words = || text.split_ascii_whitespace().filter(|word| word.len() > 2);
        let (all, fresh) = words().fold((0, 0), |(all, fresh), word| {
            (all + 1, fresh + usize::from(!self.words.contains(word)))
        });
        let news = fresh * 6 > all;
        if news {
            self.words.extend(words());
            self.lines += 1;
        }
        news
    }
}

/// The section that lists artifacts, if one is asked for.
fn listing(brief: &Brief) -> Option<usize> {
    is_titled(brief)
        .then(|| brief.sections.iter().position(|s| s.topics.contains(Topic::Artifact)))?
}

fn is_titled(brief: &Brief) -> bool {
    brief.sections.first().is_some_and(|section| !section.title.is_empty())
}

fn write(brief: &Brief, ranking: &Ranking<'_>, kept: &Selection<'_>, allowance: u64) -> String {
    if brief.sentences.is_some() {
        return wrapped(brief, sentences(kept));
    }
    let mut text = String::new();
    let list = listing(brief).map(|place| (place, artifacts(ranking, kept, allowance / 8)));
    for (place, section) in brief.sections.iter().enumerate() {
        let mut lines: Vec<&str> = kept[place].iter().map(|candidate| candidate.text).collect();
        lines.retain(|line| !brief.closes_element(line));
        if let Some((_, names)) = list.as_ref().filter(|(at, _)| *at == place) {
            lines.extend(names.iter().map(String::as_str));
        }
        if !lines.is_empty() {
            write_section(&mut text, brief.layout, section, &lines);
        }
    }
    wrapped(brief, text.trim_end().to_owned())
}

fn write_section(text: &mut String, layout: Layout, section: &Section, lines: &[&str]) {
    let lead_in = section.topics.iter().next().unwrap_or(Topic::Outcome).words();
    let lead_in = &lead_in.lead_in;
    if section.title.is_empty() {
        text.push_str(&format!("{lead_in}\n{}\n\n", lines.join("\n")));
        return;
    }
    let list = lines.join("\n- ");
    let title = &section.title;
    text.push_str(&match layout {
        Layout::Headings => format!("## {title}\n{lead_in}\n- {list}\n\n"),
        Layout::Elements => format!("<{title}>\n{lead_in}\n- {list}\n</{title}>\n"),
    });
}

/// A few sentences in a row, in the order of the material.
fn sentences(kept: &Selection<'_>) -> String {
    let mut lines: Vec<&Candidate<'_>> = kept.iter().flatten().collect();
    lines.sort_unstable_by_key(|candidate| candidate.order);
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        // In the first person from the start, whoever is quoted.
        text.push_str(if number > 0 { " " } else { "I noted: " });
        text.push_str(line.text);
        if !line.text.ends_with(['.', '!', '?', ':', ';']) {
            text.push('.');
        }
    }
    text
}

/// Lists of names that no kept line holds, short enough to survive whole.
fn artifacts(ranking: &Ranking<'_>, kept: &Selection<'_>, tokens: u64) -> Vec<String> {
    let said: String = kept.iter().flatten().flat_map(|candidate| [candidate.text, "\n"]).collect();
    let mut left = tokens;
    let mut lines: Vec<String> = Vec::new();
    for name in ranking.artifacts.iter().take(400).filter(|name| !said.contains(**name)) {
        let cost = name.len() as u64 / 3 + 2;
        if cost > left {
            break;
        }
        left -= cost;
        match lines.last_mut().filter(|line| line.len() + name.len() < 200) {
            Some(line) => {
                line.push_str(", ");
                line.push_str(name);
            }
            None => lines.push((*name).to_owned()),
        }
    }
    lines
}

fn wrapped(brief: &Brief, text: String) -> String {
    match &brief.wrapper {
        Some(name) if !text.is_empty() => format!("<{name}>\n{text}\n</{name}>"),
        _ => text,
    }
}
