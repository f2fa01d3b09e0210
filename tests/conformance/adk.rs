//! ADK's event compaction: after every so many invocations a range of
//! events, overlapping the last one, is replaced by a model event. The record keeps the
//! raw events, so a range may reach back to messages that have left the view.

use std::collections::BTreeMap;

use proctor::ident::{MsgId, RequestId};
use proctor::log::{Log, Role, Text};
use proctor::plan::{
    Covers, Decision, Layout, NewEntry, Piece, Plan, Slot, Source, SummaryRequest, Then, replacing,
};
use proctor::summarize::FailureClass;
use proctor::unit::Tokens;
use proctor::view::{Kind, Spans, View};

use crate::conformance::scene::*;

/// Messages of the range: from `overlap` invocations before the first new one.
fn range(view: &View, log: &Log, interval: usize, overlap: usize) -> Option<Vec<MsgId>> {
    let compacted = Spans::union(
        view.entries().iter().filter(|entry| entry.kind == Kind::Summary).map(|e| &e.covers),
    );
    let turns = log.turns();
    let is_new = |start: usize| !compacted.contains(MsgId(start as u32));
    let first = turns.iter().position(|turn| is_new(turn.start))?;
    if turns.len() - first < interval {
        return None;
    }
    let start = turns[first.saturating_sub(overlap)].start;
    Some(log.messages[start..].iter().map(|message| message.id).collect())
}

fn decide(view: &View, log: &Log, interval: usize, overlap: usize) -> Decision {
    let Some(range) = range(view, log, interval, overlap) else {
        return Decision::decline("too few new invocations");
    };
    let mut instruction = vec![Piece::literal("Summarize these events.\n")];
    for id in &range {
        // Text parts only: calls and results are invisible to the summary.
        let message = &log.messages[id.index()];
        if message.role != Role::Tool && !message.content.is_empty() {
            instruction.push(Piece::literal(format!("{}: ", message.role.name())));
            instruction.push(Piece::Quote { of: Source::Log(*id), bytes: None });
            instruction.push(Piece::literal("\n"));
        }
    }
    let spans: Spans = range.into_iter().collect();
    let replaced: Vec<usize> = (0..view.len())
        .filter(|place| {
            let entry = &view.entries()[*place];
            entry.kind == Kind::Message && entry.covers.without(&spans).is_empty()
        })
        .collect();
    let Some(&place) = replaced.first() else { return Decision::decline("nothing to replace") };
    let summary = NewEntry {
        role: Role::Assistant,
        kind: Kind::Summary,
        pieces: vec![Piece::answer(RequestId(0))],
        covers: Covers::Log(spans),
        answers: None,
        note: None,
    };
    let instead = BTreeMap::from([(place, vec![Slot::New(summary)])]);
    let request = SummaryRequest::new(RequestId(0), Text::from(""), instruction, Tokens(1_000));
    Decision::Plan(Plan {
        then: Then::Continue,
        ..Plan::summarizing(Layout::Whole(replacing(view, &replaced, instead)), vec![request])
    })
}

fn plan(scene: &Scene) -> Plan {
    match decide(&scene.view, &scene.log, 2, 1) {
        Decision::Plan(plan) => plan,
        other => panic!("{other:?}"),
    }
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
    assert_eq!(rules(&applied), [proctor::apply::Rule::FirstMessageRole]);
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
    assert_eq!(decide(&scene.view, &scene.log, 2, 1), Decision::decline("too few new invocations"));
    scene.more_lines(&[User("Four."), Says("Fourth.")]);
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
