use proptest::prelude::*;

use super::*;
use crate::ident::Seed;
use crate::token::Tokenizer;
use crate::unit::Tokens;

/// A request of one message: an instruction and labelled quotes.
fn request<Q: AsRef<str>>(instruction: &str, quotes: &[(&str, Q)], max_tokens: u64) -> Prompt {
    let labels: Vec<String> = quotes.iter().map(|(label, _)| format!("\n{label}")).collect();
    let quoted = labels.iter().zip(quotes);
    let quoted = quoted.flat_map(|(label, (_, quote))| [(&**label, false), (quote.as_ref(), true)]);
    Prompt::of_user([(instruction, false)].into_iter().chain(quoted), max_tokens)
}

fn answer(prompt: &Prompt) -> String {
    Extractive::default().answer(prompt)
}

/// Who says what, a message a line.
fn session() -> Vec<(&'static str, String)> {
    let messages = include_str!("session.txt").lines();
    let messages = messages.map(|line| line.split_at(line.find(' ').expect("a label") + 1));
    messages.map(|(label, said)| (label, said.replace("\\n", "\n"))).collect()
}

fn of_session(instruction: &str) -> String {
    answer(&request(instruction, &session(), 600))
}

const BATCH: &str = "Write a [GOAL BATCH] with these sections, leaving out empty ones:\n\
    ## Goal Arc\n## Human Direction\n## What Was Achieved\n## Dead Ends\n\
    ## Lasting Constraints\n## Key Artifacts\n\nTurns to compact:\n";

#[test]
fn sessions_are_answered_in_the_shape_asked_for() {
    for (name, instruction) in crate::cases::<(String, String)>("instructions") {
        insta::assert_snapshot!(name, of_session(&instruction));
    }
}

#[test]
fn earlier_summaries_are_carried_section_by_section() {
    let first = format!("[SUMMARIZED] {}", of_session(BATCH));
    let quotes = [
        ("[user]: ", "Now speed up the exporter as well."),
        ("[summary 1]: ", first.as_str()),
        ("[user]: ", "The exporter must keep its column order."),
        ("[summary 2]: ", "[SUMMARIZED]\n## Dead Ends\n- Threads per column: slower than before."),
    ];
    insta::assert_snapshot!(answer(&request(BATCH, &quotes, 400)));
}

#[test]
fn no_material_is_no_answer_and_freak_material_is_answered_within_the_limit() {
    for quotes in [&[][..], &[("[user]: ", "")], &[("", " \n\t\n"), ("", "---\n***")]] {
        assert_eq!(answer(&request(BATCH, quotes, 500)), "");
        assert_eq!(answer(&request("Use <summary> tags.", quotes, 500)), "");
    }
    let wide = "\u{202e}\u{feff}a\u{300}\u{fffd}\u{0}🙂".repeat(40_000);
    for text in [
        " ".repeat(1_000_000),
        "a_b/c.d must fail ".repeat(280_000),
        "x".repeat(5_000_000),
        "東京で失敗した。".repeat(40_000),
        "\r\n<\n#\n[\n".repeat(50_000),
        "```\n".repeat(10_001),
        wide,
    ] {
        let given = answer(&request(BATCH, &[("[user]: ", &text)], 300));
        assert!(Tokenizer::O200k.count(&given) <= Tokens(300), "{}", &given[..80]);
    }
}

#[test]
fn the_limit_is_used_where_there_is_enough_to_say() {
    let lines: Vec<String> = (0..4_000)
        .map(|i| format!("Module part_{i}.rs must never exceed {} rows of kind{i}.", i * 7))
        .collect();
    let given = answer(&request(BATCH, &[("[user]: ", &lines.join("\n"))], 800));
    let count = Tokenizer::O200k.count(&given);
    assert!(count <= Tokens(800) && count > Tokens(600), "{count}");
}

/// Lines as they come in sessions, put together by a generator of their own.
fn plausible(seed: u64) -> String {
    use rand::RngExt;
    let mut rng = Seed(seed).rng();
    let names = ["src/a/b.rs", "retry_limit", "ParseError", "v1.2.3", "http://x.io/y", "E0425"];
    let forms =
        ["I fixed {} and {}", "{} must not import {}.", "see {}: {}", "tried {}; dropped {}"];
    let mut text = String::new();
    for _ in 0..rng.random_range(0..40) {
        let mut line = forms[rng.random_range(0..forms.len())].to_owned();
        for _ in 0..2 {
            let name =
                format!("{}{}", names[rng.random_range(0..names.len())], rng.random_range(0..99));
            line = line.replacen("{}", &name, 1);
        }
        text.push_str(&line);
        text.push(if rng.random_range(0..5) == 0 { ' ' } else { '\n' });
    }
    text
}

proptest! {
    /// forall text, limit: tokens(answer) <= limit, and asked again the same.
    #[test]
    fn answers_stay_within_the_limit(
        text in "(\\PC{0,60}[\n .#<>\\[\\]`]){0,30}",
        seed in 0_u64..1_000,
        most in 0_u64..200,
        instruction in "(## [A-Z][a-z]{3,9} Files\n|<[a-z_]{3,9}>\n|[1-9]\\. Open Tasks\n|two sentences ){0,4}",
    ) {
        let both = format!("{text}\n{}", plausible(seed));
        let prompt = request(&instruction, &[("[user]: ", &both), ("", &text)], most);
        let given = answer(&prompt);
        prop_assert!(Tokenizer::O200k.count(&given) <= Tokens(most));
        prop_assert_eq!(&given, &answer(&prompt));
    }

    /// forall material: every artifact of the answer occurs in the material.
    #[test]
    fn nothing_is_made_up(seed in any::<u64>(), most in 1_u64..400) {
        let text = plausible(seed);
        let given = answer(&request(BATCH, &[("[user]: ", &text)], most));
        for word in given.split(|c: char| c.is_whitespace() || ",;".contains(c)) {
            let artifact = word.contains(|c: char| c == '_' || c == '/' || c.is_ascii_digit());
            prop_assert!(!artifact || text.contains(word), "{} in {}", word, given);
        }
    }
}
