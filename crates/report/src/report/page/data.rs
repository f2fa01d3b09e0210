//! Stories as data inside a page: packed, and unpacked by the page's script one by one.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rayon::prelude::*;
use serde_json::{Map, Value};

use super::downsample::thin;
use crate::prelude::*;
use crate::run_dir::story::{Story, story, story_files};
use crate::run_dir::tables::packed_text;

/// Stories packed side by side.
const AT_ONCE: usize = 64;
/// Bytes of packed stories in a page.
const BUDGET: usize = 24_000_000;

pub struct Embedded {
    /// The data element's text; it holds no `<`, `>` or `&`.
    pub json: String,
    pub stories: usize,
    pub left_out: usize,
}

/// Embeds stories one by one until the budget is used; the others are only counted.
pub fn gather(dir: &Path) -> Result<Embedded> {
    let (mut stories, mut used, mut left_out) = (Vec::new(), 0, 0);
    for files in story_files(dir)?.chunks(AT_ONCE) {
        let packed: Vec<Result<_>> = files.par_iter().map(|path| pack(path)).collect();
        for story in packed {
            let (mut head, packed) = story?;
            if used + packed.len() > BUDGET {
                left_out += 1;
                continue;
            }
            used += packed.len();
            head.insert("packed".to_owned(), packed.into());
            stories.push(escape(&Value::from(head).to_string()));
        }
    }
    let json = format!("{{\"stories\":[{}]}}", stories.join(","));
    Ok(Embedded { json, stories: stories.len(), left_out })
}

/// What is said of a story that is still packed, and the story, packed.
fn pack(path: &Path) -> Result<(Map<String, Value>, String)> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let told = told(story(path)?, name.split('.').next().unwrap_or_default())?;
    let packed = STANDARD.encode(packed_text(path, told.to_string().as_bytes())?);
    Ok((single_values(&told), packed))
}

/// A story, thinned, with its name and number of steps; browsers would round its seed.
fn told(mut story: Story, id: &str) -> Result<Value> {
    let steps = thin(&mut story);
    let mut value =
        serde_json::to_value(&story).map_err(|error| Error::invalid("story", error.to_string()))?;
    clean(&mut value);
    value["id"] = id.into();
    value["all_steps"] = steps.into();
    value["seed"] = story.seed.to_string().into();
    Ok(value)
}

/// What is said of a story that is still packed: its fields of one value each.
fn single_values(story: &Value) -> Map<String, Value> {
    let fields = story.as_object().into_iter().flatten();
    let single = fields.filter(|(_, value)| !value.is_array() && !value.is_object());
    single.map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = sanitize::block(text),
        Value::Array(values) => values.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// JSON that no parser of HTML takes for markup: these letters stand in strings alone.
fn escape(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                escaped.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn escaped_json_says_the_same_and_holds_no_markup(text in "(\\PC|[<>&\"\\\\\u{2028}\u{2029}\n])*") {
            let escaped = escape(&Value::from(text.clone()).to_string());
            let forbidden = ['<', '>', '&', '\u{2028}', '\u{2029}'];
            prop_assert!(!escaped.contains(forbidden), "a closing tag could get through");
            prop_assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
        }
    }
}
