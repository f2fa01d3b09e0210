//! Brackets: the same sessions under five summarizers, and what differences owe to them.

use std::collections::{BTreeMap, BTreeSet};

use crate::derive::pool;
use crate::frame::{
    Basis, Derived, Frame, MeasuredCell, Scope, Session, Setting, Subject, Summarized,
};
use crate::matrix::SummarizerName;
use crate::measure::{MetricId, Sign, Value, Word};
use crate::stats;

/// From knowing nothing to knowing everything.
const BRACKETS: [(SummarizerName, MetricId); 5] = [
    (SummarizerName::Null, MetricId::BracketEmpty),
    (SummarizerName::Lead, MetricId::BracketLead),
    (SummarizerName::RandomSentence, MetricId::BracketRandomSentence),
    (SummarizerName::Extractive, MetricId::BracketExtractive),
    (SummarizerName::Perfect, MetricId::BracketPerfect),
];
/// From the least that a summary can know to the most: signs must hold for each.
pub(super) const DECISIVE: [SummarizerName; 3] =
    [SummarizerName::Null, SummarizerName::Extractive, SummarizerName::Perfect];

/// Scenario, mode, configuration.
type Place<'a> = (&'a str, &'a str, String);

pub(super) fn rows(frame: &Frame) -> Vec<Derived> {
    let mut places: BTreeMap<Place, Summarized> = BTreeMap::new();
    // Swept limits are points of a curve, not configurations to choose between.
    let is_open = |cell: &&MeasuredCell| !cell.key.is_closed();
    let compared =
        |cell: &&MeasuredCell| is_open(cell) && !cell.key.is_control() && !cell.key.is_swept();
    let sound = |cell: &&MeasuredCell| cell.key.fault().is_none();
    for cell in frame.cells().iter().copied().filter(compared).filter(sound) {
        let key = &cell.key;
        let place = (key.scenario.as_str(), key.mode.as_str(), key.configuration());
        places.entry(place).or_default().add(cell);
    }
    let mut rows = Vec::new();
    // Without a second summarizer there is nothing to bracket.
    if places.values().all(|driven| driven.summarizers() < 2) {
        return rows;
    }
    for (place, driven) in &places {
        rows.extend(BRACKETS.map(|under| bracket(place, driven, under)));
    }
    let places: Vec<(&Place, &Summarized)> = places.iter().collect();
    for (number, (first, ours)) in places.iter().enumerate() {
        let others = places[number + 1..].iter();
        let same =
            |(second, _): &&(&Place, &Summarized)| (first.0, first.1) == (second.0, second.1);
        rows.extend(
            others.take_while(same).map(|(second, theirs)| pair(first, second, ours, theirs)),
        );
    }
    rows
}

fn setting(configuration: &str, mode: &str) -> Setting {
    Setting {
        configuration: configuration.to_owned(),
        mode: mode.to_owned(),
        summarizer: String::new(),
    }
}

fn recall(cell: &MeasuredCell) -> Option<f64> {
    cell.number(MetricId::RecallAtNeed)
}

fn bracket(
    (scenario, mode, configuration): &Place,
    driven: &Summarized,
    (summarizer, metric): (SummarizerName, MetricId),
) -> Derived {
    let cells = driven.under(summarizer.name());
    let values = cells.map_or_else(Vec::new, |cells| pool::by_session(cells, recall));
    let basis = match cells {
        None => Basis::NotDrivenUnder,
        Some(_) if values.is_empty() => Basis::NoDemandAtNeed,
        Some(_) => Basis::Direct,
    };
    let subject = Subject::on(scenario, Scope::Bracket, setting(configuration, mode));
    Derived::number(subject, metric, stats::mean(&values), values.len(), basis)
}

fn pair(first: &Place, second: &Place, ours: &Summarized, theirs: &Summarized) -> Derived {
    let differences = DECISIVE.map(|summarizer| {
        let difference =
            difference(ours.under(summarizer.name())?, theirs.under(summarizer.name())?);
        difference.map(|(mean, sessions)| (summarizer.name(), mean, sessions))
    });
    let known: Vec<(&str, f64, usize)> = differences.into_iter().flatten().collect();
    let (scenario, mode, configuration) = first;
    let subject = Subject {
        beside: second.2.clone(),
        ..Subject::on(scenario, Scope::Pair, setting(configuration, mode))
    };
    let sessions = known.iter().map(|(_, _, sessions)| *sessions).min().unwrap_or(0);
    let (value, basis) = if known.len() == DECISIVE.len() {
        let figures = known.iter().map(|(summarizer, mean, _)| (*summarizer, *mean));
        (Some(Value::Word(Word::Sign(sign(&known)))), Basis::by_summarizer(figures))
    } else {
        (None, Basis::NotDrivenInCommon)
    };
    let row = Derived::undefined(subject, MetricId::BracketSign, basis);
    Derived { value, n: sessions as u32, ..row }
}

fn sign(differences: &[(&str, f64, usize)]) -> Sign {
    let all = |holds: fn(f64) -> bool| differences.iter().all(|(_, mean, _)| holds(*mean));
    if all(|mean| mean > 0.0) {
        Sign::Higher
    } else if all(|mean| mean < 0.0) {
        Sign::Lower
    } else if all(|mean| mean == 0.0) {
        Sign::Equal
    } else {
        Sign::SummarizerDependent
    }
}

/// Mean difference of recall over common sessions, and how many there are.
fn difference(ours: &[&MeasuredCell], theirs: &[&MeasuredCell]) -> Option<(f64, usize)> {
    let mean = |cells: &[&MeasuredCell], session| {
        let own = cells.iter().filter(|cell| cell.session() == session);
        stats::mean(&own.filter_map(|cell| recall(cell)).collect::<Vec<f64>>())
    };
    let sessions: BTreeSet<Session> = ours.iter().map(|cell| cell.session()).collect();
    let differences: Vec<f64> = sessions
        .into_iter()
        .filter_map(|session| Some(mean(ours, session)? - mean(theirs, session)?))
        .collect();
    Some((stats::mean(&differences)?, differences.len()))
}
