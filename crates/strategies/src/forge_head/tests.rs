//! The vectors of Forge's own tests, and those worked out from its code, as tables.

use super::*;
use crate::apply::{Applied, Rule};
use crate::forge::Batching;
use crate::forge_g2;
use crate::pressure::{Budget, Reading};
use crate::strategy::Strategy;
use crate::testkit::{self, Scene, Script, fails, note, rules, says};

const BUDGET: Budget = Budget {
    window: Tokens(1_000),
    max_output: Tokens(100),
    system: Tokens(30),
    schemas: Tokens(20),
};

fn scene(shape: &str) -> Scene {
    let mut scene = testkit::scene(shape);
    scene.budget = BUDGET;
    scene
}

/// Applies the plan, and says what was asked.
fn act(strategy: &dyn Strategy, scene: &mut Scene) -> Option<(Applied, String)> {
    let script = Script::new([says("s")]);
    let applied = scene.attempt(strategy, None, &script)?.expect("answered");
    assert_eq!(script.prompts().len(), 1, "one request");
    Some((applied, script.prompts()[0].messages[0].text().to_string()))
}

/// Contents after one act; nothing where the tier declines.
fn after(strategy: &dyn Strategy, shape: &str) -> Option<String> {
    let mut scene = scene(shape);
    act(strategy, &mut scene)?;
    Some(shown(&scene))
}

fn shown(scene: &Scene) -> String {
    scene.contents().join(" ").replace("[SUMMARIZED]", "S:").replace("[GOAL BATCH]\n", "G:")
}

/// Everything but the last `keep` is old and due.
fn old_calls(keep: usize) -> OldCalls {
    OldCalls { older_than_messages: keep, min_tool_messages: 1, ..OldCalls::default() }
}

fn tool_call(keep: usize) -> ToolCall {
    ToolCall(old_calls(keep))
}

#[test]
fn the_parameters_are_those_of_the_wiring() {
    let ToolCall(calls) = ToolCall::default();
    let numbers = (calls.older_than_messages, calls.min_tool_messages, calls.max_distance);
    assert_eq!(numbers, (20, 10, 40));
    let GoalBatch(batch) = GoalBatch::default();
    assert_eq!((batch.older_than_messages, batch.min_turns, batch.max_turns), (20, 3, 6));
    assert!(OldCalls { min_tool_messages: 0, ..calls }.check().is_err());
    assert!(Batching { max_turns: 0, ..batch.clone() }.check().is_err());
    assert!(Batching { min_turns: 0, ..batch }.check().is_err());
}

#[test]
fn tool_messages_are_grouped_as_forge_groups_them() {
    let everything = OldCalls { max_distance: 99, ..old_calls(0) };
    for (shape, expected) in [
        // AllToolsGrouped; SkipsSummarized (an orphan result is a group); SkipsSystemMessages.
        ("ctctctct", vec![vec![0, 1], vec![2, 3], vec![4, 5], vec![6, 7]]),
        ("St", vec![vec![1]]),
        ("yctyc", vec![vec![1, 2], vec![4]]),
        // A call without a result joins the next; two calls of one message are one group
        // with the first result, the second result is a group of its own.
        ("cct", vec![vec![0, 1, 2]]),
        ("2tt", vec![vec![0, 1], vec![2]]),
        // A loop-breaking call ends where the user speaks, or where the window does.
        ("ctcu", vec![vec![0, 1], vec![2]]),
        ("ctc", vec![vec![0, 1], vec![2]]),
        ("cat", vec![vec![0], vec![2]]),
        // A group spans an existing block.
        ("cSt", vec![vec![0, 2]]),
        ("cGyt", vec![vec![0, 3]]),
        ("uaS", vec![]),
    ] {
        let found = everything.due(&scene(shape).view).map(|due| due.groups).unwrap_or_default();
        assert_eq!(found, expected, "{shape}");
    }
}

#[test]
fn five_pairs_are_ten_tool_messages() {
    let pairs = |number: usize| format!("u{}{}", "ct".repeat(number), "a".repeat(20));
    let fires = |shape: &str| scene(shape).plan(&ToolCall::default(), None).is_some();
    assert!(!fires(&pairs(4)), "eight tool messages");
    assert!(fires(&pairs(5)), "ten: results count too");
    // One old pair alone waits until its call is 40 messages back.
    assert!(!fires(&format!("ct{}", "a".repeat(37))));
    assert!(fires(&format!("ct{}", "a".repeat(38))));
    assert!(!fires(&"a".repeat(99)), "no tool message");
    assert!(!fires(&"ct".repeat(10)), "twenty messages are all recent");
}

#[test]
fn old_tool_messages_become_one_block_where_the_first_stood() {
    for (keep, shape, expected) in [
        // AllToolCallsSummarized and PreservesUserMessages.
        (2, "ctctctuu", Some("S: s u6 u7")),
        (2, "uctuctaa", Some("u0 S: s u3 a6 a7")),
        // Summaries accumulate in place.
        (1, "uSuctu", Some("u0 S1 u1 S: s u4")),
        // A batch over several turns puts all their work behind the first user message.
        (1, "uctuctuctu", Some("u0 S: s u3 u6 u9")),
        // The window cuts a pair: the call is folded, its result stays.
        (2, "uctctu", Some("u0 S: s t4 u5")),
        // Plain messages stay.
        (1, "uctau", Some("u0 S: s a3 u4")),
        (1, "ucSthu", Some("u0 S: s S2 h3 u4")),
        (3, "uauau", None),
    ] {
        assert_eq!(after(&tool_call(keep), shape).as_deref(), expected, "{keep} {shape}");
    }
}

#[test]
fn a_result_that_was_cut_off_is_folded_alone_later() {
    let mut scene = scene("uctctu");
    let (applied, _) = act(&tool_call(2), &mut scene).expect("it acts");
    assert!(rules(&applied).contains(&Rule::OrphanResult));
    act(&tool_call(1), &mut scene).expect("it acts");
    assert_eq!(shown(&scene), "u0 S: s S: s u5");
}

#[test]
fn the_goal_is_the_last_user_message_of_the_old_window() {
    for (keep, shape, goal) in [
        (1, "uctuu", Some("u3")),
        (1, "ucthu", Some("h3")),
        (2, "uctua", Some("u0")),
        (0, "ct", None),
    ] {
        let (_, prompt) = act(&tool_call(keep), &mut scene(shape)).expect("it acts");
        let expected = goal.map(|goal| format!("## User Goal\n{goal}\n"));
        let told = prompt.contains("## User Goal\n");
        assert_eq!(told, expected.is_some(), "{shape}");
        assert!(expected.is_none_or(|goal| prompt.starts_with(&goal)), "{shape}: {prompt}");
    }
    let (_, prompt) = act(&tool_call(1), &mut scene("uctctu")).expect("it acts");
    for shown in ["--- Operation 2 ---", "[assistant]: c1", "[call run]: {\"n\":1}", "[tool]: t4"] {
        assert!(prompt.contains(shown), "{shown} is not in {prompt}");
    }
}

#[test]
fn half_of_the_messages_is_folded() {
    for (shape, expected) in [
        // HalfAndHalf; OddMessageCount; TooFewMessages; EmptyConversation.
        ("uauaua", Some("S: s a3 u4 a5")),
        ("uauau", Some("S: s u2 a3 u4")),
        ("uau", None),
        ("", None),
        // PreservesSystemMessages; ShouldRun_SystemMessagesExcluded.
        ("yuaua", Some("y0 S: s u3 a4")),
        ("yyuau", None),
        ("uyauya", Some("y1 y4 S: s u3 a5")),
        // RecentHalfKeptVerbatim; NeverGetsStuck.
        ("uaSu", Some("S: s S2 u2")),
        ("SSSSaa", Some("S: s S0 a0 a1")),
        // Goal batches are folded like anything else, pairs and turns are cut.
        ("GuSu", Some("S: s S1 u1")),
        ("uctcta", Some("S: s c3 t4 a5")),
        ("ucct", Some("S: s c2 t3")),
    ] {
        assert_eq!(after(&Threshold::default(), shape).as_deref(), expected, "{shape}");
    }
}

/// With the tokens in the newer half it fires before every call until
/// three messages are left.
#[test]
fn it_fires_so_many_times_in_a_row() {
    for (messages, expected) in [(4, 1), (5, 2), (6, 2), (10, 3), (20, 5), (60, 6), (200, 8)] {
        let mut scene = scene(&"u".repeat(messages));
        let fired = std::iter::from_fn(|| act(&Threshold::default(), &mut scene)).count();
        assert_eq!(fired, expected, "{messages}");
        assert!(scene.view.len() <= 3);
    }
}

#[test]
fn the_recount_of_a_pass_leaves_the_system_prompt_out() {
    let reading = |used: u64| {
        Some(Reading { used: Tokens(used), limit: Tokens(800), target: Tokens(800), met: true })
    };
    let threshold = Threshold::default();
    let fires = |scene: &Scene, used| scene.plan(&threshold, reading(used)).is_some();
    let mut acted = scene("uctuauau");
    assert!(fires(&acted, 800), "the first count holds the system prompt");
    let overstated =
        |scene: &Scene| note(&scene.plan(&threshold, None).expect("it acts")).expect("a note");
    assert_eq!(overstated(&acted), "summary_count=4 overstated_by=50");
    act(&tool_call(1), &mut acted).expect("it acts");
    assert!(!fires(&acted, 849), "799 by the recount");
    assert!(fires(&acted, 850));
    assert_eq!(overstated(&acted), "summary_count=3 overstated_by=0");
}

/// The size of the batch, from its note.
fn batched(batch: &GoalBatch, shape: &str) -> usize {
    let Some(plan) = scene(shape).plan(batch, None) else { return 0 };
    let note = note(&plan).expect("the block has a note");
    let count = note.strip_prefix("turn_count=").and_then(|rest| rest.split(' ').next());
    count.and_then(|count| count.parse().ok()).expect("the note says how many turns")
}

fn batch(keep: usize, least: usize, most: usize) -> GoalBatch {
    GoalBatch(Batching {
        older_than_messages: keep,
        min_turns: least,
        max_turns: most,
        ..Batching::default()
    })
}

/// Forge's `CollectCompleteTurns_*`, `ShouldRun_*` and the quick vectors.
#[test]
fn turns_are_collected_as_forge_collects_them() {
    for (shape, expected) in [
        ("uSuS", 2),
        ("uSuSu", 2),
        ("GuS", 1),
        ("uSSuS", 2),
        ("yuS", 1),
        ("uaS", 0),
        ("uGS", 0),
        ("SuS", 1),
        ("uuS", 1),
        ("hSuS", 2),
        // The live turn is taken once a block follows its user message.
        ("uSctS", 1),
        ("", 0),
    ] {
        assert_eq!(batched(&batch(0, 1, 6), shape), expected, "{shape}");
    }
    for (keep, least, most, shape, expected) in [
        (10, 2, 6, "uS", 0),
        (5, 3, 6, "uSuSaaaaaa", 0),
        (5, 3, 6, "uSuSuSaaaaaa", 3),
        (5, 2, 2, "uSuSuSuSaaaaaa", 2),
        (20, 3, 6, "uSuSuSuSaaaaaaaaaaaaaaaaaaa", 3),
        (20, 3, 6, "uSuSuSuSaaaaaaaaaaaaaaaaaaaa", 4),
    ] {
        assert_eq!(batched(&batch(keep, least, most), shape), expected, "{keep} {shape}");
    }
}

#[test]
fn a_batch_stands_where_its_first_turn_stood() {
    for (keep, shape, expected) in [
        // ReplacesWithGoalBatch, PreservesRecentMessages, PreservesGoalBatchBlocks.
        (6, "uSuSuSaaaaaa", "G:s a3 a4 a5 a6 a7 a8"),
        (1, "GuSuSu", "G0 G:s u2"),
        // What stood between comes after.
        (1, "uSctuSa", "G:s c1 t2 a4"),
        // A turn is cut where the window ends.
        (1, "uSuSS", "G:s S4"),
    ] {
        let expected = expected.to_owned();
        // Messages and summaries are numbered apart: only the letters count here.
        let letters = |text: String| text.replace(|c: char| c.is_ascii_digit(), "");
        let found = after(&batch(keep, 2, 6), shape).map(letters);
        assert_eq!(found, Some(letters(expected)), "{shape}");
    }
    let mut live = scene("uSuSct");
    let (applied, prompt) = act(&batch(2, 2, 6), &mut live).expect("it acts");
    assert_eq!(shown(&live), "G:s c2 t3");
    assert!(!rules(&applied).contains(&Rule::TurnSplit));
    assert!(prompt.contains("--- Turn 2 ---\n[user]: u1\n\n[summary 1]: S"), "{prompt}");
    let (applied, _) = act(&batch(1, 1, 6), &mut scene("uSS")).expect("it acts");
    assert!(rules(&applied).contains(&Rule::TurnSplit), "the source claims otherwise");
}

#[test]
fn what_a_summary_says_does_not_make_it_another_kind() {
    let mut scene = scene("uctuu");
    let script = Script::new([says("[GOAL BATCH]\nu: S")]);
    scene.compact(&tool_call(2), &script).expect("answered");
    let block = &scene.view.entries()[1];
    assert_eq!(block.content().as_ref(), "[SUMMARIZED] [GOAL BATCH]\nu: S");
    assert_eq!(block.kind, crate::view::Kind::Summarized);
}

#[test]
fn a_failed_request_fails_the_plan() {
    let tiers: [(&dyn Strategy, &str); 5] = [
        (&tool_call(1), "uctu"),
        (&Threshold::default(), "uaua"),
        (&batch(0, 1, 6), "uS"),
        (&forge_g2::ToolCall(old_calls(1)), "uctu"),
        (&forge_g2::Threshold::default(), "ua"),
    ];
    for (tier, shape) in tiers {
        let scene = scene(shape);
        let plan = scene.plan(tier, None).expect("it acts");
        let script = Script::new([fails(crate::summarize::FailureClass::Error)]);
        assert!(scene.answer(&plan.requests, &script).failure.is_some(), "{shape}");
        assert_eq!((plan.otherwise, script.prompts().len()), (None, 1), "no fallback, no retry");
    }
}

/// The model's name goes along with every request.
#[test]
fn a_model_of_its_own_is_asked() {
    let model = || Some("small".to_owned());
    let tiers: [(&dyn Strategy, &str); 3] = [
        (&ToolCall(OldCalls { model: model(), ..old_calls(1) }), "uctu"),
        (&Threshold { model: model(), ..Threshold::default() }, "uaua"),
        (&GoalBatch(Batching { model: model(), ..batch(0, 1, 6).0 }), "uS"),
    ];
    for (tier, shape) in tiers {
        let plan = scene(shape).plan(tier, None).expect("it acts");
        assert_eq!(plan.requests[0].model.as_deref(), Some("small"));
    }
}

mod older_code {
    use super::*;

    fn g2(keep: usize) -> forge_g2::ToolCall {
        forge_g2::ToolCall(old_calls(keep))
    }

    #[test]
    fn old_user_messages_stand_before_the_one_block() {
        for (keep, shape, expected) in [
            // AllToolCallsSummarized, PreservesUserMessages at ee116bb.
            (2, "ctctctuu", Some("S: s u6 u7")),
            (2, "uctuctaa", Some("u0 u3 S: s a6 a7")),
            // Earlier blocks and plain messages leave unread.
            (1, "uSuctu", Some("u0 u1 S: s u4")),
            (1, "GucatSu", Some("u0 S: s u4")),
            (1, "yuctyhu", Some("y0 u1 y4 h5 S: s u6")),
            (1, "uSau", None),
        ] {
            assert_eq!(after(&g2(keep), shape).as_deref(), expected, "{keep} {shape}");
        }
        let (applied, _) = act(&g2(1), &mut scene("uacatau")).expect("it acts");
        let dropped: Vec<u32> = applied.change.dropped.iter().map(|id| id.0).collect();
        assert_eq!(dropped, [1, 3, 5], "nothing stands for the plain messages");
    }

    /// Contents after the inner loop has ended.
    fn folded(shape: &str, size: usize) -> (usize, String) {
        let threshold =
            forge_g2::Threshold { messages_per_summary: size, ..forge_g2::Threshold::default() };
        let mut scene = scene(shape);
        let blocks = std::iter::from_fn(|| act(&threshold, &mut scene)).count();
        (blocks, shown(&scene))
    }

    #[test]
    fn every_assistant_message_is_folded_and_results_stay() {
        for (shape, size, blocks, expected) in [
            ("uaaua", 10, 2, "u0 S: s u3 S: s"),
            ("uctctu", 10, 1, "u0 S: s t2 t4 u5"),
            ("uaaaaau", 2, 3, "u0 S: s S: s S: s u6"),
            // A summary is skipped and ends nothing.
            ("uaSau", 10, 1, "u0 S: s S2 u3"),
            ("uuua", 10, 1, "u0 u1 u2 S: s"),
            ("uuSGt", 10, 0, "u0 u1 S2 G2 t2"),
        ] {
            assert_eq!(folded(shape, size), (blocks, expected.to_owned()), "{shape}");
        }
        assert_eq!(folded(&"a".repeat(25), 10).0, 3);
    }

    #[test]
    fn the_loop_goes_on_whatever_has_been_freed() {
        let reading =
            Some(Reading { used: Tokens(1), limit: Tokens(800), target: Tokens(800), met: false });
        let threshold = forge_g2::Threshold::default();
        let mut scene = scene("uaua");
        act(&threshold, &mut scene).expect("it acts");
        assert!(scene.plan(&threshold, reading).is_some());
        // After another tier's act the recount decides.
        let mut scene = super::scene("uctuaua");
        act(&g2(1), &mut scene).expect("it acts");
        assert!(scene.plan(&threshold, reading).is_none());
    }
}
