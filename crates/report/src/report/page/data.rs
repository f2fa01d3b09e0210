//! Stories as data inside a page.

use serde::Serialize;
use serde_json::Value;

use super::super::html::Embedded;
use super::downsample::thin;
use super::story::{Head, Kept};
use crate::error::{Error, Result};
use crate::sanitize;

/// Bytes of stories in `report.html`.
const BUDGET: usize = 2_400_000;

/// Embeds stories until the budget is used; the others go, each as the data of a page
/// of its own, to `page`, or are left out where the page is to stand alone. One story is
/// held at a time.
///
/// # Errors
///
/// Those of reading the stories and of `page`.
pub fn gather(
    kept: &[Kept],
    alone: bool,
    mut page: impl FnMut(&Kept, Embedded) -> Result<()>,
) -> Result<Embedded> {
    let (mut stories, mut elsewhere) = (Vec::new(), Vec::new());
    let (mut used, mut left_out) = (0, 0);
    for one in kept {
        let json = told(one)?;
        if used + json.len() <= BUDGET {
            used += json.len();
            stories.push(json);
        } else if alone {
            left_out += 1;
        } else {
            page(one, embed(&[json], &[]))?;
            elsewhere.push(pointer(one)?);
        }
    }
    Ok(Embedded { left_out, ..embed(&stories, &elsewhere) })
}

fn embed(stories: &[String], elsewhere: &[String]) -> Embedded {
    Embedded {
        json: format!(
            "{{\"stories\":[{}],\"elsewhere\":[{}]}}",
            stories.join(","),
            elsewhere.join(",")
        ),
        stories: stories.len(),
        elsewhere: elsewhere.len(),
        left_out: 0,
    }
}

/// A story, thinned, with its name and the number of its steps.
fn told(kept: &Kept) -> Result<String> {
    let mut story = kept.story()?;
    let steps = thin(&mut story);
    let seed = story.seed.to_string();
    let more =
        [("id", kept.name.clone().into()), ("all_steps", steps.into()), ("seed", seed.into())];
    written(&story, more)
}

/// Where a story is that is not in the page.
fn pointer(kept: &Kept) -> Result<String> {
    let head: &Head = &kept.head;
    let page = format!("cells/{}.html", kept.name);
    let more = [
        ("id", kept.name.clone().into()),
        ("page", page.into()),
        ("seed", head.seed.to_string().into()),
    ];
    written(head, more)
}

fn written<const N: usize>(what: &impl Serialize, more: [(&str, Value); N]) -> Result<String> {
    let mut value =
        serde_json::to_value(what).map_err(|error| Error::invalid("story", error.to_string()))?;
    clean(&mut value);
    for (key, extra) in more {
        value[key] = extra;
    }
    Ok(escape(&value.to_string()))
}

/// Takes what steers out of every text.
fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = sanitize::block(text),
        Value::Array(values) => values.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        _ => {}
    }
}

/// JSON that no parser of HTML takes for markup: these letters stand in strings alone,
/// where JSON has another way to write them.
fn escape(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
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
