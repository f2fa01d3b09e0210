use proctor_core::apply::commit;
use proctor_core::testkit::{Line, Scene, answered, scene};
use proptest::prelude::*;

use super::*;
use crate::protocol::{Hello, Level, MessageShape, Ranges};
use crate::shape::Shape;

fn shape(messages: MessageShape) -> Shape {
    let (name, version) = (String::new(), String::new());
    let (level, keeps_view, ranges) = (Level::List, false, Ranges::Bytes);
    Shape::from(&Hello { protocol: 1, name, version, level, shape: messages, keeps_view, ranges })
}

const SHAPES: [MessageShape; 2] = [MessageShape::Openai, MessageShape::Anthropic];

fn sent(scene: &Scene, messages: MessageShape) -> Vec<Value> {
    serde_json::from_str(&shape(messages).write(scene.view.entries())).expect("a list")
}

/// What each entry says: role, text, calls, the call that it answers.
fn told(scene: &Scene) -> Vec<(Role, String, Vec<Call>, Option<CallId>)> {
    let entries = scene.view.entries().iter();
    entries.map(|e| (e.role, e.content().to_string(), e.calls.clone(), e.answers.clone())).collect()
}

fn carried_out(scene: &mut Scene, plan: &Plan, answers: &[Answer]) {
    let Layout::Whole(slots) = &plan.layout else { panic!("{plan:?}") };
    let mut all = answered("");
    for (id, text) in answers {
        let one = answered(text).remove(&RequestId(0)).expect("one answer");
        all.insert(*id, one);
    }
    let applied = scene.apply(slots.clone(), &all);
    commit(&mut scene.view, &applied);
}

#[test]
fn messages_that_come_back_as_they_were_change_nothing() {
    for messages in SHAPES {
        for with_ids in [true, false] {
            let mut scene = scene("uctu2ttuayuctu");
            let before = told(&scene);
            let mut back = sent(&scene, messages);
            if !with_ids {
                back.iter_mut().for_each(|one| {
                    one.as_object_mut().expect("an object").remove("id");
                });
            }
            let read = shape(messages).read(&back).expect("messages");
            let plan = plan(&scene.view, &read, &[]).expect("a plan");
            let Layout::Whole(slots) = &plan.layout else { panic!("{plan:?}") };
            let applied = scene.apply(slots.clone(), &answered(""));
            assert!(applied.change.is_empty(), "{messages:?} {with_ids}: {plan:?}");
            assert!(is_idle(&scene.view, &plan), "{plan:?}");
            carried_out(&mut scene, &plan, &[]);
            assert_eq!(told(&scene), before);
        }
    }
}

const LONG: &str = "A first line of a long output.\nA second line of it, rather long.\nThe end.";

fn session() -> Scene {
    Scene::lines(&[
        Line::User("Please read the file of settings."),
        Line::Calls("I read it.", &[("c1", "read", "{\"path\": \"settings.toml\"}")]),
        Line::Output("c1", LONG),
        Line::User("Go on, and use port 8443."),
    ])
}

fn returned(role: Role, text: &str) -> Returned {
    Returned { role: Some(role), text: text.to_owned(), ..Returned::default() }
}

#[test]
fn a_cut_result_quotes_what_is_left_of_it() {
    let scene = session();
    let mut read =
        shape(MessageShape::Openai).read(&sent(&scene, MessageShape::Openai)).expect("read");
    read[2].text = format!("{}[cut]", &LONG[..40]);
    let plan = plan(&scene.view, &read, &[]).expect("a plan");
    let Layout::Whole(slots) = &plan.layout else { panic!("{plan:?}") };
    let quote = Piece::Quote { of: Source::Entry(EntryId(2)), bytes: Some((0, 40)) };
    let pieces = Some(vec![quote, Piece::literal("[cut]")]);
    let edit = Edit { entry: EntryId(2), pieces, args: Default::default(), drops: Vec::new() };
    assert_eq!(slots[1], Slot::Rewrite(edit));
}

#[test]
fn a_call_and_its_result_may_leave_a_message_that_stays() {
    let mut scene = Scene::lines(&[
        Line::User("Both."),
        Line::Calls("Two calls.", &[("a", "read", "{}"), ("b", "list", "{}")]),
        Line::Output("a", "one"),
        Line::Output("b", "two"),
    ]);
    let mut read =
        shape(MessageShape::Openai).read(&sent(&scene, MessageShape::Openai)).expect("read");
    read[1].calls.remove(0);
    read.remove(2);
    let plan = plan(&scene.view, &read, &[]).expect("a plan");
    carried_out(&mut scene, &plan, &[]);
    let calls: Vec<&str> = scene.view.entries()[1].calls.iter().map(|c| &*c.id.0).collect();
    assert_eq!((calls, scene.view.len()), (vec!["b"], 3));
}

#[test]
fn a_new_message_with_an_answer_is_a_summary_of_what_left() {
    let scene = session();
    let answer: Answer = (RequestId(1_000_000), Text::from(" The settings were read. \n"));
    for (text, clean) in [
        ("Summary:\nThe settings were read.\n", Some("Trim")),
        ("Summary: the user wants something else.", None),
    ] {
        let read = [returned(Role::User, text), returned(Role::User, "Go on, and use port 8443.")];
        let plan = plan(&scene.view, &read, std::slice::from_ref(&answer)).expect("a plan");
        let Layout::Whole(slots) = &plan.layout else { panic!("{plan:?}") };
        let Slot::New(new) = &slots[0] else { panic!("{slots:?}") };
        assert_eq!(new.covers, Covers::Rest);
        assert_eq!(slots[1], Slot::Keep(EntryId(3)));
        let expected = if clean.is_some() { Kind::Summary } else { Kind::Notice };
        assert_eq!(new.kind, expected, "{:?}", new.pieces);
    }
}

#[test]
fn a_part_of_an_answer_is_known_for_one() {
    let inner = "The settings were read,\nand the port is to be 8443.";
    let answer: Answer =
        (RequestId(7), format!("<think>x</think><summary>{inner}</summary>").into());
    let pieces = quotes::pieces(&format!("Before. {inner} After."), &session().view, &[answer]);
    let shown = format!("{pieces:?}");
    assert!(shown.contains("Answer") && shown.contains("Part("), "{shown}");
}

#[test]
fn a_request_shows_what_its_words_come_from() {
    let scene = session();
    let read = [returned(
        Role::User,
        &format!("Summarize.\nuser: Please read the file of settings.\ntool: {LONG}\nEnd."),
    )];
    let request = request(&scene.view, Some("You sum up.".into()), &read, None, None, &[]);
    let Item::Message { pieces, .. } = &request.items[0] else { panic!("{request:?}") };
    let quoted: Vec<&Source> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Quote { of, .. } => Some(of),
            _ => None,
        })
        .collect();
    assert_eq!(quoted, [&Source::Entry(EntryId(0)), &Source::Entry(EntryId(2))]);
    assert_eq!(request.frame, Frame::Own("You sum up.".into()));
    // Written as JSON, its lines are still known.
    let json = serde_json::to_string(LONG).expect("a string");
    let pieces = quotes::pieces(&json, &scene.view, &[]);
    let quotes = pieces.iter().filter(|piece| matches!(piece, Piece::Quote { .. })).count();
    assert_eq!(quotes, 2, "{pieces:?}");
}

#[derive(Clone, Copy, Debug)]
enum Fate {
    KeepWithId,
    KeepWithoutId,
    Drop,
    Cut,
    NewBefore,
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    use Fate::{Cut, Drop, KeepWithId, KeepWithoutId, NewBefore};
    let one = proptest::sample::select(vec![KeepWithId, KeepWithoutId, Drop, Cut, NewBefore]);
    proptest::collection::vec(one, 1..12)
}

proptest! {
    /// forall sessions and fates of their messages: the next view says what the program returned.
    #[test]
    fn the_next_view_says_what_the_program_returned(
        letters in proptest::collection::vec(
            proptest::sample::select(vec!['u', 'a', 'c', '2', 't', 't']), 1..20),
        fates in fates(),
        anthropic in proptest::bool::ANY,
    ) {
        let mut scene = scene(&letters.into_iter().collect::<String>());
        let messages = SHAPES[usize::from(anthropic)];
        let read = shape(messages).read(&sent(&scene, messages)).expect("read");
        let mut back = Vec::new();
        for (place, message) in read.into_iter().enumerate() {
            let text = message.text.clone();
            match fates[place % fates.len()] {
                Fate::KeepWithId => back.push(message),
                Fate::KeepWithoutId => back.push(Returned { id: None, ..message }),
                Fate::Drop => {}
                Fate::Cut => back.push(Returned { text: format!("{text} cut"), ..message }),
                Fate::NewBefore => {
                    back.push(returned(Role::User, &format!("note {place}")));
                    back.push(message);
                }
            }
        }
        let plan = match plan(&scene.view, &back, &[]) {
            Ok(plan) => plan,
            // Where a message lost its id and another one with its words was taken for it.
            Err(rule) => return Err(TestCaseError::reject(rule)),
        };
        carried_out(&mut scene, &plan, &[]);
        let got: Vec<_> = told(&scene)
            .into_iter()
            .map(|(role, text, calls, answers)| {
                let calls: Vec<CallId> = calls.into_iter().map(|call| call.id).collect();
                (role, text, calls, answers)
            })
            .collect();
        let wanted: Vec<_> = back
            .into_iter()
            .map(|one| {
                let calls: Vec<CallId> = one.calls.into_iter().map(|call| call.id).collect();
                (one.role.expect("a role"), one.text, calls, one.answers)
            })
            .collect();
        prop_assert_eq!(got, wanted);
    }
}
