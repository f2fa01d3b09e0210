use super::*;
use crate::drive::{Limits, Session, Wire, drive};
use crate::ident::Seed;
use crate::log::Text;
use crate::measure::{MetricId, Subject, measure};
use crate::pipeline::Pipeline;
use crate::price::PriceSheet;
use crate::scenario::Scenario;
use crate::strategy::StrategySpec;
use crate::summarize::simple::Null;
use crate::testkit::{scene, with_cell};
use crate::trace::{EndedBy, Trace};
use crate::truth::Truth;

fn smoke() -> Session {
    let made = Scenario::embedded("smoke").expect("it ships").session(Seed(1)).expect("sound");
    Session::new(made.log, made.truth, [])
}

fn limits(window: u64) -> Limits {
    Limits { wire: Wire::Strict, ..Limits::new(Tokens(window), Tokens(4_096)) }
}

/// With a summarizer that keeps nothing, so that what is met is met by recall.
fn run(session: &Session, pipeline: &Pipeline, window: u64) -> Trace {
    with_cell(session, pipeline, limits(window), &Null::default(), drive)
}

/// The pipeline without recall, and with it.
fn pipelines() -> [Pipeline; 2] {
    ["full-replace", "full-replace-archive"].map(|name| crate::pipeline(name).expect("it ships"))
}

#[test]
fn the_query_is_the_latest_request_the_last_words_and_the_last_calls() {
    for (shape, expected) in crate::cases::<(String, Vec<String>)>("queries") {
        let plan = scene(&shape).plan(&ArchiveRecall::default(), None);
        let query = plan.map(|plan| match plan.layout {
            Layout::Recall(recall) => recall.query.to_string(),
            other => panic!("{other:?}"),
        });
        assert_eq!(query.as_slice(), expected, "{shape}");
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
    let [plain, trace] = pipelines().map(|pipeline| run(&session, &pipeline, 8_000));
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
    let [plain, mut pipeline] = pipelines();
    let tiny = ArchiveRecall { allowance: Tokens(1), ..ArchiveRecall::default() };
    pipeline.stages[1].strategy = StrategySpec::new("archive-recall", tiny);
    let session = smoke();
    let [without, with] = [plain, pipeline].map(|pipeline| run(&session, &pipeline, 20_000));
    assert!(with.recalls.is_empty());
    assert_eq!((with.steps, with.demands), (without.steps, without.demands));
}

/// Over a session with demands recall meets some that the view does not, in a record of its own.
#[test]
fn recalled_facts_are_told_apart_from_what_the_view_holds() {
    let session = smoke();
    let [plain, pipeline] = pipelines();
    let trace = run(&session, &pipeline, 20_000);
    assert_eq!(trace.ended_by, EndedBy::Completed);
    let met: Vec<u32> = trace.recalls.iter().flat_map(|one| &one.met).copied().collect();
    let missed = |demand: &u32| {
        let record = trace.demands.iter().find(|record| record.demand == *demand);
        record.is_some_and(|record| record.found.is_missing())
    };
    assert!(!met.is_empty() && met.iter().all(missed), "{met:?}");
    let idle: Vec<_> = trace.recalls.iter().filter(|one| one.demands == 0).collect();
    assert!(!idle.is_empty() && idle.iter().all(|one| one.met.is_empty()));
    assert_eq!(trace, run(&session, &pipeline, 20_000), "the same again");

    let (sheet, session, base_window) = (&PriceSheet::embedded(), &session, Tokens(20_000));
    let (limits, trace, pipeline) = (limits(20_000), &trace, &pipeline);
    let subject = Subject { trace, session, pipeline, limits, base_window, sheet };
    let figures = measure(&subject);
    let number = |id: MetricId| figures.number(id).unwrap_or_else(|| panic!("{id} is undefined"));
    let added: u64 = trace.steps.iter().map(|step| step.sent.0 - step.kept.0).sum();
    assert_eq!(number(MetricId::ArchiveTokens), added as f64);
    let waste: f64 = idle.iter().map(|one| one.tokens.as_f64()).sum();
    assert_eq!(number(MetricId::ArchiveWaste), waste);
    assert!((0.0..1.0).contains(&number(MetricId::ArchiveWasteShare)) && waste > 0.0);
    let recoverable = number(MetricId::ArchiveRecoverable);
    assert!(recoverable > number(MetricId::RecallAtNeed));
    assert!(recoverable < 1.0, "one fixed rule does not meet all");
    let without = run(session, &plain, 20_000);
    let figures = measure(&Subject { trace: &without, pipeline: &plain, ..subject });
    assert_eq!(figures.number(MetricId::ArchiveTokens), None);
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
    let reached = session.steps.iter().filter(|step| step.answer.index() < half).count() as u32;
    let [_, pipeline] = pipelines();
    let recalled = |session: &Session| -> Vec<(u32, u32, Tokens)> {
        let trace = run(session, &pipeline, 20_000);
        let early = trace.recalls.iter().filter(|one| one.step <= reached);
        early.map(|one| (one.step, one.passages, one.tokens)).collect()
    };
    let one = recalled(&session);
    assert!(!one.is_empty());
    assert_eq!(one, recalled(&Session::new(other, Truth::default(), [])));
}
