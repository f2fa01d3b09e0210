use proptest::prelude::*;

use super::split::{by_count, by_tokens};
use super::*;
use crate::apply::Rule;
use crate::plan::{Decision, Then};
use crate::strategy::Strategy;
use crate::summarize::{FailureClass, Reply};
use crate::testkit::{Script, fails, rules, says, scene};
use crate::unit::Tokens;

mod driven;

fn decide(strategy: &dyn Strategy, shape: &str, window: u64) -> Decision {
    let mut scene = scene(shape);
    scene.budget.window = Tokens(window);
    scene.decide(strategy, None)
}

/// What a view says after a plan is carried out in a window, its fallback where that fails,
/// and the rules broken.
fn after(
    strategy: &dyn Strategy,
    shape: &str,
    window: u64,
    reply: Reply,
) -> (Vec<String>, Vec<Rule>) {
    let Decision::Plan(plan) = decide(strategy, shape, window) else { panic!("it declines") };
    let mut scene = scene(shape);
    let fate = scene.carry_out(&plan, &Script::new([reply]));
    (scene.contents(), rules(&fate.applied().expect("a fallback")))
}

/// The window of whose 40 % so many messages of the end fill all.
fn window_for(shape: &str, preserved: usize) -> u64 {
    let scene = scene(shape);
    let costs = scene.view.entries().iter().rev().take(preserved).map(|entry| entry.counted.0);
    (costs.sum::<u64>() * 10).div_ceil(4)
}

/// The source's `TestCalculateSplitPoint`, and its edges.
#[test]
fn the_split_point_is_the_sources() {
    for (costs, budget, split) in [
        (&[][..], 250, 0),
        (&[104], 250, 0),
        (&[104, 104], 250, 0),
        (&[104, 104, 104, 104], 250, 2),
        (&[104, 104, 104, 104], 208, 2),
        (&[104, 104, 104, 104], 207, 3),
        (&[104, 104, 904], 250, 2),
        (&[904, 4, 4], 250, 1),
        (&[904], 250, 0),
    ] {
        let costs = costs.iter().map(|cost| Tokens(*cost));
        assert_eq!(by_tokens(costs, Tokens(budget)), split, "{budget}");
    }
}

#[test]
fn the_document_counts_messages_and_rounds_down() {
    for (messages, share, split) in [
        (14, 0.4, 9),
        (20, 0.4, 12),
        (3, 0.4, 2),
        (2, 0.4, 1),
        (1, 0.4, 0),
        (0, 0.4, 0),
        (8, 0.5, 4),
    ] {
        assert_eq!(by_count(messages, share), split, "{messages} × {share}");
    }
}

/// Where each split lands, and whether the preserve zone then begins with a result whose
/// call is gone.
#[test]
fn stepping_back_lands_on_results_and_keeping_pairs_does_not() {
    for (shape, split, stepped, orphan, kept) in [
        ("uctctcta", 1, 1, false, 1),
        ("uctctcta", 2, 1, false, 1),
        ("uctctcta", 3, 2, true, 3),
        ("uctctcta", 4, 2, true, 3),
        ("uctctcta", 5, 4, true, 5),
        ("uctctcta", 6, 4, true, 5),
        ("uctctcta", 7, 7, false, 7),
        // Several results of one call message are walked over.
        ("u2tta", 3, 1, false, 1),
        ("u2tta", 2, 1, false, 1),
        // One round straddles the cut: the step back lands on the user message.
        ("uauctu", 4, 2, false, 3),
        ("uauctu", 3, 2, false, 3),
        // A user message between a call and its result is walked past by neither word
        // nor index, only by who answers whom.
        ("uchta", 2, 2, true, 1),
        // Where the list begins with a call, the next free place is later.
        ("ctcta", 1, 1, true, 2),
        ("c", 0, 0, false, 0),
        ("ua", 2, 2, false, 2),
        // There may be no place at all.
        ("ct", 1, 1, true, 0),
    ] {
        let entries = conversation(&scene(shape).view);
        let landed = Pairs::StepBack.adjusted(&entries, split);
        assert_eq!(landed, stepped, "{shape} {split}");
        let begins = entries.get(landed..).unwrap_or_default();
        let has_orphan = begins.iter().any(|entry| {
            let answered = entry.answers.as_ref();
            answered.is_some_and(|id| begins.iter().all(|other| other.call(id).is_none()))
        });
        assert_eq!(has_orphan, orphan, "{shape} {split}");
        assert_eq!(Pairs::Kept.adjusted(&entries, split), kept, "{shape} {split}");
        assert_eq!(Pairs::Ignored.adjusted(&entries, split), split);
    }
}

proptest! {
    /// For every list of turns with rounds of one or two calls and every window: the
    /// corrected cut breaks no pair; the source's breaks one exactly where it lands
    /// behind a call and before its result.
    #[test]
    fn no_window_makes_the_corrected_cut_orphan_a_result(
        turns in prop::collection::vec(
            prop::sample::select(vec!["ua", "ucta", "uctcta", "u2ttcta", "uchta", "uctctcta"]),
            1..8,
        ),
        window in 1u64..400,
    ) {
        let shape = turns.concat();
        let fixed = Code { pairs: Pairs::Kept, ..Code::default() };
        let (_, broken) = after(&fixed, &shape, window, says("s"));
        prop_assert!(!broken.iter().any(|rule| rule.breaks_strict_wire()), "{shape} {window}");
        let (left, broken) = after(&Code::default(), &shape, window, says("s"));
        if left.get(1).is_some_and(|first| first.starts_with('t')) {
            prop_assert!(broken.contains(&Rule::OrphanResult), "{shape} {window}");
        }
    }
}

#[test]
fn the_code_puts_one_user_message_before_the_preserve_zone() {
    let mut scene = scene("yuauau");
    scene.budget.window = Tokens(window_for("yuauau", 2));
    let script = Script::new([says("what was done")]);
    let applied = scene.compact(&Code::default(), &script).expect("answered");
    let header = "user*: [Previous conversation summary]\n\nwhat was done";
    assert_eq!(scene.rows(), ["system: y0", header, "assistant: a4", "user: u5"]);
    assert_eq!(rules(&applied), []);
    let prompt = &script.prompts()[0];
    assert_eq!((prompt.messages.len(), prompt.max_tokens), (1, Tokens(4_096)));
    assert_eq!(prompt.model.as_deref(), Some("claude-haiku-4-5-20251001"));
    assert!(prompt.messages[0].text().ends_with("\n[user]: u1\n[assistant]: a2\n[user]: u3"));
    assert_eq!(scene.view.entries()[1].covers.ranges(), [(1, 4)]);
}

#[test]
fn every_message_is_shown_cut_and_without_its_calls() {
    let mut scene = scene("ucta");
    scene.budget.window = Tokens(window_for("ucta", 1));
    let script = Script::new([says("s")]);
    let code = Code { shown_bytes: 1, ..Code::default() };
    scene.compact(&code, &script).expect("answered");
    let text = script.prompts()[0].messages[0].text();
    assert!(text.ends_with("\n[user]: u\n[assistant]: c\n[tool]: t"), "{text}");
}

#[test]
fn a_failure_leaves_the_preserve_zone_and_says_nothing() {
    for class in [FailureClass::Error, FailureClass::TimeOut, FailureClass::Overflow] {
        let left = after(&Code::default(), "uauau", window_for("uauau", 1), fails(class));
        assert_eq!(left, (vec!["u4".to_owned()], vec![]));
    }
}

#[test]
fn the_code_accepts_an_empty_summary_and_the_document_does_not() {
    let (left, broken) = after(&Code::default(), "uauau", window_for("uauau", 1), says(""));
    assert_eq!(left, ["[Previous conversation summary]\n\n", "u4"]);
    assert_eq!(broken, [Rule::EmptySummary]);

    let (left, broken) = after(&Document::default(), "uauau", 0, says(""));
    let said = "[COMPACT SUMMARY]\n[Context truncated. Earlier conversation contained 3 messages \
                about: ...]";
    assert_eq!(left, [said, "Understood.", "a3", "u4"]);
    // Three short messages are less than the placeholder, which is no summary.
    assert_eq!(broken, [Rule::Grew]);
}

#[test]
fn the_document_has_its_summary_acknowledged_and_keeps_pairs() {
    let (left, broken) = after(&Document::default(), "uauctcta", 0, says("so far"));
    assert_eq!(left, ["[COMPACT SUMMARY]\nso far", "Understood.", "c5", "t6", "a7"]);
    assert_eq!(broken, []);
}

#[test]
fn the_partner_splits_pairs_and_raises() {
    let partner = Document {
        preserve_share: 0.5,
        pairs: Pairs::Ignored,
        on_failure: OnFailure::Raise,
        ..Document::default()
    };
    let Decision::Plan(plan) = decide(&partner, "uctctcta", 0) else { panic!("it declines") };
    assert_eq!((plan.otherwise, plan.then), (None, Then::Raise));
    let (left, broken) = after(&partner, "uctctcta", 0, says("s"));
    assert_eq!(left[2], "t4");
    assert!(broken.contains(&Rule::OrphanResult));
}

#[test]
fn what_fits_or_cannot_be_split_comes_back_unchanged_and_a_single_message_is_declined() {
    let fixed = Code { pairs: Pairs::Kept, ..Code::default() };
    for (code, shape, window) in [(Code::default(), "uaua", 1_000_000), (fixed, "ct", 1)] {
        let unchanged = Decision::Plan(unchanged(&scene(shape).view));
        assert_eq!(decide(&code, shape, window), unchanged);
        assert_eq!(after(&code, shape, window, says("s")).0, scene(shape).contents());
    }
    for shape in ["", "u", "yu"] {
        for strategy in [&Code::default() as &dyn Strategy, &Document::default()] {
            assert!(matches!(decide(strategy, shape, 1), Decision::Decline(_)), "{shape}");
        }
    }
}

#[test]
fn only_long_results_outside_the_last_messages_are_cut() {
    let mut scene = scene("uctctcta");
    let prune = PruneResults { keep_messages: 3, longer_than: 1, cut_to: 1 };
    let applied = scene.act(&prune, None).expect("it acts");
    assert_eq!(scene.contents().join(" "), "u0 c1 t c3 t c5 t6 a7");
    assert_eq!(rules(&applied), []);
    assert!(scene.act(&prune, None).is_none(), "what is cut stays cut");
    assert!(scene.act(&PruneResults::default(), None).is_none());
    assert!(PruneResults { cut_to: 2, ..prune }.check().is_err());
}
