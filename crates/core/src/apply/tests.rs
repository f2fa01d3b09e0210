use super::*;
use crate::answer::{Answered, Shown};
use crate::log::{CallId, Role, Text};
use crate::plan::{Base, Covers, Edit, NewEntry, Piece, Slot, Source};
use crate::summarize::Finish;
use crate::testkit::{Scene, answered, keep, new, rules, scene, summary};
use crate::view::{Entry, Kind};

fn committed(scene: &Scene, applied: &Applied) -> View {
    let mut view = scene.view.clone();
    commit(&mut view, applied);
    view
}

/// Slots in words: `3` is kept, `0-5` from one to the other, `1~x` is rewritten, `!x` a notice,
/// `=k1.0` a result of that call, `+0,1` a summary of these, `+*` of the rest, `+` of nothing.
fn slots(words: &str) -> Vec<Slot> {
    let id = |text: &str| EntryId(text.parse().expect("an id"));
    let slot = |word: &str| {
        let (first, rest) = word.split_at(1);
        match (first, word.split_once(['~', '-'])) {
            ("!", _) => {
                new(Role::Assistant, Kind::Notice, vec![Piece::literal(rest)], Covers::Nothing)
            }
            ("=", _) => {
                let entry = NewEntry::new(Role::Tool, Kind::Notice, vec![], Covers::Nothing);
                Slot::New(NewEntry { answers: Some(CallId::new(rest)), ..entry })
            }
            ("+", _) => summary(
                Role::User,
                match rest {
                    "" => Covers::Nothing,
                    "*" => Covers::Rest,
                    ids => Covers::Entries(ids.split(',').map(id).collect()),
                },
            ),
            (_, Some((entry, text))) if word.contains('~') => {
                let pieces = Some(vec![Piece::literal(text)]);
                Slot::Rewrite(Edit {
                    entry: id(entry),
                    pieces,
                    args: BTreeMap::new(),
                    drops: Vec::new(),
                })
            }
            (_, Some((from, to))) => Slot::Keeps(id(from), id(to)),
            (_, None) => Slot::Keep(id(word)),
        }
    };
    words.split(' ').filter(|word| !word.is_empty()).map(slot).collect()
}

fn rule_names(applied: &Applied) -> Vec<&'static str> {
    rules(applied).into_iter().map(Rule::name).collect()
}

fn of(ids: &[u32]) -> Covers {
    Covers::Entries(ids.iter().copied().map(EntryId).collect())
}

fn spans(ids: impl IntoIterator<Item = u32>) -> Spans {
    ids.into_iter().map(MsgId).collect()
}

#[test]
fn the_next_view_is_what_the_slots_say_in_order() {
    let scene = scene("uauaua");
    for (words, expected, first) in crate::cases::<(String, String, usize)>("slots") {
        let applied = scene.apply(slots(&words), &answered("sum"));
        let next = committed(&scene, &applied);
        let contents: Vec<_> = next.entries().iter().map(|one| one.content().to_string()).collect();
        assert_eq!(contents.join(" "), expected);
        assert_eq!(applied.change.first, first, "{expected}");
    }
}

#[test]
fn kept_entries_are_the_same_entries() {
    let scene = scene("uaua");
    let view = committed(&scene, &scene.apply(keep([0, 3]), &Answers::new()));
    assert!(Arc::ptr_eq(&view.entries()[0], &scene.view.entries()[0]));
    assert!(Arc::ptr_eq(&view.entries()[1], &scene.view.entries()[3]));
}

#[test]
fn a_change_says_what_left_what_came_and_what_nothing_stands_for() {
    let scene = scene("uauaua");
    let applied = scene.apply(slots("+0,1 4 5~x"), &answered("sum"));
    assert_eq!(applied.change.removed, [0, 1, 2, 3, 5].map(EntryId));
    assert_eq!(applied.change.dropped, spans(2..4));
    let added: Vec<_> = applied.change.added.iter().map(|f| (f.entry, f.covered.clone())).collect();
    assert_eq!(
        added,
        [(EntryId(6), vec![EntryId(0), EntryId(1)]), (EntryId(7), vec![EntryId(5)]),]
    );
    assert_eq!(applied.change.added[0].requests, [RequestId(0)]);
}

#[test]
fn the_rest_is_what_leaves_and_nothing_else_covers() {
    let scene = scene("uauaua");
    let slots = vec![
        new(Role::User, Kind::Summary, vec![], of(&[1])),
        new(Role::User, Kind::Summary, vec![], Covers::Log(spans(2..4))),
        summary(Role::User, Covers::Rest),
        Slot::Keep(EntryId(4)),
    ];
    let applied = scene.apply(slots, &answered("sum"));
    let covered: Vec<_> = applied.change.added.iter().map(|fold| fold.covered.clone()).collect();
    assert_eq!(
        covered,
        [vec![EntryId(1)], vec![EntryId(2), EntryId(3)], vec![EntryId(0), EntryId(5)],]
    );
    assert!(applied.change.dropped.is_empty());
}

#[test]
fn a_rewrite_keeps_what_it_does_not_name() {
    let scene = scene("uct");
    let id = CallId::new("k1.0");
    let args = BTreeMap::from([(id.clone(), Text::from("{}"))]);
    let edit = Edit { entry: EntryId(1), pieces: None, args, drops: Vec::new() };
    let slots = vec![Slot::Keep(EntryId(0)), Slot::Rewrite(edit), Slot::Keep(EntryId(2))];
    let applied = scene.apply(slots, &Answers::new());
    let new = &applied.entries[0];
    assert_eq!((&*new.content(), &*new.calls[0].args), ("c1", "{}"));
    assert_eq!((new.origin, new.rewritten), (Some(MsgId(1)), true));
    let total = scene.view.tokens() + new.tokens() - scene.view.entries()[1].tokens();
    assert_eq!(applied.tokens, total);
    assert_eq!(rules(&applied), []);
}

#[test]
fn malformed_plans_say_what_is_wrong() {
    let scene = scene("uct");
    let refused = |slots: Vec<Slot>, expected: &str| {
        let (layout, answers, past) = (Layout::Whole(slots), answered("sum"), scene.past());
        let tried = apply(&scene.view, &layout, &answers, past, &scene.tally, false, scene.unread);
        let error = tried.expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    };
    for [words, expected] in crate::cases::<[String; 2]>("malformed") {
        refused(slots(&words), &expected);
    }
    let log = |id| Piece::Quote { of: Source::Log(MsgId(id)), bytes: None };
    let call = |entry, call: &str| Piece::arguments(EntryId(entry), &CallId::new(call));
    let with = |piece| vec![new(Role::User, Kind::Notice, vec![piece], Covers::Nothing)];
    let args = BTreeMap::from([(CallId::new("zz"), Text::from("{}"))]);
    let edit = Slot::Rewrite(Edit { entry: EntryId(1), pieces: None, args, drops: Vec::new() });
    for (slots, expected) in [
        (with(Piece::quote(EntryId(9))), "entry 9 is not in the view"),
        (with(log(3)), "message 3 has not happened yet"),
        (with(call(1, "zz")), "makes no call `zz`"),
        (with(Piece::answer(RequestId(7))), "no answer to any of the requests"),
        (vec![edit], "makes no call `zz`"),
    ] {
        refused(slots, expected);
    }
    let edits = Layout::Edits { base: Base::View, edits: Vec::new() };
    let (answers, past) = (Answers::new(), scene.past());
    let tried = apply(&scene.view, &edits, &answers, past, &scene.tally, false, scene.unread);
    assert!(tried.expect_err("no edits here").to_string().contains("request scope"));
}

/// For each rule a change that breaks it and its neighbour that does not.
#[test]
fn every_rule_is_broken_by_one_case_and_not_by_its_neighbour() {
    for (shape, words, expected) in crate::cases::<(String, String, Vec<String>)>("rules") {
        let applied = scene(&shape).apply(slots(&words), &answered("sum"));
        assert_eq!(rule_names(&applied), expected, "{shape} {words}");
    }
}

#[test]
fn a_summary_without_a_word_is_seen() {
    let scene = scene("uaua");
    for (text, expected) in [(" \n", vec![Rule::EmptySummary]), ("x", vec![])] {
        assert_eq!(rules(&scene.apply(slots("+0,1 2 3"), &answered(text))), expected);
    }
}

#[test]
fn splitting_a_closed_turn_counts_where_the_profile_claims_not_to() {
    let scene = scene("uSSuS");
    let split = vec![Rule::TurnSplit];
    for (words, expected) in
        [("+0,1 2 3 4", &split), ("0 +1,2 3 4", &split), ("+0,1,2 3 4", &vec![])]
    {
        let layout = Layout::Whole(slots(words));
        assert_eq!(&rules(&scene.applied(&layout, &answered("x"), true)), expected);
        assert_eq!(rules(&scene.apply(slots(words), &answered("x"))), []);
    }
}

/// Of call 4 and its result 5, which no call was made with, and of older ones.
#[test]
fn a_result_that_leaves_unread_is_counted_unless_its_whole_text_stays() {
    let unread = || {
        let mut scene = scene("uctuct");
        scene.unread = MsgId(5);
        scene
    };
    let hidden = |slots: Vec<Slot>| {
        let found = unread().apply(slots, &answered("sum")).violations;
        let own = found.iter().filter(|one| one.rule == Rule::FreshResultHidden);
        own.map(|one| one.entry.expect("an entry").0).collect::<Vec<_>>()
    };
    for (words, expected) in [
        ("0-5", &[][..]),
        ("0-4 5~", &[5]),
        ("0-3 +4,5", &[5]),
        ("0-3", &[5]),
        ("0-3 5 4", &[]),
        ("0 3-5", &[]),
        ("0-1 2~x 3-5", &[]),
        ("0-3 4~x 5", &[]),
    ] {
        assert_eq!(hidden(slots(words)), expected, "{words}");
    }
    let quoted = |bytes| {
        let quote = Piece::Quote { of: Source::Entry(EntryId(5)), bytes };
        let pieces = vec![Piece::literal("cut: "), quote];
        let edit = Edit {
            entry: EntryId(5),
            pieces: Some(pieces),
            args: BTreeMap::new(),
            drops: Vec::new(),
        };
        hidden([slots("0-4"), vec![Slot::Rewrite(edit)]].concat())
    };
    assert_eq!((quoted(None), quoted(Some((0, 1)))), (vec![], vec![5]));
    // What was masked is not hidden a second time.
    let mut scene = unread();
    let first = scene.apply(slots("0-4 5~"), &Answers::new());
    commit(&mut scene.view, &first);
    assert!(!rules(&scene.apply(slots("0-4"), &Answers::new())).contains(&Rule::FreshResultHidden));
}

#[test]
fn violations_are_only_new_ones() {
    // An orphan result, a split pair and a leading answer that were there before.
    let mut scene = scene("ctaatu");
    let first = scene.apply(slots("1 ! 2 3 4 5"), &Answers::new());
    commit(&mut scene.view, &first);
    assert!(!first.violations.is_empty());
    let last = scene.view.entries().last().expect("it has entries").id;
    let ids: Vec<Slot> = scene.view.entries()[..4].iter().map(|e| Slot::Keep(e.id)).collect();
    assert!(ids.iter().all(|slot| *slot != Slot::Keep(last)));
    assert_eq!(rules(&scene.apply(ids, &Answers::new())), []);
}

#[test]
fn a_pair_split_around_a_rewritten_call_is_seen() {
    for (words, expected) in [
        ("0 1~x ! 2", vec![Rule::SplitPair]),
        ("0 1~x 2", vec![]),
        ("0 1 ! 2~", vec![Rule::SplitPair]),
        ("0 1 2~", vec![]),
    ] {
        let applied = scene("uct").apply(slots(words), &Answers::new());
        let found: Vec<Rule> = rules(&applied).into_iter().filter(|r| *r != Rule::Grew).collect();
        assert_eq!(found, expected);
    }
}

fn made(scene: &Scene, pieces: Vec<Piece>, answers: &Answers) -> Arc<Entry> {
    let slots = vec![new(Role::User, Kind::Summary, pieces, Covers::Rest)];
    scene.apply(slots, answers).entries[0].clone()
}

#[test]
fn quotes_keep_spans_and_generation_and_answers_are_one_older() {
    let scene = scene("uaM");
    let shown = |spans: Spans, generation| Shown {
        entry: None,
        text: "".into(),
        whole: true,
        tokens: Tokens::ZERO,
        spans,
        generation,
    };
    let shown = vec![shown(spans([0]), 0), shown(spans([1]), 2)];
    let (text, words, finish) = ("words".into(), Vec::new(), Finish::Stop);
    let answer = Answered { text, shown, words, stand_in: false, finish };
    let stand_in = Answered { stand_in: true, ..answer.clone() };
    let answers = Answers::from([(RequestId(0), answer), (RequestId(1), stand_in)]);
    let quote = |of, bytes| Piece::Quote { of, bytes };
    let entry = |id| Source::Entry(EntryId(id));
    for (piece, text, generation, of) in [
        (Piece::literal("own"), "own", 0, spans([])),
        (Piece::Extract { text: "list".into(), of: vec![entry(0)] }, "list", 0, spans([])),
        (Piece::quote(EntryId(1)), "a1", 0, spans([1])),
        (quote(entry(1), Some((1, 2))), "1", 0, spans([1])),
        (quote(entry(1), Some((1, 99))), "1", 0, spans([1])),
        (Piece::quote(EntryId(2)), "M2", 1, spans([])),
        (quote(Source::Log(MsgId(0)), None), "u0", 0, spans([0])),
        (Piece::answer(RequestId(0)), "words", 3, spans([0, 1])),
        (Piece::answer(RequestId(1)), "words", 0, spans([])),
    ] {
        let entry = made(&scene, vec![piece.clone()], &answers);
        let part = &entry.parts[0];
        assert_eq!(
            (&*part.text, part.generation, &part.spans),
            (text, generation, &of),
            "{piece:?}"
        );
        assert_eq!(entry.covers, spans(0..2), "what it covers is not what it says");
    }
}

#[test]
fn a_partial_quote_of_several_parts_keeps_each_source() {
    let mut scene = scene("uaa");
    let pieces = vec![Piece::quote(EntryId(0)), Piece::literal("--"), Piece::quote(EntryId(1))];
    let slots = vec![new(Role::User, Kind::Summary, pieces, Covers::Rest)];
    let applied = scene.apply(slots, &Answers::new());
    commit(&mut scene.view, &applied);
    let id = scene.view.entries()[0].id;
    let cut = Piece::Quote { of: Source::Entry(id), bytes: Some((1, 5)) };
    let entry = made(&scene, vec![cut], &Answers::new());
    let parts: Vec<_> = entry.parts.iter().map(|p| (&*p.text, p.spans.clone())).collect();
    assert_eq!(parts, [("0", spans([0])), ("--", spans([])), ("a", spans([1]))]);
}
