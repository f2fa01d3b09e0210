//! A finding that does not pass, told: what broke, what that means, why, and one case of it.

use super::super::changes::Change;
use super::super::detail::{BrokenRule, Detail, EarlyEnd, LostFact, LostIn, Moved, Outcome};
use super::super::finding::{Finding, Judgement, Kind};
use super::super::verdict::Verdict;
use super::super::words;
use crate::measure::MetricId;
use crate::prelude::*;
use crate::sanitize;

/// The rule that sessions end no earlier.
const COMPLETION: &str = "completion-first";

/// What is told of a finding, as plain lines without line breaks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Told {
    /// What broke, in figures.
    pub(super) broke: String,
    /// What the metric means.
    means: Option<String>,
    /// What the candidate's file changes.
    pub(super) cause: Option<String>,
    /// Where the loss is largest.
    most: Option<String>,
    /// Over which summaries the loss holds.
    stretch: Option<String>,
    /// One case, the first line of which stands for itself.
    case: Vec<String>,
}

impl Told {
    /// The first of a judgement's findings: with what was gained beside the loss.
    pub(super) fn first(finding: &Finding, judgement: &Judgement) -> Told {
        let told = Told::of(finding, judgement);
        let gains = gains(judgement, finding).join(", ");
        match gains.is_empty() {
            true => told,
            false => Told { broke: format!("{}; in return: {gains}", told.broke), ..told },
        }
    }

    pub(super) fn of(finding: &Finding, judgement: &Judgement) -> Told {
        let detail = finding.detail.clone().unwrap_or_default();
        let told = Told {
            broke: broke(finding, judgement),
            means: finding.metric.and_then(words::means).map(str::to_owned),
            cause: cause(finding, judgement),
            most: most(finding, &detail),
            stretch: stretch(finding),
            case: case(finding, &detail),
        };
        let line = |text: String| sanitize::line(&text);
        Told {
            broke: line(told.broke),
            means: told.means.map(line),
            cause: told.cause.map(line),
            most: told.most.map(line),
            stretch: told.stretch.map(line),
            case: told.case.into_iter().map(line).collect(),
        }
    }

    pub(super) fn without_cause(self) -> Told {
        Told { cause: None, ..self }
    }

    /// All but what the metric means, for tools that have no room to lay it out.
    pub(super) fn lines(&self) -> Vec<String> {
        let told = [&self.cause, &self.most, &self.stretch].into_iter().flatten().cloned();
        [self.broke.clone()].into_iter().chain(told).chain(self.case.iter().cloned()).collect()
    }
}

/// Whose figure it is: `recall at need of mine on far-recall`.
pub(super) fn subject(finding: &Finding) -> String {
    let what = match (finding.metric, finding.kind) {
        (Some(metric), _) => words::called(metric).to_owned(),
        (None, _) if finding.rule == COMPLETION => words::called(MetricId::Completion).to_owned(),
        (None, _) => finding.rule.clone(),
    };
    let scenario = finding.scenario.as_ref().map(|name| format!(" on {name}")).unwrap_or_default();
    match finding.configuration {
        Some(_) => format!("{what} of {}{scenario}", finding.subject()),
        None => what,
    }
}

/// What a finding says: figures where it compares some, else its reason.
pub(super) fn says(finding: &Finding) -> String {
    // A loss that is accepted says so.
    let compares = finding.kind == Kind::Soft && finding.is_loss && !finding.accepted;
    let figures = words::compared(finding).filter(|_| compares);
    let mut told = figures.unwrap_or_else(|| finding.reason.clone());
    if let Some(needed) = finding.sessions_needed {
        told = format!("{told}; about {needed} sessions would decide");
    }
    told
}

/// Over which summaries an order of recall holds.
pub(super) fn stretch(finding: &Finding) -> Option<String> {
    finding.stretch.as_ref().map(|stretch| format!("by summarizer: {}", stretch.told))
}

fn broke(finding: &Finding, judgement: &Judgement) -> String {
    let mut told = format!("{}: {}", subject(finding), says(finding));
    for entry in judgement.accepts.iter().filter(|one| Some(one.metric) == finding.metric) {
        let (file, line) = (&entry.place.file, entry.place.line);
        match entry.outcome {
            Outcome::Exceeded => told = format!("{told}; {file}:{line} accepts less"),
            Outcome::Expired => {
                told = format!("{told}; {file}:{line} accepted it until {}", entry.until);
            }
            Outcome::Accepted | Outcome::Unneeded => {}
        }
    }
    if finding.verdict == Verdict::CompletionFell {
        let others = judgement.findings.iter().filter(|one| follows(one, judgement)).count();
        if others > 0 {
            told = format!("{told}; {others} figures are not judged because of it");
        }
    }
    told
}

/// What the same configuration gained.
fn gains(judgement: &Judgement, beside: &Finding) -> Vec<String> {
    let own = judgement
        .findings
        .iter()
        .filter(|one| one.is_gain() && one.scenario.is_none() && one.subject() == beside.subject());
    let gain = |one: &Finding| {
        let (metric, from, to) = (one.metric?, one.baseline?, one.candidate?);
        Some(format!("{} {}", words::called(metric), words::change(metric, from, to)))
    };
    own.filter_map(gain).collect()
}

/// Most changed keys that are named.
const MOST_KEYS: usize = 4;

fn cause(finding: &Finding, judgement: &Judgement) -> Option<String> {
    // What a control does, such as `none@windowless`, no key of a file changes.
    finding.configuration.as_ref().filter(|name| !name.contains('@'))?;
    let changed = &judgement.changed;
    let at = |place: &usize| {
        let change = changed.get(*place)?;
        let file = finding.place.as_ref().map(|place| place.file.as_str());
        let line = change.line.zip(file).map(|(line, file)| format!(" ({file}:{line})"));
        Some(format!("{}{}", change.told(), line.unwrap_or_default()))
    };
    if let [_] = changed.as_slice() {
        return at(&0).map(|change| format!("changed: {change}"));
    }
    let Some(blame) = &judgement.blame else {
        let named = changed.iter().take(MOST_KEYS).map(Change::told);
        let mut named: Vec<String> = named.collect();
        if changed.len() > MOST_KEYS {
            named.push(format!("{} more", changed.len() - MOST_KEYS));
        }
        return (!named.is_empty())
            .then(|| format!("one of these changed keys: {}", named.join("; ")));
    };
    let figure = |place: usize| {
        let tried = blame.tried.iter().find(|one| one.change == place)?;
        let (metric, figure) = (finding.metric?, tried.figure?);
        Some(format!(": undone alone, it is {}", words::figure(metric, figure)))
    };
    let culprits: Vec<String> = blame
        .culprits()
        .filter_map(|place| Some(format!("{}{}", at(&place)?, figure(place).unwrap_or_default())))
        .collect();
    Some(match culprits.as_slice() {
        [] => {
            let left = match blame.left_out {
                0 => String::new(),
                left => format!("; {left} were not tried"),
            };
            format!("no changed key alone: {} were undone one by one{left}", blame.tried.len())
        }
        [one] => format!("because of {one}"),
        several => format!("because of these together: {}", several.join("; ")),
    })
}

fn most(finding: &Finding, detail: &Detail) -> Option<String> {
    let metric = finding.metric?;
    let moved = |one: &Moved| words::moved(metric, one.baseline, one.candidate);
    let scenario = detail.scenario.as_ref().map(|one| format!("on {}, {}", one.name, moved(one)));
    let kind = detail.kind.as_ref().map(|one| {
        let (from, to) = (100.0 * one.baseline, 100.0 * one.candidate);
        format!("of kind {}, {from:.0}% → {to:.0}% of {} needs met", one.name, one.n)
    });
    let session = detail.session.as_ref().filter(|_| detail.fact.is_none());
    let session = session.map(|one| format!("in {}, {}", one.name, moved(one)));
    let parts: Vec<String> = [scenario, kind, session].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("most {}", parts.join("; ")))
}

fn case(finding: &Finding, detail: &Detail) -> Vec<String> {
    let fact = detail.fact.as_ref().map(of_fact);
    let end = detail.end.as_ref().map(of_end);
    let told = fact.or(end).or(detail.broken.as_ref().map(of_rule));
    let cells = || match (finding.cells.first(), finding.cell_count) {
        (Some(cell), 0 | 1) => vec![format!("in {cell}")],
        (Some(cell), all) => vec![format!("for example in {cell}, one of {all} cells")],
        (None, _) => Vec::new(),
    };
    told.unwrap_or_else(cells)
}

fn of_fact(fact: &LostFact) -> Vec<String> {
    let LostFact { cell, step, kind, statement, .. } = fact;
    let mut lines =
        vec![format!("for example, step {step} of {cell} needs this {kind}: “{statement}”")];
    let before = match fact.baseline_generation {
        0 => "word for word".to_owned(),
        1 => "in a summary".to_owned(),
        times => format!("summarized {times} times"),
    };
    let known = format!("the baseline has it {before}; here it is {}", fact.found);
    let Some(LostIn { compaction, step, stage, how, left, shown, answered, .. }) = &fact.lost_in
    else {
        lines.push(known);
        return lines;
    };
    lines.push(format!(
        "{known}: compaction {compaction} ({stage}, before step {step}) lost it; {how}"
    ));
    match shown {
        Some(shown) => lines.push(format!("shown: “{shown}”")),
        None if !left.is_empty() => {
            lines.push(format!("what held it and left: {}", left.join(", ")));
        }
        None => {}
    }
    if let Some(answered) = answered.as_ref().filter(|_| shown.is_some()) {
        let answered = if answered.is_empty() { "nothing" } else { answered };
        lines.push(format!("answered: “{answered}”"));
    }
    lines
}

fn of_end(end: &EarlyEnd) -> Vec<String> {
    let EarlyEnd { cell, reached, steps, ended_by, how } = end;
    vec![format!("for example, {cell} ends after {reached} of {steps} steps ({ended_by}): {how}")]
}

fn of_rule(broken: &BrokenRule) -> Vec<String> {
    let BrokenRule { cell, compaction, step, stage, .. } = broken;
    vec![format!("for example, compaction {compaction} of {cell} ({stage}, before step {step})")]
}

/// Whether a finding only says that sessions end earlier, which another says already.
pub(super) fn follows(finding: &Finding, judgement: &Judgement) -> bool {
    let is_cause = |one: &Finding| {
        one.kind == Kind::Always
            && one.verdict == Verdict::CompletionFell
            && one.subject() == finding.subject()
    };
    finding.kind != Kind::Always
        && finding.verdict == Verdict::CompletionFell
        && judgement.findings.iter().any(is_cause)
}
