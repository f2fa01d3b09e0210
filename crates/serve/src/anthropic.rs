//! The shapes of Anthropic.

mod answer;
mod messages;

pub(crate) use answer::{stream, whole};
pub(crate) use messages::{read, read_to_count};

use crate::prelude::*;

/// The entry of a model. Nothing here has a date, and the shape wants one.
pub(crate) fn model(id: &str) -> Value {
    json!({
        "type": "model", "id": id, "display_name": id, "created_at": "1970-01-01T00:00:00Z",
        "lifecycle": "active",
    })
}

/// The list of models.
pub(crate) fn models(ids: &[String]) -> Value {
    let data: Vec<Value> = ids.iter().map(|id| model(id)).collect();
    json!({ "data": data, "has_more": false, "first_id": ids.first(), "last_id": ids.last() })
}
