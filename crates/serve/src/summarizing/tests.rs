use super::*;
use crate::summarize::{AskError, FailureClass, Limits, Offline, Stopped};
use crate::token::Token;

/// Repeats its instruction and its material.
struct Echo;

impl Offline for Echo {
    fn limits(&self) -> Limits {
        Limits { window: Some(Tokens(60)), max_output: Tokens(20) }
    }

    fn answer(&self, prompt: &Prompt) -> String {
        let material: Vec<&str> = prompt.material().collect();
        format!("{} | {}", prompt.system.as_deref().unwrap_or("-"), material.join("/"))
    }
}

fn request(texts: &[(Role, &str)]) -> ModelRequest {
    ModelRequest {
        token: Token::new("t").expect("a token"),
        model: None,
        system: Some("Be brief.".to_owned()),
        messages: texts.iter().map(|(role, text)| ChatMessage::new(*role, *text)).collect(),
        tools: Vec::new(),
        max_tokens: None,
        temperature: None,
        seed: None,
    }
}

fn echo(caps: Caps) -> Summarizing {
    Summarizing::new(Arc::new(Echo), caps)
}

#[test]
fn messages_are_material_and_the_system_prompt_is_none() {
    let mut asked = request(&[(Role::User, "one"), (Role::Assistant, ""), (Role::Tool, "two")]);
    let call = Call { id: CallId::new("c"), name: "ls".into(), args: "{}".into() };
    asked.messages[1].calls.push(call);
    let answer = echo(Caps::default()).answer(asked).expect("an answer");
    assert_eq!(answer.text, "Be brief. | one/\n[ls {}]/two");
    let single = echo(Caps::default()).answer(request(&[(Role::User, "one")]));
    assert_eq!(single.expect("an answer").text, "Be brief. | one");
}

#[test]
fn a_long_prompt_overflows_and_a_long_answer_is_cut_off() {
    let summarizing = echo(Caps::default());
    let long = "word ".repeat(60);
    let refusal = summarizing.answer(request(&[(Role::User, &long)])).expect_err("too long");
    assert_eq!((refusal.class, refusal.status), (RefusalClass::Overflow, 400));
    assert!(refusal.message.contains("> 60 maximum"), "{}", refusal.message);
    let fits = "word ".repeat(30);
    let answer = summarizing.answer(request(&[(Role::User, &fits)])).expect("an answer");
    assert_eq!(answer.finish, Finish::Length);
    assert!(answer.completion_tokens <= 20);
    let brief = ModelRequest { max_tokens: Some(3), ..request(&[(Role::User, &long[..100])]) };
    assert!(summarizing.answer(brief).expect("an answer").completion_tokens <= 3);
    assert_eq!((summarizing.totals().calls, summarizing.totals().answered), (2, 2));
}

#[test]
fn caps_are_held() {
    let summarizing = echo(Caps { calls: Some(1), tokens: None });
    assert!(summarizing.answer(request(&[(Role::User, "one")])).is_ok());
    let refusal = summarizing.answer(request(&[(Role::User, "one")])).expect_err("spent");
    assert_eq!((refusal.class, refusal.status), (RefusalClass::Spent, 429));
    assert_eq!(refusal.message, "1 calls were made, and 1 are allowed");
    let summarizing = echo(Caps { calls: None, tokens: Some(Tokens(5)) });
    let refusal = summarizing.answer(request(&[(Role::User, "one two three")])).expect_err("spent");
    assert!(refusal.message.ends_with("more: 5 are allowed"), "{}", refusal.message);
}

#[test]
fn only_models_that_are_known_are_passed_on() {
    let summarizing = echo(Caps::default()).with_models(["small".to_owned()]);
    for (name, passed) in [("small", Some("small")), ("gpt-5", None)] {
        let asked = ModelRequest { model: Some(name.to_owned()), ..request(&[(Role::User, "a")]) };
        assert_eq!(summarizing.prompt(&asked).model.as_deref(), passed);
    }
}

struct Failing;

impl Ask for Failing {
    fn ask(&self, _: &[Prompt]) -> Result<Vec<crate::summarize::Reply>, Stopped> {
        Ok(vec![Err(AskError::new(FailureClass::TimeOut, "too late"))])
    }
}

struct Ended;

impl Ask for Ended {
    fn ask(&self, _: &[Prompt]) -> Result<Vec<crate::summarize::Reply>, Stopped> {
        Err(Stopped::new("the budget is spent"))
    }
}

#[test]
fn failures_keep_their_class_and_a_stop_makes_it_unavailable() {
    let asked = || request(&[(Role::User, "one")]);
    let failing = Summarizing::new(Arc::new(Failing), Caps::default());
    let refusal = failing.answer(asked()).expect_err("it fails");
    assert_eq!((refusal.status, &*refusal.message), (504, "too late"));
    assert_eq!((failing.totals().calls, failing.totals().answered), (1, 0));
    let ended = Summarizing::new(Arc::new(Ended), Caps::default());
    assert_eq!(ended.answer(asked()).expect_err("it fails").status, 503);
}
