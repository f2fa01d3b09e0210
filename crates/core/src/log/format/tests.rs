//! The native log format: examples, broken files, round trips.

use proptest::prelude::*;

use super::*;
use crate::log::{BoundaryAction, CallId, Trigger};
use crate::testkit::{Line, message};

const HEADER: &str =
    r#"{"proctor":"log","version":1,"id":"s","source":"test","system":"","tools":"","overhead":0}"#;
const CALL: &str = r#"{"message":{"id":0,"role":"assistant","author":"agent","at":0,"content":"","calls":[{"id":"a","name":"Read","args":"{}"}]}}"#;

fn read_text(text: &[u8]) -> Result<Log> {
    read_from(text, Path::new("x.jsonl"))
}

fn error_of(lines: &[&str]) -> String {
    read_text(lines.join("\n").as_bytes()).expect_err("the file is broken").to_string()
}

#[test]
fn the_example_of_the_format_page_is_a_log() {
    let page = include_str!("../../../../../scenarios/FORMAT.md");
    let example = page.split("```jsonl log\n").nth(1).and_then(|rest| rest.split("```").next());
    let example = example.expect("the page has an example");
    let log = read_text(example.as_bytes()).unwrap();
    assert_eq!(log.turns().len(), 1);
    assert_eq!((log.boundaries.len(), log.usage.len()), (1, 2));
    assert_eq!(to_text(&log).unwrap(), example);
}

#[test]
fn a_broken_line_is_named_with_its_rule() {
    for (line, rule) in crate::cases::<(String, String)>("log-lines") {
        assert_eq!(error_of(&[HEADER, CALL, &line]), format!("x.jsonl:3: {rule}"));
    }
    let misnamed = r#"{"message":{"tone":"stern"}}"#;
    assert!(error_of(&[HEADER, CALL, misnamed]).contains("unknown field `tone`"));
    assert!(error_of(&[HEADER, r#"{"mesage":{}}"#]).contains("unknown variant `mesage`"));
    let cut = error_of(&[HEADER, &CALL[..40]]);
    assert!(cut.starts_with("x.jsonl:2: the last line is cut off"), "{cut}");
}

#[test]
fn the_header_says_what_the_file_is() {
    let other = HEADER.replace("\"log\"", "\"truth\"");
    let newer = HEADER.replace("\"version\":1", "\"version\":9").replace("\"id\"", "\"name\"");
    for (header, rule) in [
        ("", "x.jsonl:1: the file is empty (expected a log header)"),
        (other.as_str(), "x.jsonl:1: the file is a `truth`, not a `log`"),
        (newer.as_str(), "x.jsonl:1: version 9 is unknown (this build reads version 1)"),
    ] {
        assert_eq!(error_of(&[header]), rule);
    }
    let unknown = HEADER.replace("\"tools\"", "\"tool\"");
    assert!(error_of(&[&unknown]).contains("unknown field `tool`"));
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    let mut bytes = format!("{HEADER}\n").into_bytes();
    bytes.extend(b"{\"message\xff\":1}\n");
    let error = read_text(&bytes).expect_err("not UTF-8").to_string();
    assert_eq!(error, "x.jsonl:2: invalid UTF-8 after byte 9");
}

#[test]
fn a_log_that_could_not_be_read_again_is_not_written() {
    let mut log = read_text(format!("{HEADER}\n{CALL}\n").as_bytes()).unwrap();
    log.messages[0].id = MsgId(3);
    let error = to_text(&log).expect_err("ids are out of order").to_string();
    assert_eq!(error, "log `s`: message id 3 is out of order (expected 0)");
}

fn log_of(choices: &[(u8, String, u64)]) -> Log {
    let mut log = read_text(HEADER.as_bytes()).unwrap();
    for (index, (choice, text, number)) in choices.iter().enumerate() {
        let (first, id) = (log.messages.len(), format!("call{index}"));
        let at = Millis(log.messages.last().map_or(0, |m| m.at.0) + number % 1000);
        if choice % 3 == 0 {
            let action = match choice % 2 {
                0 => BoundaryAction::Summary(Text::from(text.as_str())),
                _ => BoundaryAction::Clear(vec![CallId::new(&id)]),
            };
            let pre_tokens = (choice % 5 == 0).then_some(Tokens(*number));
            let (before, trigger, post_tokens) = (MsgId(first as u32), Trigger::Manual, None);
            log.boundaries.push(Boundary {
                before,
                trigger,
                action,
                kept: Vec::new(),
                pre_tokens,
                post_tokens,
            });
        }
        if choice % 4 == 0 {
            log.messages.push(Message { at, ..message(first, Line::User(text)) });
            continue;
        }
        let asking = message(first, Line::Calls(text, &[(&id, "Bash", text)]));
        let result = message(first + 1, Line::Output(&id, text));
        let (message, prompt) = (asking.id, Tokens(*number));
        log.messages.push(Message { at, ..asking });
        log.messages.push(Message { at, failed: choice % 7 == 0, ..result });
        log.usage.push(Usage { message, prompt, cached: Tokens(number / 2) });
    }
    log
}

proptest! {
    /// forall valid log l: read(write(l)) = l, and write(read(write(l))) = write(l).
    #[test]
    fn a_written_log_reads_back_the_same(
        choices in prop::collection::vec((any::<u8>(), "\\PC{0,40}|[\\n\\t\"\\\\ a-z]{0,20}", 0..u64::MAX / 8), 0..20)
    ) {
        let log = log_of(&choices);
        let text = to_text(&log).unwrap();
        let back = read_text(text.as_bytes()).unwrap();
        prop_assert_eq!(&back, &log);
        prop_assert_eq!(to_text(&back).unwrap(), text);
    }

    /// forall bytes b: reading b returns, and never panics.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut file = format!("{HEADER}\n{CALL}\n").into_bytes();
        file.extend(bytes);
        let _ = read_text(&file);
    }
}
