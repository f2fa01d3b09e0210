use super::*;
use crate::answer::Answered;
use crate::apply::commit;
use crate::ident::RequestId;
use crate::log::Role;
use crate::plan::{Covers, Piece, Slot, Source};
use crate::testkit::{Scene, answered, fact, new};
use crate::token::{TokenTable, Tokenizer};
use crate::truth::Truth;
use crate::view::Kind;

const REQUEST: &str = "Port 48213 is taken, move the server.";

/// A watched session: fact 0 is the port of the request, fact 1 stands in the work.
fn watched() -> (Scene, FactTracker) {
    let scene = Scene::texts(&[('u', REQUEST), ('a', "I wrote src/serve.rs."), ('a', "Done.")]);
    let facts = [(0, "48213"), (1, "src/serve.rs")]
        .map(|(id, needle)| fact(id, FactKind::Value, needle, id));
    let truth = Truth { facts: facts.to_vec(), ..Truth::default() };
    let log = &scene.log;
    let table = TokenTable::new(log, Tokenizer::O200k);
    let mut watch = FactTracker::new(Arc::new(FactBook::new(log, &log.steps(), truth, &table)));
    for entry in scene.view.entries() {
        watch.appended(entry);
    }
    (scene, watch)
}

fn fold(scene: &mut Scene, watch: &mut FactTracker, pieces: Vec<Piece>, answers: &Answers) -> bool {
    let slots = vec![new(Role::User, Kind::Summary, pieces, Covers::Rest)];
    let applied = scene.apply(slots, answers);
    let (_, took) = watch.changed(&scene.view, &applied, answers, 1);
    commit(&mut scene.view, &applied);
    took
}

/// An answer that was shown all three messages.
fn says(scene: &Scene, text: &str) -> Answers {
    let shown = scene.view.entries().iter().map(|entry| crate::answer::Shown {
        entry: Some(entry.id),
        text: entry.content(),
        whole: true,
        tokens: entry.tokens(),
        spans: entry.covers.clone(),
        generation: entry.generation(),
    });
    let shown = shown.collect();
    let mut answers = answered(text);
    answers.insert(RequestId(0), Answered { shown, ..answers[&RequestId(0)].clone() });
    answers
}

fn generations(watch: &FactTracker) -> Vec<Found> {
    [0, 1].map(|fact| watch.found(FactId(fact))).to_vec()
}

#[test]
fn a_quote_beside_an_answer_keeps_the_generation_of_its_source() {
    let answer = || Piece::answer(RequestId(0));
    for (text, expected) in [
        ("It is in src/serve.rs.", vec![Found::Present(0), Found::Present(1)]),
        ("48213, see src/serve.rs.", vec![Found::Present(0), Found::Present(1)]),
        ("Nothing.", vec![Found::Present(0), Found::Absent]),
    ] {
        let (mut scene, mut watch) = watched();
        let request = scene.view.entries()[0].id;
        let answers = says(&scene, text);
        fold(&mut scene, &mut watch, vec![answer(), Piece::quote(request)], &answers);
        assert_eq!(generations(&watch), expected, "{text}");
        // Only what stood in the answer alone was put to the test.
        let tested: u32 = watch.folded.values().map(|(all, _)| all).sum();
        assert_eq!(tested, 1, "{text}");
        // Once more: the quote of a summary has what the summary had.
        let summary = scene.view.entries()[0].id;
        let answers = says(&scene, "It is in src/serve.rs.");
        fold(&mut scene, &mut watch, vec![answer(), Piece::quote(summary)], &answers);
        let older = match expected[1] {
            Found::Present(generation) => generation,
            _ => 1,
        };
        assert_eq!(generations(&watch), [Found::Present(0), Found::Present(older)]);
    }
}

#[test]
fn a_request_that_is_quoted_word_for_word_is_not_lost() {
    let cut = |of, from, to| Piece::Quote { of: Source::Entry(of), bytes: Some((from, to)) };
    type Pieces = fn(EntryId, &dyn Fn(EntryId, usize, usize) -> Piece) -> Vec<Piece>;
    let cases: [(Pieces, bool); 4] = [
        (|goal, _| vec![Piece::answer(RequestId(0)), Piece::quote(goal)], true),
        (|goal, cut| vec![cut(goal, 0, 9), cut(goal, 9, REQUEST.len())], true),
        (|goal, cut| vec![cut(goal, 0, 9), Piece::literal("..."), cut(goal, 20, 30)], false),
        // A summarizer's words are its own, even where they are the request's.
        (|_, _| vec![Piece::answer(RequestId(0))], false),
    ];
    for (number, (pieces, kept)) in cases.into_iter().enumerate() {
        let (mut scene, mut watch) = watched();
        let goal = scene.view.entries()[0].id;
        let answers = says(&scene, REQUEST);
        let took = fold(&mut scene, &mut watch, pieces(goal, &cut), &answers);
        assert_eq!((watch.has_live_goal(), took), (kept, !kept), "case {number}");
        if !kept {
            continue;
        }
        // The entry that quoted it is its holder now.
        let answers = says(&scene, "Moved.");
        let took = fold(&mut scene, &mut watch, vec![Piece::answer(RequestId(0))], &answers);
        assert_eq!((watch.has_live_goal(), took), (false, true), "case {number}");
    }
}

#[test]
fn slots_that_keep_the_request_leave_it_where_it_is() {
    let (mut scene, mut watch) = watched();
    let goal = scene.view.entries()[0].id;
    let applied = scene.apply(vec![Slot::Keep(goal)], &Answers::new());
    let (losses, took) = watch.changed(&scene.view, &applied, &Answers::new(), 1);
    commit(&mut scene.view, &applied);
    assert_eq!((losses.len(), took, watch.has_live_goal()), (1, false, true));
}
