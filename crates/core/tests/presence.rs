//! What the check of presence gets wrong, on labelled summaries of five styles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proctor_core::ident::FactId;
use proctor_core::truth::{Fact, FactKind, Needle, NeedleIndex, Reading, Said};
use serde::Deserialize;

const STYLES: [&str; 5] = ["faithful", "paraphrased", "list", "wrong", "contradictory"];

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Labelled {
    summary: Vec<Summary>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Summary {
    #[expect(dead_code, reason = "for people who look one up")]
    number: u32,
    text: String,
    #[serde(default)]
    held_out: bool,
    fact: Vec<Asked>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    kind: FactKind,
    topic: Vec<String>,
    #[serde(default)]
    value: Vec<String>,
    #[serde(default)]
    sense: Vec<String>,
    #[serde(default)]
    #[expect(dead_code, reason = "what the fact replaced is told to people who label")]
    old: Vec<String>,
    label: Label,
    /// Where another labelling says otherwise.
    #[serde(default)]
    second: Option<Label>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
enum Label {
    Present,
    Absent,
    Inverted,
    Ambiguous,
}

fn needle(text: &str) -> Needle {
    let is_code = text.contains(['_', '/', '.']) || text.chars().any(|c| c.is_ascii_digit());
    if is_code { Needle::Code(text.to_owned()) } else { Needle::Prose(text.to_owned()) }
}

fn fact(id: u32, asked: &Asked) -> Fact {
    let needles = |texts: &[String]| texts.iter().map(|text| needle(text)).collect::<Vec<Needle>>();
    Fact {
        topic: needles(&asked.topic),
        polarity: needles(&asked.sense),
        ..Fact::new(FactId(id), asked.kind, "", needles(&asked.value))
    }
}

/// There is no log: the words of all facts stand for those of its facts, and words that stand in
/// two summaries or more for those of its messages.
fn words_of(all: &[Labelled]) -> Said {
    let summaries = || all.iter().flat_map(|file| &file.summary);
    let facts = summaries().flat_map(|summary| &summary.fact);
    let names = facts.flat_map(|asked| asked.topic.iter().chain(&asked.value));
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for summary in summaries() {
        let words = summary.text.split(|c: char| !c.is_alphanumeric()).collect::<BTreeSet<_>>();
        words.into_iter().for_each(|word| *times.entry(word).or_default() += 1);
    }
    let heard = times.into_iter().filter(|(_, times)| *times > 1).map(|(word, _)| word);
    Said::of(heard, names.cloned())
}

fn read(summary: &Summary, said: &Said) -> Vec<Label> {
    let facts: Vec<Fact> = (0..).zip(&summary.fact).map(|(id, asked)| fact(id, asked)).collect();
    let found = NeedleIndex::new(&facts).search_written(&summary.text, said, &Said::default());
    let label = |fact: &Fact| {
        let holding = found.iter().find(|holding| holding.fact == fact.id);
        match holding.and_then(|holding| holding.reading) {
            Some(Reading::Present) => Label::Present,
            Some(Reading::Inverted) => Label::Inverted,
            Some(Reading::Ambiguous) => Label::Ambiguous,
            Some(_) | None => Label::Absent,
        }
    };
    facts.iter().map(label).collect()
}

/// Of facts, by the label that a person gave.
#[derive(Default)]
struct Row {
    known: [u32; 2],
    unknown: [u32; 2],
    exact: u32,
}

impl Row {
    fn add(&mut self, person: Label, check: Label) {
        let right = u32::from(check == Label::Present);
        let side = if person == Label::Present { &mut self.known } else { &mut self.unknown };
        side[0] += right;
        side[1] += 1;
        self.exact += u32::from(person == check);
    }
}

/// By name of a style or kind, the rows of both halves: developed on, and held out.
fn measured() -> BTreeMap<String, [Row; 2]> {
    let mut rows: BTreeMap<String, [Row; 2]> = BTreeMap::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/presence");
    let labelled = STYLES.map(|style| {
        let text = std::fs::read_to_string(folder.join(format!("{style}.toml"))).expect("a file");
        toml::from_str::<Labelled>(&text).unwrap_or_else(|e| panic!("{style}: {e}"))
    });
    let said = words_of(&labelled);
    for (style, labelled) in STYLES.iter().zip(&labelled) {
        for summary in &labelled.summary {
            let agreed = |(asked, _): &(&Asked, Label)| asked.second.is_none();
            for (asked, check) in summary.fact.iter().zip(read(summary, &said)).filter(agreed) {
                for name in [*style, asked.kind.name(), "all"] {
                    let row = rows.entry(name.to_owned()).or_default();
                    row[usize::from(summary.held_out)].add(asked.label, check);
                }
            }
        }
    }
    rows
}

/// The table as METHODOLOGY.md has it.
fn table(rows: &BTreeMap<String, [Row; 2]>) -> String {
    let kinds = FactKind::ALL.map(FactKind::name);
    let names = ["all"].into_iter().chain(STYLES).chain(kinds);
    let lines =
        names.filter_map(|name| Some((name, rows.get(name)?))).map(|(name, [own, held])| {
            let of = |[part, whole]: [u32; 2]| format!("{part} of {whole}");
            let exact = format!("{} of {}", held.exact, held.known[1] + held.unknown[1]);
            let halves = [of(own.known), of(own.unknown), of(held.known), of(held.unknown), exact];
            format!("| {name} | {} |", halves.join(" | "))
        });
    lines.collect::<Vec<String>>().join("\n")
}

/// The bounds say that the check is of use on texts it was not developed on.
#[test]
fn what_the_check_gets_wrong_is_known_and_said() {
    let rows = measured();
    for half in &rows["all"] {
        let share = |[part, whole]: [u32; 2]| f64::from(part) / f64::from(whole);
        assert!(share(half.known) > 0.65, "known facts found: {:?}", half.known);
        assert!(share(half.unknown) < 0.25, "taken for known: {:?}", half.unknown);
    }
    let table = table(&rows);
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../METHODOLOGY.md");
    let document = std::fs::read_to_string(document).expect("it is there");
    assert!(document.contains(&table), "METHODOLOGY.md has another table than\n{table}");
}
