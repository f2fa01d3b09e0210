use super::*;
use crate::pressure::Budget;
use crate::testkit::Line::{Calls, Output, Says, System, User};
use crate::testkit::{Scene, Script, cases, fails, says};

/// Lines as `cases.toml` has them: a line, or several so many times, counted from a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    Times(u32, u32, Vec<Vec<String>>),
    Line(Vec<String>),
}

#[derive(Deserialize)]
struct Case {
    name: String,
    lines: Vec<Row>,
    given: Given,
    computed: Computed,
    /// What is shown, word for word.
    #[serde(default)]
    xml: Option<String>,
}

#[derive(Deserialize)]
struct Given {
    keep: usize,
    trim: u64,
    window: u64,
    counted: u64,
    fixed: u64,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Computed {
    plain: u64,
    tokens: u64,
    due: bool,
    cut: usize,
    shown: usize,
    text: usize,
}

/// `word*3` is the word three times.
fn text(written: &str) -> String {
    match written.rsplit_once('*').map(|(word, times)| (word, times.parse())) {
        Some((word, Ok(times))) => word.repeat(times),
        _ => written.to_owned(),
    }
}

fn scene(rows: &[Row]) -> Scene {
    let mut scene = Scene::lines(&[]);
    for row in rows {
        match row {
            Row::Line(line) => say(&mut scene, line),
            Row::Times(times, first, lines) => (*first..first + times).for_each(|number| {
                for line in lines {
                    let line: Vec<String> =
                        line.iter().map(|word| word.replace('#', &number.to_string())).collect();
                    say(&mut scene, &line);
                }
            }),
        }
    }
    scene
}

fn say(scene: &mut Scene, line: &[String]) {
    let words: Vec<String> = line.iter().map(|written| text(written)).collect();
    let call = |written: &'_ String| {
        let mut parts = written.splitn(3, ' ').map(str::to_owned);
        [parts.next(), parts.next(), parts.next()].map(Option::unwrap_or_default)
    };
    let calls: Vec<[String; 3]> = words.iter().skip(2).map(call).collect();
    let calls: Vec<(&str, &str, &str)> =
        calls.iter().map(|[id, name, args]| (id.as_str(), name.as_str(), args.as_str())).collect();
    scene.more_lines(&[match words[0].as_str() {
        "system" => System(&words[1]),
        "user" => User(&words[1]),
        "says" => Says(&words[1]),
        "calls" => Calls(&words[1], &calls),
        "output" => Output(&words[1], &words[2]),
        kind => panic!("no kind {kind}"),
    }]);
}

/// What the port computes, with the usage that is said to be reported.
fn computed(case: &Case) -> Computed {
    let (scene, given) = (scene(&case.lines), &case.given);
    let mut messages: Vec<Message> =
        scene.view.entries().iter().map(|one| Message::of(one)).collect();
    let plain = count(&messages);
    let reports = given.counted > 0;
    let reported = reports
        .then(|| report(&mut messages, Tokens(given.counted), Tokens(given.fixed)))
        .flatten();
    let tokens = count(&messages);
    let trigger = Tokens(given.window).share(0.8).0;
    let due = tokens.max(reported.unwrap_or_default()) >= trigger;
    let cut = cut(&messages, given.keep);
    messages.truncate(cut);
    let messages = if given.trim > 0 { trimmed(messages, given.trim) } else { messages };
    let xml = shown(&messages);
    assert_eq!(case.xml.as_ref().unwrap_or(&xml), &xml, "{}", case.name);
    Computed { plain, tokens, due, cut, shown: messages.len(), text: xml.chars().count() }
}

#[test]
fn counts_cuts_and_what_is_shown_are_those_of_langchain() {
    let all: Vec<Case> = cases(include_str!("cases.toml"), "summarization");
    assert!(all.len() >= 12);
    for case in &all {
        assert_eq!(computed(case), case.computed, "{}", case.name);
    }
}

fn work() -> Scene {
    let mut scene = Scene::lines(&[User("Port the parser, please.")]);
    for number in 0..6 {
        let (id, text) = (format!("c{number}"), format!("the content of file {number} <b>\n"));
        let args = format!("{{\"path\":\"src/file{number}.rs\"}}");
        scene.more_lines(&[Calls("", &[(&id, "read", &args)]), Output(&id, &text.repeat(9))]);
    }
    scene.budget = Budget { window: Tokens(600), ..Budget::default() };
    scene
}

const KEEPS_FOUR: Summarization = Summarization {
    keep: 4,
    trigger_share: 0.8,
    reported_usage: true,
    trim_to_summarize: Tokens(4_000),
};

#[test]
fn the_head_becomes_one_message_and_is_shown_in_one() {
    let mut scene = work();
    let script = Script::new([says("  Two files are read.\n")]);
    scene.compact(&KEEPS_FOUR, &script).expect("accepted");
    let rows = scene.rows();
    assert_eq!(rows[0], format!("u* {HEADER}Two files are read."));
    assert_eq!(rows.len(), 5);
    let prompt = script.prompts()[0].clone();
    assert_eq!((prompt.messages.len(), prompt.system.as_deref()), (1, Some("")));
    let asked = prompt.messages[0].text();
    let history = asked.strip_prefix(PROMPT).and_then(|text| text.strip_prefix(BEFORE));
    let history = history.and_then(|text| text.strip_suffix(BEHIND)).expect("it is framed");
    assert!(history.starts_with(
        "<message type=\"human\">Port the parser, please.</message>\n<message type=\"ai\">\n  \
         <tool_call id=\"c0\" name=\"read\">{\"path\": \"src/file0.rs\"}</tool_call>\n</message>\n\
         <message type=\"tool\">the content of file 0 &lt;b&gt;\n"
    ));
    let material: Vec<&str> = prompt.material().collect();
    assert_eq!(material, ["Port the parser, please."], "what is escaped is not known as quoted");
}

#[test]
fn it_acts_at_its_trigger_or_where_it_is_forced() {
    let mut scene = work();
    scene.budget.window = Tokens(10_000);
    assert!(scene.plan(&KEEPS_FOUR, None).is_none());
    (scene.budget.system, scene.budget.schemas) = (Tokens(4_000), Tokens(4_000));
    assert!(
        scene.plan(&KEEPS_FOUR, None).is_some(),
        "the reported usage holds what is not counted"
    );
    assert!(scene.plan(&Summarization { reported_usage: false, ..KEEPS_FOUR }, None).is_none());
}

#[test]
fn as_many_tokens_as_the_trigger_are_enough() {
    let mut scene = work();
    let messages: Vec<Message> = scene.view.entries().iter().map(|one| Message::of(one)).collect();
    let used = count(&messages);
    let all = Summarization { reported_usage: false, trigger_share: 1.0, ..KEEPS_FOUR };
    for (window, acts) in [(used, true), (used + 1, false)] {
        scene.budget.window = Tokens(window);
        assert_eq!(scene.plan(&all, None).is_some(), acts, "{window}");
    }
}

#[test]
fn the_trigger_is_a_share_above_nothing() {
    for (trigger_share, sound) in
        [(-0.1, false), (0.0, false), (0.5, true), (1.0, true), (1.1, false)]
    {
        let checked = Summarization { trigger_share, ..KEEPS_FOUR }.check();
        assert_eq!(checked.is_ok(), sound, "{trigger_share}: {checked:?}");
        let checked = ClearToolUses { trigger_share, ..ClearToolUses::default() }.check();
        assert_eq!(checked.is_ok(), sound, "{trigger_share}: {checked:?}");
    }
}

#[test]
fn failures_are_tried_three_times_and_a_refusal_is_an_empty_summary() {
    for (class, asked) in
        [(FailureClass::Error, 3), (FailureClass::TimeOut, 3), (FailureClass::Overflow, 2)]
    {
        let script = Script::new([fails(class)]);
        let mut scene = work();
        let plan = scene.plan(&KEEPS_FOUR, None).expect("it acts");
        assert_eq!(plan.then, Then::Raise);
        assert_eq!(scene.compact(&KEEPS_FOUR, &script).expect_err("it fails"), class);
        assert_eq!(script.prompts().len(), asked, "{class:?}");
    }
    for reply in [fails(FailureClass::Refusal), says("")] {
        let mut scene = work();
        scene.compact(&KEEPS_FOUR, &Script::new([reply])).expect("accepted");
        assert_eq!(*scene.view.entries()[0].content(), *HEADER);
    }
}

#[test]
fn where_nothing_can_be_shown_a_sentence_is_the_summary_and_nobody_is_asked() {
    let mut scene = work();
    let short = Summarization { trim_to_summarize: Tokens(60), ..KEEPS_FOUR };
    let script = Script::new([]);
    scene.compact(&short, &script).expect("accepted");
    assert_eq!(scene.rows()[0], format!("u {HEADER}{TOO_LONG}"));
    assert!(script.prompts().is_empty());
}
