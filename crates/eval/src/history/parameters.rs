//! What a night's pipelines and scenarios were set to, so that a change of them is named.

use serde_json::Value;

use crate::config;
use crate::prelude::*;
use crate::run_dir::inputs::FILE;
use crate::run_dir::write::invalid_at;

/// Keys that are prose, or that the name says already.
const PROSE: [&str; 9] = [
    "name",
    "about",
    "source",
    "fidelity",
    "reference",
    "purpose",
    "shows",
    "cannot-show",
    "expects",
];
/// Longer values are kept as their digest.
const LONGEST: usize = 60;

/// Values by the path of their key, `stage.0.pressure.0.limit.share`.
pub type Settings = BTreeMap<String, String>;

/// The settings of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// By pipeline and variant, as the manifest names them.
    pub pipelines: BTreeMap<String, Settings>,
    /// By scenario.
    pub scenarios: BTreeMap<String, Settings>,
}

/// The parameters of a run directory; nothing of one that embeds no inputs.
///
/// An error where its inputs cannot be read.
pub fn parameters(directory: &Path) -> Result<Parameters> {
    let path = directory.join(FILE);
    if !path.exists() {
        return Ok(Parameters::default());
    }
    let place = path.display().to_string();
    let inputs: Value = serde_json::from_str(&config::text(&path)?).map_err(invalid_at(place))?;
    let mut found = Parameters::default();
    for one in list(&inputs, "configurations") {
        let pipeline = &one["pipeline"];
        if let (Some(name), Some(variant)) = (pipeline["name"].as_str(), one["variant"].as_str()) {
            found.pipelines.insert(format!("{name}@{variant}"), settings(pipeline));
        }
    }
    for one in list(&inputs, "scenarios") {
        if let Some(name) = one["name"].as_str() {
            found.scenarios.insert(name.to_owned(), settings(one));
        }
    }
    Ok(found)
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn settings(value: &Value) -> Settings {
    let mut found = Settings::new();
    flatten(value, "", &mut found);
    found
}

fn flatten(value: &Value, path: &str, found: &mut Settings) {
    let join = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(keys) => {
            for (key, value) in keys.iter().filter(|(key, _)| !PROSE.contains(&key.as_str())) {
                flatten(value, &join(key), found);
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                flatten(value, &join(&at.to_string()), found);
            }
        }
        Value::Null => {}
        value => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let text = match text.chars().count() > LONGEST {
                true => Digest::of(text.as_bytes()).0.chars().take(12).collect(),
                false => text,
            };
            found.insert(path.to_owned(), text);
        }
    }
}

/// What differs, `keep-last 5 → 3`, each key by as much of its path as tells it from the others.
pub fn differences(one: &Settings, other: &Settings) -> Vec<String> {
    let all: BTreeSet<&str> = one.keys().chain(other.keys()).map(String::as_str).collect();
    let changed = all.iter().filter(|key| one.get(**key) != other.get(**key));
    let told = changed.map(|key| {
        let name = short(key, &all);
        match (one.get(*key), other.get(*key)) {
            (Some(before), Some(after)) => format!("{name} {before} → {after}"),
            (None, Some(after)) => format!("{name} {after} added"),
            (Some(before), None) => format!("{name} {before} removed"),
            (None, None) => name.to_owned(),
        }
    });
    told.collect()
}

/// The shortest end of the path that no other key has.
fn short<'a>(key: &'a str, all: &BTreeSet<&str>) -> &'a str {
    let starts = key.rmatch_indices('.').map(|(at, _)| at + 1);
    let is_own = |end: &str| {
        let is_number = end.split('.').next().is_some_and(|word| word.parse::<u32>().is_ok());
        let has = |other: &&&str| **other == end || other.ends_with(&format!(".{end}"));
        !is_number && all.iter().filter(has).count() == 1
    };
    starts.map(|start| &key[start..]).find(|end| is_own(end)).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_named_by_the_shortest_path_that_is_its_own() {
        let of = |keep: u32, share: f64, more: &str| {
            settings(&serde_json::json!({
                "name": "mine", "about": more, "resend": more,
                "stage": [{ "strategy": { "mask": { "keep-last": keep } }, "pressure": [
                    { "limit": { "share": share, "tokens": null }, "target": { "share": 0.5 } },
                ]}],
            }))
        };
        assert_eq!(
            differences(&of(5, 0.7, "a"), &of(3, 0.45, "a")),
            ["limit.share 0.7 → 0.45", "keep-last 5 → 3"]
        );
        assert!(differences(&of(5, 0.7, "a"), &of(5, 0.7, "a")).is_empty());
        let long = "x".repeat(100);
        let told = differences(&of(5, 0.7, "a"), &of(5, 0.7, &long));
        assert!(told.len() == 1 && told[0].len() < 40 && told[0].starts_with("resend a → "));
        let mut fewer = of(5, 0.7, "a");
        fewer.remove("resend");
        assert_eq!(differences(&of(5, 0.7, "a"), &fewer), ["resend a removed"]);
    }
}
