//! gemini-cli's chat compression: a snapshot and a verification that
//! may better it; rejected when empty or larger; truncation of old outputs alone
//! after a failure.

use std::collections::BTreeMap;

use proctor::apply::Rule;
use proctor::ident::RequestId;
use proctor::log::{Role, Text};
use proctor::plan::{
    Accept, Clean, Covers, Edit, GiveUp, Item, Layout, NewEntry, Piece, Plan, Slot, Source,
    SummaryRequest,
};
use proctor::summarize::FailureClass;
use proctor::unit::Tokens;
use proctor::view::{Kind, View};

use crate::conformance::scene::*;

const SNAPSHOT: RequestId = RequestId(0);
const PROBE: RequestId = RequestId(1);

/// The first user message at or after 70 % of the characters; all of it where there
/// is none and the model has no call open.
fn split(view: &View) -> usize {
    let length = |place: usize| view.at(place).map_or(0, proctor::view::Entry::content_len);
    let total: usize = (0..view.len()).map(length).sum();
    let (mut seen, mut last) = (0, 0);
    for (place, entry) in view.entries().iter().enumerate() {
        if entry.role == Role::User {
            last = place;
            if seen * 10 >= total * 7 {
                return place;
            }
        }
        seen += length(place);
    }
    let ends_in_call = view.entries().last().is_some_and(|entry| !entry.calls.is_empty());
    if ends_in_call { last } else { view.len() }
}

fn requests(view: &View, split: usize) -> Vec<SummaryRequest> {
    let head = || view.entries()[..split].iter().map(|entry| Item::Entry(entry.id));
    let request = |id, instruction: &str| {
        SummaryRequest::new(
            id,
            Text::from("You distil a conversation into <state_snapshot>."),
            vec![Piece::literal(instruction)],
            Tokens(4_000),
        )
    };
    let draft = Item::Message {
        role: Role::Assistant,
        pieces: vec![Piece::answer(SNAPSHOT)],
        answers: None,
    };
    vec![
        SummaryRequest {
            items: head().collect(),
            recover: BTreeMap::from([(FailureClass::Empty, vec![])]),
            ..request(SNAPSHOT, "Reason first, then write the <state_snapshot>.")
        },
        SummaryRequest {
            items: head().chain([draft]).collect(),
            recover: BTreeMap::from([(FailureClass::Empty, vec![])]),
            give_up: GiveUp::Nothing,
            ..request(PROBE, "Did you leave anything out? Write the final <state_snapshot>.")
        },
    ]
}

fn plan(view: &View) -> Plan {
    let split = split(view);
    let best = Piece::Answer {
        first_of: vec![PROBE, SNAPSHOT],
        clean: Clean::Element("state_snapshot".to_owned()),
    };
    let entry = |role, kind, pieces, covers| {
        Slot::New(NewEntry { role, kind, pieces, covers, answers: None, note: None })
    };
    let wrapped =
        vec![Piece::literal("<state_snapshot>"), best, Piece::literal("</state_snapshot>")];
    let ack = vec![Piece::literal("Got it. Thanks for the additional context!")];
    let mut slots = vec![
        entry(Role::User, Kind::Summary, wrapped, Covers::Rest),
        entry(Role::Assistant, Kind::Notice, ack, Covers::Nothing),
    ];
    if let (Some(first), Some(last)) = (view.at(split), view.entries().last()) {
        slots.push(Slot::Keeps(first.id, last.id));
    }
    Plan {
        accept: vec![Accept::NotLarger],
        ..Plan::summarizing(Layout::Whole(slots), requests(view, split))
    }
}

/// After a failure: outputs beyond a cumulative budget, newest first, are cut.
fn truncation(view: &View, budget: usize, keep: usize) -> Plan {
    let mut used = 0;
    let mut slots = Vec::new();
    for entry in view.entries().iter().rev() {
        used += if entry.role == Role::Tool { entry.content_len() / 4 } else { 0 };
        if entry.role != Role::Tool || used <= budget {
            slots.push(Slot::Keep(entry.id));
            continue;
        }
        let source = Source::Entry(entry.id);
        let cut = Piece::middle_cut(&source, entry.content_len(), keep, " [... saved to file] ");
        slots.push(Slot::Rewrite(Edit {
            entry: entry.id,
            pieces: Some(cut),
            args: BTreeMap::new(),
        }));
    }
    slots.reverse();
    Plan::mechanical(Layout::Whole(slots))
}

const LONG: &str = "The loader opens the file, reads the header, checks the version and \
                    then hands every record to the parser, which keeps going after an error.";

fn scene() -> Scene {
    Scene::lines(&[
        User("Explain the loader."),
        Calls("", &[("c1", "read", "{}")]),
        Output("c1", LONG),
        Says(LONG),
        User("Thanks. Rename it."),
        Says("Renamed."),
    ])
}

const ACK: &str = "assistant notice g0 : Got it. Thanks for the additional context!";

#[test]
fn the_verified_snapshot_replaces_the_head() {
    let mut scene = scene();
    let plan = plan(&scene.view);
    let script = Script::new([
        says("thinking <state_snapshot>draft</state_snapshot>"),
        says("<state_snapshot>better</state_snapshot> bye"),
    ]);
    let outcome = scene.answer(&plan.requests, &Script::new([says("a"), says("b")]));
    assert_eq!(outcome.attempts.iter().map(|a| a.batch).collect::<Vec<_>>(), [0, 1]);
    let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &script) else { panic!("accepted") };
    assert_eq!(
        rows(&scene),
        [
            // The verification read the draft: one summarizer more.
            "user summary g2 0..4: <state_snapshot>better</state_snapshot>",
            ACK,
            "user g0 4..5: Thanks. Rename it.",
            "assistant g0 5..6: Renamed.",
        ]
    );
    assert_eq!(rules(&applied), []);
    assert!(prompts(&script)[1].contains("assistant: thinking <state_snapshot>draft"));
}

#[test]
fn an_empty_or_failed_verification_falls_back_to_the_snapshot() {
    for reply in [says(""), fails(FailureClass::Error)] {
        let mut scene = scene();
        let plan = plan(&scene.view);
        let draft = says("<state_snapshot>draft</state_snapshot>");
        let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &Script::new([draft, reply]))
        else {
            panic!("accepted")
        };
        assert_eq!(rows(&scene)[0], "user summary g1 0..4: <state_snapshot>draft</state_snapshot>");
        assert_eq!(rules(&applied), []);
    }
}

#[test]
fn an_empty_snapshot_is_no_compression() {
    let mut scene = scene();
    let (plan, before) = (plan(&scene.view), rows(&scene));
    assert!(matches!(carry_out(&mut scene, &plan, &Script::new([says(" ")])), Fate::Failed(_)));
    assert_eq!(rows(&scene), before);
}

#[test]
fn a_larger_result_is_rejected() {
    let mut scene = scene();
    let (plan, before) = (plan(&scene.view), rows(&scene));
    let script = Script::new([says(&LONG.repeat(3)), says(&LONG.repeat(3))]);
    assert!(matches!(carry_out(&mut scene, &plan, &script), Fate::Failed(_)));
    assert_eq!(rows(&scene), before);
}

#[test]
fn after_a_failure_only_old_outputs_are_cut() {
    let mut scene = Scene::lines(&[
        User("Look."),
        Calls("", &[("c1", "read", "{}")]),
        Output("c1", &format!("abcde {LONG} 56789")),
        Calls("", &[("c2", "read", "{}")]),
        Output("c2", "0123456789"),
    ]);
    let plan = truncation(&scene.view, 4, 10);
    let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &Script::new([])) else {
        panic!("accepted")
    };
    assert_eq!(rows(&scene)[2], "tool ~g0 2..3 (c1): abcde [... saved to file] 56789");
    assert_eq!(rows(&scene)[4], "tool g0 4..5 (c2): 0123456789");
    assert_eq!(rules(&applied), [] as [Rule; 0]);
}

#[test]
fn the_split_falls_on_user_messages_only() {
    for (lines, expected) in [
        (vec![User("a"), Says("b"), User("c"), Says("d")], 4),
        (vec![User("aaaaaaaa"), Says("b"), User("c"), Says("d")], 2),
        (vec![User("a"), Says("b"), User("c"), Calls("dddd", &[("c1", "x", "{}")])], 2),
    ] {
        assert_eq!(split(&Scene::lines(&lines).view), expected);
    }
}
