use super::*;
use crate::apply::Rule;
use crate::forge::Batching;
use crate::testkit::{rules, scene};

/// Letters of the view after one act; nothing where the strategy declines.
fn after(strategy: &dyn Strategy, shape: &str) -> Option<(String, usize)> {
    let mut scene = scene(shape);
    let applied = scene.act(strategy, None)?;
    let broken = rules(&applied);
    // A batch at the beginning is an assistant message, and a shape's words are short.
    let expected = [Rule::FirstMessageRole, Rule::Grew];
    assert!(broken.iter().all(|rule| expected.contains(rule)), "{shape}: {broken:?}");
    let entries = scene.view.entries().iter();
    let letter = |entry: &Entry| match entry.content().as_ref() {
        text if text.starts_with("[SUMMARIZED]") => "+".to_owned(),
        text if text.starts_with("[GOAL BATCH]") => "*".to_owned(),
        text => text[..1].to_owned(),
    };
    Some((entries.map(|entry| letter(entry)).collect(), applied.change.added.len()))
}

fn calls(keep: usize) -> TurnCalls {
    TurnCalls { older_than_messages: keep, min_messages: 1, ..TurnCalls::default() }
}

#[test]
fn each_turn_keeps_a_block_of_its_own() {
    for (keep, shape, expected) in [
        (1, "uctuctu", Some(("u+u+u", 2))),
        (1, "uctacthu", Some(("u+hu", 1))),
        // A later part of a turn stands behind the earlier one, in the live turn too.
        (1, "uSctu", Some(("uS+u", 1))),
        (2, "uSctctct", Some(("uS+ct", 1))),
        // A pair waits until all of it is old.
        (2, "uctctu", Some(("u+ctu", 1))),
        (2, "uct2ttu", Some(("u+2ttu", 1))),
        (1, "uctct", Some(("u+ct", 1))),
        (2, "uctu", None),
        (1, "uSu", None),
    ] {
        let found = after(&calls(keep), shape);
        let found = found.as_ref().map(|(text, requests)| (text.as_str(), *requests));
        assert_eq!(found, expected, "{keep} {shape}");
    }
    assert!(after(&TurnCalls::default(), &format!("u{}", "ct".repeat(14))).is_none());
    assert!(after(&TurnCalls::default(), &format!("u{}", "ct".repeat(15))).is_some());
}

#[test]
fn a_turn_is_batched_when_nothing_of_it_is_raw() {
    let whole =
        WholeTurns(Batching { older_than_messages: 0, min_turns: 1, ..Batching::default() });
    for (shape, expected) in [
        ("uSuSu", Some("*u")),
        ("uSuSctu", Some("*uSctu")),
        ("uSctuSu", Some("uSct*u")),
        ("uSGuSu", Some("*Gu")),
        ("uS", None),
        ("uSctu", None),
    ] {
        let found = after(&whole, shape).map(|(text, _)| text);
        assert_eq!(found.as_deref(), expected, "{shape}");
    }
}

#[test]
fn the_oldest_batches_become_one() {
    let rebatch = Rebatch { max_batches: 3, fold: 2, ..Rebatch::default() };
    for (shape, expected) in
        [("GGGGu", Some("*GGu")), ("uGuGSGGu", Some("u*uSGGu")), ("GGGu", None), ("GGGSMu", None)]
    {
        let found = after(&rebatch, shape).map(|(text, _)| text);
        assert_eq!(found.as_deref(), expected, "{shape}");
    }
    assert!(Rebatch { fold: 1, ..rebatch.clone() }.check().is_err());
    assert!(Rebatch { fold: 5, ..rebatch }.check().is_err());
}
