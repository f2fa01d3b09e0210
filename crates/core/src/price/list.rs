//! List prices of models by name: `list.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::PriceSheet;
use crate::config;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct List {
    as_of: String,
    /// Dollars per million tokens: input, cached input, written to the cache, output.
    models: BTreeMap<String, [f64; 4]>,
}

static LIST: LazyLock<List> = LazyLock::new(|| {
    let text = include_str!("list.toml");
    // OK because the text is part of the binary and a test parses it.
    config::parse("price list", "list.toml", text).expect("a sound price list")
});

/// What may follow a model's name without making it another model.
fn is_version(rest: &str) -> bool {
    let known = |part: &str| {
        ["preview", "latest", "exp", "thinking", "high", "medium", "low", "1m"].contains(&part)
            || (part.len() >= 2 && part.chars().all(|c| c.is_ascii_digit()))
            || part.strip_prefix('v').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
    };
    rest.is_empty() || rest.strip_prefix('-').is_some_and(|rest| rest.split('-').all(known))
}

impl PriceSheet {
    /// The sheet of a model by its list price, its cache and speed those of the example sheet; `None`
    /// where the list lacks it. `model` is a name as recordings write it
    /// (`anthropic/claude-opus-4.6`, `claude-opus-4-5-20251101`).
    pub fn of_model(model: &str) -> Option<PriceSheet> {
        let model = model.rsplit('/').next()?.to_lowercase();
        let model = model.replace(['.', '_', ' ', '[', ']'], "-");
        let model = model.trim_end_matches('-');
        let fits = |name: &&String| model.strip_prefix(name.as_str()).is_some_and(is_version);
        let name = LIST.models.keys().filter(fits).max_by_key(|name| name.len())?;
        let [input, cached, written, output] = LIST.models[name];
        let example = PriceSheet::embedded();
        let (_, rest) = example.text().split_once("\n[cache]")?;
        let text = format!(
            "name = \"list-{}.{name}\"\ncurrency = \"USD\"\n\n[model]\ninput = {input:?}\n\
             cached-input = {cached:?}\ncache-write = {written:?}\noutput = {output:?}\n\n\
             [cache]{rest}",
            LIST.as_of
        );
        PriceSheet::parse("price list", &text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_its_list_price_by_any_name_and_a_variant_has_its_own_or_none() {
        let cases = [
            ("claude-opus-4-6", Some("list-2026-11.claude-opus-4-6")),
            ("anthropic/claude-opus-4.6", Some("list-2026-11.claude-opus-4-6")),
            ("claude-opus-4-5-20251101", Some("list-2026-11.claude-opus-4-5")),
            ("claude-sonnet-4-20250514", Some("list-2026-11.claude-sonnet-4")),
            ("gemini/gemini-2.5-pro-preview-05-06", Some("list-2026-11.gemini-2-5-pro")),
            ("gpt-5.1-codex-mini", Some("list-2026-11.gpt-5-1-codex-mini")),
            ("gpt-5.3-codex-spark", None),
            ("claude-opus-9", None),
            ("", None),
        ];
        for (model, name) in cases {
            let sheet = PriceSheet::of_model(model);
            assert_eq!(sheet.as_ref().map(PriceSheet::name), name, "{model}");
        }
    }

    #[test]
    fn every_listed_model_makes_a_sheet() {
        for name in LIST.models.keys() {
            assert!(PriceSheet::of_model(name).is_some(), "{name}");
        }
    }
}
