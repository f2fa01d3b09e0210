//! What to do next about a judgement: commands that can be run as they stand.

use super::detail::Outcome;
use super::finding::{Finding, Judgement};
use super::verdict::Verdict;
use crate::measure::MetricId;
use crate::prelude::*;
use crate::sanitize;

/// What to do about each verdict that does not pass.
const NEXT: &str = include_str!("../../data/gate-next.txt");

/// What the commands of next steps are made of; what is absent is not offered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ways {
    /// The candidate's run directory, where it is kept.
    pub run: Option<String>,
    /// The gate's own command line, as words and without its seeds, where it drives both sides.
    pub again: Option<Vec<String>>,
    /// The seeds that it was given.
    pub seeds: Option<String>,
    /// The command line that makes the run the baseline, as words.
    pub bless: Option<Vec<String>>,
    /// The pipeline file in which a loss can be accepted, and until when it would be.
    pub accept: Option<(String, String)>,
}

impl Judgement {
    /// Names the next steps, the worst verdict's first.
    pub fn direct(&mut self, ways: &Ways) {
        let failing: BTreeSet<Verdict> =
            self.findings.iter().filter(|one| one.fails()).map(|one| one.verdict).collect();
        // What is only warned of waits until nothing fails.
        let counts = |verdict: &Verdict| *verdict >= self.verdict || *verdict > Verdict::Undecided;
        let failing = failing.into_iter().rev().filter(counts);
        let next = failing.flat_map(|verdict| self.steps(verdict, ways));
        let mut next: Vec<String> = next.collect();
        // Two verdicts may lead to the same command.
        let mut seen = BTreeSet::new();
        next.retain(|line| seen.insert(line.split('`').nth(1).unwrap_or(line).to_owned()));
        self.next = next;
    }

    fn steps(&self, verdict: Verdict, ways: &Ways) -> Vec<String> {
        let mut steps = Vec::new();
        let key = format!("{}: ", verdict.key());
        for line in NEXT.lines().filter_map(|line| line.strip_prefix(&key)) {
            let (line, is_last_resort) = match line.strip_prefix("else ") {
                Some(rest) => (rest, true),
                None => (line, false),
            };
            if !is_last_resort || steps.is_empty() {
                steps.extend(self.filled(line, verdict, ways));
            }
        }
        steps
    }

    /// A line with its commands; `None` where one is not at hand.
    fn filled(&self, line: &str, verdict: Verdict, ways: &Ways) -> Option<String> {
        let mut filled = String::new();
        let mut rest = line;
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) = behind.split_once('}')?;
            filled.push_str(before);
            filled.push_str(&self.command(name, verdict, ways)?);
            rest = after;
        }
        Some(filled + rest)
    }

    fn command(&self, name: &str, verdict: Verdict, ways: &Ways) -> Option<String> {
        let again = |more: &[&str]| {
            let own = ways.again.iter().flatten().map(String::as_str);
            let seeds = ways.seeds.iter().flat_map(|seeds| ["--seeds", seeds.as_str()]);
            let words = own.chain(seeds).chain(more.iter().copied());
            ways.again.is_some().then(|| code(words))
        };
        match name {
            "inspect" => self.inspect(verdict, ways.run.as_deref()?),
            "keep" if ways.run.is_none() => again(&["--out", "proctor-runs"]),
            "blame" if self.blame.is_none() && self.changed.len() > 1 => again(&["--blame"]),
            "undo" => self.undo(),
            "bless" => Some(code(ways.bless.as_ref()?.iter().map(String::as_str))),
            "accept" => self.entry(ways),
            "more" => {
                let names = self.findings.iter().filter_map(|one| one.scenario.as_deref());
                let scenarios = names.collect::<BTreeSet<&str>>().len().max(1);
                let seeds = self.needed(verdict)?.div_ceil(scenarios);
                again(&["--until-decided", &seeds.to_string()])
            }
            "needed" => Some(match self.needed(verdict) {
                Some(sessions) => {
                    format!(": about {sessions} of each configuration would decide, on both sides;")
                }
                None => ",".to_owned(),
            }),
            _ => None,
        }
    }

    /// The value to go back to, where one key is known to have done it.
    fn undo(&self) -> Option<String> {
        let blamed = self.blame.as_ref().and_then(|blame| blame.culprits().next());
        let only = (self.changed.len() == 1).then_some(0);
        let change = self.changed.get(blamed.or(only)?)?;
        let line = change.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        Some(format!("`{}` to {}{line}", change.key, change.from.as_ref()?))
    }

    fn needed(&self, verdict: Verdict) -> Option<usize> {
        let own = self.findings.iter().filter(|one| one.fails() && one.verdict == verdict);
        own.filter_map(|one| one.sessions_needed).max()
    }

    /// The command that shows the case behind the worst finding of a verdict.
    fn inspect(&self, verdict: Verdict, run: &str) -> Option<String> {
        let own = self.findings.iter().filter(|one| one.fails() && one.verdict == verdict);
        let details = own.filter_map(|one| one.detail.as_ref());
        let mut words = vec!["proctor".to_owned(), "inspect".to_owned(), run.to_owned()];
        let case = details.filter_map(|detail| {
            let at = |option: &str, number: u32| vec![option.to_owned(), number.to_string()];
            if let Some(fact) = &detail.fact {
                let at = match &fact.lost_in {
                    Some(lost) => at("--compaction", lost.compaction),
                    None => at("--step", fact.step),
                };
                return Some((0, fact.cell.clone(), at));
            }
            if let Some(broken) = &detail.broken {
                return Some((0, broken.cell.clone(), at("--compaction", broken.compaction)));
            }
            if let Some(end) = &detail.end {
                return Some((0, end.cell.clone(), Vec::new()));
            }
            detail.session.as_ref().map(|one| (1, one.name.clone(), Vec::new()))
        });
        let (_, cell, at) = case.min_by_key(|(rank, ..)| *rank)?;
        words.push(cell);
        words.extend(at);
        Some(code(words.iter().map(String::as_str)))
    }

    /// How the losses can be accepted in the pipeline's file.
    /// `None` where something fails besides that no entry accepts.
    fn entry(&self, ways: &Ways) -> Option<String> {
        let (file, until) = ways.accept.as_ref()?;
        if self.verdict != Verdict::Regression {
            return None;
        }
        let mut losses: BTreeMap<MetricId, f64> = BTreeMap::new();
        let lost = |one: &&Finding| one.fails() && one.verdict == Verdict::Regression;
        for finding in self.findings.iter().filter(lost) {
            let (Some(metric), Some(loss)) = (finding.metric, finding.difference) else { continue };
            let most = losses.entry(metric).or_default();
            *most = most.max(loss.abs());
        }
        let is_there = |metric: &MetricId| {
            self.accepts
                .iter()
                .find(|one| one.metric == *metric && one.outcome != Outcome::Unneeded)
        };
        if let Some(entry) = losses.keys().find_map(is_there) {
            let (file, line) = (&entry.place.file, entry.place.line);
            return Some(format!("change what {file}:{line} accepts"));
        }
        let entries: Vec<String> = losses
            .into_iter()
            .map(|(metric, loss)| {
                format!(
                    "{{ metric = \"{metric}\", up-to = {}, until = \"{until}\", because = \"WHY\" }}",
                    rounded_up(loss)
                )
            })
            .collect();
        let (first, entries) = (self.accepts.first(), entries.join(", "));
        (!entries.is_empty()).then(|| match first {
            Some(first) => {
                format!(
                    "add to what {}:{} accepts: `{entries}`",
                    first.place.file, first.place.line
                )
            }
            None => format!("write above the stages of {file}: `gate.accept = [{entries}]`"),
        })
    }
}

/// To two digits, never below the loss itself.
fn rounded_up(loss: f64) -> String {
    let digits = (1 - loss.abs().max(1e-9).log10().floor() as i32).max(0);
    let scale = 10f64.powi(digits);
    format!("{:.*}", digits as usize, (loss * scale - 1e-9).ceil() / scale)
}

/// A command as it can be run, in backquotes.
fn code<'a>(words: impl Iterator<Item = &'a str>) -> String {
    format!("`{}`", words.map(quoted).collect::<Vec<String>>().join(" "))
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@+%".contains(c);
    let word = sanitize::line(word);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell_where_they_must_be() {
        for (word, expected) in [
            ("a/b.toml", "a/b.toml"),
            ("smoke@20k/mine/1", "smoke@20k/mine/1"),
            ("my file", "'my file'"),
            ("it's", "'it'\\''s'"),
            ("", "''"),
            ("$(x)", "'$(x)'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }

    #[test]
    fn a_limit_is_never_below_the_loss() {
        for (loss, expected) in
            [(0.2421, "0.25"), (0.25, "0.25"), (1072.4, "1073"), (0.0123, "0.013"), (3.0, "3.0")]
        {
            assert_eq!(rounded_up(loss), expected, "{loss}");
        }
    }
}
