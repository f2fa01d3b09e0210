//! Full replace, as the document of that name and mistral-vibe 1.0 have it
//!: missing tool responses are filled in, the model is asked in the
//! conversation itself, and the system prompt and one user message remain. After a
//! failure the session ends with the cleaned history and the compaction prompt in it.

use proctor::ident::{EntryId, RequestId};
use proctor::log::{CallId, Role, Text};
use proctor::plan::{
    Covers, Frame, Item, Layout, NewEntry, Piece, Plan, Slot, SummaryRequest, Then,
};
use proctor::summarize::{Answer, FailureClass, Finish};
use proctor::unit::Tokens;
use proctor::view::{Kind, View};

use crate::conformance::scene::*;

const PROMPT: &str = "Summarize our conversation under seven headings.";

/// An entry of the cleaned history.
enum Cleaned {
    Entry(EntryId),
    Missing(CallId),
    Understood,
}

/// Fills in missing tool responses behind those that are there, and an answer where
/// tools come last.
fn cleaned(view: &View) -> Vec<Cleaned> {
    let mut history = Vec::new();
    let mut open: Vec<CallId> = Vec::new();
    for entry in view.entries() {
        if entry.role != Role::Tool {
            history.extend(open.drain(..).map(Cleaned::Missing));
        }
        if let Some(id) = &entry.answers {
            open.retain(|call| call != id);
        }
        history.push(Cleaned::Entry(entry.id));
        open.extend(entry.calls.iter().map(|call| call.id.clone()));
    }
    let ends_in_tool =
        !open.is_empty() || view.entries().last().is_some_and(|entry| entry.role == Role::Tool);
    history.extend(open.into_iter().map(Cleaned::Missing));
    history.extend(ends_in_tool.then_some(Cleaned::Understood));
    history
}

fn words(cleaned: &Cleaned) -> Option<(Role, &'static str, Option<CallId>)> {
    match cleaned {
        Cleaned::Entry(_) => None,
        Cleaned::Missing(id) => Some((Role::Tool, "Tool no response", Some(id.clone()))),
        Cleaned::Understood => Some((Role::Assistant, "Understood.", None)),
    }
}

fn notice(role: Role, text: &str, answers: Option<CallId>) -> Slot {
    Slot::New(NewEntry {
        role,
        kind: Kind::Notice,
        pieces: vec![Piece::literal(text)],
        covers: Covers::Nothing,
        answers,
        note: None,
    })
}

fn plan(view: &View) -> Plan {
    let history = cleaned(view);
    let item = |part: &Cleaned| match (part, words(part)) {
        (_, Some((role, text, answers))) => {
            Item::Message { role, pieces: vec![Piece::literal(text)], answers }
        }
        (Cleaned::Entry(id), None) => Item::Entry(*id),
        (Cleaned::Missing(_) | Cleaned::Understood, None) => unreachable!("both have words"),
    };
    let slot = |part: &Cleaned| match (part, words(part)) {
        (Cleaned::Entry(id), _) => Slot::Keep(*id),
        (_, words) => {
            let (role, text, answers) = words.expect("what is no entry has words");
            notice(role, text, answers)
        }
    };
    let request = SummaryRequest {
        frame: Frame::Agent { tools: true },
        items: history.iter().map(item).collect(),
        ..SummaryRequest::new(
            RequestId(0),
            Text::from(""),
            vec![Piece::literal(PROMPT)],
            Tokens(4_000),
        )
    };
    let mut pieces = vec![Piece::answer(RequestId(0))];
    // The last user-role message, a previous summary not excepted.
    if let Some(last) = view.entries().iter().rev().find(|entry| entry.role == Role::User) {
        pieces.push(Piece::literal("\n\nLast request from user was: "));
        pieces.push(Piece::quote(last.id));
    }
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
    let mut failed: Vec<Slot> = history.iter().map(slot).collect();
    failed.push(notice(Role::User, PROMPT, None));
    Plan {
        otherwise: Some(Box::new(Plan::mechanical(Layout::Whole(failed)))),
        then: Then::Raise,
        ..Plan::summarizing(Layout::Whole(slots), vec![request])
    }
}

fn scene() -> Scene {
    Scene::lines(&[
        System("House rules."),
        User("Fix the build."),
        Calls("", &[("c1", "run", "{}"), ("c2", "read", "{}")]),
        Output("c1", "error: no such file"),
        User("It is in lib/."),
        Calls("Trying.", &[("c3", "run", "{}")]),
    ])
}

#[test]
fn the_system_prompt_and_one_user_message_remain() {
    let mut scene = scene();
    let plan = plan(&scene.view);
    let script = Script::new([says("Build half fixed.")]);
    let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &script) else { panic!("accepted") };
    let last = "Last request from user was: It is in lib/.";
    assert_eq!(
        rows(&scene),
        [
            "system g0 0..1: House rules.",
            &format!("user summary g1 1..6: Build half fixed.\n\n{last}"),
        ]
    );
    assert_eq!(rules(&applied), []);
    // Verbatim words keep their own source and generation.
    let quoted = &scene.view.entries()[1].parts[2];
    assert_eq!((quoted.generation, quoted.spans.ranges()), (0, &[(4, 5)][..]));
    assert_eq!(
        prompts(&script)[0],
        format!(
            "system: House rules.\nuser: Fix the build.\nassistant: \n[run {{}}]\n[read {{}}]\n\
             tool: error: no such file\ntool: Tool no response\nuser: It is in lib/.\n\
             assistant: Trying.\n[run {{}}]\ntool: Tool no response\nassistant: Understood.\n\
             user: {PROMPT}\n"
        )
    );
}

#[test]
fn a_failure_ends_the_session_with_the_prompt_in_the_history() {
    let mut scene = scene();
    let plan = plan(&scene.view);
    let fate = carry_out(&mut scene, &plan, &Script::new([fails(FailureClass::Error)]));
    assert!(matches!(fate, Fate::Failed(Then::Raise)));
    assert_eq!(
        rows(&scene),
        [
            "system g0 0..1: House rules.",
            "user g0 1..2: Fix the build.",
            "assistant g0 2..3:  [c1 {}] [c2 {}]",
            "tool g0 3..4 (c1): error: no such file",
            "tool notice g0  (c2): Tool no response",
            "user g0 4..5: It is in lib/.",
            "assistant g0 5..6: Trying. [c3 {}]",
            "tool notice g0  (c3): Tool no response",
            "assistant notice g0 : Understood.",
            &format!("user notice g0 : {PROMPT}"),
        ]
    );
    let open = ["c2", "c3"].map(|id| scene.view.pair(&CallId::new(id)).map(|p| p.results.len()));
    assert_eq!(open, [Some(1), Some(1)], "every call is answered now");
}

#[test]
fn an_empty_or_tool_calling_answer_is_taken_for_a_summary() {
    let calling = Ok(Answer { text: String::new(), finish: Finish::ToolCall });
    for reply in [says(""), calling] {
        let mut scene = scene();
        let plan = plan(&scene.view);
        let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &Script::new([reply])) else {
            panic!("accepted")
        };
        assert_eq!(rules(&applied), [proctor::apply::Rule::EmptySummary]);
    }
}

#[test]
fn without_a_new_request_summaries_nest() {
    let mut scene = scene();
    for (round, expected) in [
        (1, "S1\n\nLast request from user was: It is in lib/."),
        (2, "S2\n\nLast request from user was: S1\n\nLast request from user was: It is in lib/."),
    ] {
        let plan = plan(&scene.view);
        carry_out(&mut scene, &plan, &Script::new([says(&format!("S{round}"))]));
        assert_eq!(&*scene.view.entries()[1].content(), expected);
        scene.more_lines(&[Says("Working.")]);
    }
    // The new words went through two summarizers, the nested ones through one.
    let generations: Vec<u32> =
        scene.view.entries()[1].parts.iter().map(|part| part.generation).collect();
    assert_eq!(generations, [2, 0, 1, 0, 0]);
}
