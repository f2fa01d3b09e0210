use super::*;
use crate::truth::FactKind;

fn fact(id: u32, kind: FactKind, statement: &str, needles: &[Needle]) -> Fact {
    Fact::new(FactId(id), kind, statement, needles.to_vec())
}

fn code(text: &str) -> Needle {
    Needle::Code(text.to_owned())
}

fn prose(text: &str) -> Needle {
    Needle::Prose(text.to_owned())
}

fn facts() -> Vec<Fact> {
    let port = |id, value| {
        let said = format!("`orchard.port` is {value}.");
        fact(id, FactKind::Value, &said, &[code("orchard.port"), code(value)])
    };
    let old = Fact { superseded_by: Some(FactId(1)), ..port(0, "219961") };
    let path = "The pump is in `src/water/pump_house.rs`.";
    let path = fact(2, FactKind::Path, path, &[code("src/water/pump_house.rs")]);
    let queue = "The pump uses a salted hedge queue.";
    let queue = fact(3, FactKind::Decision, queue, &[prose("salted hedge queue")]);
    let rule = fact(4, FactKind::Constraint, "Do not edit `gate.toml`.", &[code("gate.toml")]);
    let rule = Fact { polarity: vec![prose("do not"), prose("off limits")], ..rule };
    vec![old, port(1, "350012"), path, queue, rule]
}

#[test]
fn things_are_graded_to_the_letter_and_leniently() {
    let facts = facts();
    let key = Key::new(&facts);
    for (fact, answer, strict, lenient, failure) in [
        (1, "350012", true, true, ""),
        (1, "It is 350012.", true, true, ""),
        (1, "350,012", false, true, "inexact"),
        (1, "3500121", false, false, "wrong"),
        (1, "219961", false, false, "stale"),
        (1, "first 219961, then 350012", false, true, "several"),
        (1, "not stated", false, false, "declined"),
        (1, "The conversation does not say.", false, false, "declined"),
        (1, "Not stated. Perhaps 350012", false, false, "declined"),
        (2, "`src/water/pump_house.rs`", true, true, ""),
        (2, "pump_house.rs", false, true, "inexact"),
        (2, "SRC/WATER/PUMP_HOUSE.RS", false, true, "inexact"),
        (2, "src/water/pump.rs", false, false, "wrong"),
        (3, "A salted  Hedge queue", true, true, ""),
        (3, "a salted queue", false, false, "wrong"),
        (3, "a hedge queue that is salted", false, true, "inexact"),
        (3, "", false, false, "wrong"),
    ] {
        let one = &facts[fact];
        let replaced: &[FactId] = if fact == 1 { &[FactId(0)] } else { &[] };
        let asked = cue(one).map(|(asked, _)| asked).unwrap();
        let found = grade(&key, one, &Expected::Thing(asked), replaced, answer);
        assert_eq!(found, Grade { strict, lenient, failure }, "{answer}");
    }
}

#[test]
fn a_verdict_is_the_first_word_and_a_rule_without_one_counts_leniently() {
    let facts = facts();
    let (key, rule) = (Key::new(&facts), &facts[4]);
    for (right, answer, strict, lenient, failure) in [
        (true, "Yes.", true, true, ""),
        (true, "**Yes**, it was", true, true, ""),
        (false, "no", true, true, ""),
        (true, "No.", false, false, "reversed"),
        (false, "Yes, do as you like", false, false, "reversed"),
        (true, "not stated", false, false, "declined"),
        (true, "No information on that.", false, false, "declined"),
        (true, "gate.toml is off  limits", false, true, "no-verdict"),
        (true, "Nobody knows", false, false, "no-verdict"),
    ] {
        let found = grade(&key, rule, &Expected::Verdict(right), &[], answer);
        assert_eq!(found, Grade { strict, lenient, failure }, "{answer}");
    }
}

#[test]
fn a_decoy_is_declined_or_accepted() {
    let thing = Expected::Thing(vec![code("x")]);
    for (expected, answer, right) in [
        (&thing, "not stated", true),
        (&thing, "It is not mentioned here.", true),
        (&thing, "`src/a.rs`", false),
        (&Expected::Verdict(true), "yes", false),
        (&Expected::Verdict(true), "No, nothing of the kind", true),
        (&Expected::Verdict(false), "No.", false),
        (&Expected::Verdict(false), "Yes", true),
        (&Expected::Verdict(false), "not stated", true),
        (&Expected::Verdict(true), "Leave it alone.", false),
    ] {
        assert_eq!(grade_decoy(expected, answer).strict, right, "{answer}");
    }
}

#[test]
fn letters_and_digits_are_what_is_left() {
    for (text, left) in [
        ("`A_b-c`, D!", "a b c d"),
        ("1,234,567 and 12_345", "1234567 and 12345"),
        ("1,2 and 1,2345", "1 2 and 1 2345"),
        ("", ""),
    ] {
        assert_eq!(plain(text), left, "{text}");
    }
}
