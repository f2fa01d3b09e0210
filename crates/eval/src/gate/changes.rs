//! What one pipeline does otherwise than another, key by key, and the pipeline with one of these
//! changes undone.

use std::ops::Range;

use schemars::JsonSchema;
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use crate::pipeline::Pipeline;
use crate::prelude::*;
use crate::strategy::Registry;

/// Keys that say what a pipeline is called and where it comes from, not what it does.
const WORDS: [&str; 5] = ["name", "about", "source", "fidelity", "reference"];
const STAGES: &str = "stage";
/// Most characters of a value that are shown.
const MOST: usize = 60;

/// A key whose value is another than the baseline's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The key, e.g. `stage 2: pressure[0].limit.share`.
    pub key: String,
    /// Its line in the candidate's file; of the table around it where the file leaves it out, and
    /// absent where there is no file.
    pub line: Option<usize>,
    /// The baseline's value, shortened; absent where it has none.
    pub from: Option<String>,
    /// The candidate's.
    pub to: Option<String>,
    /// The candidate with this change undone.
    #[serde(skip)]
    pub(super) undone: Value,
}

impl Change {
    /// The candidate with this change undone; [`Error::Invalid`] where that is no pipeline.
    pub fn undone(&self, registry: &Registry) -> Result<Pipeline> {
        let broken = |error: serde_json::Error| Error::invalid(&*self.key, error.to_string());
        let pipeline = Pipeline::from_json(registry, self.undone.clone()).map_err(broken)?;
        pipeline.check(&self.key)?;
        Ok(pipeline)
    }

    /// In words: `stage 2: repeat "once" → "to-target"`.
    pub fn told(&self) -> String {
        let Change { key, from, to, .. } = self;
        match (from, to) {
            (Some(from), Some(to)) => format!("{key} {from} → {to}"),
            (Some(_), None) => format!("{key} removed"),
            (None, Some(to)) if to.is_empty() => format!("{key} added"),
            (None, Some(to)) => format!("{key} added: {to}"),
            (None, None) => key.clone(),
        }
    }
}

/// The keys in which a pipeline does otherwise than the one before, in the order of its file.
pub fn changes(before: &Pipeline, after: &Pipeline, text: Option<&str>) -> Vec<Change> {
    let tree = |pipeline| serde_json::to_value(pipeline).unwrap_or_default();
    let (old, new) = (tree(before), tree(after));
    let lines = text.and_then(|text| Some((text, DeTable::parse(text).ok()?)));
    let line = |path: &[Step]| {
        let (text, table) = lines.as_ref()?;
        let start = place(table.get_ref(), path)?.start.min(text.len());
        Some(1 + text[..start].matches('\n').count())
    };
    let mut found = Differences { whole: &new, line: &line, changes: Vec::new() };
    if let (Value::Object(old), Value::Object(new)) = (&old, &new) {
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for key in keys.into_iter().filter(|key| !WORDS.contains(&key.as_str())) {
            match (key.as_str(), old.get(key), new.get(key)) {
                (STAGES, Some(Value::Array(old)), Some(Value::Array(new))) => {
                    found.stages(old, new);
                }
                (_, old, new) => found.compare(&[Step::Key(key.clone())], old, new),
            }
        }
    }
    let mut changes = found.changes;
    changes.sort_by_key(|change| change.line);
    changes
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
}

struct Differences<'a> {
    whole: &'a Value,
    line: &'a dyn Fn(&[Step]) -> Option<usize>,
    changes: Vec<Change>,
}

impl Differences<'_> {
    fn compare(&mut self, path: &[Step], old: Option<&Value>, new: Option<&Value>) {
        let below = |step| [path, &[step]].concat();
        match (old, new) {
            (old, new) if old == new => {}
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
                for key in keys {
                    self.compare(&below(Step::Key(key.clone())), old.get(key), new.get(key));
                }
            }
            (Some(Value::Array(old)), Some(Value::Array(new)))
                if old.len() == new.len() && new.iter().all(Value::is_object) =>
            {
                for (index, (old, new)) in old.iter().zip(new).enumerate() {
                    self.compare(&below(Step::Index(index)), Some(old), Some(new));
                }
            }
            (old, new) => {
                let mut undone = self.whole.clone();
                set(&mut undone, path, old);
                let told = match (old, new) {
                    (Some(Value::String(old)), Some(Value::String(new))) if old.contains('\n') => {
                        words_apart(old, new)
                    }
                    (old, new) => (old.map(shown), new.map(shown)),
                };
                self.push(path, told, undone);
            }
        }
    }

    fn push(&mut self, path: &[Step], (from, to): (Option<String>, Option<String>), undone: Value) {
        let change = Change { key: written(path), line: (self.line)(path), from, to, undone };
        self.changes.push(change);
    }

    /// Stages are partners where they have the same strategy, in the order of both.
    fn stages(&mut self, old: &[Value], new: &[Value]) {
        let at = |index| [Step::Key(STAGES.to_owned()), Step::Index(index)];
        let (pairs, is_moved) = partners(old, new);
        for (before, after) in &pairs {
            self.compare(&at(*after), Some(&old[*before]), Some(&new[*after]));
        }
        if is_moved {
            let mut order = pairs.clone();
            order.sort_unstable();
            let stages = order.iter().map(|(_, after)| new[*after].clone()).collect();
            let undone = self.with_stages(stages);
            let names =
                |stages: &[Value]| Some(stages.iter().map(name).collect::<Vec<_>>().join(", "));
            let line = (self.line)(&at(0));
            let key = "order of stages".to_owned();
            self.changes.push(Change { key, line, from: names(old), to: names(new), undone });
        }
        for (index, stage) in new.iter().enumerate() {
            if !pairs.iter().any(|(_, after)| *after == index) {
                let others = new.iter().enumerate().filter(|(other, _)| *other != index);
                let undone = self.with_stages(others.map(|(_, stage)| stage.clone()).collect());
                let line = (self.line)(&at(index));
                let (key, to) =
                    (format!("stage {} ({})", index + 1, name(stage)), Some(String::new()));
                self.changes.push(Change { key, line, from: None, to, undone });
            }
        }
        for (index, stage) in old.iter().enumerate() {
            if !pairs.iter().any(|(before, _)| *before == index) {
                // Behind the last of its predecessors that is still there.
                let behind = pairs.iter().filter(|(before, _)| *before < index);
                let place = behind.map(|(_, after)| after + 1).max().unwrap_or(0);
                let mut stages = new.to_vec();
                stages.insert(place, stage.clone());
                let undone = self.with_stages(stages);
                let line = (self.line)(&at(place.min(new.len().saturating_sub(1))));
                let key = format!("stage {} ({})", index + 1, name(stage));
                self.changes.push(Change {
                    key,
                    line,
                    from: Some(String::new()),
                    to: None,
                    undone,
                });
            }
        }
    }

    fn with_stages(&self, stages: Vec<Value>) -> Value {
        let mut whole = self.whole.clone();
        set(&mut whole, &[Step::Key(STAGES.to_owned())], Some(&Value::Array(stages)));
        whole
    }
}

/// The places of stages that belong together, and whether they stand in another order.
fn partners(old: &[Value], new: &[Value]) -> (Vec<(usize, usize)>, bool) {
    let names = |stages: &[Value]| stages.iter().map(name).collect::<Vec<String>>();
    let (old, new) = (names(old), names(new));
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    if sorted(&old) == sorted(&new) {
        let mut free: BTreeSet<usize> = (0..old.len()).collect();
        let pairs: Vec<(usize, usize)> = new
            .iter()
            .enumerate()
            .filter_map(|(after, name)| {
                let before = free.iter().copied().find(|before| old[*before] == *name)?;
                free.remove(&before);
                Some((before, after))
            })
            .collect();
        let is_moved = pairs.iter().any(|(before, after)| before != after);
        return (pairs, is_moved);
    }
    (longest(&old, &new), false)
}

/// The longest common subsequence, as pairs of places.
fn longest(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    // Of each pair of beginnings, the length of theirs.
    let mut lengths = vec![vec![0; new.len() + 1]; old.len() + 1];
    for (before, name) in old.iter().enumerate() {
        for (after, other) in new.iter().enumerate() {
            lengths[before + 1][after + 1] = match name == other {
                true => lengths[before][after] + 1,
                false => lengths[before][after + 1].max(lengths[before + 1][after]),
            };
        }
    }
    let (mut before, mut after, mut pairs) = (old.len(), new.len(), Vec::new());
    while before > 0 && after > 0 {
        if old[before - 1] == new[after - 1] {
            (before, after) = (before - 1, after - 1);
            pairs.push((before, after));
        } else if lengths[before - 1][after] >= lengths[before][after - 1] {
            before -= 1;
        } else {
            after -= 1;
        }
    }
    pairs.reverse();
    pairs
}

/// The name of a stage's strategy: the one key of its table, or the word alone.
fn name(stage: &Value) -> String {
    match &stage["strategy"] {
        Value::Object(table) => table.keys().next().cloned().unwrap_or_default(),
        Value::String(name) => name.clone(),
        _ => String::new(),
    }
}

fn shown(value: &Value) -> String {
    crate::sanitize::beginning(&value.to_string(), MOST)
}

/// Of two texts, the words from the first to the last in which they differ.
fn words_apart(old: &str, new: &str) -> (Option<String>, Option<String>) {
    let [old, new] = [old, new].map(|text| text.split_whitespace().collect::<Vec<&str>>());
    let alike = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(old, new)| old == new).count()
    };
    let start = alike(&mut old.iter().zip(&new));
    let end = alike(&mut old[start..].iter().rev().zip(new[start..].iter().rev()));
    let between = |words: &[&str]| {
        let words = words[start..words.len() - end].join(" ");
        Some(format!("“{}”", crate::sanitize::beginning(&words, MOST)))
    };
    (between(&old), between(&new))
}

fn written(path: &[Step]) -> String {
    let mut key = String::new();
    for (place, step) in path.iter().enumerate() {
        match step {
            Step::Key(name) if name == STAGES && place == 0 => key.push_str("stage"),
            Step::Index(index) if place == 1 && key == "stage" => {
                key.push_str(&format!(" {}: ", index + 1));
            }
            Step::Index(index) => key.push_str(&format!("[{index}]")),
            Step::Key(name) if key.is_empty() || key.ends_with(": ") => key.push_str(name),
            Step::Key(name) => key.push_str(&format!(".{name}")),
        }
    }
    key
}

fn set(tree: &mut Value, path: &[Step], value: Option<&Value>) {
    let Some((step, rest)) = path.split_first() else { return };
    match step {
        Step::Key(key) => {
            if !tree.is_object() {
                *tree = Value::Object(Map::new());
            }
            let Value::Object(table) = tree else { return };
            match (rest.is_empty(), value) {
                (true, Some(value)) => {
                    table.insert(key.clone(), value.clone());
                }
                (true, None) => {
                    table.remove(key);
                }
                (false, _) => set(table.entry(key).or_insert(Value::Null), rest, value),
            }
        }
        Step::Index(index) => {
            let Some(element) = tree.get_mut(index) else { return };
            match (rest.is_empty(), value) {
                (true, Some(value)) => *element = value.clone(),
                (true, None) => *element = Value::Null,
                (false, _) => set(element, rest, value),
            }
        }
    }
}

/// Where a path stands in a text, as far as the text follows it.
fn place(table: &DeTable, path: &[Step]) -> Option<Range<usize>> {
    let (Step::Key(key), rest) = path.split_first().map(|(step, rest)| (step.clone(), rest))?
    else {
        return None;
    };
    let (name, value) = table.iter().find(|(name, _)| name.get_ref() == key.as_str())?;
    Some(inside(value.get_ref(), rest).unwrap_or_else(|| match (value.get_ref(), rest) {
        // A table that leaves the key out: where it begins.
        (DeValue::Table(_) | DeValue::Array(_), [_, ..]) => value.span(),
        _ => name.span(),
    }))
}

fn inside(value: &DeValue, path: &[Step]) -> Option<Range<usize>> {
    match (value, path) {
        (DeValue::Table(table), [Step::Key(_), ..]) => place(table, path),
        (DeValue::Array(list), [Step::Index(index), rest @ ..]) => {
            let element = list.get(*index)?;
            Some(inside(element.get_ref(), rest).unwrap_or_else(|| element.span()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::shipped;

    const FILE: &str = include_str!("../../scenarios/strategies/forge-adr.toml");

    fn told(text: &str) -> Vec<(String, Option<usize>)> {
        let parsed = |text: &str| Pipeline::parse(shipped(), "a.toml", text).expect("it parses");
        let found = changes(&parsed(FILE), &parsed(text), Some(text));
        for change in &found {
            assert!(change.undone(shipped()).is_ok(), "{change:?}");
        }
        if let [one] = found.as_slice() {
            let undone = one.undone(shipped()).expect("a pipeline");
            assert_eq!(undone.stages, parsed(FILE).stages, "{one:?}");
        }
        found.iter().map(|change| (change.told(), change.line)).collect()
    }

    fn line(text: &str, of: &str) -> Option<usize> {
        text.lines().position(|line| line.contains(of)).map(|place| place + 1)
    }

    #[test]
    fn a_changed_key_is_told_with_its_values_and_its_line() {
        for (from, to, says) in [
            (
                "older-than-turns = 10",
                "older-than-turns = 2",
                "stage 1: strategy.forge-tool-call.older-than-turns 10 → 2",
            ),
            (
                "limit.share = 0.80",
                "limit.share = 0.7",
                "stage 2: pressure[0].limit.share 0.8 → 0.7",
            ),
            (
                "\"to-target\"",
                "\"until-stable\"",
                "stage 2: repeat \"to-target\" → \"until-stable\"",
            ),
            ("per-message = 3", "per-message = 4", "counter.per-message 3 → 4"),
        ] {
            let text = FILE.replacen(from, to, 1);
            assert_eq!(told(&text), [(says.to_owned(), line(&text, to))], "{to}");
        }
    }

    #[test]
    fn of_a_prompt_the_words_that_changed_are_told() {
        for (old, new, from, to) in [
            (
                "Keep all paths.\nBe short.\n",
                "Keep all names.\nBe short.\n",
                "“paths.”",
                "“names.”",
            ),
            ("Be short.\n", "Be very short.\n", "“”", "“very”"),
            ("a a\n", "a\n", "“a”", "“”"),
        ] {
            let told = words_apart(old, new);
            assert_eq!(told, (Some(from.to_owned()), Some(to.to_owned())), "{new}");
        }
    }

    #[test]
    fn words_and_what_the_gate_reads_are_no_change() {
        let text = FILE.replace("about = \"The", "about = \"These");
        let text =
            text.replace("name = \"forge-adr\"", "name = \"mine\"") + "\n[gate]\naccept = []\n";
        assert_eq!(told(&text), []);
    }

    #[test]
    fn stages_are_added_removed_and_moved() {
        let stage = "[[stage]]\nstrategy.forge-threshold = {}\n";
        let at = FILE.find(stage).expect("it is there");
        let end = FILE[at + 1..].find("[[stage]]").expect("another") + at + 1;
        let removed = format!("{}{}", &FILE[..at], &FILE[end..]);
        let says = "stage 2 (forge-threshold) removed".to_owned();
        assert_eq!(told(&removed), [(says, line(&removed, "forge-goal-batch").map(|n| n - 1))]);

        let more = "\n[[stage]]\nstrategy.truncate = {}\non.before-call = \"pressure\"\n\
                    pressure = [{ used = [\"messages\"], limit.share = 0.9, target.share = 0.5 }]\n";
        let added = format!("{FILE}{more}");
        let says = "stage 4 (truncate) added".to_owned();
        assert_eq!(told(&added), [(says, line(&added, "strategy.truncate").map(|n| n - 1))]);

        let moved = format!("{}{}\n{}", &FILE[..at], &FILE[end..], &FILE[at..end]);
        let [(says, _)] = &told(&moved)[..] else { panic!("one change") };
        assert!(says.starts_with("order of stages forge-tool-call, forge-threshold"), "{says}");
    }

    #[test]
    fn what_is_undone_is_one_change_of_several() {
        let text = FILE.replace("older-than-turns = 10", "older-than-turns = 2");
        let text = text.replace("min-turns = 3", "min-turns = 2");
        let parsed = |text: &str| Pipeline::parse(shipped(), "a.toml", text).expect("it parses");
        let found = changes(&parsed(FILE), &parsed(&text), Some(&text));
        assert_eq!(found.len(), 2);
        for change in &found {
            let undone = change.undone(shipped()).expect("a pipeline");
            assert_eq!(changes(&parsed(FILE), &undone, None).len(), 1);
        }
    }
}
