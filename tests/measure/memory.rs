//! What is known, on a session written by hand: every expected figure is counted in
//! the test. The answer key is put to the test too: a changed fact must not pass.

use proctor::drive::{Limits, Session, drive};
use proctor::ident::{FactId, GoalId, MsgId};
use proctor::log::{Log, Text};
use proctor::measure::{Measurement, MetricId};
use proctor::row::{Kinds, SurvivalAxis};
use proctor::testkit::{self, Line, Script, message, with_cell};
use proctor::token::Tokenizer;
use proctor::trace::{Found, LossClass, Share};
use proctor::truth::{Demand, Fact, FactKind, Goal, Needle, Origin, Truth};
use proctor::unit::Tokens;

use super::{Driven, read};

/// Turns of a user's message, a call, its result and an answer: two steps each.
const TURNS: u32 = 14;
const RULE: &str = "You must not edit vendor/alpha before Friday.";
/// The base window: the need at the end lies several of it behind.
const WINDOW: Tokens = Tokens(400);

fn log() -> Log {
    let messages = (0..TURNS as usize * 4).map(|number| {
        let told = match number {
            2 => RULE,
            6 => "The port is 4811 now.",
            10 => "The port is 4933 from here on.",
            _ => "",
        };
        let text = format!("{told} Message {number}. {}", "More of the same here. ".repeat(6));
        let call = |number| format!("call-{number}");
        match number % 4 {
            0 => message(number, Line::User(&text)),
            1 => {
                let calls = [(&*call(number), "read_file", "{\"path\": \"notes.md\"}")];
                message(number, Line::Calls(&text, &calls))
            }
            2 => message(number, Line::Output(&call(number - 1), &text)),
            _ => message(number, Line::Says(&text)),
        }
    });
    let (system, tools) = (Text::from("You help."), Text::from(""));
    Log { system, tools, ..testkit::log(messages.collect()) }
}

fn fact(id: u32, kind: FactKind, needles: &[&str], polarity: &[&str], born: u32) -> Fact {
    let code = |text: &&str| Needle::Code((*text).to_owned());
    Fact {
        statement: needles.join(" "),
        needles: needles.iter().map(code).collect(),
        polarity: polarity.iter().map(|text| Needle::Prose((*text).to_owned())).collect(),
        ..testkit::fact(id, kind, "", born)
    }
}

/// A rule, and a port that is replaced; the rule and the new port are needed at the end.
fn session() -> Session {
    let log = log();
    let rule = fact(0, FactKind::Constraint, &["vendor/alpha", "Friday"], &["must not"], 2);
    let old =
        Fact { superseded_by: Some(FactId(2)), ..fact(1, FactKind::Value, &["4811"], &[], 6) };
    let new = fact(2, FactKind::Value, &["4933"], &[], 10);
    let last = MsgId(TURNS * 4 - 1);
    let need = |fact| Demand { fact: FactId(fact), at: last, origin: Origin::Planned };
    let goal = |id, arc: &[u32]| Goal {
        id: GoalId(id),
        title: String::new(),
        arc: arc.iter().map(|turn| MsgId(turn * 4)).collect(),
    };
    let truth = Truth {
        facts: vec![rule, old, new],
        demands: vec![need(0), need(2)],
        goals: vec![goal(0, &[0, 1]), goal(1, &[2, 3, 4]), goal(2, &[13])],
        ..Truth::default()
    };
    Session::new(log, truth, [Tokenizer::Cl100k])
}

const LIMITS: Limits = Limits::new(Tokens::UNBOUNDED, Tokens(1_000));

/// The session under a pipeline whose summarizer says this and nothing else.
fn driven(pipeline: &str, says: &str) -> Driven {
    let session = session();
    let pipeline = proctor::strategy::pipeline(pipeline).expect("a shipped pipeline");
    let mut ask = Script::new([testkit::says(says)]);
    ask.window = Tokens::UNBOUNDED;
    let trace = with_cell(&session, &pipeline, LIMITS, &ask, drive);
    read(&session, &pipeline, LIMITS, trace, WINDOW)
}

fn assert_figures(found: &Measurement, expected: &[(MetricId, Option<f64>)]) {
    for (id, expected) in expected {
        let value = found.number(*id);
        let equal = match (value, expected) {
            (Some(value), Some(expected)) => (value - expected).abs() < 1e-9,
            (value, expected) => value == *expected,
        };
        assert!(equal, "{id}: {value:?} is not {expected:?}");
    }
}

#[test]
fn a_fact_must_stand_with_its_sense_and_in_its_words() {
    let apart = format!("vendor/alpha, Friday. {} We must not.", "And so on it goes. ".repeat(30));
    for (says, expected, needles, class) in [
        (RULE, Found::Present(1), 2, None),
        ("On FRIDAY I must not, in vendor/alpha", Found::Absent, 1, Some(LossClass::Omitted)),
        ("I edit vendor/alpha before Friday.", Found::Inverted, 2, Some(LossClass::Inverted)),
        (apart.as_str(), Found::Inverted, 2, Some(LossClass::Inverted)),
        ("The third-party folder is off limits.", Found::Absent, 0, Some(LossClass::Omitted)),
        ("I must not.", Found::Absent, 0, Some(LossClass::Omitted)),
        ("", Found::Absent, 0, Some(LossClass::Omitted)),
    ] {
        let driven = driven("forge-tool-call", says);
        let demand = &driven.trace.demands[0];
        assert_eq!(
            (demand.found, demand.needles, demand.of_needles),
            (expected, Some(needles), 2),
            "{says}"
        );
        assert_eq!(demand.loss, class, "{says}");
        let inverted = f64::from(u8::from(expected == Found::Inverted));
        assert_figures(&driven.found, &[(MetricId::DemandsInverted, Some(inverted))]);
    }
}

#[test]
fn nothing_removed_is_reported_present_and_nothing_kept_absent() {
    let kept = driven("none", "");
    assert!(kept.trace.demands.iter().all(|demand| demand.found == Found::Present(0)));
    assert_figures(
        &kept.found,
        &[
            (MetricId::RecallAtNeed, Some(1.0)),
            (MetricId::RecallAtNeedVerbatim, Some(1.0)),
            (MetricId::RecallAtNeedSummarized, Some(0.0)),
            (MetricId::Partial, None),
            (MetricId::Oracle, Some(1.0)),
            (MetricId::OracleAtLeast, Some(1.0)),
            (MetricId::RandomDrop, Some(1.0)),
            (MetricId::Regret, Some(0.0)),
            // The old port stands beside the new one.
            (MetricId::StaleNeeds, Some(1.0)),
            (MetricId::StaleBeside, Some(1.0)),
            (MetricId::StaleCarried, Some(1.0)),
            (MetricId::StaleEndBesideShare, Some(1.0)),
            (MetricId::UpdateResolved, Some(0.0)),
            (MetricId::ArcGoals, Some(0.0)),
            (MetricId::ArcIntegrity, None),
            (MetricId::SummaryCopyShare, None),
            (MetricId::FabricatedShare, None),
            (MetricId::Misclassified, None),
            (MetricId::ViolationsTurnSplit, None),
        ],
    );
    let gone = driven("forge-tool-call", "");
    assert_figures(
        &gone.found,
        &[
            (MetricId::RecallAtNeed, Some(0.0)),
            (MetricId::RecallAtNeedVerbatim, None),
            // No entry has any needle left.
            (MetricId::Partial, Some(0.0)),
            // Three messages of some thirty tokens have room beside all the others.
            (MetricId::Oracle, Some(1.0)),
            (MetricId::Regret, Some(1.0)),
            (MetricId::StaleCarried, Some(0.0)),
            (MetricId::UpdateResolved, Some(0.0)),
        ],
    );
}

#[test]
fn old_values_are_told_apart_by_what_stands_beside_them() {
    for (says, alone, beside, resolved) in [
        ("Port 4811.", 1.0, 0.0, 0.0),
        ("Port 4811, then 4933.", 0.0, 1.0, 0.0),
        ("Port 4933.", 0.0, 0.0, 1.0),
        ("A port.", 0.0, 0.0, 0.0),
    ] {
        let found = driven("forge-tool-call", says).found;
        assert_figures(
            &found,
            &[
                (MetricId::StaleNeeds, Some(1.0)),
                (MetricId::StaleAlone, Some(alone)),
                (MetricId::StaleAloneShare, Some(alone)),
                (MetricId::StaleBeside, Some(beside)),
                (MetricId::StaleBesideShare, Some(beside)),
                (MetricId::StaleCarried, Some(alone + beside)),
                (MetricId::StalePairs, Some(1.0)),
                (MetricId::StaleEndAlone, Some(alone)),
                (MetricId::StaleEndBeside, Some(beside)),
                (MetricId::UpdateResolved, Some(resolved)),
            ],
        );
    }
}

#[test]
fn a_summary_is_read_beside_its_prompt() {
    // Of 14 calls, those of the first 4 turns are ten turns old in the end.
    let says = "## Strategy\nI must not edit vendor/alpha before Friday. Maybe src/made_up.rs \
                helps, says read_file.";
    let found = driven("forge-tool-call", says).found;
    assert_figures(
        &found,
        &[
            // vendor/alpha is no path of these patterns: two names, no suffix.
            (MetricId::SummaryArtifacts, Some(8.0)),
            (MetricId::Fabricated, Some(4.0)),
            (MetricId::FabricatedShare, Some(0.5)),
            // Words: strategy, 8 of the rule, 5 more. The first summary's request alone
            // holds "must not edit vendor/alpha before Friday", seven words in a row.
            (MetricId::SummaryCopyShare, Some(0.0)),
            // One of seven headings, two sentences each, "I" in one, "maybe" in the other.
            (MetricId::SummarySections, Some(1.0 / 7.0)),
            (MetricId::SummaryFirstPerson, Some(0.5)),
            (MetricId::SummaryHedges, Some(0.5)),
        ],
    );
}

#[test]
fn facts_are_counted_by_age_by_summarizers_and_over_the_session() {
    let driven = driven("forge-tool-call", "Port 4811 is all I know.");
    let of = |axis: &str, bucket: &str, kind: &str| {
        let mut rows = driven.survival.iter();
        let row = rows
            .find(|row| (row.axis.name(), &*row.bucket, row.kind.name()) == (axis, bucket, kind));
        row.map(|row| (row.present, row.all))
    };
    // The rule and the new port are shown to one summarizer and lost; the old port was
    // replaced by then and does not count.
    assert_eq!(of("generation", "1", "constraint"), Some((0, 1)));
    assert_eq!(of("generation", "1", "value"), Some((0, 1)));
    assert_eq!(of("generation", "1", "all"), Some((0, 2)));
    assert_eq!(of("generation", "2", "all"), None);
    // Two facts are too few for a cliff.
    assert_figures(&driven.found, &[(MetricId::CliffAll, None)]);
    // Checkpoints are at the last step of turns 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13: at
    // the first the rule and the old port are told, from the second on the new one.
    assert_eq!(of("step-share", "1/13", "all"), Some((2, 2)));
    assert_eq!(of("step-share", "2/13", "all"), Some((2, 2)));
    // A call is folded ten turns later: the rule's (turn 1) in turn 11.
    assert_eq!(of("step-share", "9/13", "constraint"), Some((1, 1)));
    assert_eq!(of("step-share", "10/13", "constraint"), Some((0, 1)));
    assert_eq!(of("step-share", "11/13", "value"), Some((1, 1)));
    assert_eq!(of("step-share", "12/13", "value"), Some((0, 1)));
    assert_eq!(of("step-share", "end", "all"), Some((0, 2)));
    // The old port is needed nowhere; the rule is live at 12 checkpoints, the new port
    // at 11.
    let ages = driven
        .survival
        .iter()
        .filter(|row| row.axis == SurvivalAxis::Age && row.kind == Kinds::All);
    let (present, all) = ages.fold((0, 0), |sum, row| (sum.0 + row.present, sum.1 + row.all));
    assert_eq!((present, all), (9 + 10, 12 + 11));
}

#[test]
fn arcs_lie_together_or_apart() {
    let driven = driven("forge-tool-call-goal-batch", "Done.");
    let folds: Vec<Vec<u32>> = driven
        .trace
        .compactions
        .iter()
        .flat_map(|compaction| &compaction.added)
        .map(|entry| entry.covers.iter().map(|id| id.0).filter(|id| id % 4 == 0).collect())
        .filter(|users: &Vec<u32>| !users.is_empty())
        .collect();
    // The first batch takes the turns of messages 0, 4 and 8: the first goal whole and a
    // part of the second, whose other turns are not folded in several.
    assert_eq!(folds, [vec![0, 4, 8]]);
    assert_figures(
        &driven.found,
        &[
            (MetricId::ArcGoals, Some(1.0)),
            (MetricId::ArcIntegrity, Some(1.0)),
            (MetricId::ArcSplits, Some(0.0)),
        ],
    );
    // Had a later batch taken the other turns of the second goal, it would be split.
    let mut trace = driven.trace;
    let batch = trace.compactions.iter().find(|one| !one.added.is_empty()).expect("a batch");
    let mut later = batch.clone();
    later.added.truncate(1);
    later.added[0].share = Share::GoalBatch;
    later.added[0].covers = [12, 16].map(MsgId).into_iter().collect();
    trace.compactions.push(later);
    let pipeline =
        proctor::strategy::pipeline("forge-tool-call-goal-batch").expect("a shipped pipeline");
    assert_figures(
        &read(&session(), &pipeline, LIMITS, trace, WINDOW).found,
        &[
            (MetricId::ArcGoals, Some(2.0)),
            (MetricId::ArcIntegrity, Some(0.5)),
            (MetricId::ArcSplits, Some(1.0)),
        ],
    );
}
