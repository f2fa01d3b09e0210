//! Word lists and patterns: `data/artifacts.toml` and `data/prose.toml`, which say what each is
//! for.

use std::ops::Deref;

use regex::Regex;

use crate::parsed;
use crate::prelude::*;

pub(super) static ARTIFACTS: LazyLock<Artifacts> =
    LazyLock::new(|| parsed("artifacts.toml", include_str!("data/artifacts.toml")));

pub(super) static PROSE: LazyLock<Prose> = LazyLock::new(|| {
    // Words before the point: "ok", "and also please".
    const FILLERS: &str = r"(?:(?:ok|okay|so|and|but|also|well|hmm+|ah+|oh|yes|yeah|right|please|thanks|now|then|again|careful|again|honestly|still|generally|by the way|btw|uu+m|fyi|note that|remember that|one more thing|one thing)\b[,:.!]* *)*";
    parsed("prose.toml", &include_str!("data/prose.toml").replace("FILLERS", FILLERS))
});

#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = regex::Error;

    fn try_from(text: String) -> Result<Pattern, regex::Error> {
        Regex::new(&text).map(Pattern)
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        &self.0
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Artifacts {
    pub path: Pattern,
    pub common_files: BTreeSet<String>,
    pub imported: BTreeSet<String>,
    pub fields: BTreeSet<String>,
    pub settings: Vec<String>,
    pub empty_values: BTreeSet<String>,
    pub common_addresses: BTreeSet<String>,
    pub lesser_remarks: Vec<String>,
    pub commands: Commands,
    #[serde(rename = "finder")]
    pub finders: Vec<Finder>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Commands {
    pub looking: BTreeSet<String>,
    pub ends: Vec<String>,
    pub asking: BTreeMap<String, BTreeSet<String>>,
}

/// Who shows an artifact: it decides which finders are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Speaker {
    Human,
    /// The same without the paths in it: no part of one is a name.
    Words,
    Call,
    Result,
    /// A result that shows a file of settings.
    Settings,
}

/// A pattern, and what it finds in whose texts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Finder {
    pub finds: Finds,
    pub of: Vec<Speaker>,
    /// Tried only where the text holds this as well.
    #[serde(default)]
    pub only_with: String,
    pub pattern: Pattern,
}

/// What the groups of a pattern are.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Finds {
    Name,
    TestName,
    TestTitle,
    /// What an error calls itself, and its message.
    Error,
    /// The same; lesser remarks stand in the same place.
    Remark,
    Address,
    Host,
    /// A constant of the program and its number.
    Constant,
    /// A key and its value.
    Setting,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prose {
    pub quoted: Pattern,
    pub reminder: Pattern,
    pub words: Words,
    pub person: PersonCues,
    pub agent: AgentCues,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Words {
    pub continues: BTreeSet<String>,
    pub forbids: Vec<String>,
    pub requires: Vec<String>,
    pub all_of_it: Vec<String>,
    pub given_up: Vec<String>,
    pub empty: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct PersonCues {
    pub asks: Pattern,
    pub asks_for: Pattern,
    pub chats: Pattern,
    pub works: Pattern,
    pub thinks: Pattern,
    pub tells: Pattern,
    pub orders: Pattern,
    pub supposes: Pattern,
    pub reports: Pattern,
    pub forbids: Pattern,
    pub utterly: Pattern,
    pub dangers: Pattern,
    pub requires: Pattern,
    pub universal: Pattern,
    pub no_such: Pattern,
    pub no_rule: Pattern,
    pub prefers: Pattern,
    pub wants: Pattern,
    pub turns_before: Pattern,
    pub turns: Pattern,
    pub turns_asked: Pattern,
    pub later: Pattern,
    pub chooses: Pattern,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct AgentCues {
    pub failed: Pattern,
    pub open: Pattern,
    pub chose: Pattern,
    pub no_choice: Pattern,
    pub came_of_it: Pattern,
    pub found: Pattern,
    pub did: Pattern,
    pub entry: Pattern,
    pub begins: Pattern,
    pub will: Pattern,
    pub left: Pattern,
    pub left_below: Pattern,
}
