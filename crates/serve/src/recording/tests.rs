use super::*;
use crate::log::{BoundaryAction, Log};
use crate::token::Token;

fn message(line: &str) -> ChatMessage {
    let (role, text) = line.split_once(' ').unwrap_or((line, ""));
    let new = |role, text: &str| ChatMessage::new(role, text);
    match role.split_once(':') {
        Some(("c", id)) => {
            let call = Call { id: CallId::new(id), name: "sh".into(), args: "{}".into() };
            ChatMessage { calls: vec![call], ..new(Role::Assistant, text) }
        }
        Some(("t", id)) => ChatMessage { answers: Some(CallId::new(id)), ..new(Role::Tool, text) },
        _ if role == "a" => new(Role::Assistant, text),
        _ if role == "s" => new(Role::System, text),
        _ => new(Role::User, text),
    }
}

const SYSTEM: &str = "You are an agent.";

fn request(lines: &[&str]) -> ModelRequest {
    ModelRequest {
        token: Token::new("t").expect("a token"),
        model: None,
        system: Some(SYSTEM.to_owned()),
        messages: lines.iter().map(|line| message(line)).collect(),
        tools: Vec::new(),
        max_tokens: None,
        temperature: None,
        seed: None,
    }
}

struct Proxy {
    folder: tempfile::TempDir,
    book: Book,
    now: u64,
}

impl Proxy {
    fn new() -> Proxy {
        let folder = tempfile::tempdir().expect("a folder");
        let book = Book::new(&folder.path().join("session.jsonl"));
        Proxy { folder, book, now: 5_000 }
    }

    fn call(&mut self, request: &ModelRequest, answer: &str) {
        let completion = Completion::complete(request, answer);
        let asked = Millis(self.now);
        self.now += 1_000;
        let recorded = self.book.record(request, &completion, asked, Millis(self.now - 500));
        recorded.unwrap_or_else(|error| panic!("{error}"));
    }

    fn says(&mut self, lines: &[&str], answer: &str) {
        self.call(&request(lines), answer);
    }

    /// A session as it is read back, one letter and the words a message, `|` where a boundary is.
    fn read(&self, name: &str) -> (Log, Vec<String>) {
        let path = self.folder.path().join(name);
        let log = log::format::read(&path).unwrap_or_else(|error| panic!("{error}"));
        let mut lines = Vec::new();
        for message in &log.messages {
            let bars = log.boundaries.iter().filter(|boundary| boundary.before == message.id);
            lines.extend(bars.map(|_| "|".to_owned()));
            let letter = match message.role {
                Role::Tool => "t",
                Role::Assistant => "a",
                Role::User if message.author == log::Author::Harness => "h",
                Role::User => "u",
                Role::System => "s",
            };
            lines.push(format!("{letter} {}", message.content));
        }
        (log, lines)
    }

    fn files(&self) -> usize {
        self.book.conversations.len()
    }
}

const LONG: &str = "a long answer that is surely told from any other one that there may be";
const SUMMARY: &str = "Summary: the tests of the parser fail, and the lexer is to blame for it.";

#[test]
fn what_is_new_is_appended() {
    let mut proxy = Proxy::new();
    proxy.says(&["u go"], "one");
    // The client trims, and has made the answer a call.
    proxy.says(&["u go ", "a one", "u on"], "two");
    proxy.says(&["u go", "a one", "u on", "a two", "c:1 look", "t:1 12 passed", "u more"], "three");
    let (log, lines) = proxy.read("session.jsonl");
    let expected = ["u go", "a one", "u on", "a two", "a look", "t 12 passed", "u more", "a three"];
    assert_eq!(lines, expected);
    assert_eq!((&*log.system, log.id.as_str()), (SYSTEM, "session"));
    assert_eq!(log.messages[0].at, Millis(0));
    assert_eq!(log.messages[1].at, Millis(500));
    let usage: Vec<u32> = log.usage.iter().map(|usage| usage.message.0).collect();
    assert_eq!(usage, [1, 3, 7]);
    assert!(log.boundaries.is_empty());
}

#[test]
fn a_request_that_is_made_again_takes_the_last_exchange_back() {
    let mut proxy = Proxy::new();
    proxy.says(&["u go"], "one");
    proxy.says(&["u go"], "another");
    proxy.says(&["u go", "a another", "u on"], "two");
    // The client keeps a call where the model's answer had none, as far as we know.
    proxy.says(&["u go", "a another", "u on", "c:1 two", "t:1 fine"], "three");
    let (_, lines) = proxy.read("session.jsonl");
    assert_eq!(lines, ["u go", "a another", "u on", "a two", "t fine", "a three"]);
    assert_eq!(proxy.files(), 1);
}

#[test]
fn a_summary_in_place_of_the_head_is_a_boundary() {
    let mut proxy = Proxy::new();
    proxy.says(&["u go"], LONG);
    let answer = format!("a {LONG}");
    proxy.says(&["u go", &answer, "u on"], "two");
    proxy.says(&["u Summary: they went.", "u on", "a two", "u last"], "three");
    proxy.says(&["u Summary: they went.", "u on", "a two", "u last", "a three", "u end"], "four");
    let (log, lines) = proxy.read("session.jsonl");
    // `u on` and `a two` are too short to be told from those of another conversation.
    assert_eq!(proxy.files(), 2);
    assert_eq!(lines.len(), 4);
    assert!(log.boundaries.is_empty());

    let mut proxy = Proxy::new();
    proxy.says(&["u go"], "one");
    proxy.says(&["u go", "a one", "u on"], LONG);
    proxy.says(&["u Summary: they went.", "u on", &answer, "u last"], "three");
    proxy.says(&["u Summary: they went.", "u on", &answer, "u last", "a three", "u end"], "four");
    let (log, lines) = proxy.read("session.jsonl");
    let own = format!("a {LONG}");
    let expected = ["u go", "a one", "u on", &own, "|", "u last", "a three", "u end", "a four"];
    assert_eq!(lines, expected);
    assert_eq!(log.boundaries[0].action, BoundaryAction::Summary("Summary: they went.".into()));
    assert_eq!(log.boundaries[0].pre_tokens, Some(log.usage[1].prompt));
    assert_eq!(log.boundaries[0].post_tokens, Some(log.usage[2].prompt));
}

#[test]
fn a_summary_that_was_asked_for_here_is_no_message() {
    let mut proxy = Proxy::new();
    proxy.says(&["u go"], LONG);
    let answer = format!("a {LONG}");
    proxy.says(&["u go", &answer, "u on"], "two");
    proxy.says(&["u go", &answer, "u on", "a two", "u Summarize the above."], SUMMARY);
    let head = format!("u Before this: {SUMMARY}");
    proxy.says(&[&head, "u next"], "three");
    let (log, lines) = proxy.read("session.jsonl");
    assert_eq!(lines, ["u go", &answer, "u on", "a two", "|", "u next", "a three"]);
    let expected = BoundaryAction::Summary(format!("Before this: {SUMMARY}").into());
    assert_eq!(log.boundaries[0].action, expected);
    assert_eq!(proxy.files(), 1);
}

#[test]
fn a_summary_that_was_asked_for_beside_is_recognized() {
    let mut proxy = Proxy::new();
    proxy.says(&["u go"], LONG);
    let answer = format!("a {LONG}");
    proxy.says(&["u go", &answer, "u on"], "two");
    let transcript = format!("u Summarize.\nUSER: go\nAGENT: {LONG}\nUSER: on\nAGENT: two");
    let beside =
        ModelRequest { system: Some("You summarize.".to_owned()), ..request(&[&transcript]) };
    proxy.call(&beside, SUMMARY);
    proxy.says(&[&format!("u {SUMMARY}")], "three");
    let (log, lines) = proxy.read("session.jsonl");
    assert_eq!(lines, ["u go", &answer, "u on", "a two", "|", "a three"]);
    assert_eq!(log.boundaries[0].action, BoundaryAction::Summary(SUMMARY.into()));
    let (beside, lines) = proxy.read("session-2.jsonl");
    assert_eq!((lines.len(), &*beside.system), (2, "You summarize."));
}

#[test]
fn cleared_results_and_a_window_that_slides_are_boundaries() {
    let mut proxy = Proxy::new();
    let task = "u find out why the parser fails, and never touch the vendored code";
    let bare = |text: &str| [task, "c:1 look", text, "c:2 again", "t:2 many"].map(str::to_owned);
    let texts = bare("t:1 a lot");
    let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
    proxy.says(&lines, "one");
    let texts = bare("t:1 [cleared]");
    let mut lines: Vec<&str> = texts.iter().map(String::as_str).collect();
    lines.extend(["a one", "u on"]);
    proxy.says(&lines, "two");
    let (log, _) = proxy.read("session.jsonl");
    assert_eq!(log.boundaries[0].action, BoundaryAction::Clear(vec![CallId::new("1")]));
    assert_eq!(log.messages[2].content, "a lot".into());
    lines.extend(["a two", "u last"]);
    proxy.says(&lines[3..], "three");
    let (log, lines) = proxy.read("session.jsonl");
    assert_eq!(log.boundaries[1].action, BoundaryAction::Nothing);
    assert_eq!(&lines[lines.len() - 3..], ["|", "u last", "a three"]);
}

#[test]
fn conversations_have_files_of_their_own() {
    let mut proxy = Proxy::new();
    std::fs::write(proxy.folder.path().join("session-2.jsonl"), "mine").expect("a file");
    proxy.says(&["u go"], "one");
    proxy.says(&["u something else"], "two");
    proxy.says(&["u go", "a one", "u on"], "three");
    let (_, lines) = proxy.read("session.jsonl");
    assert_eq!(lines, ["u go", "a one", "u on", "a three"]);
    let (log, lines) = proxy.read("session-3.jsonl");
    assert_eq!(
        (lines, log.id.as_str()),
        (vec!["u something else".into(), "a two".into()], "session-3")
    );
}

#[test]
fn ids_that_servers_use_again_stay_apart() {
    let mut proxy = Proxy::new();
    let lines = ["u go", "c:0 a", "t:0 one", "c:0 b", "t:0 two", "t:9 lost"];
    proxy.says(&lines, "three");
    let (log, lines) = proxy.read("session.jsonl");
    assert_eq!(lines[5], "h lost");
    let answers: Vec<String> =
        log.messages.iter().filter_map(|m| m.answers.as_ref()).map(ToString::to_string).collect();
    assert_eq!(answers, ["0", "0~2"]);
}

#[test]
fn no_file_is_written_over_and_a_failure_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.jsonl");
    let answers: Arc<dyn Answers> =
        Arc::new(|request: ModelRequest| Ok(Completion::complete(&request, "one")));
    std::fs::write(&path, "").expect("a file");
    let error = Recording::new(Arc::clone(&answers), &path, |_| {}).err().expect("it exists");
    assert!(error.to_string().ends_with("the file exists already"), "{error}");
    let told = Arc::new(Mutex::new(Vec::new()));
    let telling = Arc::clone(&told);
    let path = folder.path().join("no/folder.jsonl");
    let tell = move |error: &Error| held(&telling).push(error.to_string());
    let recording = Recording::new(answers, &path, tell).expect("not there");
    assert_eq!(recording.answer(request(&["u go"])).expect("an answer").text, "one");
    assert_eq!(held(&told).len(), 1);
    assert_eq!(recording.files(), [path]);
}
