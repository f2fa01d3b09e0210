use super::*;
use crate::testkit::{PRESSED, Scene, Script, says};

/// What cogni's own tests configure.
const TIGHT: Policy = Policy {
    hard_limit: Some(Tokens(100)),
    soft_limit: Some(Tokens(1)),
    recent_user_tokens: Some(Tokens(1)),
    recent_tool_outputs: 0,
    max_tokens: Tokens(2_000),
};

const CODE: Code = Profile(TIGHT);
const DOCUMENT: Document = Profile(TIGHT);

fn summary(text: &str) -> String {
    format!("a* {SUMMARY_PREFIX}{text}")
}

/// Of two compactions the second finds a fact that only the first summary holds.
#[test]
fn the_code_forgets_what_only_a_summary_knew_and_the_document_shows_it() {
    let first = format!("{SUMMARY_PREFIX}port 7070");
    let profiles: [(&dyn Strategy, &[&str], _); 2] =
        [(&CODE, &["go on", "working"], 1), (&DOCUMENT, &["go on", &first, "working"], 2)];
    for (profile, shown, generation) in profiles {
        let mut scene = Scene::texts(&[('u', "the port is 7070"), ('a', "noted"), ('u', "go on")]);
        let script = Script::new([says("port 7070"), says("went on")]);
        scene.compact(profile, &script).expect("accepted");
        scene.more_texts(&[('a', "working"), ('u', "and now?")]);
        scene.compact(profile, &script).expect("accepted");
        assert_eq!(script.shown(1), shown);
        assert_eq!(scene.rows(), ["u and now?", &summary("went on")]);
        assert_eq!(scene.view.entries()[1].generation(), generation);
    }
}

#[test]
fn where_all_else_is_kept_the_code_loses_its_summary_for_nothing() {
    let policy = Policy { recent_user_tokens: Some(Tokens(100)), ..TIGHT };
    let (code, document): (Code, Document) = (Profile(policy.clone()), Profile(policy));
    let old = format!("{SUMMARY_PREFIX}port 7070");
    let lines = [('u', "one"), ('a', &*old), ('u', "two")];
    let mut scene = Scene::texts(&lines);
    assert!(scene.plan(&code, PRESSED).expect("it acts").requests.is_empty());
    let applied = scene.compact(&code, &Script::new([])).expect("mechanical");
    assert_eq!(scene.rows(), ["u one", "u two"]);
    assert_eq!(applied.change.dropped.ranges(), [(1, 2)]);
    let again = scene.decide(&code, PRESSED);
    assert_eq!(again, Decision::decline("everything is kept by rule"));
    let mut scene = Scene::texts(&lines);
    scene.act(&document, PRESSED).expect("accepted");
    assert_eq!(scene.rows(), ["u one", "u two", &summary("s")]);
}

/// Trimmed items are folded unseen; where nobody was asked they are dropped.
#[test]
fn the_code_trims_the_oldest_before_it_asks_and_asks_nobody_where_nothing_is_left() {
    let long = "x".repeat(400);
    let all = ["older", &*long, "kept in view of the limit"];
    let lines = [('u', all[0]), ('a', all[1]), ('a', all[2]), ('u', "newer")];
    let room = PROMPT.len() as u64 / 4;
    for (hard, shown) in
        [(room + 107, &all[..]), (room + 106, &all[1..]), (room + 20, &all[2..]), (room, &[])]
    {
        let policy = Policy { hard_limit: Some(Tokens(hard)), ..TIGHT };
        let (mut scene, script) = (Scene::texts(&lines), Script::new([says("s")]));
        let applied = scene.compact(&Profile::<false>(policy), &script).expect("never an error");
        let asked = !shown.is_empty();
        assert_eq!(script.prompts().len(), usize::from(asked), "{hard}");
        assert!(!asked || script.shown(0) == shown, "{hard}");
        assert_eq!(scene.rows().len(), 1 + usize::from(asked), "{hard}");
        assert_eq!(applied.change.dropped.is_empty(), asked, "{hard}");
    }
}

#[test]
fn limits_follow_from_each_other() {
    for (given, expected) in [
        ([None, None, None], [100_001, 80_001, 20_001]),
        ([Some(1_001), None, None], [1_001, 801, 201]),
        ([None, Some(10), None], [10, 10, 3]),
        ([Some(99), Some(10), Some(7)], [99, 10, 7]),
    ] {
        let [hard_limit, soft_limit, recent_user_tokens] = given.map(|limit| limit.map(Tokens));
        let policy = Policy { hard_limit, soft_limit, recent_user_tokens, ..Policy::default() };
        assert_eq!(policy.limits(Tokens(100_001)), expected.map(Tokens));
    }
}

#[test]
fn what_they_take_for_what_goes_by_the_beginning_of_the_text() {
    for (role, text, calls, expected) in crate::cases::<(Role, String, bool, String)>("roadmap") {
        let text = text.replace("PREFIX", SUMMARY_PREFIX);
        for profile in [&CODE as &dyn Strategy, &DOCUMENT] {
            let taken = profile.takes_for(role, &text, calls).expect("it goes by text");
            assert_eq!(format!("{taken:?}"), expected, "{role:?} {text}");
        }
    }
}

#[test]
fn what_was_said_beside_a_kept_call_counts_by_its_length() {
    let (long, room) = ("x".repeat(400), PROMPT.len() as u64 / 4);
    for (hard, asked) in [(room + 100, 1), (room + 99, 0)] {
        let policy = Policy { hard_limit: Some(Tokens(hard)), ..TIGHT };
        let mut scene = Scene::texts(&[('u', "look"), ('c', &long), ('t', "out")]);
        let script = Script::new([says("s")]);
        scene.compact(&Profile::<false>(policy), &script).expect("never an error");
        assert_eq!(script.prompts().len(), asked, "{hard}");
    }
}
