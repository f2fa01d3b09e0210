//! The closing table of a run: a line for each configuration, and why a figure is missing or nought.

use super::plain;
use crate::apply::Rule;
use crate::audit::LEAST_NEEDS;
use crate::cli::prelude::*;
use crate::compare::contestant;
use crate::frame::MeasuredCell;
use crate::matrix::Asks;
use crate::measure::MetricId;
use crate::number::{self, UNDEFINED};
use crate::stats;
use crate::trace::{Ending, LossClass};

/// Columns that the name of a configuration may take: the longest that ships fits.
const NAME: usize = 30;
const HEAD: [&str; 10] =
    ["configuration", "n", "finish", "prompt", "floor", "recall", "needs", "$", "fatal", "other"];

/// The cells of a configuration under the main summarizer, each of a session.
struct Group<'a> {
    name: String,
    mode: &'a str,
    rows: Vec<&'a MeasuredCell>,
    /// Whether they are of sessions of one's own.
    own: bool,
}

/// One line per configuration under the main summarizer, means over sessions.
pub(in crate::cli) fn summary(data: &RunData) -> String {
    let main = data.manifest.main_summarizer();
    let groups = groups(data, main);
    let (mut table, mut notes) = (plain(&HEAD), Notes::default());
    for group in &groups {
        let mut lines = wrapped(&contestant(&group.name, group.mode)).into_iter();
        let first = lines.next().unwrap_or_default();
        table.add_row([first].into_iter().chain(group.figures(&mut notes)));
        lines.for_each(|line| table.add_row([line]));
    }
    let offline = if data.manifest.offline { " (no language model)" } else { "" };
    let means = format!(
        "means over n sessions, summarizer `{}`{offline}; $ by the price sheet `{}`; {}",
        data.manifest.called(main),
        data.manifest.prices.name,
        states(data)
    );
    let told = [needs(&groups), rules(&groups)].into_iter().flatten().chain([means]);
    let told = notes.told().chain(told).map(|line| folded(&line));
    format!("{table}\n\n{}", told.collect::<Vec<String>>().join("\n"))
}

fn groups<'a>(data: &'a RunData, main: &str) -> Vec<Group<'a>> {
    let own = data.manifest.asks == Asks::Session;
    let mut groups: Vec<Group> = Vec::new();
    let is_shown = |row: &&MeasuredCell| {
        let key = &row.key;
        key.summarizer == main && key.is_contestant() && !key.is_closed() && !row.is_twin()
    };
    for row in data.measurements.iter().filter(is_shown) {
        let (name, mode) = (row.key.configuration(), row.key.mode.as_str());
        match groups.iter_mut().find(|known| known.name == name && known.mode == mode) {
            Some(known) => known.rows.push(row),
            None => groups.push(Group { name, mode, rows: vec![row], own }),
        }
    }
    groups
}

impl Group<'_> {
    fn mean(&self, metric: MetricId) -> Option<f64> {
        let values: Vec<f64> = self.rows.iter().filter_map(|row| row.number(metric)).collect();
        stats::mean(&values)
    }

    fn sum(&self, metric: MetricId) -> f64 {
        // From 0: the sum of nothing is -0.
        self.rows.iter().filter_map(|row| row.number(metric)).fold(0.0, |sum, own| sum + own)
    }

    fn broken(&self, fatal: bool) -> f64 {
        let rules = Rule::ALL.into_iter().filter(|rule| rule.is_fatal() == fatal);
        rules.map(|rule| self.sum(MetricId::violations(rule))).fold(0.0, |sum, own| sum + own)
    }

    /// Its cells behind the name. What is missing or nought has a note.
    fn figures(&self, notes: &mut Notes) -> Vec<String> {
        let mut cell =
            |value: Option<f64>, write: fn(f64) -> String, why: Option<String>| match value {
                Some(value) if value > 0.0 => write(value),
                Some(value) => notes.marked(write(value), why),
                None => notes.marked(UNDEFINED.to_owned(), why),
            };
        let [finishes, recall] =
            [MetricId::Completion, MetricId::RecallAtNeed].map(|id| self.mean(id));
        let floor = self.mean(MetricId::FloorOnePass).filter(|_| self.has_floor());
        vec![
            self.rows.len().to_string(),
            cell(finishes, number::share, self.why_not_finished()),
            cell(self.mean(MetricId::TokensMeanPrompt), number::tokens, self.why_not_driven()),
            cell(floor, number::tokens, self.why_no_floor()),
            cell(recall.filter(|_| !self.has_few_needs()), number::share, self.why_not_recalled()),
            number::count(self.sum(MetricId::DemandsAtNeed)),
            cell(self.mean(MetricId::CostUsd), |usd| format!("{usd:.2}"), self.why_not_driven()),
            format!("{:.0}", self.broken(true)),
            format!("{:.0}", self.broken(false)),
        ]
    }

    /// A control has no floor, and of a session that ended early it is not known.
    fn has_floor(&self) -> bool {
        !self.is_control() && self.rows.iter().all(|row| row.completed())
    }

    fn is_control(&self) -> bool {
        self.name == "none@windowless"
    }

    fn has_few_needs(&self) -> bool {
        self.own && (1.0..LEAST_NEEDS as f64).contains(&self.sum(MetricId::DemandsAtNeed))
    }

    fn why_not_driven(&self) -> Option<String> {
        let error = self.rows.iter().map(|row| row.state.error()).find(|error| !error.is_empty());
        error.map(|error| {
            format!("no session was driven to a figure: {}", sanitize::terminal(error))
        })
    }

    fn why_not_finished(&self) -> Option<String> {
        let ending = self.commonest(Ending::ALL, |ending| {
            let ended = self.rows.iter().filter_map(|row| row.figures.ended_by());
            ended.filter(|found| *found == ending).count() as f64
        });
        ending.map_or_else(
            || self.why_not_driven(),
            |ending| Some(format!("sessions ended early: mostly {}", ending.told())),
        )
    }

    fn why_no_floor(&self) -> Option<String> {
        if self.is_control() {
            return Some("a control: nothing is compacted, so there is no floor".to_owned());
        }
        if self.rows.iter().any(|row| !row.completed()) {
            return Some("a session ended early, so the floor is not known".to_owned());
        }
        Some("its floor was not probed (a suite probes its first mode under its main summarizer, and none with `probes = false`)".to_owned())
    }

    fn why_not_recalled(&self) -> Option<String> {
        if self.sum(MetricId::DemandsAtNeed) == 0.0 {
            let why = "no fact is needed a whole window after it was last said: the sessions are \
                       short for this window (`--window N` sets another)";
            return Some(why.to_owned());
        }
        if self.has_few_needs() {
            return Some(format!("fewer than {LEAST_NEEDS} needs tell nothing"));
        }
        if self.rows.iter().all(|row| !row.completed()) {
            return Some("the sessions ended before what was needed late".to_owned());
        }
        let lost = self.commonest(LossClass::ALL, |class| self.sum(MetricId::missed(class)));
        let lost = lost.map(|class| format!("; of what was missed, mostly {}", class.told()));
        let needs = number::count(self.sum(MetricId::DemandsAtNeed));
        let none = format!("none of {needs} needs was met {}", far(self.own, "the fact was said"));
        Some(format!("{none}{}", lost.unwrap_or_default()))
    }

    /// The one of these that counts most; none where all count nothing.
    fn commonest<T: Copy, const N: usize>(
        &self,
        all: [T; N],
        count: impl Fn(T) -> f64,
    ) -> Option<T> {
        let counted = all.into_iter().map(|one| (count(one), one));
        let most = counted.max_by(|one, other| one.0.total_cmp(&other.0));
        most.filter(|(count, _)| *count > 0.0).map(|(_, one)| one)
    }
}

/// What recall rests on.
fn needs(groups: &[Group]) -> Option<String> {
    let rows = &groups.first()?.rows;
    let any = rows.iter().filter(|row| row.number(MetricId::DemandsAtNeed) > Some(0.0)).count();
    let (all, far) = (rows.len(), far(groups.first()?.own, "they were last said"));
    Some(format!("recall: of `needs`, facts needed {far}; {any} of {all} sessions have any"))
}

/// When a need counts.
fn far(own: bool, said: &str) -> String {
    let window = format!("a whole window after {said}");
    if own { format!("after a recorded compaction, or {window}") } else { window }
}

/// What is fatal of broken rules, where one was broken.
fn rules(groups: &[Group]) -> Option<String> {
    let any = groups.iter().any(|group| group.broken(true) + group.broken(false) > 0.0);
    any.then(|| {
        "fatal, other: rules broken; fatal ones make a provider refuse the request or hide a \
         result from the agent"
            .to_owned()
    })
}

fn states(data: &RunData) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &data.measurements {
        *counts.entry(row.state.name()).or_default() += 1;
    }
    let parts: Vec<String> = counts.iter().map(|(state, n)| format!("{n} cells {state}")).collect();
    parts.join(", ")
}

/// Footnotes, each once.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    /// A text with the mark of its note, where it has one.
    fn marked(&mut self, text: String, note: Option<String>) -> String {
        let Some(note) = note else { return text };
        let known = self.0.iter().position(|known| *known == note);
        let place = known.unwrap_or_else(|| {
            self.0.push(note);
            self.0.len() - 1
        });
        format!("{text}{}", mark(place))
    }

    fn told(&self) -> impl Iterator<Item = String> {
        self.0.iter().enumerate().map(|(place, note)| format!("{} {note}", mark(place)))
    }
}

/// A superscript number.
fn mark(place: usize) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let number = (place + 1).to_string();
    number.bytes().filter_map(|digit| DIGITS.get(usize::from(digit - b'0'))).collect()
}

/// A name on several lines, the later ones indented, where it is too long for one.
fn wrapped(name: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in name.split_inclusive(['-', '_', '@', ' ']) {
        let room = NAME.saturating_sub(piece.trim_end().chars().count());
        match lines.last_mut().filter(|line| line.is_empty() || line.chars().count() <= room) {
            Some(line) => line.push_str(piece),
            None => lines.push(format!("  {piece}")),
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// A line as broad as the table, its later lines indented.
pub(in crate::cli) fn folded(line: &str) -> String {
    textwrap::fill(line, textwrap::Options::new(super::WIDTH).subsequent_indent("  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_names_that_ship_fit_a_hundred_columns() {
        for name in crate::strategy::shipped().pipeline_names() {
            let mut table = plain(&HEAD);
            for mode in crate::drive::Mode::ALL {
                let widest = [
                    "640",
                    "99.9%⁹",
                    "1.24M⁹",
                    "123.4k⁹",
                    "99.9%⁹",
                    "12.3k",
                    "999.99⁹",
                    "12345",
                    "12345",
                ];
                let lines = wrapped(&contestant(name, mode.name()));
                table.add_row([lines[0].clone()].into_iter().chain(widest.map(str::to_owned)));
                lines[1..].iter().for_each(|line| table.add_row([line.clone()]));
            }
            for line in table.to_string().lines() {
                assert!(console::measure_text_width(line) <= super::super::WIDTH, "{line}");
            }
        }
    }

    #[test]
    fn a_note_stands_once() {
        let mut notes = Notes::default();
        let mark =
            |notes: &mut Notes, why: &str| notes.marked("–".to_owned(), Some(why.to_owned()));
        assert_eq!(
            [mark(&mut notes, "a"), mark(&mut notes, "b"), mark(&mut notes, "a")],
            ["–¹", "–²", "–¹"]
        );
        assert_eq!(notes.told().collect::<Vec<_>>(), ["¹ a", "² b"]);
    }
}
