//! Brackets: the same sessions under five summarizers, and what a difference
//! between two configurations owes to the summarizer.

use crate::measure::MetricId;
use std::collections::BTreeMap;

use crate::derive::{Index, MeasuredCell, pool};
use crate::row::{DerivedRow, optional};
use crate::stats;

/// From knowing nothing to knowing everything.
pub const BRACKETS: [(&str, MetricId); 5] = [
    ("null", MetricId::BracketNull),
    ("lead", MetricId::BracketLead),
    ("random-sentence", MetricId::BracketRandomSentence),
    ("extractive", MetricId::BracketExtractive),
    ("perfect", MetricId::BracketPerfect),
];
/// The sign of a difference must hold for these.
const DECISIVE: [&str; 3] = ["null", "extractive", "perfect"];

const DEPENDENT: &str = "summarizer-dependent";

/// One configuration and mode on one scenario, by summarizer.
#[derive(Clone, Debug, Default)]
struct Driven<'a> {
    by_summarizer: BTreeMap<&'a str, Vec<&'a MeasuredCell>>,
}

/// Scenario, mode, configuration.
type Place<'a> = (&'a str, &'a str, String);

pub(super) fn rows(index: &Index) -> Vec<DerivedRow> {
    let mut places: BTreeMap<Place, Driven> = BTreeMap::new();
    // Swept limits are points of a curve, not configurations to choose between.
    let compared =
        |cell: &&&MeasuredCell| !cell.is_control() && !cell.key.variant.starts_with("limit=");
    let sound = |cell: &&&MeasuredCell| cell.key.fault().is_none();
    for cell in index.cells.iter().filter(compared).filter(sound) {
        let key = &cell.key;
        let place = (key.scenario.as_str(), key.mode.as_str(), key.configuration());
        let driven = places.entry(place).or_default();
        driven.by_summarizer.entry(&key.summarizer).or_default().push(cell);
    }
    let mut rows = Vec::new();
    // Without a second summarizer there is nothing to bracket.
    if places.values().all(|driven| driven.by_summarizer.len() < 2) {
        return rows;
    }
    for ((scenario, mode, configuration), driven) in &places {
        let subject = format!("{scenario}/{configuration}/{mode}");
        rows.extend(BRACKETS.map(|summarizer| bracket(&subject, driven, summarizer)));
    }
    let places: Vec<(&Place, &Driven)> = places.iter().collect();
    for (number, (one, ours)) in places.iter().enumerate() {
        let others = places[number + 1..].iter();
        for (other, theirs) in others.take_while(|(other, _)| (one.0, one.1) == (other.0, other.1))
        {
            rows.push(pair(one, other, ours, theirs));
        }
    }
    rows
}

impl<'a> Driven<'a> {
    /// Its cells under a summarizer. A configuration that asks for no summary is the
    /// same under all of them, and driven once.
    fn under(&self, summarizer: &str) -> Option<&[&'a MeasuredCell]> {
        if let Some(cells) = self.by_summarizer.get(summarizer) {
            return Some(cells);
        }
        let mut all = self.by_summarizer.values();
        let only = all.next().filter(|_| self.by_summarizer.len() == 1)?;
        let asks = only.iter().any(|cell| cell.number(MetricId::TokensSummarizer) != Some(0.0));
        (!asks).then_some(only)
    }
}

fn recall(cell: &MeasuredCell) -> Option<f64> {
    cell.number(MetricId::RecallAtNeed)
}

fn bracket(subject: &str, driven: &Driven, (summarizer, metric): (&str, MetricId)) -> DerivedRow {
    let cells = driven.under(summarizer);
    let values = cells.map_or_else(Vec::new, |cells| pool::by_session(cells, recall));
    let reason = match cells {
        None => "not driven under it",
        Some(_) if values.is_empty() => "no demand at need",
        Some(_) => "",
    };
    DerivedRow {
        scope: "bracket".to_owned(),
        subject: subject.to_owned(),
        metric,
        value: optional(stats::mean(&values)),
        low: String::new(),
        high: String::new(),
        n: values.len() as u32,
        reason: reason.to_owned(),
    }
}

fn pair(one: &Place, other: &Place, ours: &Driven, theirs: &Driven) -> DerivedRow {
    let differences = DECISIVE.map(|summarizer| {
        let difference = difference(ours.under(summarizer)?, theirs.under(summarizer)?);
        difference.map(|(mean, sessions)| (summarizer, mean, sessions))
    });
    let known: Vec<(&str, f64, usize)> = differences.into_iter().flatten().collect();
    let complete = known.len() == DECISIVE.len();
    let told: Vec<String> = known
        .iter()
        .map(|(summarizer, mean, _)| format!("{summarizer} {}", optional(Some(*mean))))
        .collect();
    let missing = "not driven in common under null, extractive and perfect";
    DerivedRow {
        scope: "pair".to_owned(),
        subject: format!("{}/{} - {}/{}", one.0, one.2, other.2, one.1),
        metric: MetricId::BracketSign,
        value: if complete { sign(&known) } else { "" }.to_owned(),
        low: String::new(),
        high: String::new(),
        n: known.iter().map(|(_, _, sessions)| *sessions).min().unwrap_or(0) as u32,
        reason: if complete { told.join(", ") } else { missing.to_owned() },
    }
}

fn sign(differences: &[(&str, f64, usize)]) -> &'static str {
    let all = |holds: fn(f64) -> bool| differences.iter().all(|(_, mean, _)| holds(*mean));
    if all(|mean| mean > 0.0) {
        "higher"
    } else if all(|mean| mean < 0.0) {
        "lower"
    } else if all(|mean| mean == 0.0) {
        "equal"
    } else {
        DEPENDENT
    }
}

/// Mean difference of recall over common sessions, and how many there are.
fn difference(ours: &[&MeasuredCell], theirs: &[&MeasuredCell]) -> Option<(f64, usize)> {
    let of = |cells: &[&MeasuredCell], session| {
        let own: Vec<f64> = cells
            .iter()
            .filter(|cell| cell.session() == session)
            .filter_map(|cell| recall(cell))
            .collect();
        stats::mean(&own)
    };
    let mut sessions: Vec<(&str, u64)> = ours.iter().map(|cell| cell.session()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let differences: Vec<f64> = sessions
        .into_iter()
        .filter_map(|session| Some(of(ours, session)? - of(theirs, session)?))
        .collect();
    Some((stats::mean(&differences)?, differences.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::derive;
    use crate::derive::sample::{Sample, SampleCell, cell};

    fn sign_of(ours: [&str; 3], theirs: [&str; 3]) -> DerivedRow {
        let under = |pipeline: &'static str, recalls: [&str; 3]| -> Vec<SampleCell> {
            let told = DECISIVE.into_iter().zip(recalls).filter(|(_, recall)| !recall.is_empty());
            told.map(|(summarizer, recall)| {
                cell(pipeline, "windowed")
                    .summarizer(summarizer)
                    .with(MetricId::RecallAtNeed, recall)
                    .with(MetricId::TokensSummarizer, "9")
            })
            .collect()
        };
        let cells = [under("a", ours), under("b", theirs)].concat();
        let rows = derive(Sample::of(cells).record());
        rows.into_iter().find(|row| row.metric == MetricId::BracketSign).expect("one pair")
    }

    #[test]
    fn a_difference_counts_only_where_its_sign_holds() {
        for (ours, theirs, expected) in [
            (["0.3", "0.5", "0.9"], ["0.2", "0.4", "0.8"], "higher"),
            (["0.1", "0.3", "0.7"], ["0.2", "0.4", "0.8"], "lower"),
            (["0.2", "0.4", "0.8"], ["0.2", "0.4", "0.8"], "equal"),
            (["0.3", "0.5", "0.8"], ["0.2", "0.4", "0.8"], "summarizer-dependent"),
            (["0.1", "0.5", "0.9"], ["0.2", "0.4", "0.8"], "summarizer-dependent"),
            (["0.3", "0.5", ""], ["0.2", "0.4", "0.8"], ""),
        ] {
            let row = sign_of(ours, theirs);
            assert_eq!(row.value, expected, "{ours:?} against {theirs:?}: {}", row.reason);
            assert_eq!(row.subject, "scenario/a - b/deployed");
        }
    }

    #[test]
    fn what_asks_for_no_summary_is_the_same_under_all() {
        let truncate = |summarized: &str| {
            cell("truncate", "windowed")
                .with(MetricId::RecallAtNeed, "0.1")
                .with(MetricId::TokensSummarizer, summarized)
        };
        let other = cell("a", "windowed").summarizer("null").with(MetricId::RecallAtNeed, "0.1");
        let another = cell("a", "windowed").with(MetricId::RecallAtNeed, "0.2");
        for (summarized, expected) in [("0", "0.1"), ("5", "")] {
            let cells = vec![truncate(summarized), other.clone(), another.clone()];
            let rows = derive(Sample::of(cells).record());
            let row = rows.iter().find(|row| {
                row.subject == "scenario/truncate/deployed" && row.metric == MetricId::BracketNull
            });
            assert_eq!(row.expect("a bracket").value, expected);
        }
    }
}
