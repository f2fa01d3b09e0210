//! Tool results that look like what tools print: source files, settings,
//! handbooks, search hits, test runs, logs, compiler errors, diffs.

mod lines;
mod source;

pub(super) use source::statement;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::bank::Shape;
use super::draw::pick;
use super::fill::{Cast, third_person};
use super::names::{Component, Language, NOUNS, THINGS, VERBS, World, camel};

/// What a result is about.
pub(super) struct Subject<'a> {
    pub world: &'a World,
    pub component: &'a Component,
    /// The file or filter that the call named.
    pub target: &'a str,
    /// What an edit replaces, and by what.
    pub edit: Option<(&'a str, &'a str)>,
}

/// A result of about `tokens` tokens, with each of `planted` as lines of its own
/// somewhere in it.
pub(super) fn render(
    shape: Shape,
    subject: &Subject<'_>,
    tokens: u32,
    planted: &[String],
    rng: &mut ChaCha8Rng,
) -> String {
    let room = (f64::from(tokens) * characters_per_token(shape)) as usize;
    let room = room.saturating_sub(planted.iter().map(String::len).sum()).max(20);
    let mut page = match shape {
        Shape::Source => source::file(subject, room, rng),
        Shape::Settings => lines::settings(subject, room, rng),
        Shape::Handbook => lines::handbook(subject, room, rng),
        Shape::Hits => lines::hits(subject, room, rng),
        Shape::Tests => lines::tests(subject, room, planted.len(), rng),
        Shape::Log => lines::log(subject, room, rng),
        Shape::Compiler => lines::compiler(subject, room, rng),
        Shape::Diff => source::diff(subject, room, rng),
    };
    for line in planted {
        page.plant(line, rng);
    }
    page.text()
}

/// Measured with `o200k_base` on what these generators print.
fn characters_per_token(shape: Shape) -> f64 {
    match shape {
        Shape::Source => 4.0,
        Shape::Settings => 3.3,
        Shape::Handbook => 4.6,
        Shape::Hits => 3.3,
        Shape::Tests => 3.6,
        Shape::Log => 2.9,
        Shape::Compiler => 3.3,
        Shape::Diff => 3.5,
    }
}

/// Why a tool call failed, in the tool's own words.
pub(super) fn failure(shape: Shape, subject: &Subject<'_>, rng: &mut ChaCha8Rng) -> String {
    let target = subject.target;
    let number = rng.random_range(20..180);
    match shape {
        Shape::Source | Shape::Settings | Shape::Handbook => {
            format!("error: {target}: no such file or directory")
        }
        Shape::Hits => format!("error: search in {target} stopped: too many matches"),
        Shape::Tests => format!("error: test run stopped after {number} s: time limit reached"),
        Shape::Log | Shape::Compiler => {
            format!("{target}: command exited with status {}", rng.random_range(1..=3))
        }
        Shape::Diff => format!("error: the text to replace was not found in {target}"),
    }
}

/// Lines, with a head that stays on top and a tail that stays at the end.
struct Page {
    head: Vec<String>,
    body: Vec<String>,
    tail: Vec<String>,
}

impl Page {
    fn new(head: Vec<String>) -> Page {
        Page { head, body: Vec::new(), tail: Vec::new() }
    }

    fn plant(&mut self, line: &str, rng: &mut ChaCha8Rng) {
        let at = rng.random_range(0..=self.body.len() as u32) as usize;
        self.body.insert(at, line.to_owned());
    }

    fn text(&self) -> String {
        let lines: Vec<&str> =
            self.head.iter().chain(&self.body).chain(&self.tail).map(String::as_str).collect();
        lines.join("\n")
    }

    /// Adds what `next` gives until the room is used up.
    fn grow(&mut self, room: usize, mut next: impl FnMut() -> String) {
        let mut used: usize = self.head.iter().chain(&self.tail).map(|line| line.len() + 1).sum();
        while used < room {
            let line = next();
            used += line.len() + 1;
            self.body.push(line);
        }
    }
}

/// Words for one block of background text. Names have two parts at most, facts three.
fn words(rng: &mut ChaCha8Rng) -> Cast {
    let mut cast = Cast::default();
    let (noun, other) = (pick(rng, NOUNS), pick(rng, NOUNS));
    cast.set("noun", noun);
    cast.set("other", other);
    cast.set("Noun", camel(noun));
    cast.set("Other", camel(other));
    cast.set("thing", pick(rng, THINGS));
    cast.set("part", pick(rng, THINGS));
    let verb = pick(rng, VERBS);
    cast.set("verb", verb);
    cast.set("verbs", third_person(verb));
    cast.set("act", pick(rng, VERBS));
    cast.set("small", rng.random_range(2..64).to_string());
    cast.set("large", rng.random_range(100..9_999).to_string());
    cast
}

/// A clock reading that moves forward line by line.
struct Stamp {
    seconds: u32,
}

impl Stamp {
    fn draw(rng: &mut ChaCha8Rng) -> Stamp {
        Stamp { seconds: rng.random_range(0..80_000) }
    }

    fn next(&mut self, rng: &mut ChaCha8Rng) -> String {
        self.seconds += rng.random_range(1..5);
        let (hours, minutes) = (self.seconds / 3_600 % 24, self.seconds / 60 % 60);
        format!(
            "{hours:02}:{minutes:02}:{:02}.{:03}",
            self.seconds % 60,
            rng.random_range(0..1_000)
        )
    }
}

/// The extension of source files, with its dot.
fn extension(language: Language) -> String {
    format!(".{}", language.extension())
}
