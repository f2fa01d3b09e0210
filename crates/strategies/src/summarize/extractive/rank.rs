//! Which lines are worth keeping.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::summarize::extractive::lines::{self, Gist, Line, Mark};
use crate::summarize::extractive::topic::{Fit, Speaker, Topic, VOCABULARY};

/// A line that may be kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) text: &'a str,
    /// Its place in the material.
    pub(super) order: u32,
    pub(super) fit: Fit,
    /// Estimated tokens.
    pub(super) tokens: u32,
    /// Worth per token, scaled.
    pub(super) worth: u32,
}

/// The material, weighed.
#[derive(Debug, Default)]
pub(super) struct Ranking<'a> {
    /// The best lines, best first.
    pub(super) candidates: Vec<Candidate<'a>>,
    /// Names of files and code in what people and models said, best first.
    pub(super) artifacts: Vec<&'a str>,
    /// Estimated tokens of the whole material.
    pub(super) tokens: u64,
}

/// Most lines and most artifacts that are considered.
const MOST: usize = 4_000;

/// Lines of one message that count as its author's words; what follows is likely pasted.
const SAID: u32 = 14;

/// Where no line is worth keeping, the first that says anything at all.
fn only_word<'a>(lines: &[Line<'a>], reading: &Reading) -> Option<Candidate<'a>> {
    let says = |line: &Line<'_>| line.text.chars().any(char::is_alphanumeric);
    let (order, line) = lines.iter().enumerate().find(|(_, line)| says(line))?;
    let tokens = u32::from(reading.gists[order].tokens) + 2;
    Some(Candidate { text: line.text, order: order as u32, fit: Fit::default(), tokens, worth: 0 })
}

/// Weighs the lines against one another. Time and memory are linear in them.
pub(super) fn rank<'a>(lines: &[Line<'a>]) -> Ranking<'a> {
    let reading = Reading::of(lines);
    let last_user = lines.iter().rev().find(|line| line.speaker == Speaker::User);
    let first_user = lines.iter().find(|line| line.speaker == Speaker::User);
    let ends = [first_user, last_user].map(|line| line.map(|line| line.block));
    let mut seen = FxHashSet::default();
    let mut candidates = Vec::new();
    for (order, line) in lines.iter().enumerate() {
        let gist = reading.gists[order];
        if gist.words < 2 || !seen.insert(gist.hash) {
            continue;
        }
        let marks = reading.marks_of(order);
        let mut fit = Fit::default();
        let mut score = score(line, gist, reading.rarity(marks), &mut fit);
        score += place_bonus(line, order, lines.len(), ends, &mut fit);
        if marks.iter().filter(|mark| mark.named).count() > 1 {
            fit.add(Topic::Artifact, 3);
        }
        if score > 5 {
            let worth = score as u32 * 1_024 / (60 + u32::from(gist.tokens));
            let tokens = u32::from(gist.tokens) + 2;
            candidates.push(Candidate { text: line.text, order: order as u32, fit, tokens, worth });
        }
    }
    if candidates.is_empty() {
        candidates.extend(only_word(lines, &reading));
    }
    let tokens = reading.gists.iter().map(|gist| u64::from(gist.tokens)).sum();
    let best = |candidate: &Candidate<'_>| (std::cmp::Reverse(candidate.worth), candidate.order);
    if candidates.len() > MOST {
        candidates.select_nth_unstable_by_key(MOST, best);
        candidates.truncate(MOST);
    }
    candidates.sort_unstable_by_key(best);
    Ranking { candidates, artifacts: reading.artifacts(lines), tokens }
}

/// What a line is worth by who said it and how.
fn score(line: &Line<'_>, gist: Gist, rarity: u32, fit: &mut Fit) -> i32 {
    let cues = fit.read(line.text).min(12) as i32;
    let rarity = rarity.min(12) as i32;
    let mut score = match line.speaker {
        Speaker::User if line.number < SAID => 10 + cues + rarity,
        Speaker::Summary => 8 + cues + rarity,
        Speaker::User | Speaker::Agent => 4 + cues + rarity,
        // Output speaks by its errors; the rest can be had again.
        Speaker::Tool => i32::from(fit.of(Topic::Error).min(6)) + rarity / 2 - 2,
    };
    match line.speaker {
        Speaker::User if line.number < SAID => fit.add(Topic::Direction, 3),
        Speaker::Agent if cues < 4 && opens_idly(line.text) => score -= 6,
        Speaker::User | Speaker::Agent | Speaker::Tool | Speaker::Summary => {}
    }
    for topic in line.under.iter() {
        fit.add(topic, 6);
        score += 6;
    }
    if memchr::memchr(b'`', line.text.as_bytes()).is_some() {
        score += 2;
    }
    if line.code || usize::from(gist.punctuation) * 7 > line.text.len() {
        score -= 9;
    }
    score
}

/// What a line is worth by where it stands: the first request, the live one, and
/// what was said last.
fn place_bonus(
    line: &Line<'_>,
    order: usize,
    all: usize,
    ends: [Option<u32>; 2],
    fit: &mut Fit,
) -> i32 {
    let recency = order * 5 / all.max(1);
    if recency == 4 && line.speaker != Speaker::Tool {
        fit.add(Topic::State, 2);
    }
    let [first, last] = ends.map(|block| line.number < 4 && block == Some(line.block));
    fit.add(Topic::Goal, if first { 7 } else { 5 * u8::from(last) });
    recency as i32 + 8 * i32::from(first) + 8 * i32::from(last)
}

/// Announcements and courtesies.
fn opens_idly(text: &str) -> bool {
    VOCABULARY.idle.iter().any(|opening| text.starts_with(opening))
}

/// What one pass over the words of all lines gives.
struct Reading {
    gists: Vec<Gist>,
    marks: Vec<Mark>,
    /// Where each line's marks end.
    ends: Vec<u32>,
    frequency: Vec<u16>,
}

impl Reading {
    fn of(lines: &[Line<'_>]) -> Reading {
        let (mut gists, mut marks, mut ends) = <(Vec<_>, Vec<Mark>, Vec<_>)>::default();
        for line in lines {
            gists.push(lines::scan(line.text, line.speaker != Speaker::Tool, &mut marks));
            ends.push(marks.len() as u32);
        }
        let mut frequency = vec![0_u16; lines::SLOTS];
        for mark in &marks {
            let count = &mut frequency[usize::from(mark.slot)];
            *count = count.saturating_add(1);
        }
        Reading { gists, marks, ends, frequency }
    }

    fn marks_of(&self, line: usize) -> &[Mark] {
        let start = line.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.marks[start..self.ends[line] as usize]
    }

    /// Marks that come up a few times are what the work is about; those that come
    /// up everywhere tell nothing.
    fn rarity(&self, marks: &[Mark]) -> u32 {
        let weight = |mark: &Mark| match self.frequency[usize::from(mark.slot)] {
            0..=1 => 3,
            2..=6 => 4,
            7..=20 => 2,
            _ => 1,
        };
        marks.iter().take(8).map(weight).sum()
    }

    /// Names in lines that are not output, those mentioned most and last first.
    fn artifacts<'a>(&self, lines: &[Line<'a>]) -> Vec<&'a str> {
        let mut known: FxHashMap<&str, usize> = FxHashMap::default();
        let mut found: Vec<(u32, u32, &str)> = Vec::new();
        for (order, line) in lines.iter().enumerate() {
            let weight = match line.speaker {
                Speaker::Tool => continue,
                Speaker::User if line.number >= SAID => continue,
                _ if line.code => continue,
                Speaker::User | Speaker::Summary => 3,
                Speaker::Agent => 2,
            };
            for mark in self.marks_of(order).iter().filter(|mark| mark.named) {
                let name = &line.text[mark.start.into()..mark.end.into()];
                let place = *known.entry(name).or_insert_with(|| {
                    found.push((0, 0, name));
                    found.len() - 1
                });
                found[place].0 = (found[place].0 + weight).min(12);
                found[place].1 = order as u32;
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.truncate(MOST);
        found.into_iter().map(|(_, _, name)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarize::extractive::topic::Topics;

    fn ranked(lines: &[(&'static str, Speaker)]) -> Ranking<'static> {
        let line = |(block, (text, speaker)): (_, &(&'static str, Speaker))| {
            let (text, speaker, under) = (*text, *speaker, Topics::NONE);
            Line { text, speaker, under, block, number: 0, code: false }
        };
        rank(&(0..).zip(lines).map(line).collect::<Vec<_>>())
    }

    #[test]
    fn telling_lines_come_before_idle_ones_and_none_twice() {
        let ranking = ranked(&[
            ("Add a limit to src/queue.rs, never above 64", Speaker::User),
            ("Let me look at this", Speaker::Agent),
            ("I decided on a ring buffer because `VecDeque` reallocates", Speaker::Agent),
            ("   Compiling something for a while now", Speaker::Tool),
            ("Now write the docs", Speaker::User),
        ]);
        let texts: Vec<&str> = ranking.candidates.iter().map(|c| &c.text[..3]).collect();
        assert_eq!(texts.len(), 3, "{texts:?}");
        assert!(texts.contains(&"Add") && texts.contains(&"I d") && texts.contains(&"Now"));
        assert_eq!(ranking.artifacts, ["src/queue.rs", "VecDeque"]);
        let twice = ("The port must be 8080", Speaker::User);
        assert_eq!(ranked(&[twice, twice]).candidates.len(), 1);
        assert!(ranked(&[]).candidates.is_empty());
    }
}
