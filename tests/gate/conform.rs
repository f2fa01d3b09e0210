//! Whether a value conforms to a JSON Schema, as far as the published ones go: a keyword
//! that is not known here fails, so that nothing goes unchecked.

use serde_json::Value;

/// Panics at the first place where the value is not what the schema says.
pub fn holds(schema: &Value, value: &Value) {
    check(schema, schema, value, "$");
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str) {
    let Some(keywords) = schema.as_object() else {
        assert_eq!(schema, &Value::Bool(true), "{at}: no schema");
        return;
    };
    for (keyword, says) in keywords {
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "format" => {}
            "$ref" => {
                let pointer = says.as_str().expect("a reference").trim_start_matches('#');
                check(root, root.pointer(pointer).expect("it is defined"), value, at);
            }
            "type" => assert!(is_of(says, value), "{at}: {value} is no {says}"),
            "const" => assert_eq!(says, value, "{at}"),
            "enum" => assert!(list(says).contains(value), "{at}: {value} is not of {says}"),
            "minimum" => assert!(value.as_f64() >= says.as_f64() || !value.is_number(), "{at}"),
            "maximum" => assert!(value.as_f64() <= says.as_f64() || !value.is_number(), "{at}"),
            "required" => {
                for key in list(says) {
                    let key = key.as_str().expect("a key");
                    assert!(value.get(key).is_some(), "{at}: no `{key}`");
                }
            }
            "properties" | "additionalProperties" => {}
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, says, item, &format!("{at}[{index}]"));
                }
            }
            "oneOf" | "anyOf" => {
                let fits = list(says).iter().filter(|one| conforms(root, one, value, at)).count();
                let enough = if keyword == "oneOf" { fits == 1 } else { fits > 0 };
                assert!(enough, "{at}: {value} fits {fits} of {says}");
            }
            other => panic!("{at}: `{other}` is not checked here"),
        }
    }
    for (key, own) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{key}");
        match (schema["properties"].get(key), schema.get("additionalProperties")) {
            (Some(schema), _) | (None, Some(schema @ Value::Object(_))) => {
                check(root, schema, own, &at);
            }
            (None, Some(Value::Bool(false))) => panic!("{at}: not a key of the schema"),
            _ => {}
        }
    }
}

fn conforms(root: &Value, schema: &Value, value: &Value, at: &str) -> bool {
    std::panic::catch_unwind(|| check(root, schema, value, at)).is_ok()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn is_of(types: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    };
    if types.is_array() { list(types).iter().any(is) } else { is(types) }
}

#[test]
fn what_does_not_conform_is_found() {
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "n": { "type": ["integer", "null"], "minimum": 0 } },
        "required": ["n"],
        "additionalProperties": false,
    });
    for (value, expected) in [
        (serde_json::json!({ "n": 3 }), true),
        (serde_json::json!({ "n": null }), true),
        (serde_json::json!({}), false),
        (serde_json::json!({ "n": -1 }), false),
        (serde_json::json!({ "n": "3" }), false),
        (serde_json::json!({ "n": 3, "m": 1 }), false),
    ] {
        assert_eq!(conforms(&schema, &schema, &value, "$"), expected, "{value}");
    }
}
