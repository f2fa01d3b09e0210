use proctor_core::ident::MsgId;
use proctor_core::log::{Author, Call, CallId, Message, Role, Text};
use proctor_core::unit::{Millis, Tokens};

use super::*;

/// `u` a person, `h` the harness in the user role, `a` an answer, `c` a call with
/// text, `s` a silent call, `t` a result, `x` a failed one. A second each.
fn log(course: &str) -> Log {
    let message = |(index, letter): (usize, char)| Message {
        id: MsgId(index as u32),
        role: match letter {
            'u' | 'h' => Role::User,
            't' | 'x' => Role::Tool,
            _ => Role::Assistant,
        },
        author: match letter {
            'u' => Author::Human,
            'h' | 't' | 'x' => Author::Harness,
            _ => Author::Agent,
        },
        at: Millis(index as u64 * 1_000),
        content: Text::from(if letter == 's' { "" } else { "one two three" }),
        calls: match letter {
            'c' | 's' => {
                let id = CallId::new(&index.to_string());
                vec![Call { id, name: Text::from("run"), args: Text::from("{}") }]
            }
            _ => Vec::new(),
        },
        answers: None,
        failed: letter == 'x',
    };
    Log {
        id: "shape".to_owned(),
        source: String::new(),
        system: Text::from(""),
        tools: Text::from(""),
        overhead: Tokens::ZERO,
        messages: course.chars().enumerate().map(message).collect(),
        boundaries: Vec::new(),
        usage: Vec::new(),
    }
}

fn sample(log: &Log) -> Sample {
    Sample::of(log, &TokenTable::new(log, Tokenizer::O200k))
}

fn figure(sample: &Sample, wanted: &str) -> f64 {
    let figures = sample.figures();
    figures.iter().find(|figure| figure.name == wanted).expect("a figure").value
}

#[test]
fn a_session_is_counted_by_role_and_turn() {
    let sample = sample(&log("uctsxahua"));
    for (name, expected) in [
        ("sessions", 1.0),
        ("turns", 2.0),
        ("steps", 4.0),
        ("user_tokens.median", 3.0),
        ("user.chars_per_token", 13.0 / 3.0),
        ("pairs.max", 2.0),
        ("pairs.median", 1.0),
        ("failed", 0.5),
        ("answer_only", 0.5),
        ("narrated", 0.5),
        ("several_calls", 0.0),
        ("turn_steps.max", 3.0),
    ] {
        let found = figure(&sample, name);
        assert!((found - expected).abs() < 1e-9, "{name}: {found}");
    }
}

#[test]
fn a_run_of_results_ends_with_a_word_of_the_model() {
    for (course, run) in [("uststct", 2.0), ("ustststst", 4.0), ("ustust", 1.0), ("ua", 0.0)] {
        assert_eq!(figure(&sample(&log(course)), "longest_run"), run, "{course}");
    }
}

#[test]
fn gaps_lie_between_model_calls() {
    let mut away = log("uaua");
    for message in &mut away.messages[2..] {
        message.at = Millis(message.at.0 + 400_000);
    }
    let sample = sample(&away);
    assert_eq!(figure(&sample, "gap_seconds.median"), 402.0);
    assert_eq!(figure(&sample, "long_gaps"), 1.0);
}

#[test]
fn a_pool_counts_every_message_alike() {
    let pooled = Sample::pool(["uctcta", "ua", "ua"].map(|course| sample(&log(course))));
    assert_eq!((figure(&pooled, "sessions"), figure(&pooled, "turns")), (3.0, 3.0));
    assert!((figure(&pooled, "answer_only") - 2.0 / 3.0).abs() < 1e-9);
    let tokens = |course| figure(&sample(&log(course)), "tokens");
    assert_eq!(figure(&pooled, "tokens"), tokens("uctcta") + 2.0 * tokens("ua"));
}

#[test]
fn an_empty_log_has_a_shape_of_noughts() {
    let figures = sample(&log("")).figures();
    assert!(figures.iter().all(|figure| figure.value == f64::from(figure.name == "sessions")));
}

/// What recorded sessions come to: the pooled figures of four transcripts of one
/// agent (68 turns, 470 model calls, 391k tokens), measured by `proctor-studies shape`, each
/// with the factor by which a synthetic session may differ either way. Factors are
/// wide where two recordings themselves differ as much.
const RECORDED: [(&str, f64, f64); 15] = [
    ("user_tokens.median", 15.0, 2.6),
    ("user_tokens.p90", 68.0, 2.0),
    ("assistant_tokens.p10", 24.9, 1.6),
    ("assistant_tokens.median", 71.5, 1.8),
    ("assistant_tokens.p90", 365.0, 1.7),
    ("assistant_tokens.mean", 187.0, 1.6),
    ("tool_tokens.p10", 15.0, 2.5),
    ("tool_tokens.median", 65.0, 1.9),
    ("tool_tokens.p90", 1_620.0, 1.6),
    ("tool_tokens.mean", 633.0, 1.6),
    ("pairs.mean", 6.4, 1.6),
    ("turn_tokens.mean", 5_159.0, 1.7),
    ("turn_tokens.p90", 12_950.0, 1.8),
    ("tool.chars_per_token", 3.32, 1.15),
    ("assistant.chars_per_token", 3.76, 1.15),
];

/// The same for shares and for counts that can be small: recorded, and how far off.
const RECORDED_SHARES: [(&str, f64, f64); 6] = [
    ("answer_only", 0.35, 0.15),
    ("failed", 0.06, 0.04),
    ("several_calls", 0.11, 0.05),
    // Whatever states or needs a fact says so, which recorded calls rarely do.
    ("narrated", 0.37, 0.35),
    ("long_gaps", 0.03, 0.03),
    ("pairs.median", 2.0, 2.0),
];

#[test]
fn sessions_of_ordinary_work_are_shaped_as_recorded_ones() {
    for name in ["long-coding", "multi-goal-arcs", "mixed"] {
        let scenario = Scenario::embedded(name).expect("an embedded scenario");
        let sample = sample(&scenario.session(Seed(1)).expect("a sound session").log);
        for (column, recorded, factor) in RECORDED {
            let found = figure(&sample, column);
            let fits = (1.0 / factor..=factor).contains(&(found / recorded));
            assert!(fits, "{name}: {column} is {found}, recorded {recorded}");
        }
        for (column, recorded, off) in RECORDED_SHARES {
            let found = figure(&sample, column);
            let fits = (found - recorded).abs() <= off;
            assert!(fits, "{name}: {column} is {found}, recorded {recorded}");
        }
        // Bursts: some turn is larger than a fifth of all that a small window holds.
        assert!(figure(&sample, "turn_tokens.max") >= 20_000.0, "{name}");
    }
}
