use super::*;
use crate::testkit::{Scene, Script, fails, says};

const AGENTS: &str = "# AGENTS.md instructions for /repo\n\nrun the tests";
const ENVIRONMENT: &str = "<ENVIRONMENT_CONTEXT>cwd=/tmp</ENVIRONMENT_CONTEXT>";

fn session() -> Scene {
    Scene::texts(&[
        ('h', AGENTS),
        ('h', ENVIRONMENT),
        ('u', "Add a retry."),
        ('c', "I read it."),
        ('t', "fn load()"),
        ('u', "At most 3 times."),
        ('2', ""),
        ('t', "ok"),
        ('t', "2 passed"),
    ])
}

#[test]
fn a_repeated_compaction_reads_the_summary_keeps_the_users_and_leaves_one_summary() {
    let mut scene = session();
    let script = Script::new(["one", "two", "three"].map(says));
    for (round, words) in ["more", "and more", "still more"].iter().enumerate() {
        scene.compact(&Codex::default(), &script).expect("accepted");
        let rows = scene.rows();
        assert_eq!(rows.len(), 5 + round);
        assert_eq!(rows.iter().filter(|row| row.starts_with("u*")).count(), 1);
        scene.more_texts(&[('u', words), ('a', "done")]);
    }
    assert!(script.shown(1).contains(&format!("{SUMMARY_PREFIX}\none")));
    assert!(script.shown(2).contains(&format!("{SUMMARY_PREFIX}\ntwo")));
    let last = scene.view.entries().iter().find(|entry| entry.kind == Kind::Summary);
    assert_eq!(last.map(|entry| entry.generation()), Some(3), "a summary of summaries");
}

#[test]
fn the_budget_is_twenty_thousand_tokens_at_four_bytes_and_a_cut_splits_no_character() {
    for (length, expected) in [(80_000, 80_000), (80_001, 80_000 + "…1 tokens truncated…".len())]
    {
        let text = "x".repeat(length);
        let mut scene = Scene::texts(&[('u', "before"), ('u', &text), ('a', "ok")]);
        scene.act(&Codex::default(), None).expect("accepted");
        assert_eq!(scene.rows().len(), 2, "the older message is gone");
        assert_eq!(scene.view.entries()[0].content_len(), expected);
    }
    let small = Codex { user_tokens: Tokens(4), ..Codex::default() };
    for length in 5..40 {
        let mut scene = Scene::texts(&[('u', &"é日🦀".repeat(length)), ('a', "ok")]);
        scene.act(&small, None).expect("accepted");
        let cut = scene.view.entries()[0].content();
        assert!(cut.starts_with('é') && cut.contains("tokens truncated"), "{cut}");
        assert!(cut.len() <= 16 + "…000 tokens truncated…".len(), "{cut}");
    }
}

#[test]
fn a_refused_prompt_loses_its_oldest_items_in_pairs_down_to_the_question_alone() {
    let script = Script::new([fails(FailureClass::Overflow)]);
    let failed = session().compact(&Codex::default(), &script);
    assert_eq!(failed.expect_err("it never fits"), FailureClass::Overflow);
    let lengths: Vec<usize> =
        (0..script.prompts().len()).map(|number| script.shown(number).len()).collect();
    // Two rules, the request, call and result, the request, a call with its two results.
    assert_eq!(lengths, [9, 8, 7, 6, 4, 3, 0]);
}

#[test]
fn what_it_takes_for_what_goes_by_role_and_prefix() {
    for (role, text, expected) in crate::cases::<(Role, String, String)>("codex") {
        let text = text.replace("PREFIX", SUMMARY_PREFIX);
        let taken = Codex::default().takes_for(role, &text, false).expect("it goes by text");
        assert_eq!(format!("{taken:?}"), expected, "{role:?} {text}");
    }
}
