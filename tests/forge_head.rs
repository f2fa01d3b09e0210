//! Forge's code, driven on the floor family, against a structural model of it.
//!
//! The model knows the shape of a turn (a user message, p calls with results, a call
//! without one) and the three tiers without the threshold; the counts it gives do not
//! depend on what the messages or the summaries say. The driver has to give the same.

use std::collections::BTreeSet;

use proctor::drive::{Cell, Limits, Mode, Session, drive};
use proctor::ident::Seed;
use proctor::scenario::Scenario;
use proctor::strategy::shipped;
use proctor::summarize::simple::{Lead, Null};
use proctor::summarize::{Answer, Ask, AskError, FailureClass, Prompt, Reply, Stopped};
use proctor::testkit::with_cell;
use proctor::token::Tokenizer;
use proctor::trace::{AddedEntry, Compaction, EndedBy, Share, Trace};
use proctor::truth::Truth;
use proctor::unit::Tokens;
use rayon::prelude::*;

fn floor(pairs: u32, turns: u32) -> Session {
    session(&format!("floor-p{pairs}-t{turns}"))
}

fn session(name: &str) -> Session {
    let scenario = Scenario::embedded(name).expect("it ships");
    let source = scenario.session(Seed(1)).expect("it can be made");
    Session::new(source.log, source.truth, [Tokenizer::Cl100k, Tokenizer::Chars4])
}

fn driven(session: &Session, pipeline: &str, window: Tokens, ask: &dyn Ask) -> Trace {
    probed(session, pipeline, window, ask, false)
}

fn probed(session: &Session, pipeline: &str, window: Tokens, ask: &dyn Ask, probes: bool) -> Trace {
    let pipeline = proctor::strategy::pipeline(pipeline).expect("it ships");
    with_cell(session, &pipeline, Limits::new(window, Tokens(8_192)), ask, |cell| {
        drive(Cell { probes, ..cell })
    })
}

/// The columns of the model, in its order.
#[derive(Debug, PartialEq)]
struct Counts {
    tool_call_runs: usize,
    spanning_turns: usize,
    goal_batch_runs: usize,
    users: u32,
    ownerless: u32,
    goal_batches: u32,
    took_live_goal: usize,
    /// Under the model's sizes, in hundreds of tokens.
    tokens: u32,
}

/// User messages, `[SUMMARIZED]` and `[GOAL BATCH]` blocks in the last view.
fn left(trace: &Trace) -> [u32; 3] {
    [Share::User, Share::Summarized, Share::GoalBatch].map(|share| {
        let place = Share::ALL.iter().position(|known| *known == share);
        trace.last.entries[place.expect("all shares are listed")]
    })
}

fn counts(session: &Session, trace: &Trace) -> Counts {
    let turns = session.log.turns();
    let runs = |stage: u32| trace.compactions.iter().filter(move |c| c.stage == stage);
    let spans_turns = |compaction: &&Compaction| {
        let messages = compaction.added.iter().flat_map(|added| added.covers.iter());
        let turn = |index: usize| turns.iter().position(|turn| turn.contains(&index));
        messages.map(|message| turn(message.index())).collect::<BTreeSet<_>>().len() > 1
    };
    let [users, summarized, batches] = left(trace);
    Counts {
        tool_call_runs: runs(0).count(),
        spanning_turns: runs(0).filter(spans_turns).count(),
        goal_batch_runs: runs(1).count(),
        users,
        ownerless: trace.last.ownerless,
        goal_batches: batches,
        took_live_goal: runs(1).filter(|compaction| compaction.took_live_goal).count(),
        tokens: (150 * users + 600 * summarized + 500 * batches + 50) / 100,
    }
}

/// A row of the model: p, then the columns.
type Row = (u32, [u32; 8]);

/// After 200 turns.
const MODEL: [Row; 7] = [
    (0, [18, 18, 6, 182, 0, 6, 0, 303]),
    (1, [55, 55, 18, 146, 0, 18, 0, 315]),
    (3, [131, 131, 43, 71, 0, 43, 0, 334]),
    (5, [198, 197, 65, 5, 0, 65, 0, 345]),
    (8, [318, 198, 66, 2, 39, 66, 0, 573]),
    (12, [478, 199, 66, 2, 93, 66, 0, 903]),
    (20, [798, 199, 66, 2, 198, 66, 66, 1551]),
];

#[test]
fn without_its_threshold_the_floor_is_the_one_that_the_model_predicts() {
    MODEL.par_iter().for_each(|(pairs, row)| {
        let session = floor(*pairs, 200);
        let trace =
            driven(&session, "forge-head-no-threshold", Tokens::UNBOUNDED, &Null::default());
        assert_eq!(trace.ended_by, EndedBy::Completed);
        let expected = Counts {
            tool_call_runs: row[0] as usize,
            spanning_turns: row[1] as usize,
            goal_batch_runs: row[2] as usize,
            users: row[3],
            ownerless: row[4],
            goal_batches: row[5],
            took_live_goal: row[6] as usize,
            tokens: row[7],
        };
        assert_eq!(counts(&session, &trace), expected, "p = {pairs}");
    });
}

/// The model says how many of 66 batches take the live request as turns grow long; the
/// shipped family has no such turns between 12 and 20 pairs, so one is cut from 20.
#[test]
fn a_live_request_is_taken_once_its_turn_is_long_enough() {
    let long = floor(20, 200);
    let expected = [(15, 0), (16, 13), (19, 53)];
    expected.par_iter().for_each(|(pairs, taken)| {
        let session = shortened(&long, *pairs);
        let trace =
            driven(&session, "forge-head-no-threshold", Tokens::UNBOUNDED, &Null::default());
        let counts = counts(&session, &trace);
        assert_eq!((counts.goal_batch_runs, counts.took_live_goal), (66, *taken), "p = {pairs}");
    });
}

/// The session with so many calls a turn: the rest of each turn's calls left out.
fn shortened(session: &Session, pairs: usize) -> Session {
    let mut log = session.log.clone();
    let turns = session.log.turns();
    log.messages = turns
        .iter()
        .flat_map(|turn| {
            let messages = &session.log.messages[turn.clone()];
            messages[..1 + 2 * pairs].iter().chain(messages.last()).cloned()
        })
        .collect();
    for (index, message) in log.messages.iter_mut().enumerate() {
        message.id = proctor::ident::MsgId(index as u32);
    }
    Session::new(log, Truth::default(), [Tokenizer::Cl100k])
}

/// Answers with a few words until it has been asked so many times.
struct FailsAt(std::sync::atomic::AtomicUsize, usize);

impl Ask for FailsAt {
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        let reply = |_| match self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            asked if asked == self.1 => {
                Err(AskError { class: FailureClass::Error, message: "no luck".into() })
            }
            _ => Ok(Answer::complete("I did things.")),
        };
        Ok(batch.iter().map(reply).collect())
    }
    fn memoizes(&self) -> bool {
        false
    }
}

/// Where a later tier fails after an earlier one acted, the memory is rewritten and the
/// old prompt is sent all the same.
#[test]
fn a_failed_tier_sends_the_prompt_from_before_the_pass() {
    let session = floor(5, 200);
    // The first goal batch comes after some tool-call runs: find out after how many.
    let whole = driven(&session, "forge-head-no-threshold", Tokens::UNBOUNDED, &fails_at(9_999));
    let first_batch = whole.compactions.iter().position(|c| c.stage == 1).expect("one is made");
    let ask = fails_at(first_batch);
    let trace = driven(&session, "forge-head-no-threshold", Tokens::UNBOUNDED, &ask);
    let failed = &trace.compactions[first_batch];
    assert_eq!((failed.stage, failed.outcome.name()), (1, "failed"));
    let acted = &trace.compactions[first_batch - 1];
    assert_eq!((acted.stage, acted.step), (0, failed.step), "both in one pass");
    let step = &trace.steps[failed.step as usize - 1];
    assert_eq!(step.sent, acted.before, "the prompt is stale");
    assert_eq!(step.kept, acted.after, "the memory is not");
    assert_eq!(trace.ended_by, EndedBy::Completed, "the error is swallowed");
    // The next pass makes the batch that failed.
    let next = &trace.compactions[first_batch + 1];
    assert_eq!((next.stage, next.outcome.name(), next.step), (1, "accepted", failed.step + 1));
    let step = &trace.steps[next.step as usize - 1];
    assert_eq!(step.sent, step.kept);
}

fn fails_at(number: usize) -> FailsAt {
    FailsAt(0.into(), number)
}

/// What the first tier of a pass reports as saved holds the system prompt; what a later
/// tier reports does not.
#[test]
fn reported_savings_are_overstated_once_a_pass() {
    let session = floor(5, 200);
    let trace = driven(&session, "forge-head-no-threshold", Tokens::UNBOUNDED, &fails_at(9_999));
    let fixed = session.tables[0].system + session.tables[0].tools + session.log.overhead;
    assert!(fixed > Tokens::ZERO);
    let mut passes = BTreeSet::new();
    for compaction in &trace.compactions {
        let first = passes.insert(compaction.step);
        let expected = if first { fixed.0 } else { 0 };
        let [AddedEntry { note: Some(note), .. }] = compaction.added.as_slice() else {
            panic!("one block with a note")
        };
        assert!(note.ends_with(&format!(" overstated_by={expected}")), "{note}");
    }
    assert!(trace.compactions.iter().any(|compaction| compaction.stage == 1));
}

/// With the threshold on, half-compaction bounds the context, and only it ever takes a
/// goal batch away.
#[test]
fn the_threshold_bounds_what_the_other_tiers_leave() {
    let session = floor(5, 200);
    let window = Tokens(20_000);
    let trace = driven(&session, "forge-head", window, &Lead::default());
    assert_eq!(trace.ended_by, EndedBy::Completed);
    let of = |stage: u32| trace.compactions.iter().filter(move |c| c.stage == stage).count();
    let batches = left(&trace)[2] as usize;
    assert!(of(1) >= 2 && of(2) > batches, "{} halvings, {batches} of {} left", of(1), of(2));
    let alone = driven(&session, "forge-head-no-threshold", Tokens::UNBOUNDED, &Lead::default());
    assert_eq!(left(&alone)[2], 65);
    let prompts = |trace: &Trace| trace.steps.iter().map(|step| step.prompt).max();
    assert!(prompts(&trace) < Some(Tokens(18_000)) && prompts(&alone) > Some(window));
}

/// The generation before keeps a single block of tool calls, whatever came earlier.
#[test]
fn the_older_code_keeps_one_block_and_every_user_message() {
    for pairs in [3, 12] {
        let session = floor(pairs, 200);
        let trace = driven(&session, "forge-g2", Tokens::UNBOUNDED, &Null::default());
        assert_eq!(left(&trace), [200, 1, 0], "p = {pairs}");
    }
}

/// Turn-atomic blocks and batches of batches: what is left does not grow with the session.
#[test]
fn the_improved_tiers_have_a_floor_that_does_not_grow() {
    for pairs in [0, 1, 5, 12] {
        let entries: Vec<_> = [200, 400]
            .into_par_iter()
            .map(|turns| {
                let session = floor(pairs, turns);
                let trace = driven(&session, "forge-rebatch", Tokens::UNBOUNDED, &Null::default());
                let goals = trace.compactions.iter().filter(|c| c.took_live_goal).count();
                assert_eq!((trace.last.ownerless, goals), (0, 0), "p = {pairs}");
                trace.last.entries.iter().sum::<u32>()
            })
            .collect();
        assert!(entries.iter().all(|entries| *entries <= 60), "p = {pairs}: {entries:?}");
    }
}

/// At a tenth of the window nothing presses; the probe takes pressure as met, and what
/// is left then is what each strategy's keep-rules keep.
#[test]
fn the_floor_probe_finds_what_pressure_would_do() {
    let session = floor(3, 200);
    let window = Tokens(10 * session.reference.total().0);
    let share = |share: Share| Share::ALL.iter().position(|known| *known == share).expect("listed");
    let [user, assistant, tool, summary] =
        [Share::User, Share::Assistant, Share::Tool, Share::Summary].map(share);
    let left = |pipeline: &str| {
        let trace = probed(&session, pipeline, window, &Null::default(), true);
        assert_eq!(trace.ended_by, EndedBy::Completed, "{pipeline}");
        let pressed = trace.compactions.iter().any(|compaction| compaction.reading.is_some());
        assert!(!pressed, "{pipeline} acted under pressure");
        let last = trace.checkpoints.last().expect("twelve of them");
        (last.before.entries, last.one_pass.entries)
    };
    let (before, after) = left("prune-oldest");
    assert_eq!((before.iter().sum::<u32>() > 1_000, after.iter().sum::<u32>()), (true, 1));
    assert_eq!(left("adr-0014-disabled").1.iter().sum::<u32>(), 1);
    let (before, after) = left("forge-head");
    assert_eq!(after.iter().sum::<u32>(), 1 + before.iter().sum::<u32>().div_ceil(2));
    let (before, after) = left("forge-g2");
    assert_eq!((after[assistant], after[tool]), (0, before[tool]), "all calls, no result");
    let (before, after) = left("forge-meta-summary");
    assert_eq!((after[user], after[summary] + 1), (1, before[user]), "only the live request");
    let (_, after) = left("forge-priority");
    assert_eq!(after[user], 1, "only the live request");
    let (before, after) = left("forge-prune-users");
    assert_eq!(after[user], before[user], "no request here is short");
    assert_eq!(after[tool], 3, "the live turn's");
}

/// Whatever the occasion and however short the window, no plan is malformed.
#[test]
fn no_shipped_pipeline_proposes_nonsense() {
    let session = session("smoke");
    let names: Vec<&str> = shipped().pipeline_names().collect();
    names.par_iter().for_each(|name| {
        let pipeline = proctor::strategy::pipeline(name).expect("it ships");
        for (mode, window) in Mode::ALL.into_iter().zip([20_000, 20_000, 8_000, 12_000, 60_000]) {
            let limits = Limits::new(Tokens(window), Tokens(2_048));
            let probes = mode == Mode::Deployed;
            let trace = with_cell(&session, &pipeline, limits, &Lead::default(), |cell| {
                drive(Cell { mode, probes, ..cell })
            });
            let ended = &trace.ended_by;
            assert!(
                matches!(ended, EndedBy::Completed | EndedBy::Overflow | EndedBy::MaxTokens),
                "{name} {mode:?}: {ended:?}"
            );
        }
    });
}
