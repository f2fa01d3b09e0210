use super::*;
use crate::fault::Dialect;

fn asked(body: &Value) -> Result<Asked, Fault> {
    read(body, Token::new("t").expect("a token"))
}

#[test]
fn items_are_a_conversation() {
    let body = json!({
        "model": "m", "instructions": "Be brief.", "max_output_tokens": 7, "store": true,
        "tools": [{ "type": "web_search" }],
        "input": [
            { "role": "developer", "content": "In French." },
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "a" }] },
            { "type": "reasoning", "id": "rs_1", "summary": [] },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "b" }] },
            { "type": "function_call", "call_id": "c1", "name": "ls", "arguments": "{}" },
            { "type": "custom_tool_call", "call_id": "c2", "name": "sh", "input": "pwd" },
            { "type": "function_call_output", "call_id": "c1", "output": "x" },
            { "type": "custom_tool_call_output", "call_id": "c2", "output": [{ "type": "input_text", "text": "y" }] },
            { "type": "function_call", "call_id": "c3", "name": "ls", "arguments": "{}" },
        ],
    });
    let request = asked(&body).expect("it is sound").request;
    assert_eq!(request.system.as_deref(), Some("Be brief.\n\nIn French."));
    assert_eq!((request.max_tokens, &*request.tools[0].name), (Some(7), "web_search"));
    let said: Vec<(Role, &str, usize)> =
        request.messages.iter().map(|m| (m.role, &*m.text, m.calls.len())).collect();
    let expected = [
        (Role::User, "a", 0),
        (Role::Assistant, "b", 2),
        (Role::Tool, "x", 0),
        (Role::Tool, "y", 0),
        (Role::Assistant, "", 1),
    ];
    assert_eq!(said, expected);
    let plain = asked(&json!({ "input": "Hello." })).expect("it is sound").request;
    assert_eq!((plain.messages[0].text.as_str(), plain.system), ("Hello.", None));
}

#[test]
fn what_is_not_spoken_is_named_with_its_key() {
    let item = |kind: &str| json!([{ "type": kind }]);
    for (key, value, part) in [
        ("previous_response_id", json!("resp_1"), "`previous_response_id`: no answer is kept"),
        ("conversation", json!("conv_1"), "`conversation`: no conversation is kept"),
        ("background", json!(true), "`background`: no answer is kept"),
        ("tool_choice", json!("required"), "`tool_choice`: answers here are text"),
        ("text", json!({ "format": { "type": "json_schema" } }), "`text.format`: answers here"),
        ("input", item("item_reference"), "`input[0]`: items of type `item_reference`"),
        ("input", item("compaction"), "`input[0]`: items of type `compaction`"),
        ("input", json!([]), "`input`: there is no message"),
        ("input", Value::Null, "`input`: it is missing"),
        (
            "input",
            json!([{ "role": "user", "content": [{ "type": "input_image" }] }]),
            "`input_image`",
        ),
    ] {
        let mut body = json!({ "model": "m", "input": "Hello." });
        body[key] = value;
        let fault = asked(&body).expect_err(part);
        let body = fault.body(Dialect::OpenAi).to_string();
        assert!(body.contains(part), "{body}");
    }
}

fn spoken(ending: Ending) -> Spoken {
    Spoken {
        id: "1".to_owned(),
        model: "m".to_owned(),
        text: "Hello there.".to_owned(),
        ending,
        tool: "ls".to_owned(),
        prompt: 5,
        completion: 2,
    }
}

#[test]
fn every_ending_is_written_whole_and_as_a_stream() {
    for (ending, status, reason, last) in [
        (Ending::Stop, "completed", Value::Null, "response.completed"),
        (Ending::Length, "incomplete", json!("max_output_tokens"), "response.incomplete"),
        (Ending::ToolCall, "completed", Value::Null, "response.completed"),
        (Ending::Refused, "incomplete", json!("content_filter"), "response.incomplete"),
    ] {
        let spoken = spoken(ending);
        let answer = whole(&spoken);
        assert_eq!(answer["status"], status);
        assert_eq!(answer["incomplete_details"]["reason"], reason);
        assert_eq!(answer["usage"]["total_tokens"], 7);
        let events = stream(&spoken);
        let named = events.lines().filter_map(|line| line.strip_prefix("event: "));
        let names: Vec<&str> = named.collect();
        assert_eq!((names[0], names[names.len() - 1]), ("response.created", last));
        let data = events.lines().filter_map(|line| line.strip_prefix("data: "));
        for (number, data) in data.enumerate() {
            let event: Value = serde_json::from_str(data).expect("JSON");
            assert_eq!(
                (&event["sequence_number"], &event["type"]),
                (&json!(number), &json!(names[number]))
            );
        }
    }
}

#[test]
fn a_stream_has_the_events_of_the_shape_in_order() {
    let events = stream(&spoken(Ending::Stop));
    let names: Vec<&str> =
        events.lines().filter_map(|line| line.strip_prefix("event: response.")).collect();
    let expected = [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(names, expected);
}
