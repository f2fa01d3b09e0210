//! Codex, local compaction: user messages newest first within a
//! budget, the summary as the last user message, everything else gone.

use std::collections::BTreeMap;

use proctor::ident::RequestId;
use proctor::log::{Role, Text};
use proctor::plan::{
    Covers, Edit, Frame, Item, Layout, NewEntry, Piece, Plan, Recovery, Slot, Source,
    SummaryRequest,
};
use proctor::summarize::FailureClass;
use proctor::unit::Tokens;
use proctor::view::{Entry, Kind, View};

use crate::conformance::scene::*;

const PREFIX: &str = "Another model worked on this before and left a summary:";

/// Classified by text alone, as the source does.
fn is_initial_context(entry: &Entry) -> bool {
    let text = entry.content();
    text.starts_with("# AGENTS.md instructions for ") || text.starts_with("<environment_context>")
}

fn is_user_message(entry: &Entry) -> bool {
    entry.role == Role::User
        && !is_initial_context(entry)
        && !entry.content().starts_with(&format!("{PREFIX}\n"))
}

/// A quarter of the bytes stands for the tokens.
fn kept_users(view: &View, budget: usize) -> Vec<Slot> {
    let mut left = 4 * budget;
    let mut slots = Vec::new();
    for entry in view.entries().iter().rev().filter(|entry| is_user_message(entry)) {
        let length = entry.content_len();
        if length <= left {
            slots.push(Slot::Keep(entry.id));
            left -= length;
            continue;
        }
        if left > 0 {
            let notice = format!("…{} tokens truncated…", (length - left) / 4);
            let source = Source::Entry(entry.id);
            let pieces = Piece::middle_cut(&source, length, left, &notice);
            let edit = Edit {
                entry: entry.id,
                pieces: Some(pieces),
                args: BTreeMap::new(),
                drops: Vec::new(),
            };
            slots.push(Slot::Rewrite(edit));
        }
        break;
    }
    slots.reverse();
    slots
}

fn plan(view: &View, budget: usize) -> Plan {
    let retry = || vec![Recovery::Retry(5)];
    let request = SummaryRequest {
        frame: Frame::Agent { tools: false },
        items: view.entries().iter().map(|entry| Item::Entry(entry.id)).collect(),
        recover: BTreeMap::from([
            (FailureClass::Overflow, vec![Recovery::TrimOldest { pairs: true, leave: 1 }]),
            (FailureClass::Error, retry()),
            (FailureClass::TimeOut, retry()),
        ]),
        ..SummaryRequest::new(
            RequestId(0),
            Text::from(""),
            vec![Piece::literal("Write a handover: goal, progress, constraints, what is left.")],
            Tokens(2_000),
        )
    };
    let initial = view.entries().iter().filter(|entry| is_initial_context(entry));
    let mut slots: Vec<Slot> = initial.map(|entry| Slot::Keep(entry.id)).collect();
    slots.extend(kept_users(view, budget));
    slots.push(Slot::New(NewEntry {
        role: Role::User,
        kind: Kind::Summary,
        pieces: vec![Piece::literal(format!("{PREFIX}\n")), Piece::answer(RequestId(0))],
        covers: Covers::Rest,
        answers: None,
        note: None,
    }));
    Plan::summarizing(Layout::Whole(slots), vec![request])
}

fn scene() -> Scene {
    Scene::lines(&[
        Injected("# AGENTS.md instructions for /repo: run the tests."),
        User("Add a retry to src/load.rs."),
        Calls("I read it.", &[("c1", "read", "{\"path\":\"src/load.rs\"}")]),
        Output("c1", "fn load() -> Data { fetch() }"),
        User("At most 3 times, please."),
        Calls("", &[("c2", "edit", "{}"), ("c3", "run", "{}")]),
        Output("c2", "ok"),
        Output("c3", "2 passed"),
        Says("Done."),
    ])
}

#[test]
fn only_user_words_and_the_summary_stay() {
    let mut scene = scene();
    let plan = plan(&scene.view, 20_000);
    let script = Script::new([says("Retry added.")]);
    let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &script) else { panic!("accepted") };
    assert_eq!(
        rows(&scene),
        [
            "user g0 0..1: # AGENTS.md instructions for /repo: run the tests.",
            "user g0 1..2: Add a retry to src/load.rs.",
            "user g0 4..5: At most 3 times, please.",
            &format!("user summary g1 2..4,5..9: {PREFIX}\nRetry added."),
        ]
    );
    assert_eq!(rules(&applied), []);
    assert!(applied.change.dropped.is_empty());
    let prompt = &prompts(&script)[0];
    assert!(prompt.starts_with("user: # AGENTS.md"), "{prompt}");
    assert!(prompt.contains("[read {\"path\":\"src/load.rs\"}]"), "{prompt}");
}

#[test]
fn the_first_user_message_that_does_not_fit_is_cut_and_ends_the_selection() {
    let mut scene = Scene::lines(&[
        User("The very first request, long forgotten."),
        User("0123456789abcdefghijklmnopqrstuvwxyz"),
        Says("I did."),
        User("Twelve bytes"),
    ]);
    let plan = plan(&scene.view, 6);
    carry_out(&mut scene, &plan, &Script::new([says("S")]));
    assert_eq!(
        rows(&scene),
        [
            "user ~g0 1..2: 012345…6 tokens truncated…uvwxyz",
            "user g0 3..4: Twelve bytes",
            &format!("user summary g1 0..1,2..3: {PREFIX}\nS"),
        ]
    );
}

#[test]
fn a_second_compaction_reads_the_first_summary_and_leaves_one() {
    let mut scene = scene();
    let first = plan(&scene.view, 20_000);
    carry_out(&mut scene, &first, &Script::new([says("Retry added.")]));
    scene.more_lines(&[User("Now the docs."), Says("Written.")]);
    let second = plan(&scene.view, 20_000);
    let script = Script::new([says("Retry and docs.")]);
    carry_out(&mut scene, &second, &script);
    assert!(prompts(&script)[0].contains("Retry added."));
    let summary = format!("user summary g2 2..4,5..9,10..11: {PREFIX}\nRetry and docs.");
    assert_eq!(rows(&scene).last(), Some(&summary));
    assert_eq!(rows(&scene).len(), 5, "three requests, the rules and one summary");
}

#[test]
fn an_oversized_request_loses_its_oldest_items_with_their_pairs() {
    let scene = scene();
    let mut plan = plan(&scene.view, 20_000);
    plan.requests[0].max_tokens = Tokens(10);
    let whole = scene.answer(&plan.requests, &Script::new([says("S")])).attempts[0].prompt;
    let mut script = Script::new([says("S")]);
    script.window = whole + Tokens(10) - Tokens(25);
    let outcome = scene.answer(&plan.requests, &script);
    let failed: Vec<_> = outcome.attempts.iter().map(|a| (a.failed, a.billed)).collect();
    let refused = (Some(FailureClass::Overflow), false);
    assert_eq!(failed, [refused, refused, refused, (None, true)]);
    // The rules and the first request went alone, then the first call with its result.
    assert_eq!(outcome.answers[&RequestId(0)].spans().ranges(), [(4, 9)]);
    assert_eq!(prompts(&script).len(), 1, "refused prompts are never asked");
}

#[test]
fn errors_are_retried_and_then_leave_the_history_alone() {
    let mut scene = scene();
    let (plan, before) = (plan(&scene.view, 20_000), rows(&scene));
    let error = || fails(FailureClass::Error);
    let fate = carry_out(&mut scene, &plan, &Script::new((0..6).map(|_| error())));
    assert!(matches!(fate, Fate::Failed(_)));
    assert_eq!(rows(&scene), before);
    let fate = carry_out(&mut scene, &plan, &Script::new([error(), error(), says("S")]));
    assert!(matches!(fate, Fate::Accepted(_)));
}

#[test]
fn an_empty_answer_leaves_the_prefix_alone() {
    let mut scene = scene();
    let plan = plan(&scene.view, 20_000);
    let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &Script::new([says("")])) else {
        panic!("accepted")
    };
    assert_eq!(rules(&applied), [proctor::apply::Rule::EmptySummary]);
}

#[test]
fn a_user_who_quotes_the_prefix_is_taken_for_a_summary() {
    let mut scene = Scene::lines(&[User(&format!("{PREFIX}\nwhat is this?")), Says("A summary.")]);
    let plan = plan(&scene.view, 20_000);
    carry_out(&mut scene, &plan, &Script::new([says("S")]));
    assert_eq!(rows(&scene), [format!("user summary g1 0..2: {PREFIX}\nS")]);
}
