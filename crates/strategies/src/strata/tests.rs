use proptest::prelude::{prop_assert, proptest};

use super::*;
use crate::drive::{Limits, Session, drive};
use crate::pressure::{Budget, Occasion};
use crate::summarize::simple::Lead;
use crate::testkit::{Fate, Scene, Script, fails, says, scene, with_cell};
use crate::truth::Truth;

/// One that acts at once, on little.
fn eager() -> Strata {
    Strata {
        raw_share: 0.001,
        words_share: 0.004,
        limit_share: 1.0,
        short: Tokens(2),
        ..Strata::default()
    }
}

/// Levels of the summaries at the head, oldest first.
fn levels(scene: &Scene) -> Vec<u32> {
    let head = scene.view.entries().iter().take_while(|entry| entry.kind == Kind::Summary);
    head.map(|entry| entry.generation()).collect()
}

/// After so many turns with an act after each.
fn after(turns: usize, strata: &Strata) -> Scene {
    let mut scene = Scene::texts(&[]);
    scene.occasion = Occasion::Boundary;
    let script = Script::new([says("A note.")]);
    for turn in 0..turns {
        let (said, result) = (format!("Request {turn}."), format!("Line {turn} of a result."));
        scene.more_texts(&[('u', &said), ('c', "I look."), ('t', &result), ('a', "Done.")]);
        if scene.plan(strata, None).is_some() {
            scene.attempt(strata, None, &script).expect("the same plan").expect("it is applied");
        }
    }
    scene
}

#[test]
fn summaries_are_as_many_as_the_logarithm_of_the_turns() {
    let strata = eager();
    for turns in [50, 200, 800] {
        let levels = levels(&after(turns, &strata));
        assert!(levels.is_sorted_by(|older, newer| older >= newer), "{turns}: {levels:?}");
        let highest = levels.first().copied().unwrap_or(0);
        // Each level stands for four times the turns of the one below it.
        assert!(4_usize.pow(highest.saturating_sub(1)) <= turns, "{turns}: {levels:?}");
        for level in 1..=highest {
            let of = levels.iter().filter(|one| **one == level).count();
            assert!(of <= strata.fold, "{turns}: {levels:?}");
        }
    }
}

#[test]
fn the_oldest_are_merged_early_where_summaries_take_too_much() {
    let strata = Strata { summaries_share: 0.0006, ..eager() };
    let scene = after(60, &strata);
    let tokens: Tokens = scene.view.entries().iter().map(|entry| entry.counted).sum();
    assert!(levels(&scene).len() <= 2, "{:?}", levels(&scene));
    assert!(tokens < Tokens(1_000), "{tokens:?}");
}

#[test]
fn a_session_of_a_thousand_turns_keeps_every_rule() {
    let pipeline = crate::pipeline("strata").expect("it ships");
    let session = Session::new(scene(&"uctcta".repeat(1_000)).log, Truth::default(), []);
    let limits = Limits::new(Tokens(4_000), Tokens(500));
    let trace = with_cell(&session, &pipeline, limits, &Lead::default(), drive);
    assert!(trace.compactions.len() > 5);
    let broken: Vec<_> = trace.compactions.iter().flat_map(|one| &one.violations).collect();
    assert_eq!(broken, [] as [&crate::apply::Violation; 0]);
}

proptest! {
    #[test]
    fn any_view_is_planned_without_a_broken_rule(shape in "[uhact2M]{0,40}") {
        let mut scene = scene(&shape);
        scene.occasion = Occasion::Boundary;
        let script = Script::new([says("s")]);
        for _ in 0..3 {
            if scene.plan(&eager(), None).is_none() {
                break;
            }
            let applied = scene.attempt(&eager(), None, &script).expect("the same plan");
            let broken = applied.map(|applied| crate::testkit::rules(&applied)).unwrap_or_default();
            let grew = crate::apply::Rule::Grew;
            prop_assert!(broken.iter().all(|rule| *rule == grew), "{broken:?}");
        }
    }
}

#[test]
fn a_failed_note_leaves_the_view_and_a_refused_prompt_asks_nobody() {
    let result = "a line of a result\n".repeat(20);
    let lines = [('u', "Go."), ('c', "I look."), ('t', &*result), ('a', "Done."), ('u', "On.")];
    let mut scene = Scene::texts(&lines);
    scene.occasion = Occasion::Boundary;
    let strata = Strata { raw_share: 0.00006, words_share: 0.02, ..eager() };
    let plan = scene.plan(&strata, None).expect("there is something to note");
    for reply in [fails(FailureClass::Error), says(" "), says(&"more words ".repeat(200))] {
        let script = Script::new([reply]);
        assert!(matches!(scene.carry_out(&plan, &script), Fate::Failed(_)));
        assert_eq!(scene.view.len(), lines.len());
        let asked = script.prompts()[0].messages[0].text();
        assert!(asked.contains("[user] Go.\n[assistant] I look. [run {"), "{asked}");
    }
    scene.occasion = Occasion::Overflow;
    let plan = scene.plan(&strata, None).expect("room is wanted");
    assert!(plan.requests.is_empty());
    assert!(scene.carry_out(&plan, &Script::new([])).applied().is_some());
    assert!(scene.rows().iter().any(|row| row.contains("(run)")), "{:?}", scene.rows());
}

#[test]
fn it_acts_once_the_limit_is_reached_and_not_before() {
    let result = "a line of a result\n".repeat(200);
    let mut scene =
        Scene::texts(&[('u', "Go."), ('c', "I look."), ('t', &*result), ('a', "Done.")]);
    let [system, schemas, max_output] = [3, 5, 7].map(Tokens);
    scene.budget = Budget { system, schemas, max_output, ..scene.budget };
    let window = scene.budget.window;
    let used = scene.view.counted() + system + schemas + max_output;
    for (limit, acts) in [(used, true), (used + Tokens(1), false)] {
        let share = limit.over(window);
        let strata = Strata { limit_share: share, raw_share: 0.01, ..eager() };
        assert_eq!(scene.plan(&strata, None).is_some(), acts, "{limit:?}");
    }
}

#[test]
fn what_is_not_read_yet_leaves_less_for_what_is_before_it() {
    let acted = |lines: usize| {
        let result = "a line of a result\n".repeat(lines);
        let turns = [("First.", "I did the first."), ("Second.", "I did the second.")];
        let mut scene = Scene::texts(&[]);
        for (said, told) in turns {
            scene.more_texts(&[('u', said), ('a', told)]);
        }
        scene.more_texts(&[('u', "Go."), ('c', "I look."), ('t', &result)]);
        scene.occasion = Occasion::Overflow;
        scene.budget.window = Tokens(300);
        let strata = Strata { words_share: 1.0, raw_share: 0.0, ..Strata::default() };
        scene.act(&strata, None).map(|_| scene.rows().len())
    };
    assert!(acted(10).is_none(), "all of it fits");
    let rows = acted(70).expect("older turns make room");
    assert!(rows < 7, "{rows}");
}

#[test]
fn without_a_share_for_notes_no_model_is_asked() {
    let mut scene = Scene::texts(&[]);
    scene.occasion = Occasion::Boundary;
    let strata = Strata { note_share: 0.0, ..eager() };
    for _ in 0..40 {
        scene.more_texts(&[('u', "Go."), ('c', "I look."), ('t', "A line."), ('a', "Done.")]);
        if let Some(plan) = scene.plan(&strata, None) {
            assert!(plan.requests.is_empty());
            scene.carry_out(&plan, &Script::new([])).applied().expect("it is applied");
        }
    }
    assert!(levels(&scene).len() <= strata.fold + 1, "{:?}", levels(&scene));
}

#[test]
fn shares_beyond_the_whole_and_folds_of_one_are_refused() {
    assert!(Strata { raw_share: 1.1, ..Strata::default() }.check().is_err());
    assert!(Strata { fold: 1, ..Strata::default() }.check().is_err());
    assert!(Strata::default().check().is_ok());
}
