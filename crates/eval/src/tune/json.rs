//! A pipeline as JSON, in which a number is found by its place.

use serde_json::Value;

use crate::pipeline::Pipeline;
use crate::prelude::*;

/// A pipeline as JSON.
pub(super) fn as_json(pipeline: &Pipeline) -> Result<Value> {
    let json = serde_json::to_value(pipeline);
    json.map_err(|error| Error::invalid(format!("pipeline `{}`", pipeline.name), error.to_string()))
}

/// Sets what a pointer names; a key that a file leaves out is new in its table.
pub(super) fn put(json: &mut Value, place: &str, value: Value) {
    let (table, key) = place.rsplit_once('/').unwrap_or(("", place));
    match json.pointer_mut(table) {
        Some(Value::Object(table)) => {
            table.insert(key.to_owned(), value);
        }
        Some(Value::Array(list)) => {
            let found = key.parse::<usize>().ok().and_then(|index| list.get_mut(index));
            found.into_iter().for_each(|old| *old = value.clone());
        }
        _ => {}
    }
}
