use super::*;
use crate::ident::MsgId;
use crate::log::Role;
use crate::plan::{Clean, Frame, Item, Piece, Recovery};
use crate::summarize::FailureClass::*;
use crate::testkit::{Scene, Script, fails, says, scene};

fn request(id: u32, entries: &[u32], instruction: Vec<Piece>) -> SummaryRequest {
    SummaryRequest {
        items: entries.iter().map(|id| Item::Entry(EntryId(*id))).collect(),
        ..SummaryRequest::new(RequestId(id), "sys".into(), instruction, Tokens(100))
    }
}

fn plain(entries: &[u32]) -> SummaryRequest {
    request(0, entries, vec![Piece::literal("Go.")])
}

fn first_of(ids: &[u32]) -> Piece {
    let first_of = ids.iter().copied().map(RequestId).collect();
    Piece::Answer { first_of, clean: Clean::AsIs }
}

fn trimming(pairs: bool, leave: usize) -> Vec<Recovery> {
    vec![Recovery::TrimOldest { pairs, leave }]
}

fn text(outcome: &Outcome, id: u32) -> &str {
    &outcome.answers[&RequestId(id)].text
}

fn failures(outcome: &Outcome) -> Vec<Option<FailureClass>> {
    outcome.attempts.iter().map(|attempt| attempt.failed).collect()
}

#[test]
fn requests_that_use_answers_go_out_in_later_waves() {
    let scene = scene("uaua");
    let uses = |id, first: &[u32]| request(id, &[id], vec![first_of(first)]);
    let requests = [uses(2, &[1]), plain(&[0]), uses(1, &[0]), request(3, &[3], vec![])];
    let script = Script::new(["a", "b", "c", "d"].map(says));
    let outcome = scene.answer(&requests, &script);
    let waves: Vec<_> = outcome.attempts.iter().map(|a| (a.request.0, a.batch)).collect();
    assert_eq!(waves, [(0, 0), (3, 0), (1, 1), (2, 2)]);
    assert_eq!([0, 1, 2, 3].map(|id| text(&outcome, id)), ["a", "c", "d", "b"]);
    let generations = [0, 1, 2].map(|id| outcome.answers[&RequestId(id)].generation());
    assert_eq!(generations, [1, 2, 3], "an answer of an answer is older");
    let spans = outcome.answers[&RequestId(2)].spans();
    assert_eq!(spans.iter().collect::<Vec<_>>(), [0, 1, 2].map(MsgId));
}

#[test]
fn a_request_waits_for_every_answer_that_it_may_use() {
    let scene = scene("uaua");
    let second = request(1, &[], vec![Piece::answer(RequestId(0))]);
    let requests = [plain(&[0]), second, request(2, &[], vec![first_of(&[1, 0])])];
    let script = Script::new(["draft", "better", "end"].map(says));
    scene.answer(&requests, &script);
    assert_eq!(script.prompts()[2].messages[0].text(), "better");
}

#[test]
fn a_request_that_came_to_nothing_gives_way_to_the_next() {
    let scene = scene("uaua");
    for (give_up, expected) in
        [(GiveUp::Nothing, "draft"), (GiveUp::Say("(none)".to_owned()), "(none)")]
    {
        let second = SummaryRequest { give_up, ..request(1, &[1], vec![]) };
        let outcome =
            scene.answer(&[plain(&[0]), second], &Script::new([says("draft"), fails(Error)]));
        let (view, past, answers) = (&scene.view, scene.past(), &outcome.answers);
        let resolved = Sources { view, past, answers }.resolve(&[first_of(&[1, 0])]);
        let resolved = resolved.expect("a good piece");
        assert_eq!(&*resolved[0].part.text, expected);
    }
}

#[test]
fn requests_that_cannot_be_answered_in_any_order_are_malformed() {
    let scene = scene("ua");
    let uses = |id, other| request(id, &[], vec![Piece::answer(RequestId(other))]);
    let script = Script::new([says("x")]);
    let memo = Memo::default();
    for requests in [
        vec![uses(0, 1), uses(1, 0)],
        vec![uses(0, 9)],
        vec![plain(&[0]), plain(&[1])],
        vec![plain(&[9])],
    ] {
        assert!(answer(&requests, &scene.view, &scene.desk(&script, &memo)).is_err());
    }
}

#[test]
fn a_remembered_answer_is_billed_like_a_fresh_one() {
    let scene = scene("uaua");
    let mut script = Script::new([fails(Error), says("first"), says("second")]);
    script.memoizes = true;
    let memo = Memo::default();
    let desk = scene.desk(&script, &memo);
    let asked = || answer(&[plain(&[0, 1])], &scene.view, &desk).expect("a good request");
    assert!(asked().failure.is_some(), "failures are not remembered");
    let (miss, hit) = (asked(), asked());
    assert_eq!((miss.asked, hit.asked), (1, 0));
    assert_eq!((&miss.answers, &miss.attempts), (&hit.answers, &hit.attempts));
    assert_eq!((&miss.prompts, &miss.failure), (&hit.prompts, &hit.failure));
    assert_eq!(text(&hit, 0), "first");
    assert!(hit.attempts[0].billed && hit.attempts[0].completion > Tokens::ZERO);
    assert_eq!(script.prompts().len(), 2);
}

#[test]
fn an_oversized_prompt_is_refused_unasked_and_unbilled() {
    let scene = scene("uaua");
    let mut script = Script::new([says("x")]);
    script.window = Tokens(100);
    let outcome = scene.answer(&[plain(&[0])], &script);
    assert_eq!(outcome.failure.as_ref().map(|failure| failure.class), Some(Overflow));
    assert!(!outcome.attempts[0].billed);
    assert!(script.prompts().is_empty());
}

fn lengths(script: &Script) -> Vec<usize> {
    script.prompts().iter().map(|prompt| prompt.messages.len() - 1).collect()
}

#[test]
fn each_remedy_changes_the_request_until_it_is_spent() {
    let retry = vec![Recovery::Retry(2)];
    let trim = |pairs| trimming(pairs, 1);
    let both = |pairs, leave| [trimming(pairs, leave), vec![Recovery::Retry(1)]].concat();
    for (shape, remedies, expected) in [
        ("uaua", retry, vec![4, 4, 4]),
        ("uaua", vec![], vec![4]),
        ("ucta", trim(false), vec![4, 3, 2, 1]),
        ("ctua", trim(true), vec![4, 2, 1]),
        ("uctt", trim(true), vec![4, 3, 1]),
        ("uaua", both(false, 2), vec![4, 3, 2, 2]),
        // Trimming that would leave nothing leaves the items to the next remedy.
        ("ct", both(true, 1), vec![2, 2]),
    ] {
        let script = Script::new([fails(Refusal)]);
        let items: Vec<u32> = (0..shape.len() as u32).collect();
        let recover = BTreeMap::from([(Refusal, remedies.clone())]);
        let request = SummaryRequest { recover, ..plain(&items) };
        let outcome = scene(shape).answer(&[request], &script);
        assert_eq!(lengths(&script), expected, "{shape} {remedies:?}");
        assert!(outcome.failure.is_some());
        assert!(outcome.attempts.iter().all(|attempt| !attempt.billed));
    }
}

#[test]
fn what_was_trimmed_away_is_not_shown() {
    let script = Script::new([fails(Refusal), says("x")]);
    let recover = BTreeMap::from([(Refusal, trimming(false, 1))]);
    let request = SummaryRequest { recover, ..plain(&[0, 1, 2, 3]) };
    let outcome = scene("uaua").answer(&[request], &script);
    let spans = outcome.answers[&RequestId(0)].spans();
    assert_eq!(spans.iter().collect::<Vec<_>>(), [1, 2, 3].map(MsgId));
}

#[test]
fn giving_up_says_what_the_profile_says() {
    for (give_up, expected) in [
        (GiveUp::FailPlan, None),
        (GiveUp::Say("none".to_owned()), Some("none")),
        (GiveUp::Nothing, Some("")),
    ] {
        let request = SummaryRequest { give_up: give_up.clone(), ..plain(&[0]) };
        let outcome = scene("ua").answer(&[request], &Script::new([fails(Error)]));
        assert_eq!(outcome.failure.is_none(), expected.is_some());
        let answered = outcome.answers.get(&RequestId(0));
        assert_eq!(answered.map(|answered| &*answered.text), expected, "{give_up:?}");
        assert!(answered.is_none_or(|answered| answered.stand_in && answered.shown.is_empty()));
    }
}

#[test]
fn a_class_of_failure_may_be_given_up_in_its_own_way() {
    for (class, fails_plan) in [(Empty, false), (Error, true)] {
        let request = SummaryRequest {
            recover: BTreeMap::from([(Empty, vec![])]),
            give_up_on: BTreeMap::from([(Empty, GiveUp::Say("none".to_owned()))]),
            ..plain(&[0])
        };
        let reply = if class == Empty { says("") } else { fails(class) };
        let outcome = scene("ua").answer(&[request], &Script::new([reply]));
        assert_eq!(outcome.failure.is_some(), fails_plan);
    }
}

#[test]
fn poor_answers_fail_only_where_the_request_names_them() {
    let finished = |text: &str, finish| Ok(Answer { text: text.to_owned(), finish });
    for (class, reply) in [
        (Empty, says(" \n")),
        (Inflated, says("many more words than the few that it was shown")),
        (Truncated, finished("cut", Finish::Length)),
        (ToolCall, finished("", Finish::ToolCall)),
    ] {
        let script = || Script::new([reply.clone()]);
        let unnamed = scene("uaua").answer(&[plain(&[0])], &script());
        assert_eq!(failures(&unnamed), [None], "{class:?} is accepted");
        let named = SummaryRequest { recover: BTreeMap::from([(class, vec![])]), ..plain(&[0]) };
        let outcome = scene("uaua").answer(&[named], &script());
        assert_eq!(failures(&outcome), [Some(class)]);
        assert!(outcome.attempts[0].billed, "a poor answer costs as much as a good one");
    }
}

fn prefix_entries(scene: &Scene, request: SummaryRequest) -> usize {
    scene.answer(&[request], &Script::new([says("x")])).attempts[0].prefix_entries
}

#[test]
fn only_the_agents_own_conversation_can_be_read_from_the_cache() {
    let scene = scene("uaua");
    let agent =
        |entries: &[u32]| SummaryRequest { frame: Frame::Agent { tools: true }, ..plain(entries) };
    assert_eq!(prefix_entries(&scene, plain(&[0, 1])), 0);
    assert_eq!(prefix_entries(&scene, agent(&[0, 1])), 2);
    assert_eq!(prefix_entries(&scene, agent(&[0, 2, 3])), 1);
    assert_eq!(prefix_entries(&scene, agent(&[1, 2])), 0);
    let mut between = agent(&[0, 1, 2]);
    let message = Item::Message { role: Role::User, pieces: vec![], answers: None };
    between.items.insert(1, message);
    assert_eq!(prefix_entries(&scene, between), 1);
}

/// Every refused try is recorded as if it had been written out: as a request for what was left.
#[test]
fn a_trimmed_request_measures_what_it_would_if_it_were_written_anew() {
    let scene = scene("uc2ttut2attcta");
    let entries: Vec<u32> = (0..scene.view.len() as u32).collect();
    for (pairs, leave) in [(false, 1), (true, 1), (true, 0), (false, 3)] {
        let asking = |entries: &[u32]| SummaryRequest {
            frame: Frame::Agent { tools: true },
            max_tokens: Tokens(1),
            ..plain(entries)
        };
        let recover = BTreeMap::from([(Overflow, trimming(pairs, leave))]);
        let request = SummaryRequest { recover, ..asking(&entries) };
        // The summarizer itself refuses, so that every try is written and asked.
        let asked = Script::new([fails(Overflow)]);
        let slow = scene.answer(std::slice::from_ref(&request), &asked);
        let mut closed = Script::new([says("x")]);
        for attempt in &slow.attempts {
            closed.window = attempt.prompt;
            let quick = scene.answer(std::slice::from_ref(&request), &closed);
            let same = quick.attempts.iter().zip(&slow.attempts).take_while(|(a, b)| a == b);
            let (quick_last, refused) = (quick.attempts.last(), quick.attempts.len());
            let refused = refused - usize::from(quick_last.is_some_and(|last| last.billed));
            assert_eq!(same.count(), refused, "{pairs} {leave}");
        }
        // And each is what a fresh request for the items left measures.
        for (attempt, prompt) in slow.attempts.iter().zip(asked.prompts()) {
            let texts: Vec<String> =
                prompt.messages.iter().map(crate::summarize::PromptMessage::text).collect();
            let is_left = |id: &&u32| {
                let content = scene.view.entries()[**id as usize].content();
                texts.iter().any(|text| text.lines().next() == Some(&*content))
            };
            let left: Vec<u32> = entries.iter().filter(is_left).copied().collect();
            let fresh = scene.answer(&[asking(&left)], &Script::new([says("x")]));
            let measured = |a: &Attempt| (a.prompt, a.prefix_entries);
            assert_eq!(measured(attempt), measured(&fresh.attempts[0]), "{left:?}");
        }
    }
}
