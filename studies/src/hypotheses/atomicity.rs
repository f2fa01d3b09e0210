//! Units, logical turns, tool pairs and the live request under the knife.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use proctor_core::log::Log;
use proctor_core::summarize::{Prompt, PromptMessage};
use proctor_core::trace::AddedEntry;

use super::prelude::*;

fn broken(compaction: &Compaction, rules: &[Rule]) -> usize {
    compaction.violations.iter().filter(|violation| rules.contains(&violation.rule)).count()
}

pub fn units(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let (mut all_units, mut all_turns) = (Vec::new(), Vec::new());
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let units = each(&cells, |driven| {
            let batches = runs_of(&driven.trace, 1);
            let split = batches.filter(|batch| broken(batch, &[Rule::TurnSplit]) > 0).count();
            percent(split, runs_of(&driven.trace, 1).count())
        });
        let touched = counts(&cells, |driven| split_turns(driven).1);
        let turns = each(&cells, |driven| {
            let (split, touched) = split_turns(driven);
            percent(split, touched)
        });
        let split = mean("split", "%", &turns).share_of(100.0);
        found.row(row![
            pairs,
            mean("units", "%", &units).share_of(100.0),
            mean("touched", "", &touched),
            split
        ]);
        all_units.push(units);
        all_turns.push(turns);
    }
    let what = "batches that split a user message from its summaries, all shapes";
    let units = within(what, "%", &all_units).share_of(100.0);
    let what = "logical turns that a batch touched and did not hold whole, all shapes";
    let turns = within(what, "%", &all_turns).share_of(100.0);
    found.parts = vec![Part::Counted(units.value == 0.0), turns.above(0.0)];
    found.measured = vec![units, turns];
    Ok(found)
}

/// Ended turns that some batch holds a part of, and those that batches touched at all.
fn split_turns(driven: &Driven) -> (usize, usize) {
    let turns = driven.session.log.turns();
    let (mut touched, mut split) = (BTreeSet::new(), BTreeSet::new());
    for run in runs_of(&driven.trace, 1) {
        for batch in run.added.iter().filter(|entry| entry.share == Share::GoalBatch) {
            let ended = (run.turn as usize).saturating_sub(1);
            for (number, turn) in turns.iter().enumerate().take(ended) {
                let held = held(batch, turn);
                if held > 0 {
                    touched.insert(number);
                }
                if held > 0 && held < turn.len() {
                    split.insert(number);
                }
            }
        }
    }
    (split.len(), touched.len())
}

fn held(batch: &AddedEntry, turn: &Range<usize>) -> usize {
    let ids = turn.clone().map(|index| MsgId(index as u32));
    ids.filter(|id| batch.covers.contains(*id)).count()
}

pub fn live_goal(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    for (pairs, cells) in by_shape(lab, &PAIRS, FORGE)? {
        let runs = counts(&cells, |driven| runs_of(&driven.trace, 1).count());
        let what = format!("batches that took the live request with {pairs} pairs a turn");
        let took = each(&cells, |driven| {
            let took = runs_of(&driven.trace, 1).filter(|run| run.took_live_goal).count();
            percent(took, runs_of(&driven.trace, 1).count())
        });
        let took = mean(what, "%", &took).share_of(100.0);
        found.row(row![pairs, mean("batches", "", &runs), took]);
        let none = Part::Counted(took.value == 0.0);
        found.parts.push(if pairs >= 16 { took.above(0.0) } else { none });
        found.show_of(took, pairs, 16, &[15]);
    }
    Ok(found)
}

pub fn window_edge(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let rate = |what: &str, rates: &[f64]| {
        mean(format!("broken pairs per 100 compactions of {what}"), "", rates)
    };
    let cells = lab.cells("ord-long-p10-t28", "forge-head")?;
    let of_calls = each(&cells, |driven| per_hundred(&driven.trace, 0));
    let calls = rate("the tool-call tier, irregular turns", &of_calls);
    let halving = only("forge-head", 1)?;
    let alone = for_each(&cells, |driven| {
        let trace = trace_of(&driven.session, &halving, driven.limits, &brief(600));
        per_hundred(&trace, 0)
    });
    let alone: Vec<f64> = alone.into_iter().flatten().collect();
    let halves = rate("half-compaction alone, irregular turns", &alone);
    found.row(row![
        format!("irregular turns, {} sessions", cells.len()),
        calls,
        format!("{} (alone)", halves.shown())
    ]);
    for pairs in [1, 5, 15] {
        let cells = lab.cells(&scenario(pairs, 120), "forge-head")?;
        let of = |stage| rate("a tier", &each(&cells, |driven| per_hundred(&driven.trace, stage)));
        found.row(row![format!("{pairs} pairs a turn, {} sessions", cells.len()), of(0), of(1)]);
    }
    for (name, disturb) in DISTURBED {
        let mut made = Construction::new();
        for turn in 0..40 {
            made.user(60).pairs(3, 120);
            disturb(&mut made, turn);
            made.pairs(3, 120).closing();
        }
        let pipeline = pipeline("forge-head")?;
        let trace = trace_of(&made.session(), &pipeline, window(5_000), &brief(300));
        let [calls, halves] = [0, 1].map(|stage| {
            let (pairs, runs) = broken_pairs(&trace, stage);
            format!("{pairs} in {runs} compactions")
        });
        found.row(row![format!("constructed: {name}"), calls, halves]);
    }
    found.parts = vec![calls.above(0.0), halves.above(0.0)];
    found.measured = vec![calls, halves];
    Ok(found)
}

fn broken_pairs(trace: &Trace, stage: u32) -> (usize, usize) {
    const RULES: [Rule; 3] = [Rule::OrphanCall, Rule::OrphanResult, Rule::SplitPair];
    let pairs = runs_of(trace, stage).map(|run| broken(run, &RULES)).sum();
    (pairs, runs_of(trace, stage).count())
}

fn per_hundred(trace: &Trace, stage: u32) -> Option<f64> {
    let (pairs, runs) = broken_pairs(trace, stage);
    percent(pairs, runs)
}

/// What comes in the middle of a turn, by its number.
type Disturb = fn(&mut Construction, u32);
const DISTURBED: [(&str, Disturb); 4] = [
    ("undisturbed", |_, _| ()),
    ("a rejected call in every other turn", |made, turn| {
        if turn.is_multiple_of(2) {
            made.closing().notice("The user rejected this tool call.");
        }
    }),
    ("a stop notice in every other turn", |made, turn| {
        if turn.is_multiple_of(2) {
            made.notice("Operation stopped by user.");
        }
    }),
    ("a message with two calls in every turn", |made, _| {
        made.round(2, 120);
    }),
];

const NOTICE: &str = "Tool call was rejected by the user.";

/// What goal batches and requests made of the users of a session.
struct Seen {
    batches: usize,
    real: usize,
    notices: usize,
    real_a_batch: f64,
    goals: usize,
    notice_goals: usize,
}

pub fn displaced(_: &Laboratory) -> Result<Finding> {
    let (plain, noticed) = (seen(false)?, seen(true)?);
    let mut found = Finding::default();
    for (name, seen) in [("without notices", &plain), ("with notices", &noticed)] {
        let Seen { batches, real, notices, real_a_batch, goals, notice_goals } = seen;
        found.row(row![name, batches, real, notices, real_a_batch, goals, notice_goals]);
    }
    let turns = percent(noticed.notices, noticed.real + noticed.notices).unwrap_or(0.0);
    let goals = percent(noticed.notice_goals, noticed.goals).unwrap_or(0.0);
    let of_goals = "requests of the tool-call tier that name a notice as the user's goal";
    found.measured = vec![
        exact("turns of goal batches that are notices", "%", turns),
        exact("real requests a batch with notices", "", noticed.real_a_batch),
        exact("real requests a batch without", "", plain.real_a_batch),
        exact(of_goals, "%", goals),
    ];
    found.found([
        noticed.notices > 0,
        noticed.real_a_batch < plain.real_a_batch,
        noticed.notice_goals > 0,
    ]);
    Ok(found)
}

fn seen(notices: bool) -> Result<Seen> {
    let mut made = Construction::new();
    for turn in 0..40 {
        made.user(60).pairs(4, 60);
        if notices && turn % 2 == 0 {
            made.closing().notice(NOTICE);
        }
        made.pairs(4, 60).closing();
    }
    let (session, goals) = (made.session(), Mutex::new(Vec::new()));
    let ask = Altered(brief(300), |prompt: &Prompt, reply| {
        goals.lock().unwrap_or_else(PoisonError::into_inner).extend(goal(prompt));
        reply
    });
    let pipeline = pipeline("forge-head-no-threshold")?;
    let trace = trace_of(&session, &pipeline, windowless(), &ask);
    let by = |author| -> usize {
        added(&trace, Share::GoalBatch).map(|batch| users(&session, batch, author)).sum()
    };
    let goals = goals.lock().unwrap_or_else(PoisonError::into_inner);
    let (batches, real) = (added(&trace, Share::GoalBatch).count(), by(Author::Human));
    Ok(Seen {
        batches,
        real,
        notices: by(Author::Harness),
        real_a_batch: real as f64 / batches.max(1) as f64,
        goals: goals.len(),
        notice_goals: goals.iter().filter(|goal| goal.starts_with(NOTICE)).count(),
    })
}

/// What a request of the tool-call tier names as the goal.
fn goal(prompt: &Prompt) -> Option<String> {
    let mut texts = prompt.messages.iter().map(PromptMessage::text);
    texts.find_map(|text| Some(text.split_once("## User Goal\n")?.1.to_owned()))
}

/// Sessions with runs of tool rounds, long and short ones.
const RUNS: [&str; 3] = ["ord-long-p10-t28", "ord-short-p2-t120", "turn-shape-p12-t120"];

pub fn orphans(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let (mut shares, mut all, mut document) = (Vec::new(), Vec::new(), 0);
    for scenario in RUNS {
        let cells = lab.cells(scenario, "goat-code")?;
        let cuts: Vec<Cut> = cells.iter().flat_map(|cell| cuts(cell)).collect();
        let [inside, with, without] = counted(&cuts);
        found.row(row![format!("`{scenario}`"), cuts.len(), inside, with, without]);
        shares.push(each(&cells, orphan_share));
        let documented = lab.cells(scenario, "goat-doc")?;
        document += documented.iter().map(|cell| orphans_of(cell)).sum::<usize>();
        all.extend(cuts);
    }
    let [inside, with, without] = counted(&all);
    let what = "share of cuts that leave an orphan result";
    let share = within(what, "", &shares).share_of(1.0);
    found.parts = vec![share.above(0.0)];
    found.found([inside > 0 && with == inside, without == 0]);
    let of_document = "orphans of `goat-doc`, which does as the document says";
    found.measured = vec![
        share,
        exact("cuts inside a run of rounds", "", inside as f64),
        exact("of these with an orphan", "", with as f64),
        exact(of_document, "", document as f64),
    ];
    Ok(found)
}

struct Cut {
    inside: bool,
    orphan: bool,
}

/// Cuts inside a run, of these with an orphan, and others with an orphan.
fn counted(cuts: &[Cut]) -> [usize; 3] {
    let count = |is: fn(&&Cut) -> bool| cuts.iter().filter(is).count();
    let with = count(|cut| cut.inside && cut.orphan);
    [count(|cut| cut.inside), with, count(|cut| !cut.inside && cut.orphan)]
}

fn cuts(driven: &Driven) -> Vec<Cut> {
    let cut = |one: &Compaction| {
        let last = one.added.iter().flat_map(|entry| entry.covers.iter()).max()?;
        let inside = is_inside(&driven.session.log, last.index() + 1);
        Some(Cut { inside, orphan: has_orphan(one) })
    };
    runs_of(&driven.trace, 0).filter_map(cut).collect()
}

fn has_orphan(compaction: &Compaction) -> bool {
    broken(compaction, &[Rule::OrphanResult]) > 0
}

/// Whether the message belongs to a run of two or more tool rounds that began before it.
fn is_inside(log: &Log, first: usize) -> bool {
    let calls = |place: usize| log.messages.get(place).is_some_and(|m| !m.calls.is_empty());
    let is_round = |place: usize| {
        calls(place) || log.messages.get(place).is_some_and(|m| m.role == Role::Tool)
    };
    if first == 0 || !is_round(first) || !is_round(first - 1) {
        return false;
    }
    let begins = (0..first).rev().take_while(|place| is_round(*place)).last().unwrap_or(first);
    (begins..).take_while(|place| is_round(*place)).filter(|place| calls(*place)).count() >= 2
}

fn orphan_share(driven: &Driven) -> Option<f64> {
    let cuts = cuts(driven);
    stats::share(cuts.iter().filter(|cut| cut.orphan).count(), cuts.len())
}

fn orphans_of(driven: &Driven) -> usize {
    runs_of(&driven.trace, 0).filter(|one| has_orphan(one)).count()
}

pub fn repaired(lab: &Laboratory) -> Result<Finding> {
    let (mut per_session, mut compactions, mut kept) = (Vec::new(), 0, Vec::new());
    for scenario in RUNS {
        let fixed = lab.cells(scenario, "goat-fixed")?;
        let source = lab.cells(scenario, "goat-code")?;
        per_session.push(counts(&fixed, orphans_of));
        compactions += fixed.iter().map(|cell| runs_of(&cell.trace, 0).count()).sum::<usize>();
        kept.push(paired(&fixed, &source, |fixed, source| {
            let prompts = MetricId::TokensPromptTotal;
            Some(100.0 * (fixed.figure(prompts)? / source.figure(prompts)? - 1.0))
        }));
    }
    let none = per_session.iter().flatten().all(|count| *count == 0.0);
    let parts = vec![Part::Counted(compactions > 0 && none)];
    let measured = vec![
        within("orphan results a session", "", &per_session),
        exact("compactions", "", compactions as f64),
        within("prompt tokens against `goat-code`", "%", &kept),
    ];
    Ok(Finding { parts, measured, rows: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_inside_a_run_only_between_its_rounds() {
        let mut made = Construction::new();
        // u, A T, A T, a, u, A T, a
        made.user(9).pairs(2, 9).answer(9).user(9).pairs(1, 9).answer(9);
        let places = 0..made.0.messages.len();
        let inside: Vec<usize> = places.filter(|first| is_inside(&made.0, *first)).collect();
        assert_eq!(inside, [2, 3, 4], "a single round is no run, and its ends are outside");
    }
}
