//! ADK's event compaction: after every so many invocations a range of events, overlapping the last
//! one, is replaced by a model event. The record keeps the raw events, so a range may reach back to
//! messages that have left the view.

use proctor_core::plan::{Decision, Plan, Then};
use proctor_core::pressure::Occasion::{BeforeCall, TurnEnd};
use proctor_core::summarize::FailureClass;
use proctor_strategies::adk::Adk;

use crate::scene::*;

fn adk() -> Adk {
    Adk { interval: 2, ..Adk::default() }
}

fn plan(scene: &Scene) -> Plan {
    plans(scene, &adk(), TurnEnd)
}

fn scene() -> Scene {
    Scene::lines(&[
        User("One."),
        Calls("", &[("c1", "look", "{}")]),
        Output("c1", "secret in the output"),
        Says("First."),
        User("Two."),
        Says("Second."),
    ])
}

#[test]
fn a_range_of_events_is_replaced_by_a_model_event() {
    let mut scene = scene();
    let plan = plan(&scene);
    let script = Script::new([says("One and two.")]);
    let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &script) else { panic!("accepted") };
    assert_eq!(rows(&scene), ["assistant summary g1 0..6: One and two."]);
    assert!(applied.change.dropped.is_empty());
    assert_eq!(applied.change.added[0].covered.len(), 6, "replaced, not dropped");
    assert_eq!(rules(&applied), [proctor_core::apply::Rule::FirstMessageRole]);
    let prompt = &prompts(&script)[0];
    assert!(prompt.contains("user: One.\nassistant: First.\n"), "{prompt}");
    assert!(!prompt.contains("secret"), "outputs are invisible: {prompt}");
}

#[test]
fn the_next_range_overlaps_the_last_and_summaries_accumulate() {
    let mut scene = scene();
    let first = plan(&scene);
    carry_out(&mut scene, &first, &Script::new([says("One and two.")]));
    scene.more_lines(&[User("Three."), Says("Third.")]);
    let too_few = Decision::decline("too few new invocations");
    assert_eq!(decides(&scene, &adk(), TurnEnd), too_few);
    scene.more_lines(&[User("Four."), Says("Fourth.")]);
    assert_eq!(decides(&scene, &adk(), BeforeCall), too_few, "the fourth may still run");
    let second = plan(&scene);
    let script = Script::new([says("Two to four.")]);
    let Fate::Accepted(applied) = carry_out(&mut scene, &second, &script) else {
        panic!("accepted")
    };
    assert_eq!(
        rows(&scene),
        [
            "assistant summary g1 0..6: One and two.",
            // Word for word from the record, so of the first generation again.
            "assistant summary g1 4..10: Two to four.",
        ]
    );
    assert!(prompts(&script)[0].contains("user: Two."), "no longer in the view");
    assert_eq!(applied.change.added[0].covered.len(), 4);
}

#[test]
fn a_failure_means_no_compaction() {
    let mut scene = scene();
    let (plan, before) = (plan(&scene), rows(&scene));
    let fate = carry_out(&mut scene, &plan, &Script::new([fails(FailureClass::Refusal)]));
    assert!(matches!(fate, Fate::Failed(Then::Continue)));
    assert_eq!(rows(&scene), before);
}
