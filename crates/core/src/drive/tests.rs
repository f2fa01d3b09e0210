mod closed;
mod faults;

use super::send::SENDS;
use super::*;
use crate::log::{Boundary, BoundaryAction, Trigger};
use crate::pipeline::{Fidelity, OnError, Repeat, Resend, Stage};
use crate::plan::{
    Accept, Base, Covers, Decision, Edit, Layout, Piece, Plan, Slot, SummaryRequest, Then,
};
use crate::pressure::{Limit, Pressure, Used, When};
use crate::strategy::{PlanContext, Scope, Strategy, StrategySpec};
use crate::summarize::FailureClass;
use crate::testkit::{Script, fails, says, scene, summary, with_cell};
use crate::token::Counter;
use crate::truth::Truth;

mod several_overlays;

type Propose = fn(&View, &PlanContext) -> Decision;

/// Proposes what the function says.
#[derive(Clone, Debug, Serialize)]
struct Scripted {
    #[serde(skip)]
    scope: Scope,
    #[serde(skip)]
    plan: Propose,
}

impl Strategy for Scripted {
    fn scope(&self) -> Scope {
        self.scope
    }

    /// Goes by a prefix of its own, which no fixture uses but those that test this.
    fn takes_for(&self, role: Role, content: &str, _: bool) -> Option<Taken> {
        match (content.starts_with("BY-TEXT"), role) {
            (true, _) => Some(Taken::Summary),
            (false, Role::User) => Some(Taken::Human),
            (false, _) => Some(Taken::Other),
        }
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        (self.plan)(view, context)
    }
}

fn session(shape: &str) -> Session {
    Session::new(scene(shape).log, Truth::default(), [])
}

fn stage(plan: Propose, on: &[(Occasion, When)]) -> Stage {
    Stage {
        strategy: StrategySpec::new("scripted", Scripted { scope: Scope::History, plan }),
        on: on.iter().copied().collect(),
        pressure: Vec::new(),
        repeat: Repeat::Once,
        model: None,
        prompt: None,
    }
}

const BEFORE_CALL: &[(Occasion, When)] = &[(Occasion::BeforeCall, When::Always)];
const ON_OVERFLOW: &[(Occasion, When)] = &[(Occasion::Overflow, When::Always)];

fn pipeline(stages: Vec<Stage>) -> Pipeline {
    Pipeline {
        name: "test".to_owned(),
        about: String::new(),
        source: String::new(),
        fidelity: Fidelity::Baseline,
        reference: None,
        counter: Counter::REFERENCE,
        on_error: OnError::AbortPass,
        resend: Resend::IfActed,
        stages,
        gate: serde::de::IgnoredAny,
    }
}

const WIDE: Limits = Limits::new(Tokens::UNBOUNDED, Tokens(1_000));

/// A window with room for so many message tokens.
fn room(session: &Session, tokens: u64) -> Limits {
    Limits { window: session.fixed() + Tokens(tokens), ..WIDE }
}

fn run(session: &Session, pipeline: &Pipeline, ask: &Script, limits: Limits, mode: Mode) -> Trace {
    with_cell(session, pipeline, limits, ask, |cell| drive(Cell { mode, ..cell }))
}

fn deployed(session: &Session, pipeline: &Pipeline, ask: &Script) -> Trace {
    run(session, pipeline, ask, WIDE, Mode::Deployed)
}

/// (step, stage, outcome) of every plan.
fn outcomes(trace: &Trace) -> Vec<(u32, u32, &'static str)> {
    trace.compactions.iter().map(|c| (c.step, c.stage, c.outcome.name())).collect()
}

fn when(asked: bool, plan: impl FnOnce() -> Plan) -> Decision {
    if asked { Decision::Plan(plan()) } else { Decision::decline("not now") }
}

fn only<'a>(entries: impl IntoIterator<Item = &'a Arc<Entry>>) -> Plan {
    let slots = entries.into_iter().map(|entry| Slot::Keep(entry.id)).collect();
    Plan::mechanical(Layout::Whole(slots))
}

fn drop_oldest(view: &View, _: &PlanContext) -> Decision {
    when(view.len() > 2, || only(&view.entries()[1..]))
}

fn keep_last(view: &View, _: &PlanContext) -> Decision {
    when(view.len() > 2, || only(view.entries().last()))
}

fn requests() -> Vec<SummaryRequest> {
    vec![SummaryRequest::new(RequestId(0), "".into(), vec![Piece::literal("Go.")], Tokens(50))]
}

fn folding() -> Plan {
    Plan::summarizing(Layout::Whole(vec![summary(Role::User, Covers::Rest)]), requests())
}

fn fold(view: &View, _: &PlanContext) -> Decision {
    when(view.len() > 2, folding)
}

/// The same, and drops the oldest where that fails.
fn with_fallback(view: &View, then: Then) -> Decision {
    let otherwise = || Some(Box::new(only(&view.entries()[1..])));
    when(view.len() > 2, || Plan { otherwise: otherwise(), then, ..folding() })
}

fn no_luck() -> Script {
    Script::new([fails(FailureClass::Error)])
}

#[test]
fn a_failed_plan_does_to_the_pass_what_the_pipeline_says() {
    let session = session("uauaua");
    let (acted, failed) = ((2, 0, "accepted"), (2, 1, "failed"));
    for (on_error, expected, raised) in [
        (OnError::AbortPass, vec![acted, failed], false),
        (OnError::AbortPassSendStale, vec![acted, failed], false),
        (OnError::Continue, vec![acted, failed, (2, 2, "accepted")], false),
        (OnError::Raise, vec![acted, failed], true),
    ] {
        let fails_at_two: Propose = |view, _| when(view.len() == 2, folding);
        let drops_again: Propose = |view, _| when(view.len() > 1, || only(&view.entries()[1..]));
        let stages = [drop_oldest, fails_at_two, drops_again];
        let stages = stages.map(|plan| stage(plan, BEFORE_CALL)).to_vec();
        let pipeline = Pipeline { on_error, ..pipeline(stages) };
        let trace = deployed(&session, &pipeline, &no_luck());
        let at_two: Vec<_> = outcomes(&trace).into_iter().filter(|o| o.0 == 2).collect();
        assert_eq!(at_two, expected, "{on_error:?}");
        assert_eq!(matches!(trace.ended_by, EndedBy::Raised(_)), raised, "{on_error:?}");
        if raised {
            continue;
        }
        let step = &trace.steps[1];
        let stale = on_error == OnError::AbortPassSendStale;
        assert_eq!(step.sent > step.kept, stale, "{on_error:?} sends the old view");
        assert_eq!(trace.stale_sends > 0, stale, "{on_error:?}");
        if stale {
            assert_eq!(step.sent, trace.compactions[0].before);
        }
    }
}

#[test]
fn what_follows_a_failure_or_a_rejection_is_what_the_plan_says() {
    let session = session("uaua");
    let plans: [(Propose, &str, u32, bool); 5] = [
        (|view, _| with_fallback(view, Then::AsPipeline), "fallback", 2, false),
        (|view, _| with_fallback(view, Then::Continue), "fallback", 2, false),
        (|view, _| with_fallback(view, Then::Raise), "fallback", 2, true),
        // Without a fallback it overrules the pipeline.
        (
            |view, _| when(view.len() > 2, || Plan { then: Then::Continue, ..folding() }),
            "failed",
            3,
            false,
        ),
        (fold, "failed", 3, true),
    ];
    for (plan, outcome, entries, raised) in plans {
        let pipeline =
            Pipeline { on_error: OnError::Raise, ..pipeline(vec![stage(plan, BEFORE_CALL)]) };
        let trace = deployed(&session, &pipeline, &no_luck());
        assert_eq!(outcomes(&trace), [(2, 0, outcome)]);
        let compaction = &trace.compactions[0];
        assert_eq!(compaction.outcome.failure(), Some(FailureClass::Error));
        assert_eq!((compaction.entries_before, compaction.entries_after), (3, entries));
        assert_eq!(matches!(trace.ended_by, EndedBy::Raised(_)), raised);
    }
    let picky: Propose =
        |view, _| when(view.len() > 2, || Plan { accept: vec![Accept::NotLarger], ..folding() });
    let long = Script::new([says("so many more words than the three short messages had")]);
    let trace = deployed(&session, &pipeline(vec![stage(picky, BEFORE_CALL)]), &long);
    assert_eq!((outcomes(&trace), trace.steps[1].entries), (vec![(2, 0, "rejected")], 3));
    assert!(trace.compactions[0].attempts[0].billed, "asked is asked");
}

#[test]
fn the_requests_of_a_fallback_go_out_after_those_that_failed() {
    let session = session("uaua");
    let twice: Propose = |view, _| {
        when(view.len() > 2, || Plan { otherwise: Some(Box::new(folding())), ..folding() })
    };
    let pipeline = pipeline(vec![stage(twice, BEFORE_CALL)]);
    let trace =
        deployed(&session, &pipeline, &Script::new([fails(FailureClass::Error), says("s")]));
    let batches: Vec<_> = trace.compactions[0].attempts.iter().map(|a| a.batch).collect();
    assert_eq!(batches, [0, 1]);
}

#[test]
fn a_fallback_that_fails_gives_way_to_its_own() {
    let session = session("uaua");
    let thrice: Propose = |view, _| {
        let last = Plan { otherwise: Some(Box::new(only(&view.entries()[1..]))), ..folding() };
        when(view.len() > 2, || Plan { otherwise: Some(Box::new(last)), ..folding() })
    };
    for (failures, outcome, entries, asked) in [(1, "fallback", 1, 2), (2, "fallback", 2, 2)] {
        let replies = (0..failures).map(|_| fails(FailureClass::Error)).chain([says("s")]);
        let pipeline = pipeline(vec![stage(thrice, BEFORE_CALL)]);
        let trace = deployed(&session, &pipeline, &Script::new(replies));
        assert_eq!(outcomes(&trace)[0].2, outcome);
        let compaction = &trace.compactions[0];
        assert_eq!((compaction.entries_after, compaction.attempts.len()), (entries, asked));
    }
}

fn acted(
    session: &Session,
    mode: Mode,
    on: &[(Occasion, When)],
    limits: Limits,
) -> (Vec<Occasion>, EndedBy) {
    let trace = run(session, &pipeline(vec![stage(keep_last, on)]), &no_luck(), limits, mode);
    let mut occasions: Vec<Occasion> = trace.compactions.iter().map(|c| c.occasion).collect();
    occasions.dedup();
    (occasions, trace.ended_by)
}

#[test]
fn modes_say_which_occasions_count() {
    let mut session = session("uauaua");
    session.log.boundaries.push(Boundary {
        before: MsgId(4),
        trigger: Trigger::Manual,
        action: BoundaryAction::Summary("".into()),
        kept: Vec::new(),
        pre_tokens: None,
        post_tokens: None,
    });
    let four = session.reference.messages[..4].iter().map(|m| m.total().0).sum();
    let tight = room(&session, four);
    type Case = (Mode, Occasion, bool, Vec<Occasion>, bool);
    for (mode, on, is_tight, expected, completes) in crate::cases::<Case>("modes") {
        let limits = if is_tight { tight } else { WIDE };
        let (occasions, ended) = acted(&session, mode, &[(on, When::Always)], limits);
        assert_eq!(occasions, expected, "{mode:?} {on:?}");
        assert_eq!(ended == EndedBy::Completed, completes, "{mode:?} {on:?} {ended:?}");
    }
}

fn limit(tokens: u64) -> Limit {
    Limit { tokens: Some(Tokens(tokens)), ..Limit::default() }
}

#[test]
fn a_stage_repeats_as_it_says() {
    let session = session("uauauaua");
    let entry = session.reference.messages[0].total().0;
    let pressure = Pressure {
        used: vec![Used::Messages],
        limit: limit(7 * entry),
        compare: Default::default(),
        basis: Default::default(),
        target: Some(limit(4 * entry)),
    };
    for (repeat, entries) in [(Repeat::Once, 6), (Repeat::ToTarget, 4), (Repeat::UntilStable, 2)] {
        let stage = Stage {
            pressure: vec![pressure.clone()],
            repeat,
            ..stage(drop_oldest, &[(Occasion::BeforeCall, When::Pressure)])
        };
        let trace = deployed(&session, &pipeline(vec![stage]), &no_luck());
        assert!(trace.compactions.iter().all(|c| c.step == 4), "only the last call presses");
        assert_eq!(trace.steps[3].entries, entries, "{repeat:?}");
        let rounds: Vec<u32> = trace.compactions.iter().map(|c| c.round).collect();
        assert_eq!(rounds, (0..7 - entries).collect::<Vec<_>>());
        let moments =
            trace.triggers.iter().map(|one| (one.moment.fired, one.moment.declined, one.n));
        assert_eq!(moments.collect::<Vec<_>>(), [(false, false, 3), (true, false, 1)]);
    }
}

#[test]
fn a_strict_wire_refuses_a_broken_pair_and_a_text_wire_does_not() {
    let session = session("ucta");
    let orphans: Propose =
        |view, _| when(view.len() == 3, || only([&view.entries()[0], &view.entries()[2]]));
    let pipeline = pipeline(vec![stage(orphans, BEFORE_CALL)]);
    for (wire, ended) in [
        (Wire::Strict, EndedBy::InvalidRequest("orphan-result".to_owned())),
        (Wire::Text, EndedBy::Completed),
    ] {
        let limits = Limits { wire, ..WIDE };
        let trace = run(&session, &pipeline, &no_luck(), limits, Mode::Deployed);
        assert_eq!(trace.ended_by, ended);
        assert_eq!(trace.compactions[0].violations.len(), 1);
    }
}

fn says_no_more(view: &View) -> Option<Edit> {
    let result = view.entries().get(2).filter(|entry| !entry.rewritten)?;
    let pieces = Some(vec![Piece::literal("-")]);
    Some(Edit { entry: result.id, pieces, args: BTreeMap::new(), drops: Vec::new() })
}

fn mask(view: &View, _: &PlanContext) -> Decision {
    let Some(edit) = says_no_more(view) else { return Decision::decline("not now") };
    let mut slots: Vec<Slot> = view.entries().iter().map(|one| Slot::Keep(one.id)).collect();
    slots[2] = Slot::Rewrite(edit);
    Decision::Plan(Plan::mechanical(Layout::Whole(slots)))
}

fn mask_what_is_sent(view: &View, _: &PlanContext) -> Decision {
    let Some(edit) = says_no_more(view) else { return Decision::decline("not now") };
    Decision::Plan(Plan::mechanical(Layout::Edits { base: Base::View, edits: vec![edit] }))
}

/// Its result is message 2; the call that may read it is the second of three.
#[test]
fn a_result_is_hidden_where_no_call_was_made_with_it() {
    let session = session("uctaua");
    const AFTER_ANSWER: &[(Occasion, When)] = &[(Occasion::AfterAnswer, When::Always)];
    let fails = stage(fold, BEFORE_CALL);
    for (stages, on_error, hidden) in [
        (vec![stage(mask, BEFORE_CALL)], OnError::Continue, 1),
        // The call before it was made with it.
        (vec![stage(mask, AFTER_ANSWER)], OnError::Continue, 0),
        // In every request, and hidden once.
        (vec![request_stage(mask_what_is_sent)], OnError::Continue, 1),
        (vec![stage(mask, BEFORE_CALL), fails.clone()], OnError::AbortPass, 1),
        // The view from before the failed pass is sent, which holds it.
        (vec![stage(mask, BEFORE_CALL), fails], OnError::AbortPassSendStale, 0),
    ] {
        let pipeline = Pipeline { on_error, ..pipeline(stages) };
        let trace = deployed(&session, &pipeline, &no_luck());
        assert_eq!(trace.steps.len(), 3, "{on_error:?}");
        let rules: Vec<_> = trace.violations().map(|violation| violation.rule).collect();
        let expected = vec![crate::apply::Rule::FreshResultHidden; hidden];
        assert_eq!(rules, expected, "{on_error:?} {:?}", pipeline.stages);
    }
}

#[test]
fn what_the_model_does_not_admit_ends_the_session() {
    let session = session("uaua");
    let output = session.reference.messages[1].total();
    let all = session.reference.total().0;
    let pipeline = pipeline(vec![]);
    for (limits, ended, steps) in [
        (WIDE, EndedBy::Completed, 2),
        (room(&session, 2), EndedBy::MaxTokens, 0),
        (room(&session, 1), EndedBy::Overflow, 0),
        (room(&session, all), EndedBy::Completed, 2),
        (room(&session, all - 1), EndedBy::MaxTokens, 1),
        (room(&session, all - output.0 - 1), EndedBy::Overflow, 1),
        (Limits { max_output: output - Tokens(1), ..WIDE }, EndedBy::MaxTokens, 0),
        (
            Limits { admits: Admits::PromptPlusOutput, ..room(&session, 1_000) },
            EndedBy::Overflow,
            0,
        ),
    ] {
        let trace = run(&session, &pipeline, &no_luck(), limits, Mode::Deployed);
        assert_eq!((&trace.ended_by, trace.steps.len()), (&ended, steps), "{limits:?}");
    }
}

#[test]
fn a_refused_prompt_is_sent_again_as_the_pipeline_says() {
    let session = session("uaua");
    let decline: Propose = |_, _| Decision::decline("never");
    for (resend, plan, overflows, ended) in [
        (Resend::IfActed, decline, 1, EndedBy::Overflow),
        (Resend::Always, decline, SENDS, EndedBy::Overflow),
        (Resend::IfActed, keep_last as Propose, 1, EndedBy::Completed),
    ] {
        let pipeline = Pipeline { resend, ..pipeline(vec![stage(plan, ON_OVERFLOW)]) };
        let three: u64 = session.reference.messages[..3].iter().map(|m| m.total().0).sum();
        let limits = room(&session, three - 1);
        let trace = run(&session, &pipeline, &no_luck(), limits, Mode::Deployed);
        assert_eq!((trace.overflows, &trace.ended_by), (overflows, &ended), "{resend:?}");
        if ended == EndedBy::Completed {
            assert_eq!(trace.steps[1].sends, 2);
        }
    }
}

/// The second of two steps is cut off on its first send, however much room there is.
#[test]
fn an_answer_is_cut_off_where_the_scenario_says_so() {
    let session = session("uaua");
    let limits = Limits { cut_off_every: 2, ..WIDE };
    let on_cut: &[(Occasion, When)] = &[(Occasion::OutputLimit, When::Always)];
    for (occasions, cut_offs, ended, steps) in
        [(BEFORE_CALL, 1, EndedBy::MaxTokens, 1), (on_cut, 1, EndedBy::Completed, 2)]
    {
        let pipeline = pipeline(vec![stage(keep_last, occasions)]);
        let trace = run(&session, &pipeline, &no_luck(), limits, Mode::Deployed);
        assert_eq!((trace.cut_offs, &trace.ended_by), (cut_offs, &ended));
        assert_eq!(trace.steps.len(), steps);
    }
}

#[test]
fn nonsense_ends_the_session_and_says_why() {
    let unknown: Propose =
        |_, _| Decision::Plan(Plan::mechanical(Layout::Whole(vec![Slot::Keep(EntryId(99))])));
    let gives_up: Propose = |_, _| Decision::Raise("enough".to_owned());
    for (plan, reason) in [(unknown, "entry 99 is not in the view"), (gives_up, "enough")] {
        let trace = deployed(&session("ua"), &pipeline(vec![stage(plan, BEFORE_CALL)]), &no_luck());
        let EndedBy::Raised(text) = &trace.ended_by else { panic!("{:?}", trace.ended_by) };
        assert!(text.contains(reason), "{text}");
    }
}

fn request_stage(plan: Propose) -> Stage {
    let strategy = StrategySpec::new("scripted", Scripted { scope: Scope::Request, plan });
    Stage { strategy, ..stage(plan, BEFORE_CALL) }
}

fn clear_once(view: &View, base: Base) -> Decision {
    let pieces = Some(vec![Piece::literal("")]);
    let edit = Edit { entry: EntryId(0), pieces, args: BTreeMap::new(), drops: Vec::new() };
    let layout = Layout::Edits { base, edits: vec![edit] };
    when(view.len() == 3, || Plan::mechanical(layout))
}

#[test]
fn request_scope_edits_change_what_is_sent_and_not_what_is_kept() {
    let session = session("uauaua");
    let plans: [(Propose, [bool; 3]); 2] = [
        (|view, _| clear_once(view, Base::View), [false, true, false]),
        (|view, _| clear_once(view, Base::LastSent), [false, true, true]),
    ];
    for (plan, expected) in plans {
        let trace = deployed(&session, &pipeline(vec![request_stage(plan)]), &no_luck());
        let edited: Vec<bool> = trace.steps.iter().map(|step| step.sent < step.kept).collect();
        assert_eq!(edited, expected);
        assert!(trace.compactions.is_empty());
    }
}

#[test]
fn an_entry_taken_for_what_it_is_not_is_counted_once() {
    let session = session("uaua");
    // What is dropped brings nothing; the fold puts its summary in the user's role,
    // where a stage that goes by text takes it for the user's.
    let plans: [(Propose, u32); 2] = [(drop_oldest, 0), (fold, 1)];
    for (plan, expected) in plans {
        let pipeline = pipeline(vec![stage(plan, BEFORE_CALL)]);
        let trace = deployed(&session, &pipeline, &Script::new([says("What was.")]));
        assert_eq!(trace.misclassified, Some(expected));
    }
    let trace = deployed(&session, &pipeline(Vec::new()), &Script::new([]));
    assert_eq!(trace.misclassified, None);
}
