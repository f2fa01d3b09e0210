//! What in a log has the shape of a needle, and how it looks there. Of words nothing is used but
//! the lists that names are made of, and those only to find where a name begins and ends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use proctor::log::{Log, Role};
use proctor::truth::{Needle, Truth};
use regex::Regex;

use super::classifier::Sample;

/// Shapes of names, the longer before those that are parts of them.
static SHAPES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let list = |text: &str| text.lines().collect::<Vec<&str>>().join("|");
    let [qualifiers, nouns, things] = [
        include_str!("../../crates/sessions/src/synth/data/words/qualifiers.txt"),
        include_str!("../../crates/sessions/src/synth/data/words/nouns.txt"),
        include_str!("../../crates/sessions/src/synth/data/words/things.txt"),
    ]
    .map(list);
    [
        ("command", r"\b[a-z][a-z :]* [a-z]+-[a-z]+ --[a-z]+ \d+\b".to_owned()),
        ("path", r"\b[\w-]+(?:/[\w-]+)*/[a-z]+_[a-z]+_[a-z]+\.[a-z]{2,4}\b".to_owned()),
        ("key", r"\b[a-z]+_[a-z]+\.[a-z]+_[a-z]+_[a-z]+\b".to_owned()),
        ("code", r"\b[A-Z]{3}-\d{4}\b".to_owned()),
        ("name", r"\b[a-z]+(?:_[a-z]+){2,}\b|\b[a-z]+(?:[A-Z][a-z]+){2,}\b".to_owned()),
        ("number", r"\b\d{5,6}\b".to_owned()),
        ("phrase", format!(r"(?i)\b(?:{qualifiers}) (?:{nouns}) (?:{things})\b")),
    ]
    .into_iter()
    .map(|(name, pattern)| (name, Regex::new(&pattern).unwrap()))
    .collect()
});

/// Places of what is said in a log.
const PLACES: [&str; 4] = ["user", "agent", "call", "result"];

/// A thing of such a shape: where it stands first, and how often where.
pub struct Sight {
    pub shape: &'static str,
    /// Who brings it up first.
    pub place: &'static str,
    /// How the line begins there.
    pub dialect: String,
    pub is_needle: bool,
    figures: Vec<f64>,
}

impl Sight {
    pub fn sample(&self) -> Sample {
        Sample { figures: self.figures.clone(), is_needle: self.is_needle }
    }
}

/// Where a name stands.
struct Spot {
    line: usize,
    start: usize,
    end: usize,
}

struct Part {
    place: usize,
    message: usize,
    lines: Vec<String>,
    /// How many names each line has.
    names: Vec<usize>,
}

pub fn sights(log: &Log, truth: &Truth) -> Vec<Sight> {
    let mut parts = parts(log);
    let mut spots: BTreeMap<(usize, String), Vec<(usize, Spot)>> = BTreeMap::new();
    for (number, part) in parts.iter_mut().enumerate() {
        for line in 0..part.lines.len() {
            for (shape, start, end) in names(&part.lines[line]) {
                let name = part.lines[line][start..end].to_lowercase();
                part.names[line] += 1;
                let spot = Spot { line, start, end };
                spots.entry((shape, name)).or_default().push((number, spot));
            }
        }
    }
    let needles: BTreeSet<String> = truth
        .facts
        .iter()
        .flat_map(|fact| &fact.needles)
        .map(|needle| match needle {
            Needle::Code(text) | Needle::Prose(text) => text.to_lowercase(),
        })
        .collect();
    let messages = log.messages.len() as f64;
    let sight = |((shape, name), spots): (&(usize, String), &Vec<(usize, Spot)>)| {
        let (part, first) = (&parts[spots[0].0], &spots[0].1);
        let mut figures = vec![part.message as f64 / messages];
        figures.extend((0..SHAPES.len()).map(|other| f64::from(u8::from(other == *shape))));
        let of = || spots.iter().map(|(number, _)| &parts[*number]);
        let counted = |place: usize| of().filter(|part| part.place == place).count();
        figures.extend((0..PLACES.len()).map(|place| counted(place) as f64));
        let heard: BTreeSet<usize> = of().map(|part| part.message).collect();
        let last = heard.last().copied().unwrap_or(0);
        figures.extend([heard.len() as f64, (last - part.message) as f64 / messages]);
        figures.extend(of_name(name));
        figures.extend(of_place(part, first));
        let line = part.lines[first.line].trim_start();
        let dialect = line.chars().take(2).map(kind).collect();
        Sight {
            shape: SHAPES[*shape].0,
            place: PLACES[part.place],
            dialect,
            is_needle: needles.contains(name),
            figures,
        }
    };
    spots.iter().map(sight).collect()
}

fn parts(log: &Log) -> Vec<Part> {
    let mut parts = Vec::new();
    for (number, message) in log.messages.iter().enumerate() {
        let place = match message.role {
            Role::User => 0,
            Role::Assistant => 1,
            Role::Tool | Role::System => 3,
        };
        let content = message.content.to_string();
        let calls = message.calls.iter().map(|call| (2, call.args.replace("\\n", "\n")));
        for (place, text) in [(place, content)].into_iter().chain(calls) {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let names = vec![0; lines.len()];
            parts.push(Part { place, message: number, lines, names });
        }
    }
    parts
}

/// The names of a line by shape; none within another.
fn names(line: &str) -> Vec<(usize, usize, usize)> {
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (shape, (_, pattern)) in SHAPES.iter().enumerate() {
        for name in pattern.find_iter(line) {
            let apart = |(_, start, end): &(usize, usize, usize)| {
                name.end() <= *start || *end <= name.start()
            };
            if found.iter().all(apart) {
                found.push((shape, name.start(), name.end()));
            }
        }
    }
    found
}

/// What a character is, whatever it says.
fn kind(c: char) -> char {
    match c {
        'a'..='z' => 'a',
        'A'..='Z' => 'A',
        '0'..='9' => '0',
        other => other,
    }
}

fn of_name(name: &str) -> Vec<f64> {
    let count = |is: fn(char) -> bool| name.chars().filter(|c| is(*c)).count() as f64;
    vec![
        name.len() as f64,
        count(|c| c.is_ascii_digit()),
        count(|c| c == '_'),
        count(|c| c == '.'),
        count(|c| c == '-'),
        count(|c| c == '/'),
        count(|c| c == ' '),
        f64::from(name.chars().rev().find_map(|c| c.to_digit(10)).unwrap_or(10)),
        f64::from(name.chars().find_map(|c| c.to_digit(10)).unwrap_or(10)),
        name.split(|c: char| !c.is_alphanumeric()).map(str::len).max().unwrap_or(0) as f64,
    ]
}

/// The line, what stands right before and behind, its neighbours, the message.
fn of_place(part: &Part, spot: &Spot) -> Vec<f64> {
    let line = &part.lines[spot.line];
    let code = |c: Option<char>| f64::from(u32::from(c.map_or('\0', kind)));
    let (before, behind) = (&line[..spot.start], &line[spot.end..]);
    let at =
        |offset: isize| spot.line.checked_add_signed(offset).filter(|at| *at < part.lines.len());
    let names = |offset: isize| at(offset).map_or(-1.0, |at| part.names[at] as f64);
    let length = |offset: isize| at(offset).map_or(-1.0, |at| part.lines[at].len() as f64);
    let count = |text: &str, wanted: char| text.matches(wanted).count() as f64;
    let mut figures = vec![
        line.len() as f64,
        spot.start as f64,
        behind.len() as f64,
        code(before.chars().next_back()),
        code(before.chars().rev().nth(1)),
        code(behind.chars().next()),
        code(behind.chars().nth(1)),
        before.split_whitespace().count() as f64,
        behind.split_whitespace().count() as f64,
        spot.line as f64,
        part.lines.len() as f64,
        spot.line as f64 / part.lines.len() as f64,
        part.names.iter().sum::<usize>() as f64,
        part.lines.iter().map(String::len).sum::<usize>() as f64,
    ];
    figures.extend([-2, -1, 0, 1, 2].map(names));
    figures.extend([-1, 1].map(length));
    figures.extend(['=', ':', '`', '#', '/', '(', '|', '[', ',', '.', '"'].map(|c| count(line, c)));
    let mut first = line.trim_start().chars();
    figures.extend([code(first.next()), code(first.next()), code(first.next())]);
    // The line's own pattern: which of some lots it falls into.
    let mut pattern: Vec<char> = line.chars().map(kind).collect();
    pattern.dedup();
    let lot = pattern
        .iter()
        .take(14)
        .fold(7_u32, |sum, c| sum.wrapping_mul(31).wrapping_add(u32::from(*c)))
        % 24;
    figures.extend((0..24).map(|one| f64::from(u8::from(one == lot))));
    figures
}
