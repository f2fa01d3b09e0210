//! Comparing what a run recorded with what the same run left when it was driven again.

use std::fmt;

use serde_json::Value;

use crate::prelude::*;
use crate::record::Line;
use crate::run::rerun::Recorded;
use crate::run_dir::cells::Cells;
use crate::run_dir::read::load_manifest;
use crate::run_dir::shard::Landed;
use crate::run_dir::tables::{
    CURVE, DERIVED, LineReader, TRACES, TableInfo, infos, of_cells, whole_text,
};
use crate::run_dir::write::invalid_at;
use crate::run_dir::{Manifest, datapackage, inputs, manifest};

/// Something that is not as it should be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The file, relative to the run directory.
    pub file: String,
    /// The cell; empty where it is about the file.
    pub cell: String,
    /// The column or key; empty where it is about more than one.
    pub column: String,
    /// What the run directory holds.
    pub found: String,
    /// What it should hold.
    pub expected: String,
}

impl Difference {
    pub(super) fn of_file(file: &str, found: &str, expected: &str) -> Difference {
        Difference::new([file, "", ""], found, expected)
    }

    /// At a file, cell and column. Of long values, what is around the place where they differ.
    pub(super) fn new(place: [&str; 3], found: &str, expected: &str) -> Difference {
        let [file, cell, column] = place.map(str::to_owned);
        let (shown, wanted) = (around(found, expected), around(expected, found));
        Difference { file, cell, column, found: shown, expected: wanted }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { file, cell, column, found, expected } = self;
        f.write_str(file)?;
        for part in [cell, column].into_iter().filter(|part| !part.is_empty()) {
            write!(f, ", {part}")?;
        }
        write!(f, ": found {found}, expected {expected}")
    }
}

/// A text from a little before the place where it differs from another.
fn around(text: &str, other: &str) -> String {
    const BEFORE: usize = 24;
    const SHOWN: usize = 120;
    let same = text.chars().zip(other.chars()).take_while(|(one, two)| one == two).count();
    let length = text.chars().count();
    let from = if length > SHOWN { same.saturating_sub(BEFORE) } else { 0 };
    let shown: String = text.chars().skip(from).take(SHOWN).collect();
    let end = if length > from + SHOWN { "…" } else { "" };
    format!("{}{shown}{end}", if from > 0 { "…" } else { "" })
}

pub(super) struct Sides<'a> {
    pub(super) recorded: &'a Recorded,
    pub(super) again: &'a Path,
    pub(super) driven: &'a BTreeSet<String>,
}

impl Sides<'_> {
    /// What differs; files made from all cells only where all were driven.
    pub(super) fn differences(&self) -> Result<Vec<Difference>> {
        let (manifest, _) = load_manifest(&self.again.join("manifest.json"))?;
        let mut differences = self.manifests(&manifest)?;
        if let Err(error) = self.cells(&manifest, &mut differences)? {
            differences.push(Difference::of_file("cells", &error.to_string(), "every cell"));
        }
        if self.driven.len() == self.recorded.manifest.cells.len() {
            for info in infos().iter().filter(|info| [DERIVED, CURVE].contains(&info.file)) {
                let expected = lines(self.again, info)?;
                differences.extend(match lines(&self.recorded.dir, info) {
                    Ok(found) => table(info, "", &found, &expected),
                    Err(error) => {
                        Some(Difference::of_file(info.file, &error.to_string(), "a table"))
                    }
                });
            }
            for (file, key) in [(datapackage::FILE, "resources"), (inputs::FILE, "prompts")] {
                let found = json(&self.recorded.dir, file).unwrap_or_default();
                let pair = (&found[key], &json(self.again, file)?[key]);
                differ(file, key, pair, &mut differences);
            }
        }
        Ok(differences)
    }

    /// The manifests, but for where transcripts lie and which version drove.
    fn manifests(&self, again: &Manifest) -> Result<Vec<Difference>> {
        let names: BTreeSet<(&str, u64)> =
            again.sessions.iter().map(|one| (one.scenario.as_str(), one.seed)).collect();
        let comparable = |one: &Manifest| {
            let mut one = Manifest { tool: String::new(), part: None, ..one.clone() };
            one.cells.retain(|cell| self.driven.contains(&cell.key.cell));
            one.sessions.retain(|own| names.contains(&(own.scenario.as_str(), own.seed)));
            one.sessions.iter_mut().for_each(|session| session.path.clear());
            manifest::value(&one)
        };
        let mut differences = Vec::new();
        let pair = (&comparable(&self.recorded.manifest)?, &comparable(again)?);
        differ("manifest.json", "", pair, &mut differences);
        Ok(differences)
    }

    /// All that cells left; the inner error is what cannot be read of the recorded side.
    fn cells(&self, manifest: &Manifest, differences: &mut Vec<Difference>) -> Result<Result<()>> {
        let mut expected = Cells::open(self.again)?;
        let mut found = match Cells::open(&self.recorded.dir) {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        let (mut again, infos) = (manifest.cells.iter(), of_cells());
        for cell in &self.recorded.manifest.cells {
            let landed = match found.next(cell) {
                Ok(landed) => landed,
                Err(error) => return Ok(Err(error)),
            };
            if self.driven.contains(&cell.key.cell) {
                // Where the orders differ, the manifests have said so.
                let Some(own) = again.next().filter(|own| own.key.cell == cell.key.cell) else {
                    return Ok(Ok(()));
                };
                let pair = (&landed, &expected.next(own)?);
                cell_differs(&cell.key.cell, infos, pair, differences);
            }
        }
        Ok(found.finish())
    }
}

fn cell_differs(
    cell: &str,
    infos: &[TableInfo],
    (found, expected): (&Landed, &Landed),
    differences: &mut Vec<Difference>,
) {
    for (info, (found, expected)) in infos.iter().zip(found.lines.iter().zip(&expected.lines)) {
        differences.extend(table(info, cell, found, expected));
    }
    for (file, found, expected) in
        [(TRACES, &found.trace, &expected.trace), ("stories", &found.story, &expected.story)]
    {
        let [found, expected] =
            [found, expected].map(|text| text.as_ref().map_or("nothing", |text| text.get()));
        if found != expected {
            differences.push(Difference::new([file, cell, ""], found, expected));
        }
    }
}

/// The first value in which the rows of a table differ.
fn table(info: &TableInfo, cell: &str, found: &[Line], expected: &[Line]) -> Option<Difference> {
    let Some((one, two)) = found.iter().zip(expected).find(|(one, two)| one != two) else {
        let [have, want] = [found, expected].map(|lines| format!("{} rows", lines.len()));
        return (have != want).then(|| Difference::new([info.file, cell, ""], &have, &want));
    };
    let place = (0..info.columns.len()).find(|place| one.get(*place) != two.get(*place))?;
    let what = [info.file, cell, info.columns[place].name];
    Some(Difference::new(what, &one.get(place).to_string(), &two.get(place).to_string()))
}

fn lines(dir: &Path, info: &TableInfo) -> Result<Vec<Line>> {
    let mut reader = LineReader::open(&dir.join(info.file), &info.columns)?;
    let (mut lines, mut line) = (Vec::new(), Line::default());
    while reader.next(&mut line)? {
        lines.push(line.clone());
    }
    Ok(lines)
}

fn json(dir: &Path, file: &str) -> Result<Value> {
    let text = whole_text(&dir.join(file))?;
    serde_json::from_str(&text).map_err(invalid_at(file))
}

/// What differs in two JSON values, by path.
fn differ(file: &str, path: &str, pair: (&Value, &Value), differences: &mut Vec<Difference>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}/{key}") };
    match pair {
        (Value::Object(found), Value::Object(expected)) => {
            let keys: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
            for key in keys {
                let pair = [found, expected].map(|side| side.get(key).unwrap_or(&Value::Null));
                differ(file, &below(key), (pair[0], pair[1]), differences);
            }
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            for (place, pair) in found.iter().zip(expected).enumerate() {
                differ(file, &below(&place.to_string()), pair, differences);
            }
        }
        (found, expected) if found != expected => {
            let place = [file, "", path];
            differences.push(Difference::new(place, &found.to_string(), &expected.to_string()));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_compared_key_by_key() {
        let found = json!({"a": {"turns": 41, "b": [1, 2]}, "c": [1]});
        let expected = json!({"a": {"turns": 40, "b": [1, 3]}, "c": [1, 2], "d": null});
        let mut differences = Vec::new();
        differ("f", "", (&found, &expected), &mut differences);
        let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "f, a/b/1: found 2, expected 3",
                "f, a/turns: found 41, expected 40",
                "f, c: found [1], expected [1,2]"
            ]
        );
    }

    #[test]
    fn of_a_long_text_the_place_is_shown_where_it_differs() {
        let (one, two) = (format!("{}x", "a".repeat(300)), format!("{}y", "a".repeat(300)));
        assert_eq!(around(&one, &two), format!("…{}x", "a".repeat(24)));
        assert_eq!(around("short", "other"), "short");
    }
}
