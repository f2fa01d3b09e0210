use proptest::prelude::*;

use super::split::{by_count, by_tokens};
use super::*;
use crate::apply::Rule;
use crate::plan::Decision;
use crate::strategy::Strategy;
use crate::summarize::FailureClass;
use crate::testkit::{Scene, Script, fails, rules, says, scene};
use crate::unit::Tokens;

mod driven;

fn decide(strategy: &dyn Strategy, scene: &mut Scene, window: u64) -> Decision {
    scene.budget.window = Tokens(window);
    scene.decide(strategy, None)
}

fn proposed(strategy: &dyn Strategy, scene: &mut Scene, window: u64) -> Plan {
    match decide(strategy, scene, window) {
        Decision::Plan(plan) => plan,
        declined => panic!("{declined:?}"),
    }
}

/// The contents after a plan, carried out with this script, and the rules it breaks.
fn carried_out(plan: &Plan, scene: &mut Scene, script: &Script) -> (Vec<String>, Vec<Rule>) {
    let applied = scene.carry_out(plan, script).applied().expect("a fallback");
    let entries = scene.view.entries().iter();
    let row = |entry: &Arc<Entry>| format!("{}: {}", entry.role.name(), entry.content());
    (entries.map(row).collect(), rules(&applied))
}

/// The window of whose 40 % so many messages of the end fill all.
fn window_for(scene: &Scene, preserved: usize) -> u64 {
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

/// Where each split lands, and whether the preserve zone
/// then begins with a result whose call is gone.
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
    ] {
        let scene = scene(shape);
        let entries = conversation(&scene.view);
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

#[test]
fn a_list_that_cannot_be_split_is_left_as_it_is() {
    let mut scene = scene("ct");
    assert_eq!(Pairs::Kept.adjusted(&conversation(&scene.view), 1), 0);
    let fixed = Code { pairs: Pairs::Kept, ..Code::default() };
    let plan = proposed(&fixed, &mut scene, 1);
    assert_eq!(plan, unchanged(&scene.view));
}

proptest! {
    /// For every list of turns with rounds of one or two calls and every window: the
    /// corrected cut breaks no pair; the source's breaks one exactly where it lands
    /// behind a call and before its result.
    #[test]
    fn no_window_makes_the_corrected_cut_orphan_a_result(
        turns in prop::collection::vec(prop::sample::select(vec!["ua", "ucta", "uctcta", "u2ttcta", "uchta", "uctctcta"]), 1..8),
        window in 1u64..400,
    ) {
        let shape: String = turns.concat();
        for (pairs, may_break) in [(Pairs::Kept, false), (Pairs::StepBack, true)] {
            let mut scene = scene(&shape);
            let code = Code { pairs, ..Code::default() };
            let plan = proposed(&code, &mut scene, window);
            let (rows, broken) = carried_out(&plan, &mut scene, &Script::new([says("s")]));
            let wire: Vec<_> = broken.iter().filter(|rule| rule.breaks_strict_wire()).collect();
            prop_assert!(may_break || wire.is_empty(), "{} {}: {:?}", shape, window, wire);
            let behind = rows.get(1).is_some_and(|row| row.starts_with("tool"));
            if pairs == Pairs::StepBack && behind {
                prop_assert!(wire.contains(&&Rule::OrphanResult), "{} {}", shape, window);
            }
        }
    }
}

#[test]
fn the_code_puts_one_user_message_before_the_preserve_zone() {
    let mut scene = scene("yuauau");
    let window = window_for(&scene, 2);
    let plan = proposed(&Code::default(), &mut scene, window);
    let script = Script::new([says("what was done")]);
    let (rows, broken) = carried_out(&plan, &mut scene, &script);
    let header = "user: [Previous conversation summary]\n\nwhat was done";
    assert_eq!(rows, ["system: y0", header, "assistant: a4", "user: u5"]);
    assert_eq!(broken, []);
    let prompt = &script.prompts()[0];
    assert_eq!((prompt.messages.len(), prompt.max_tokens), (1, Tokens(4_096)));
    assert_eq!(prompt.model.as_deref(), Some("claude-haiku-4-5-20251001"));
    assert!(prompt.messages[0].text().ends_with("\n[user]: u1\n[assistant]: a2\n[user]: u3"));
    assert_eq!(scene.view.entries()[1].covers.ranges(), [(1, 4)]);
}

#[test]
fn every_message_is_shown_cut_and_without_its_calls() {
    let mut scene = scene("ucta");
    let code = Code { shown_bytes: 1, ..Code::default() };
    let window = window_for(&scene, 1);
    let plan = proposed(&code, &mut scene, window);
    let script = Script::new([says("s")]);
    scene.answer(&plan.requests, &script);
    let text = script.prompts()[0].messages[0].text();
    assert!(text.ends_with("\n[user]: u\n[assistant]: c\n[tool]: t"), "{text}");
}

#[test]
fn a_failure_leaves_the_preserve_zone_and_says_nothing() {
    for class in [FailureClass::Error, FailureClass::TimeOut, FailureClass::Overflow] {
        let mut scene = scene("uauau");
        let window = window_for(&scene, 1);
        let plan = proposed(&Code::default(), &mut scene, window);
        let (rows, broken) = carried_out(&plan, &mut scene, &Script::new([fails(class)]));
        assert_eq!((rows, broken), (vec!["user: u4".to_owned()], vec![]));
    }
}

#[test]
fn the_code_accepts_an_empty_summary_and_the_document_does_not() {
    let mut one = scene("uauau");
    let window = window_for(&one, 1);
    let plan = proposed(&Code::default(), &mut one, window);
    let (rows, broken) = carried_out(&plan, &mut one, &Script::new([says("")]));
    assert_eq!(rows, ["user: [Previous conversation summary]\n\n", "user: u4"]);
    assert_eq!(broken, [Rule::EmptySummary]);

    let mut other = scene("uauau");
    let plan = proposed(&Document::default(), &mut other, 0);
    let (rows, broken) = carried_out(&plan, &mut other, &Script::new([says("")]));
    let said = "[Context truncated. Earlier conversation contained 3 messages about: ...]";
    assert_eq!(
        rows,
        [
            &format!("user: [COMPACT SUMMARY]\n{said}"),
            "assistant: Understood.",
            "assistant: a3",
            "user: u4",
        ]
    );
    assert_eq!(broken, [Rule::Grew], "three short messages are less than the placeholder");
    assert_eq!(other.view.entries()[0].kind, Kind::Notice, "it stands for nothing");
}

#[test]
fn the_document_has_its_summary_acknowledged_and_keeps_pairs() {
    let mut scene = scene("uauctcta");
    let plan = proposed(&Document::default(), &mut scene, 0);
    let (rows, broken) = carried_out(&plan, &mut scene, &Script::new([says("so far")]));
    let head = ["user: [COMPACT SUMMARY]\nso far", "assistant: Understood."];
    assert_eq!(rows[..2], head);
    assert_eq!(rows[2..], ["assistant: c5", "tool: t6", "assistant: a7"]);
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
    let mut scene = scene("uctctcta");
    let plan = proposed(&partner, &mut scene, 0);
    assert_eq!((plan.otherwise.is_some(), plan.then), (false, crate::plan::Then::Raise));
    let (rows, broken) = carried_out(&plan, &mut scene, &Script::new([says("s")]));
    assert_eq!(rows[2], "tool: t4");
    assert!(broken.contains(&Rule::OrphanResult));
}

#[test]
fn what_fits_or_cannot_be_split_comes_back_unchanged() {
    let mut scene = scene("uaua");
    let plan = proposed(&Code::default(), &mut scene, 1_000_000);
    assert_eq!(plan, unchanged(&scene.view));
    let Layout::Whole(slots) = plan.layout else { panic!("history scope") };
    assert!(scene.apply(slots, &crate::answer::Answers::new()).change.is_empty());
}

#[test]
fn a_single_message_is_declined() {
    for shape in ["", "u", "yu"] {
        let mut scene = scene(shape);
        for strategy in [&Code::default() as &dyn Strategy, &Document::default()] {
            assert!(matches!(decide(strategy, &mut scene, 1), Decision::Decline(_)), "{shape}");
        }
    }
}

#[test]
fn only_long_results_outside_the_last_messages_are_cut() {
    let mut scene = scene("uctctcta");
    let prune = PruneResults { keep_messages: 3, longer_than: 1, cut_to: 1 };
    let plan = proposed(&prune, &mut scene, 0);
    let (rows, broken) = carried_out(&plan, &mut scene, &Script::new([says("never asked")]));
    assert_eq!(
        rows.join(" "),
        "user: u0 assistant: c1 tool: t assistant: c3 tool: t assistant: c5 tool: t6 assistant: a7"
    );
    assert_eq!(broken, []);
    assert!(matches!(decide(&prune, &mut scene, 0), Decision::Decline(_)), "what is cut stays cut");
    let standard = PruneResults::default();
    assert!(matches!(decide(&standard, &mut scene, 0), Decision::Decline(_)));
    assert!(PruneResults { cut_to: 2, longer_than: 1, ..standard }.check().is_err());
}
