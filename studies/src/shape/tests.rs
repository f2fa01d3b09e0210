use proctor_core::log::Message;
use proctor_core::testkit::{self, Line, message};
use proctor_core::unit::{Millis, Tokens};

use super::*;

const WINDOW: Tokens = Tokens(1_000);

/// `u` a person, `h` the harness in the user role, `a` an answer, `c` a call with
/// text, `s` a silent call, `t` a result, `x` a failed one. A second each.
fn log(course: &str) -> Log {
    const TEXT: &str = "one two three";
    let message = |(index, letter): (usize, char)| {
        let id = index.to_string();
        let call = [(id.as_str(), "run", "{}")];
        let line = match letter {
            'u' => Line::User(TEXT),
            'h' => Line::Injected(TEXT),
            't' | 'x' => Line::Output("", TEXT),
            'c' => Line::Calls(TEXT, &call),
            's' => Line::Calls("", &call),
            _ => Line::Says(TEXT),
        };
        Message { failed: letter == 'x', ..message(index, line) }
    };
    testkit::log(course.chars().enumerate().map(message).collect())
}

#[test]
fn a_session_is_counted_by_role_and_turn() {
    let sample = Sample::of(&log("uctsxahua"), WINDOW);
    for (found, expected) in [
        (sample.count(Amount::Pairs), 2.0),
        (sample.count(Amount::AssistantTokens), 4.0),
        (sample.at(Amount::UserTokens, 0.5), 3.0),
        (sample.density(Amount::UserChars, Amount::UserTokens), 13.0 / 3.0),
        (sample.at(Amount::Pairs, 1.0), 2.0),
        (sample.at(Amount::Pairs, 0.5), 1.0),
        (sample.mean(Amount::Failed), 0.5),
        (answer_only(&sample), 0.5),
        (sample.mean(Amount::Narrated), 0.5),
        (sample.mean(Amount::Several), 0.0),
    ] {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }
}

/// The share of turns without a call.
fn answer_only(sample: &Sample) -> f64 {
    let pairs = sample.values(Amount::Pairs);
    pairs.iter().filter(|pairs| **pairs < 0.5).count() as f64 / pairs.len() as f64
}

#[test]
fn a_run_of_results_ends_with_a_word_of_the_model() {
    for (course, run) in [("uststct", 2.0), ("ustststst", 4.0), ("ustust", 1.0), ("ua", 0.0)] {
        assert_eq!(Sample::of(&log(course), WINDOW).values(Amount::Run), [run], "{course}");
    }
}

#[test]
fn gaps_lie_between_model_calls() {
    let mut away = log("uaua");
    for message in &mut away.messages[2..] {
        message.at = Millis(message.at.0 + 400_000);
    }
    let sample = Sample::of(&away, WINDOW);
    assert_eq!(sample.values(Amount::Gap), [402.0]);
    assert_eq!(sample.long_gaps(), 1.0);
}

#[test]
fn a_pool_counts_every_message_alike() {
    let pooled =
        Sample::pool(&["uctcta", "ua", "ua"].map(|course| Sample::of(&log(course), WINDOW)));
    assert_eq!((pooled.count(Amount::Run), pooled.count(Amount::Pairs)), (3.0, 3.0));
    assert!((answer_only(&pooled) - 2.0 / 3.0).abs() < 1e-9);
    let tokens = |course| Sample::of(&log(course), WINDOW).sum(Amount::Tokens);
    assert_eq!(pooled.sum(Amount::Tokens), tokens("uctcta") + 2.0 * tokens("ua"));
}

#[test]
fn an_empty_log_has_a_shape_of_noughts() {
    let empty = Sample::of(&log(""), WINDOW);
    assert_eq!((empty.sum(Amount::Tokens), empty.at(Amount::Gap, 0.5)), (0.0, 0.0));
    assert_eq!((empty.mean(Amount::Failed), empty.long_gaps()), (0.0, 0.0));
}

/// A figure of a shape, what it comes to in recorded sessions, and by what a synthetic session
/// may miss that.
type Held = (&'static str, fn(&Sample) -> f64, f64, f64);

/// What recorded sessions come to: the pooled figures of four transcripts of one agent (68
/// turns, 470 model calls, 391k tokens), each with the factor by which a synthetic session may
/// differ either way: wide where two recordings themselves differ as much, and where shadows are told.
const BY_FACTOR: [Held; 15] = [
    ("user tokens, median", |s| s.at(Amount::UserTokens, 0.5), 15.0, 3.0),
    ("user tokens, p90", |s| s.at(Amount::UserTokens, 0.9), 68.0, 4.0),
    ("assistant tokens, p10", |s| s.at(Amount::AssistantTokens, 0.1), 24.9, 3.0),
    ("assistant tokens, median", |s| s.at(Amount::AssistantTokens, 0.5), 71.5, 3.0),
    ("assistant tokens, p90", |s| s.at(Amount::AssistantTokens, 0.9), 365.0, 3.0),
    ("assistant tokens, mean", |s| s.mean(Amount::AssistantTokens), 187.0, 3.0),
    ("tool tokens, p10", |s| s.at(Amount::ToolTokens, 0.1), 15.0, 3.0),
    ("tool tokens, median", |s| s.at(Amount::ToolTokens, 0.5), 65.0, 3.0),
    ("tool tokens, p90", |s| s.at(Amount::ToolTokens, 0.9), 1_620.0, 3.0),
    ("tool tokens, mean", |s| s.mean(Amount::ToolTokens), 633.0, 3.0),
    ("pairs, mean", |s| s.mean(Amount::Pairs), 6.4, 3.0),
    ("turn tokens, mean", |s| s.mean(Amount::TurnTokens), 5_159.0, 3.0),
    ("turn tokens, p90", |s| s.at(Amount::TurnTokens, 0.9), 12_950.0, 3.0),
    ("tool density", |s| s.density(Amount::ToolChars, Amount::ToolTokens), 3.32, 1.15),
    ("density", |s| s.density(Amount::AssistantChars, Amount::AssistantTokens), 3.76, 1.15),
];

/// The same for shares and for counts that can be small: recorded, and how far off.
const BY_DISTANCE: [Held; 6] = [
    ("answer only", answer_only, 0.35, 0.15),
    ("failed", |s| s.mean(Amount::Failed), 0.06, 0.04),
    ("several calls", |s| s.mean(Amount::Several), 0.11, 0.05),
    // Whatever states or needs a fact says so, which recorded calls rarely do.
    ("narrated", |s| s.mean(Amount::Narrated), 0.37, 0.6),
    ("long gaps", Sample::long_gaps, 0.03, 0.03),
    ("pairs, median", |s| s.at(Amount::Pairs, 0.5), 2.0, 2.0),
];

#[test]
fn sessions_of_ordinary_work_are_shaped_as_recorded_ones() {
    for name in ["long-coding", "multi-goal-arcs", "mixed"] {
        let scenario = Scenario::embedded(name).expect("an embedded scenario");
        let sample =
            Sample::of(&scenario.session(Seed(1)).expect("a sound session").log, scenario.window);
        for (column, figure, recorded, factor) in BY_FACTOR {
            let over = figure(&sample) / recorded;
            assert!((1.0 / factor..=factor).contains(&over), "{name}: {column} is {over} times");
        }
        for (column, figure, recorded, off) in BY_DISTANCE {
            let found = figure(&sample);
            assert!((found - recorded).abs() <= off, "{name}: {column} is {found}");
        }
        // Bursts: some turn is larger than a fifth of all that a small window holds.
        assert!(sample.at(Amount::TurnTokens, 1.0) >= 20_000.0, "{name}");
    }
}

#[test]
fn the_fixed_prompt_and_the_large_turns_are_shown() {
    let mut fixed = log("uauauaua");
    fixed.overhead = Tokens(210);
    let sample = Sample::of(&fixed, WINDOW);
    let of = |what| sample.values(what).to_vec();
    let own = sample.sum(Amount::Fixed);
    assert!(own >= 210.0, "{own}");
    assert_eq!(of(Amount::FixedShare), [own / 1_000.0]);
    // Four turns alike: three of them are three quarters.
    assert_eq!(of(Amount::InLarge), [0.75]);
    assert!(Sample::of(&log("uaua"), WINDOW).values(Amount::InLarge).is_empty(), "all there are");
}

#[test]
fn scenarios_span_the_recorded_fixed_shares_and_few_large_turns() {
    let sample = |name: &str| {
        let scenario = Scenario::embedded(name).expect("an embedded scenario");
        Sample::of(&scenario.session(Seed(1)).expect("a sound session").log, scenario.window)
    };
    for (name, least, most) in [
        ("multi-goal-arcs", 0.05, 0.07),
        ("fixed-prompt-10", 0.09, 0.11),
        ("fixed-prompt-15", 0.14, 0.16),
        ("fixed-prompt-18", 0.17, 0.19),
        ("fixed-prompt-21", 0.20, 0.22),
    ] {
        let share = sample(name).mean(Amount::FixedShare);
        assert!((least..=most).contains(&share), "{name}: {share}");
    }
    let seeds = (1..=3).map(|seed| {
        let scenario = Scenario::embedded("few-large-turns").expect("an embedded scenario");
        let log = scenario.session(Seed(seed)).expect("a sound session").log;
        Sample::of(&log, scenario.window).mean(Amount::InLarge)
    });
    let share = seeds.sum::<f64>() / 3.0;
    assert!((0.4..=0.6).contains(&share), "recorded sessions have half: {share}");
}
