use super::*;
use crate::ident::MsgId;
use crate::log::{Author, Call, CallId, Message, Role, Text};
use crate::token::Tokenizer;
use crate::unit::{Millis, Tokens};

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

fn shape_of(course: &str) -> Shape {
    let log = log(course);
    shape(&log, &TokenTable::new(&log, Tokenizer::O200k))
}

#[test]
fn a_session_is_counted_by_role_and_turn() {
    let shape = shape_of("uctsxahua");
    assert_eq!((shape.turns, shape.steps, shape.sessions), (2, 4, 1));
    assert_eq!(shape.user.messages, 2);
    assert_eq!(shape.user.tokens.median, 3.0);
    assert!((shape.user.chars_per_token - 13.0 / 3.0).abs() < 1e-9);
    assert_eq!((shape.pairs.max, shape.pairs.median), (2.0, 1.0));
    assert_eq!((shape.failed, shape.answer_only), (0.5, 0.5));
    assert_eq!((shape.narrated, shape.several), (0.5, 0.0));
    assert_eq!(shape.turn_steps.max, 3.0);
}

#[test]
fn a_run_of_results_ends_with_a_word_of_the_model() {
    for (course, run) in [("uststct", 2.0), ("ustststst", 4.0), ("ustust", 1.0), ("ua", 0.0)] {
        assert_eq!(shape_of(course).longest_run, run, "{course}");
    }
}

#[test]
fn gaps_lie_between_model_calls() {
    let mut away = log("uaua");
    for message in &mut away.messages[2..] {
        message.at = Millis(message.at.0 + 400_000);
    }
    let shape = shape(&away, &TokenTable::new(&away, Tokenizer::O200k));
    assert_eq!((shape.gaps.median, shape.long_gaps), (402.0, 1.0));
}

#[test]
fn a_pool_counts_every_message_alike() {
    let sample = |course: &str| {
        let log = log(course);
        Sample::of(&log, &TokenTable::new(&log, Tokenizer::O200k))
    };
    let pooled = Sample::pool([sample("uctcta"), sample("ua"), sample("ua")]).shape();
    assert_eq!((pooled.sessions, pooled.turns), (3, 3));
    assert!((pooled.answer_only - 2.0 / 3.0).abs() < 1e-9);
    assert_eq!(pooled.tokens, shape_of("uctcta").tokens + 2.0 * shape_of("ua").tokens);
}

#[test]
fn an_empty_log_has_a_shape_of_noughts() {
    assert_eq!(shape_of(""), Shape { sessions: 1, ..Shape::default() });
}

#[test]
fn every_column_has_a_name_of_its_own() {
    let mut names: Vec<&str> = columns().map(|column| column.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
