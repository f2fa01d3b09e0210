//! mistral-vibe's later compaction: like Codex, but all in one
//! envelope, from which the requests kept earlier are read back word for word.

use std::collections::BTreeMap;

use proctor::ident::RequestId;
use proctor::log::{Role, Text};
use proctor::plan::{
    Covers, Frame, GiveUp, Item, Layout, NewEntry, Piece, Plan, Slot, Source, SummaryRequest,
};
use proctor::summarize::{Answer, FailureClass, Finish};
use proctor::unit::Tokens;
use proctor::view::{Entry, Kind, View};

use crate::conformance::scene::*;

const OPEN: &str = "<previous_user_messages>";
const CLOSE: &str = "</previous_user_messages>\n<compaction_summary>";

/// The requests of an entry, as quotes with their lengths, newest last.
fn requests_of(entry: &Entry) -> Vec<(Source, (usize, usize))> {
    let source = Source::Entry(entry.id);
    if entry.kind != Kind::Summary {
        return vec![(source, (0, entry.content_len()))];
    }
    let text = entry.content();
    let (Some(end), true) = (text.find(CLOSE), text.starts_with(OPEN)) else { return Vec::new() };
    let mut start = OPEN.len();
    let mut found = Vec::new();
    for request in text[start..end].split_inclusive('\n') {
        found.push((source.clone(), (start, start + request.len() - 1)));
        start += request.len();
    }
    found
}

fn plan(view: &View, budget: usize, raises: bool) -> Plan {
    let users = view.entries().iter().filter(|entry| entry.role == Role::User);
    let found: Vec<_> = users.flat_map(|entry| requests_of(entry)).collect();
    let mut left = 4 * budget;
    let mut kept: Vec<Vec<Piece>> = Vec::new();
    for (source, (from, to)) in found.into_iter().rev() {
        let quote = |from, to| Piece::Quote { of: source.clone(), bytes: Some((from, to)) };
        if to - from <= left {
            left -= to - from;
            kept.push(vec![quote(from, to)]);
            continue;
        }
        if left > 0 {
            let (head, tail) = (left - left / 2, left / 2);
            kept.push(vec![quote(from, from + head), Piece::literal("…"), quote(to - tail, to)]);
        }
        break;
    }
    let mut pieces = vec![Piece::literal(OPEN)];
    for request in kept.into_iter().rev() {
        pieces.extend(request);
        pieces.push(Piece::literal("\n"));
    }
    pieces.extend([Piece::literal(CLOSE), Piece::answer(RequestId(0))]);
    pieces.push(Piece::literal("</compaction_summary>"));
    let nothing = GiveUp::Say("(no summary available)".to_owned());
    let poor = [FailureClass::Empty, FailureClass::ToolCall];
    let request = SummaryRequest {
        frame: Frame::Agent { tools: true },
        items: view.entries().iter().map(|entry| Item::Entry(entry.id)).collect(),
        recover: poor.map(|class| (class, vec![])).into(),
        // A provider's error still fails; a poor answer does only where it is told to.
        give_up_on: if raises {
            BTreeMap::new()
        } else {
            poor.map(|class| (class, nothing.clone())).into()
        },
        ..SummaryRequest::new(
            RequestId(0),
            Text::from(""),
            vec![Piece::literal("Summarize.")],
            Tokens(4_000),
        )
    };
    let system = view.entries().iter().filter(|entry| entry.role == Role::System);
    let mut slots: Vec<Slot> = system.map(|entry| Slot::Keep(entry.id)).collect();
    slots.push(Slot::New(NewEntry {
        role: Role::User,
        kind: Kind::Summary,
        pieces,
        covers: Covers::Rest,
        answers: None,
        note: None,
    }));
    Plan::summarizing(Layout::Whole(slots), vec![request])
}

fn scene() -> Scene {
    Scene::lines(&[User("Fix the build."), Says("I try."), User("It is in lib/."), Says("Yes.")])
}

fn envelope(requests: &str, summary: &str) -> String {
    format!("{OPEN}{requests}{CLOSE}{summary}</compaction_summary>")
}

#[test]
fn requests_survive_repeated_compaction_word_for_word() {
    let mut scene = scene();
    let first = plan(&scene.view, 20_000, false);
    carry_out(&mut scene, &first, &Script::new([says("S1")]));
    scene.more_lines(&[User("Ship it."), Says("Shipped.")]);
    let second = plan(&scene.view, 20_000, false);
    carry_out(&mut scene, &second, &Script::new([says("S2")]));
    let entry = &scene.view.entries()[0];
    let requests = "Fix the build.\nIt is in lib/.\nShip it.\n";
    assert_eq!(&*entry.content(), envelope(requests, "S2"));
    // Quotes of a quote still stand for the message itself.
    let quoted = |text: &str| entry.parts.iter().find(|part| &*part.text == text).cloned();
    let build = quoted("Fix the build.").expect("it is kept");
    assert_eq!((build.generation, build.spans.ranges()), (0, &[(0, 1)][..]));
    assert_eq!(quoted("S2").expect("the summary").generation, 2);
}

#[test]
fn the_request_that_spills_over_is_cut_in_the_middle() {
    let mut scene = scene();
    let plan = plan(&scene.view, 5, false);
    carry_out(&mut scene, &plan, &Script::new([says("S")]));
    assert_eq!(&*scene.view.entries()[0].content(), envelope("Fix…ld.\nIt is in lib/.\n", "S"));
}

#[test]
fn a_poor_answer_is_replaced_and_an_error_is_not() {
    let poor = || Ok(Answer { text: "x".to_owned(), finish: Finish::ToolCall });
    for (reply, raises, taken) in [
        (says(""), false, true),
        (poor(), false, true),
        (poor(), true, false),
        (fails(FailureClass::Error), false, false),
    ] {
        let mut scene = scene();
        let plan = plan(&scene.view, 20_000, raises);
        let fate = carry_out(&mut scene, &plan, &Script::new([reply]));
        assert_eq!(matches!(fate, Fate::Accepted(_)), taken);
        let stands_in = rows(&scene)[0].contains("(no summary available)");
        assert_eq!(stands_in, taken);
    }
}
