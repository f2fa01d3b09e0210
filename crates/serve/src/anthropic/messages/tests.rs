use super::*;
use crate::anthropic::{stream, whole};
use crate::fault::Dialect;

fn asked(body: &Value) -> Result<Asked, Fault> {
    read(body, Token::new("t").expect("a token"))
}

#[test]
fn blocks_are_messages_of_their_own_where_they_are_results() {
    let body = json!({
        "model": "m", "max_tokens": 7, "temperature": 1, "thinking": { "type": "enabled" },
        "system": [{ "type": "text", "text": "Be brief.", "cache_control": { "type": "ephemeral" } }],
        "tools": [{ "name": "ls", "input_schema": {} }], "tool_choice": { "type": "auto" },
        "messages": [
            { "role": "user", "content": "a" },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "hm", "signature": "s" },
                { "type": "text", "text": "b" },
                { "type": "tool_use", "id": "c1", "name": "ls", "input": { "x": 1 } }] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "c1", "is_error": true,
                  "content": [{ "type": "text", "text": "no" }] },
                { "type": "tool_result", "tool_use_id": "c2" },
                { "type": "text", "text": "c" }] },
        ],
    });
    let request = asked(&body).expect("it is sound").request;
    assert_eq!((request.system.as_deref(), request.max_tokens), (Some("Be brief."), Some(7)));
    let said: Vec<(Role, &str, bool)> =
        request.messages.iter().map(|m| (m.role, &*m.text, m.failed)).collect();
    let expected = [
        (Role::User, "a", false),
        (Role::Assistant, "b", false),
        (Role::Tool, "no", true),
        (Role::Tool, "", false),
        (Role::User, "c", false),
    ];
    assert_eq!(said, expected);
    assert_eq!(&*request.messages[1].calls[0].args, "{\"x\":1}");
}

#[test]
fn what_is_wrong_is_named_with_its_key() {
    let blocks = |block: Value| json!([{ "role": "user", "content": [block] }]);
    for (key, value, part) in [
        ("max_tokens", Value::Null, "`max_tokens`: it is missing"),
        ("messages", json!([]), "`messages`: there is no message"),
        (
            "messages",
            blocks(json!({ "type": "image" })),
            "`messages[0].content[0]`: parts of type `image`",
        ),
        ("messages", blocks(json!({ "type": "tool_use" })), "parts of type `tool_use`"),
        (
            "messages",
            blocks(json!({ "type": "tool_result" })),
            "`messages[0].content[0].tool_use_id`",
        ),
        ("messages", json!([{ "role": "tool", "content": "" }]), "messages of role `tool`"),
        ("tool_choice", json!({ "type": "any" }), "`tool_choice`: answers here are text"),
        ("stop_sequences", json!(["x"]), "`stop_sequences`: answers are not searched"),
        ("output_config", json!({ "format": { "type": "json_schema" } }), "`output_config.format`"),
    ] {
        let message = json!({ "role": "user", "content": "Hello." });
        let mut body = json!({ "model": "m", "max_tokens": 9, "messages": [message] });
        body[key] = value;
        let fault = asked(&body).expect_err(part);
        let body = fault.body(Dialect::Anthropic).to_string();
        assert!(body.contains(part) && body.contains("invalid_request_error"), "{body}");
    }
}

#[test]
fn every_ending_is_written_whole_and_as_a_stream() {
    for (ending, reason, blocks) in [
        (Ending::Stop, "end_turn", 1),
        (Ending::Length, "max_tokens", 1),
        (Ending::ToolCall, "tool_use", 2),
        (Ending::Refused, "refusal", 0),
    ] {
        let spoken = Spoken {
            id: "1".to_owned(),
            model: "m".to_owned(),
            text: "Hello there.".to_owned(),
            ending,
            tool: "ls".to_owned(),
            prompt: 5,
            completion: 2,
        };
        let answer = whole(&spoken);
        assert_eq!(answer["stop_reason"], reason);
        assert_eq!(answer["content"].as_array().map(Vec::len), Some(blocks));
        assert_eq!(answer["stop_details"].is_object(), ending == Ending::Refused);
        let events = stream(&spoken);
        let named = events.lines().filter_map(|line| line.strip_prefix("event: "));
        let names: Vec<&str> = named.collect();
        let block = ["content_block_start", "content_block_delta", "content_block_stop"];
        let mut expected = vec!["message_start"];
        (0..blocks).for_each(|_| expected.extend(block));
        expected.extend(["message_delta", "message_stop"]);
        assert_eq!(names, expected);
    }
}
