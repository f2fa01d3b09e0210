use super::*;
use crate::drive::{Limits, Session, drive};
use crate::ident::Seed;
use crate::log::Text;
use crate::measure::MetricId;
use crate::measure::{Subject, measure};
use crate::pipeline::Pipeline;
use crate::pressure::{Budget, Occasion};
use crate::price::PriceSheet;
use crate::scenario::{Scenario, Wire};
use crate::summarize::simple::Null;
use crate::testkit::{scene, with_cell};
use crate::trace::{EndedBy, Found, Trace};
use crate::truth::Truth;

fn smoke() -> Session {
    let made = Scenario::embedded("smoke").expect("it ships").session(Seed(1)).expect("sound");
    Session::new(made.log, made.truth, [])
}

fn limits(window: u64) -> Limits {
    Limits { wire: Wire::Strict, ..Limits::new(Tokens(window), Tokens(2_048)) }
}

/// With a summarizer that keeps nothing, so that what is met is met by recall.
fn run(session: &Session, pipeline: &Pipeline, window: u64) -> Trace {
    with_cell(session, pipeline, limits(window), &Null::default(), drive)
}

fn shipped(name: &str) -> Pipeline {
    crate::pipeline(name).expect("it ships")
}

#[test]
fn the_query_is_the_latest_request_the_last_words_and_the_last_calls() {
    for (shape, expected) in [
        ("u", Some("u0\n")),
        ("uau", Some("u2\na1\n")),
        ("uauct", Some("u2\nc3\n{\"n\":3}\n")),
        ("u2tt", Some("u0\n21\n{\"n\":1}\n{\"n\":1}\n")),
        ("", None),
    ] {
        let scene = scene(shape);
        let context = PlanContext {
            occasion: Occasion::BeforeCall,
            budget: &Budget::default(),
            reading: None,
            past: scene.log.past(scene.log.messages.len()),
            turn: 0,
        };
        let query = match ArchiveRecall::default().plan(&scene.view, &context) {
            Decision::Plan(Plan { layout: Layout::Recall(recall), .. }) => Some(recall.query),
            Decision::Decline(_) => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(query.as_deref(), expected, "{shape}");
    }
}

#[test]
fn what_left_comes_back_where_it_matches_and_is_part_of_the_prompt_alone() {
    let mut log = scene(&"ua".repeat(60)).log;
    for message in &mut log.messages {
        let topic = ["valve", "gate", "pump"][message.id.index() / 2 % 3];
        message.content = format!("{topic} {}", "word ".repeat(200)).into();
    }
    let session = Session::new(log, Truth::default(), []);
    let [plain, trace] =
        ["full-replace", "full-replace-archive"].map(|name| run(&session, &shipped(name), 8_000));
    assert_eq!((&trace.ended_by, &plain.ended_by), (&EndedBy::Completed, &EndedBy::Completed));
    assert!(plain.recalls.is_empty());
    let first = trace.compactions[0].step;
    let recalled: Vec<u32> = trace.recalls.iter().map(|one| one.step).collect();
    assert_eq!(recalled, (first..=60).collect::<Vec<_>>(), "nothing before something has left");
    for one in &trace.recalls {
        let step = &trace.steps[one.step as usize - 1];
        assert_eq!(step.sent, step.kept + one.tokens);
        assert_eq!(step.prompt, session.fixed() + step.sent);
        assert!(one.passages >= 1 && one.tokens <= Tokens(2_010), "{one:?}");
    }
    // What was recalled is not sent again, so that much of the cached prompt is lost at
    // every step, where without recall nothing is.
    let lost = |trace: &Trace| -> u64 {
        let compacted = |step: u32| trace.compactions.iter().any(|one| one.step == step);
        let steps = trace.steps.iter().filter(|one| one.step > first && !compacted(one.step));
        steps.map(|one| one.invalidated.0).sum()
    };
    let carried: u64 = trace.recalls.iter().map(|one| one.tokens.0).sum();
    assert_eq!(lost(&plain), 0);
    assert!(lost(&trace) * 2 > carried, "{} of {carried}", lost(&trace));
}

#[test]
fn an_allowance_too_small_for_any_passage_recalls_nothing() {
    let mut pipeline = shipped("full-replace-archive");
    let tiny = ArchiveRecall { allowance: Tokens(1), ..ArchiveRecall::default() };
    pipeline.stages[1].strategy = crate::strategy::StrategySpec::new("archive-recall", tiny);
    let session = smoke();
    let (without, with) =
        (run(&session, &shipped("full-replace"), 20_000), run(&session, &pipeline, 20_000));
    assert!(with.recalls.is_empty());
    assert_eq!(with.steps, without.steps);
    assert_eq!(with.demands, without.demands);
    let none = ArchiveRecall { passages: 0, ..ArchiveRecall::default() };
    assert!(none.check().is_err());
}

/// Over a session with demands: recall meets some that the view does not, in a record
/// of its own; what the view holds is told as without it.
#[test]
fn recalled_facts_are_told_apart_from_what_the_view_holds() {
    let session = smoke();
    let trace = run(&session, &shipped("full-replace-archive"), 20_000);
    assert_eq!(trace.ended_by, EndedBy::Completed);
    let met: Vec<u32> = trace.recalls.iter().flat_map(|one| &one.met).copied().collect();
    assert!(!met.is_empty(), "recall met nothing");
    let missed: Vec<u32> = trace
        .demands
        .iter()
        .filter(|demand| matches!(demand.found, Found::Absent | Found::Inverted))
        .map(|demand| demand.demand)
        .collect();
    assert!(met.iter().all(|demand| missed.contains(demand)));
    assert!(met.len() < missed.len(), "{} of {} met by one fixed rule", met.len(), missed.len());
    let idle = trace.recalls.iter().filter(|one| one.demands == 0);
    assert!(idle.clone().count() > 0 && idle.clone().all(|one| one.met.is_empty()));
    // The same again, byte for byte.
    let again = run(&session, &shipped("full-replace-archive"), 20_000);
    assert_eq!(trace, again);
}

/// The rule looks at what was said and never at the answer to come, nor at facts.
#[test]
fn other_answers_to_come_do_not_change_what_is_recalled() {
    let session = smoke();
    let half = session.log.messages.len() / 2;
    let mut other = session.log.clone();
    for message in &mut other.messages[half..] {
        message.content = Text::from("something else");
    }
    let other = Session::new(other, Truth::default(), []);
    let (one, two) = (
        run(&session, &shipped("full-replace-archive"), 20_000),
        run(&other, &shipped("full-replace-archive"), 20_000),
    );
    let reached = session.steps.iter().filter(|step| step.answer.index() < half).count() as u32;
    let told = |trace: &Trace| -> Vec<(u32, u32, Tokens)> {
        let early = trace.recalls.iter().filter(|one| one.step <= reached);
        early.map(|one| (one.step, one.passages, one.tokens)).collect()
    };
    assert!(!told(&one).is_empty());
    assert_eq!(told(&one), told(&two));
}

/// Waste and recovery as the figures tell them.
#[test]
fn waste_and_recovery_are_figures_of_their_own() {
    let session = smoke();
    let pipeline = shipped("full-replace-archive");
    let trace = run(&session, &pipeline, 20_000);
    let sheet = PriceSheet::embedded();
    let subject = Subject {
        trace: &trace,
        session: &session,
        pipeline: &pipeline,
        limits: limits(20_000),
        base_window: Tokens(20_000),
        sheet: &sheet,
    };
    let figures = measure(&subject);
    let number = |id: MetricId| figures.number(id).unwrap_or_else(|| panic!("{id} is undefined"));
    let added: u64 = trace.steps.iter().map(|step| step.sent.0 - step.kept.0).sum();
    assert_eq!(number(MetricId::ArchiveTokens), added as f64);
    let idle = trace.recalls.iter().filter(|one| one.demands == 0);
    assert_eq!(number(MetricId::ArchiveWaste), idle.map(|one| one.tokens.as_f64()).sum::<f64>());
    assert!(number(MetricId::ArchiveWasteShare) > 0.0 && number(MetricId::ArchiveWasteShare) < 1.0);
    assert!(number(MetricId::ArchiveRecoverable) > number(MetricId::RecallAtNeed));
    let plain = run(&session, &shipped("full-replace"), 20_000);
    let figures = measure(&Subject { trace: &plain, ..subject });
    assert_eq!(figures.number(MetricId::ArchiveTokens), None);
}
