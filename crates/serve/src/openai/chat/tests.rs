use super::*;

fn asked(body: &Value) -> Result<Asked, Fault> {
    read(body, Token::new("t").expect("a token"))
}

fn with(key: &str, value: Value) -> Value {
    let mut body = json!({ "model": "m", "messages": [{ "role": "user", "content": "Hello." }] });
    body[key] = value;
    body
}

#[test]
fn a_conversation_is_read_with_its_calls_and_results() {
    let body = json!({
        "model": "m", "max_completion_tokens": 7, "max_tokens": 9, "temperature": 0.5, "seed": 3,
        "stream": true, "stream_options": { "include_usage": true },
        "tools": [{ "type": "function", "function": { "name": "ls", "parameters": {} } }],
        "tool_choice": "auto", "unknown_key": { "a": 1 },
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "developer", "content": [{ "type": "text", "text": "In French." }] },
            { "role": "user", "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] },
            { "role": "assistant", "content": null, "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "ls", "arguments": "{}" } },
                { "id": "c2", "type": "custom", "custom": { "name": "sh", "input": "pwd" } }] },
            { "role": "tool", "tool_call_id": "c1", "content": "x" },
            { "role": "system", "content": "A summary." },
        ],
    });
    let Asked { request, stream, usage } = asked(&body).expect("it is sound");
    assert!(stream && usage);
    assert_eq!(request.system.as_deref(), Some("Be brief.\n\nIn French."));
    assert_eq!(
        (request.max_tokens, request.temperature, request.seed),
        (Some(7), Some(0.5), Some(3))
    );
    assert_eq!(request.tools[0].name, "ls");
    let messages = &request.messages;
    let said: Vec<(Role, &str)> = messages.iter().map(|m| (m.role, &*m.text)).collect();
    let expected = [
        (Role::User, "ab"),
        (Role::Assistant, ""),
        (Role::Tool, "x"),
        (Role::System, "A summary."),
    ];
    assert_eq!(said, expected);
    assert_eq!((&*messages[1].calls[1].name, &*messages[1].calls[1].args), ("sh", "pwd"));
    assert_eq!(messages[2].answers, Some(CallId::new("c1")));
}

#[test]
fn what_is_not_spoken_is_named_with_its_key() {
    let image = json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": {} }] }]);
    for (key, value, part) in [
        ("n", json!(2), "`n`: there is one answer"),
        ("stop", json!(["x"]), "`stop`: answers are not searched"),
        ("logprobs", json!(true), "`logprobs`: there are no probabilities"),
        ("tool_choice", json!("required"), "`tool_choice`: answers here are text"),
        ("tool_choice", json!({ "type": "function" }), "`tool_choice`: answers here are text"),
        (
            "response_format",
            json!({ "type": "json_object" }),
            "`response_format`: answers here are",
        ),
        ("modalities", json!(["text", "audio"]), "`modalities[1]`: answers here are text"),
        ("audio", json!({ "voice": "x" }), "`audio`: answers are text"),
        ("messages", image, "`messages[0].content[0]`: parts of type `image_url` are not spoken"),
        ("messages", json!([{ "role": "function", "content": "" }]), "messages of role `function`"),
    ] {
        let fault = asked(&with(key, value)).expect_err(part);
        let body = fault.body(crate::fault::Dialect::OpenAi);
        let message = body["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{message}");
        assert_eq!((fault.status(), &body["error"]["code"]), (400, &json!("unsupported_value")));
    }
}

#[test]
fn what_breaks_a_rule_is_named_with_its_key() {
    for (key, value, part) in [
        ("messages", json!("x"), "`messages`: it is not a list"),
        ("messages", json!([]), "`messages`: there is no message beside the system prompt"),
        ("messages", Value::Null, "`messages`: it is missing"),
        ("messages", json!([{ "role": "user" }]), "`messages[0].content`: it is missing"),
        ("messages", json!([{ "role": 1 }]), "`messages[0].role`: it is not a string"),
        ("messages", json!([{ "role": "tool", "content": "x" }]), "`messages[0].tool_call_id`"),
        ("max_tokens", json!(0), "`max_tokens`: it is not a whole number above 0"),
        ("max_tokens", json!(-1), "`max_tokens`: it is not"),
        ("stream", json!("yes"), "`stream`: it is not true or false"),
        ("temperature", json!("hot"), "`temperature`: it is not a number"),
    ] {
        let fault = asked(&with(key, value)).expect_err(part);
        let body = fault.body(crate::fault::Dialect::OpenAi).to_string();
        assert!(body.contains(part), "{body}");
    }
    assert!(asked(&json!([])).err().is_some_and(|fault| fault.status() == 400));
}

#[test]
fn what_asks_for_nothing_is_let_pass() {
    for (key, value) in [
        ("n", json!(1)),
        ("stop", Value::Null),
        ("stop", json!([])),
        ("logprobs", json!(false)),
        ("tool_choice", json!("none")),
        ("response_format", json!({ "type": "text" })),
        ("modalities", json!(["text"])),
        ("parallel_tool_calls", json!(true)),
    ] {
        assert!(asked(&with(key, value)).is_ok(), "{key}");
    }
}

fn spoken(ending: Ending, text: &str) -> Spoken {
    Spoken {
        id: "1".to_owned(),
        model: "m".to_owned(),
        text: text.to_owned(),
        ending,
        tool: "ls".to_owned(),
        prompt: 5,
        completion: 2,
    }
}

#[test]
fn every_ending_is_written_whole_and_as_a_stream() {
    for (ending, reason, content, refusal) in [
        (Ending::Stop, "stop", json!("Hello there."), Value::Null),
        (Ending::Length, "length", json!("Hello there."), Value::Null),
        (Ending::ToolCall, "tool_calls", json!("Hello there."), Value::Null),
        (Ending::Refused, "content_filter", Value::Null, json!("Hello there.")),
    ] {
        let spoken = spoken(ending, "Hello there.");
        let answer = whole(&spoken);
        let choice = &answer["choices"][0];
        assert_eq!(choice["finish_reason"], reason);
        assert_eq!(choice["message"]["content"], content);
        assert_eq!(choice["message"]["refusal"], refusal);
        assert_eq!(choice["message"].get("tool_calls").is_some(), ending == Ending::ToolCall);
        assert_eq!(answer["usage"]["total_tokens"], 7);
        let stream = stream(&spoken, true);
        assert!(stream.contains(&format!("\"finish_reason\":\"{reason}\"")), "{stream}");
        assert!(stream.ends_with("data: [DONE]\n\n"), "{stream}");
        assert!(stream.contains("\"choices\":[]"), "{stream}");
    }
    assert!(!stream(&spoken(Ending::Stop, ""), false).contains("usage"));
}
