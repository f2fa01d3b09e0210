//! Cline's context compaction: only what is newer than the previous
//! summary is folded into it, a suffix stays, file lists are merged mechanically, and
//! whatever goes wrong with the summarizer, a deterministic plan stands in.

use std::collections::BTreeSet;

use proctor::ident::{EntryId, RequestId};
use proctor::log::{Role, Text};
use proctor::plan::{Accept, Covers, Layout, NewEntry, Piece, Plan, Slot, Source, SummaryRequest};
use proctor::pressure::Occasion;
use proctor::summarize::FailureClass;
use proctor::unit::Tokens;
use proctor::view::{Class, Entry, Kind, View};

use crate::conformance::scene::*;

const FILES: &str = "\n\n# Files\n";

/// Where the suffix begins: at least so many tokens, never past the last typed user
/// message, back to an assistant or user message.
fn cut(view: &View, suffix: Tokens) -> usize {
    let mut tokens = Tokens::ZERO;
    let mut start = view.len();
    while start > 0 && tokens < suffix {
        start -= 1;
        tokens += view.entries()[start].tokens();
    }
    let last_typed = view.of(Class::User).last().and_then(|id| view.position(*id)).unwrap_or(0);
    start = start.min(last_typed);
    while start > 0 && view.entries()[start].role == Role::Tool {
        start -= 1;
    }
    start
}

fn is_summary(entry: &Entry) -> bool {
    entry.kind == Kind::Summary
}

/// Paths in call arguments and in the previous list, merged and sorted.
fn files(folded: &[&Entry], previous: Option<&Entry>) -> Piece {
    let mut paths = BTreeSet::new();
    let mut of = Vec::new();
    for entry in folded {
        for call in &entry.calls {
            let Some(path) = call.args.split('"').nth(3) else { continue };
            paths.insert(path.to_owned());
            of.push(Source::Call(entry.id, call.id.clone()));
        }
    }
    if let Some(previous) = previous {
        let text = previous.content();
        let list = text.rsplit_once(FILES).map_or("", |(_, list)| list);
        paths.extend(list.lines().map(str::to_owned));
        of.push(Source::Entry(previous.id));
    }
    let list: Vec<String> = paths.into_iter().collect();
    Piece::Extract { text: format!("{FILES}{}", list.join("\n")).into(), of }
}

fn entry(pieces: Vec<Piece>, covers: Vec<EntryId>, note: &str) -> Slot {
    Slot::New(NewEntry {
        role: Role::User,
        kind: Kind::Summary,
        pieces,
        covers: Covers::Entries(covers),
        answers: None,
        note: Some(note.to_owned()),
    })
}

fn suffix_of(view: &View, cut: usize) -> Option<Slot> {
    Some(Slot::Keeps(view.at(cut)?.id, view.entries().last()?.id))
}

fn agentic(view: &View, suffix: Tokens) -> Plan {
    let cut = cut(view, suffix);
    let head: Vec<&Entry> = view.entries()[..cut].iter().map(|entry| &**entry).collect();
    let previous = head.iter().copied().find(|entry| is_summary(entry));
    let newer: Vec<&Entry> = head.iter().copied().filter(|entry| !is_summary(entry)).collect();
    let mut instruction = vec![Piece::literal("Update the summary of this session.\n")];
    if let Some(previous) = previous {
        instruction.extend([Piece::literal("<previous>"), Piece::quote(previous.id)]);
        instruction.push(Piece::literal("</previous>\n"));
    }
    for entry in &newer {
        instruction.push(Piece::literal(format!("[{}] ", entry.role.name())));
        instruction.extend([Piece::quote(entry.id), Piece::literal("\n")]);
    }
    let request = SummaryRequest::new(
        RequestId(0),
        Text::from("You keep the running summary."),
        instruction,
        Tokens(2_000),
    );
    let pieces = vec![Piece::answer(RequestId(0)), files(&newer, previous)];
    let covers = head.iter().map(|entry| entry.id).collect();
    let slots = [entry(pieces, covers, "agentic")].into_iter().chain(suffix_of(view, cut));
    Plan {
        // Anything freed at all.
        accept: vec![Accept::FreesShare(f64::MIN_POSITIVE)],
        otherwise: Some(Box::new(basic(view, suffix))),
        ..Plan::summarizing(Layout::Whole(slots.collect()), vec![request])
    }
}

/// No summarizer: all typed prompts and the last three assistant texts, frozen: an
/// entry of an earlier time stays as it is.
fn basic(view: &View, suffix: Tokens) -> Plan {
    let cut = cut(view, suffix);
    let (mut slots, mut pieces, mut covers) = (Vec::new(), Vec::new(), Vec::new());
    let head = &view.entries()[..cut];
    let says = |entry: &Entry| entry.role == Role::Assistant && entry.content_len() > 0;
    let texts: Vec<EntryId> =
        head.iter().filter(|e| says(e)).rev().take(3).map(|entry| entry.id).collect();
    for entry in head {
        if is_summary(entry) {
            slots.push(Slot::Keep(entry.id));
            continue;
        }
        covers.push(entry.id);
        if entry.is_user() || texts.contains(&entry.id) {
            pieces.extend([Piece::quote(entry.id), Piece::literal("\n")]);
        }
    }
    pieces.push(Piece::literal("<SYSTEM_NOTICE> older work was left out"));
    slots.push(entry(pieces, covers, "frozen"));
    slots.extend(suffix_of(view, cut));
    Plan::mechanical(Layout::Whole(slots))
}

/// Recovery must not hang on another answer of a model.
fn plan(view: &View, suffix: Tokens, occasion: Occasion) -> Plan {
    match occasion {
        Occasion::Overflow => basic(view, suffix),
        _ => agentic(view, suffix),
    }
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

const SUFFIX: Tokens = Tokens(4);

#[test]
fn the_head_is_folded_and_the_files_listed() {
    let mut scene = scene();
    let plan = plan(&scene.view, SUFFIX, Occasion::BeforeCall);
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
    let first = plan(&scene.view, SUFFIX, Occasion::BeforeCall);
    carry_out(&mut scene, &first, &Script::new([says("Parser ported.")]));
    scene.more_lines(&[
        Calls("", &[("c3", "read", "{\"path\":\"src/lex.rs\"}")]),
        Output("c3", OUTPUT),
        User("And the lexer."),
        Says("Done."),
    ]);
    let second = plan(&scene.view, SUFFIX, Occasion::BeforeCall);
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
                  <SYSTEM_NOTICE> older work was left out";
    [frozen, "user g0 6..7: Test it.", "assistant g0 7..8: It passes."].map(str::to_owned).to_vec()
}

#[test]
fn a_failed_or_growing_summary_gives_way_to_the_basic_plan() {
    for reply in [fails(FailureClass::Error), says(&OUTPUT.repeat(6))] {
        let mut scene = scene();
        let plan = plan(&scene.view, SUFFIX, Occasion::BeforeCall);
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
    let plan = plan(&scene.view, SUFFIX, Occasion::Overflow);
    assert!(matches!(carry_out(&mut scene, &plan, &Script::new([])), Fate::Accepted(_)));
    assert_eq!(rows(&scene), fallen_back());
}

#[test]
fn what_the_basic_plan_kept_is_not_folded_again() {
    let mut scene = scene();
    let first = basic(&scene.view, SUFFIX);
    carry_out(&mut scene, &first, &Script::new([]));
    scene.more_lines(&[User("Ship it."), Says("Shipped.")]);
    let second = basic(&scene.view, SUFFIX);
    carry_out(&mut scene, &second, &Script::new([]));
    assert_eq!(rows(&scene)[0], fallen_back()[0]);
    assert!(rows(&scene)[1].starts_with("user summary g0 6..8: Test it."));
}
