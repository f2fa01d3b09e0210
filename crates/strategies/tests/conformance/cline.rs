//! Cline's context compaction: only what is newer than the previous summary is folded into it, a
//! suffix stays, file lists are merged mechanically, and whatever goes wrong with the summarizer, a
//! deterministic plan stands in.

use proctor_core::plan::Plan;
use proctor_core::pressure::Occasion::{self, BeforeCall, Overflow};
use proctor_core::summarize::FailureClass;
use proctor_core::unit::Tokens;
use proctor_strategies::cline::Cline;

use crate::scene::*;

fn plan(scene: &Scene, occasion: Occasion) -> Plan {
    plans(scene, &Cline { suffix_tokens: Tokens(4), ..Cline::default() }, occasion)
}

const OUTPUT: &str = "a hundred lines of a file that nobody will want to see a second time, \
                      each of them longer than the one before, and the last the longest";

fn scene() -> Scene {
    Scene::lines(&[
        User("Port the parser."),
        Calls("Reading.", &[("c1", "read", "{\"path\":\"src/parse.c\"}")]),
        Output("c1", OUTPUT),
        Calls("Writing.", &[("c2", "write", "{\"path\":\"src/parse.rs\"}")]),
        Output("c2", OUTPUT),
        Says("Ported."),
        User("Test it."),
        Says("It passes."),
    ])
}

#[test]
fn the_head_is_folded_and_the_files_listed() {
    let mut scene = scene();
    let plan = plan(&scene, BeforeCall);
    let script = Script::new([says("Parser ported.")]);
    let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &script) else { panic!("accepted") };
    assert_eq!(
        rows(&scene),
        [
            "user summary g1 0..6: Parser ported.\n\n# Files\nsrc/parse.c\nsrc/parse.rs",
            "user g0 6..7: Test it.",
            "assistant g0 7..8: It passes.",
        ]
    );
    assert_eq!(rules(&applied), []);
    // The list is mechanical: it stands for nothing and went through nobody.
    let list = &scene.view.entries()[0].parts[1];
    assert_eq!((list.generation, list.spans.len()), (0, 0));
}

#[test]
fn the_previous_summary_is_updated_with_what_is_newer() {
    let mut scene = scene();
    let first = plan(&scene, BeforeCall);
    carry_out(&mut scene, &first, &Script::new([says("Parser ported.")]));
    scene.more_lines(&[
        Calls("", &[("c3", "read", "{\"path\":\"src/lex.rs\"}")]),
        Output("c3", OUTPUT),
        User("And the lexer."),
        Says("Done."),
    ]);
    let second = plan(&scene, BeforeCall);
    let script = Script::new([says("Parser and lexer.")]);
    carry_out(&mut scene, &second, &script);
    assert_eq!(
        rows(&scene)[0],
        "user summary g2 0..10: Parser and lexer.\n\n# Files\nsrc/lex.rs\nsrc/parse.c\nsrc/parse.rs"
    );
    let prompt = &prompts(&script)[0];
    assert!(prompt.contains("<previous>Parser ported.\n\n# Files"), "{prompt}");
    assert!(prompt.contains("[user] Test it."), "{prompt}");
    assert!(!prompt.contains("Port the parser."), "folded before: {prompt}");
}

fn fallen_back() -> Vec<String> {
    let frozen = "user summary g0 0..6: Port the parser.\nReading.\nWriting.\nPorted.\n\
                  <SYSTEM_NOTICE> What stands between these messages was left out. They are a \
                  summary of your actions so far.";
    [frozen, "user g0 6..7: Test it.", "assistant g0 7..8: It passes."].map(str::to_owned).to_vec()
}

#[test]
fn a_failed_or_growing_summary_gives_way_to_the_basic_plan() {
    for reply in [fails(FailureClass::Error), says(" "), says(&OUTPUT.repeat(6))] {
        let mut scene = scene();
        let plan = plan(&scene, BeforeCall);
        let Fate::Fallback(applied) = carry_out(&mut scene, &plan, &Script::new([reply])) else {
            panic!("fallback")
        };
        assert_eq!(rows(&scene), fallen_back());
        assert_eq!(rules(&applied), []);
    }
}

#[test]
fn overflow_is_recovered_from_without_a_model() {
    let mut scene = scene();
    let plan = plan(&scene, Overflow);
    assert!(matches!(carry_out(&mut scene, &plan, &Script::new([])), Fate::Accepted(_)));
    assert_eq!(rows(&scene), fallen_back());
    assert_eq!(scene.view.entries()[0].note.as_deref(), Some("basic"));
}

#[test]
fn what_the_basic_plan_kept_is_not_folded_again() {
    let mut scene = scene();
    let first = plan(&scene, Overflow);
    carry_out(&mut scene, &first, &Script::new([]));
    scene.more_lines(&[User("Ship it."), Says("Shipped.")]);
    let second = plan(&scene, Overflow);
    carry_out(&mut scene, &second, &Script::new([]));
    assert_eq!(rows(&scene)[0], fallen_back()[0]);
    assert!(rows(&scene)[1].starts_with("user summary g0 6..8: Test it."));
}

#[test]
fn the_last_three_texts_of_the_agent_are_kept_and_a_call_without_words_is_none() {
    let mut scene = Scene::lines(&[
        User("Port it."),
        Says("one"),
        Says("two"),
        Says("three"),
        Says("four"),
        Calls("", &[("c1", "read", "{}")]),
        Output("c1", OUTPUT),
        User("Test it."),
        Says("It passes."),
    ]);
    let plan = plan(&scene, Overflow);
    carry_out(&mut scene, &plan, &Script::new([]));
    let kept = &rows(&scene)[0];
    assert!(kept.contains("Port it.\ntwo\nthree\nfour\n"), "{kept}");
}
