//! Ranges of a plan that are counted in characters, as bytes.

use crate::prelude::*;

/// Counts every range of a plan's quotes in bytes. What names nothing is left: the plan is refused
/// for it.
pub(super) fn to_bytes(plan: &mut Value, view: &View) {
    match plan {
        Value::Array(items) => items.iter_mut().for_each(|item| to_bytes(item, view)),
        Value::Object(table) => {
            if let Some(quote) = table.get_mut("quote") {
                convert(quote, view);
            }
            table.values_mut().for_each(|value| to_bytes(value, view));
        }
        _ => {}
    }
}

fn convert(quote: &mut Value, view: &View) {
    let Some(text) = quote.get("of").and_then(|of| source(of, view)) else { return };
    let Some(range) = quote.get_mut("bytes").and_then(Value::as_array_mut) else { return };
    for place in range {
        if let Some(characters) = place.as_u64() {
            let found = text.char_indices().nth(characters as usize);
            *place = found.map_or(text.len(), |(byte, _)| byte).into();
        }
    }
}

fn source(of: &Value, view: &View) -> Option<Text> {
    let entry = |id: &Value| view.entry(EntryId(u32::try_from(id.as_u64()?).ok()?));
    if let Some(id) = of.get("entry") {
        return entry(id).map(|entry| entry.content());
    }
    let call = of.get("call")?.as_array()?;
    let id = CallId::new(call.get(1)?.as_str()?);
    Some(entry(call.first()?)?.call(&id)?.args.clone())
}
