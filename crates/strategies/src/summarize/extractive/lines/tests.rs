use super::*;

fn prompt(segments: &[(&str, bool)]) -> Prompt {
    Prompt::of_user(segments.iter().copied(), 1_000)
}

#[test]
fn labels_say_who_speaks() {
    for (label, speaker) in crate::cases::<(String, Vec<String>)>("labels") {
        let found = said_by(&label).map(|found| format!("{:?}", found.0));
        assert_eq!(found.as_slice(), speaker, "{label}");
    }
}

#[test]
fn a_label_of_the_strategy_covers_the_quote_after_it() {
    let prompted = prompt(&[
        ("Sum up:\n--- Turn 1 ---\n[user]: ", false),
        ("fix it", true),
        ("\n[summary 1]: ", false),
        ("[SUMMARIZED] I fixed it.", true),
    ]);
    let found: Vec<_> = read(&prompted).iter().map(|line| (line.speaker, line.text)).collect();
    assert_eq!(found, [(Speaker::User, "fix it"), (Speaker::Summary, "I fixed it.")]);
    // A message quoted whole is by its role.
    assert_eq!(read(&prompt(&[("hello there", true)]))[0].speaker, Speaker::User);
}

#[test]
fn headings_of_a_summary_are_remembered_and_not_repeated() {
    let text = "[SUMMARIZED]\n## Dead Ends\n- tried X\n## Odd\nrest\n<overall_goal>\naim";
    let prompt = prompt(&[("Sum up:", false), (text, true)]);
    let found: Vec<(&str, Topics)> = read(&prompt).iter().map(|l| (l.text, l.under)).collect();
    let of = Topics::of_title;
    let expected =
        [("tried X", of("Dead Ends")), ("rest", Topics::NONE), ("aim", of("overall_goal"))];
    assert_eq!(found, expected);
}

fn named(line: &str) -> Vec<&str> {
    let mut marks = Vec::new();
    scan(line, true, &mut marks);
    let named = marks.iter().filter(|mark| mark.named);
    named.map(|mark| &line[mark.start.into()..mark.end.into()]).collect()
}

#[test]
fn artifacts_are_told_from_words_and_figures() {
    for (line, expected) in crate::cases::<(String, Vec<String>)>("artifacts") {
        assert_eq!(named(&line), expected, "{line}");
    }
}

#[test]
fn folded_words_give_the_hash() {
    let hash = |line, digits_differ| scan(line, digits_differ, &mut Vec::new()).hash;
    assert_eq!(hash("Port  8080!", true), hash("port 8080", true));
    assert_ne!(hash("port 8080", true), hash("port 9090", true));
    assert_eq!(hash("step 1 of 9", false), hash("step 2 of 9", false));
    assert_ne!(hash("do it", true), hash("do not", true));
}

#[test]
fn estimates_are_near_the_count() {
    for line in [
        "The retry queue must never block the scheduler, because both share one lock.",
        "error[E0382]: borrow of moved value: `config` --> src/settings/loader.rs:42:17",
        "fn main() { let value = parse_options(&arguments)?; run(value).await; }",
    ] {
        let exact = crate::token::Tokenizer::O200k.count(line).as_f64();
        let estimate = f64::from(scan(line, true, &mut Vec::new()).tokens);
        assert!((0.75..1.45).contains(&(estimate / exact)), "{line}: {estimate} for {exact}");
    }
}
