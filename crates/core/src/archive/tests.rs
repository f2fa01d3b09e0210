use proptest::prelude::*;

use super::*;
use crate::answer::Answers;
use crate::apply::commit;
use crate::plan::Slot;
use crate::testkit::{Scene, keep, scene};

fn told(messages: &[&str]) -> Scene {
    let mut scene = scene(&"u".repeat(messages.len()));
    for (message, text) in scene.log.messages.iter_mut().zip(messages) {
        message.content = (*text).into();
    }
    scene
}

fn leave(scene: &mut Scene, places: &[u32]) {
    let slots: Vec<Slot> = keep(places.iter().copied());
    let applied = scene.apply(slots, &Answers::new());
    commit(&mut scene.view, &applied);
}

fn archive(messages: &[&str]) -> Archive {
    let mut scene = told(messages);
    leave(&mut scene, &[]);
    let mut archive = Archive::default();
    archive.follow(&scene.view, scene.past());
    archive
}

fn found(archive: &Archive, query: &str, most: usize) -> Vec<u32> {
    archive.search(query, most).iter().map(|passage| passage.message.0).collect()
}

#[test]
fn only_what_has_left_the_view_is_archived_and_only_once() {
    let mut scene = told(&["alpha", "beta", "gamma", "delta"]);
    let mut archive = Archive::default();
    archive.follow(&scene.view, scene.past());
    assert!(archive.passages.is_empty());
    leave(&mut scene, &[1, 3]);
    for _ in 0..2 {
        archive.follow(&scene.view, scene.past());
        assert_eq!(archive.passages.len(), 2);
    }
    assert_eq!(found(&archive, "alpha beta gamma delta", 9), [2, 0]);
    leave(&mut scene, &[3]);
    archive.follow(&scene.view, scene.past());
    assert_eq!(found(&archive, "beta", 9), [1]);
}

#[test]
fn rare_words_weigh_more_than_common_ones_and_repetition_saturates() {
    let archive = archive(&[
        "the valve of the orchard",
        "the the the the the the the the",
        "irrigation of the field",
        "the gate",
    ]);
    assert_eq!(found(&archive, "the valve", 1), [0]);
    assert_eq!(found(&archive, "Irrigation!", 9), [2], "case and punctuation do not count");
    assert_eq!(found(&archive, "nothing known", 9), Vec::<u32>::new());
    assert_eq!(found(&archive, "", 9), Vec::<u32>::new());
    assert_eq!(found(&archive, "the", 2).len(), 2);
    let same = self::archive(&["same words", "same words", "same words"]);
    assert_eq!(found(&same, "words", 9), [2, 1, 0], "of equal passages the newer comes first");
}

/// The formula, by hand: two passages of 2 and 4 terms, a mean of 3; `a` in one of them, twice.
#[test]
fn scores_follow_the_formula() {
    let archive = archive(&["b c", "a a b c"]);
    let rarity = (1.0_f64 + (2.0 - 1.0 + 0.5) / (1.0 + 0.5)).ln();
    assert!((archive.rarity(1) - rarity).abs() < 1e-12);
    assert!((rarity - 2.0_f64.ln()).abs() < 1e-12);
    // Equal term counts, so the shorter passage wins.
    assert_eq!(found(&archive, "b", 9), [0, 1]);
}

#[test]
fn long_messages_are_cut_at_line_ends_and_calls_are_part_of_them() {
    let line = format!("{}\n", "x".repeat(500));
    let text = line.repeat(5);
    let lengths: Vec<usize> = passages(&text).iter().map(|passage| passage.len()).collect();
    assert_eq!(lengths, [1_001, 1_001, 500]);
    assert_eq!(passages(&"y".repeat(5_000)).len(), 1, "a line is never cut");
    assert!(passages(" \n \n").is_empty());
    let mut scene = scene("uct");
    leave(&mut scene, &[0]);
    let mut archive = Archive::default();
    archive.follow(&scene.view, scene.past());
    assert_eq!(&*archive.search("run", 1)[0].text, "c1\n[run] {\"n\":1}");
}

proptest! {
    /// forall texts and queries: no passage twice, and fed at once or by steps it answers alike.
    #[test]
    fn an_archive_answers_alike_however_it_was_fed(
        texts in prop::collection::vec("[a-d ]{0,12}", 1..8),
        query in "[a-e ]{0,8}",
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let at_once = archive(&texts);
        let mut scene = told(&texts);
        leave(&mut scene, &[]);
        let mut by_steps = Archive::default();
        for happened in 0..=texts.len() {
            by_steps.follow(&scene.view, scene.log.past(happened));
        }
        let hits = found(&at_once, &query, 99);
        prop_assert_eq!(&hits, &found(&by_steps, &query, 99));
        let distinct: BTreeSet<u32> = hits.iter().copied().collect();
        prop_assert_eq!(distinct.len(), hits.len());
        for passage in at_once.search(&query, 99) {
            prop_assert!(texts[passage.message.index()].contains(&*passage.text));
        }
    }
}
