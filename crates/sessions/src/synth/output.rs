//! Tool results that look like what tools print: source files in several languages,
//! settings, handbooks, search hits, listings, JSON, test runs, logs, compiler
//! errors, diffs.
//!
//! Their texture was set beside recorded sessions: numbered lines where a file is
//! read, `path:line:` where something is sought, nested indentation, imports and
//! boilerplate, long lines among short ones. The words are our own.

mod checks;
mod lines;
mod machine;
mod source;
mod templates;

pub(super) use source::passage;
use templates::Dialect;
pub(super) use templates::{NEIGHBOURS, Templates};

use std::fmt::Write;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::bank::{Shape, Tool};
use super::draw::{pick, pick_ref};
use super::fill::{Cast, third_person};
use super::names::{Component, Language, NOUNS, THINGS, VERBS, World, camel};

/// What a result looks like: the shapes that facts are born in, and those that are
/// background only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Born(Shape),
    Listing,
    Json,
    /// A diff over several files.
    Patch,
}

impl Look {
    /// The tool that answers so.
    pub fn tool(self) -> Tool {
        match self {
            Look::Born(shape) => shape.tool(),
            Look::Listing | Look::Json | Look::Patch => Tool::Shell,
        }
    }

    /// Measured with `o200k_base` on what these generators print.
    fn characters_per_token(self) -> f64 {
        match self {
            Look::Born(Shape::Source) => 3.3,
            Look::Born(Shape::Settings | Shape::Hits) => 3.1,
            Look::Born(Shape::Handbook) => 4.0,
            Look::Born(Shape::Tests | Shape::Diff) | Look::Patch => 3.3,
            Look::Born(Shape::Log) => 2.8,
            Look::Born(Shape::Compiler) => 3.2,
            Look::Listing => 2.9,
            Look::Json => 2.7,
        }
    }
}

/// What a result is about.
pub(super) struct Subject<'a> {
    pub world: &'a World,
    pub component: &'a Component,
    /// The file or filter that the call named.
    pub target: &'a str,
    /// What an edit replaces, and by what.
    pub edit: Option<(&'a str, &'a str)>,
}

impl<'a> Subject<'a> {
    /// The dialect of a file of the project.
    fn dialect_of(&self, file: &str) -> &'a Dialect {
        self.world.templates.of_file(file, self.world.language)
    }

    /// Some file of the project, now and then in another language than most.
    fn other_file(&self, rng: &mut ChaCha8Rng) -> String {
        let component = pick_ref(rng, &self.world.components);
        let name = words(rng).fill("{noun}_{thing}");
        if rng.random_bool(0.15) {
            let (ending, place) = pick(rng, &NEIGHBOURS);
            return format!("{}/{place}/{name}.{ending}", component.dir);
        }
        format!("{}/{name}{}", component.dir, extension(self.world.language))
    }
}

/// Below so many tokens a result is a line rather than a page.
const BRIEF: u32 = 24;

/// From so many characters on a piece of a page is a long one.
const LONG: usize = 110;

/// A result of about `tokens` tokens, with each of `planted` as lines of its own
/// somewhere in it.
pub(super) fn render(
    look: Look,
    subject: &Subject<'_>,
    tokens: u32,
    planted: &[String],
    rng: &mut ChaCha8Rng,
) -> String {
    if tokens < BRIEF && planted.is_empty() {
        return brief(look, subject, rng);
    }
    let room = (f64::from(tokens) * look.characters_per_token()) as usize;
    let room = room.saturating_sub(planted.iter().map(String::len).sum()).max(20);
    let mut page = match look {
        Look::Born(Shape::Source) => source::file(subject, room, rng),
        Look::Born(Shape::Settings) => lines::settings(subject, room, rng),
        Look::Born(Shape::Handbook) => lines::handbook(subject, room, rng),
        Look::Born(Shape::Hits) => lines::hits(subject, room, rng),
        Look::Born(Shape::Tests) => checks::tests(subject, room, planted.len(), rng),
        Look::Born(Shape::Log) => machine::log(subject, room, rng),
        Look::Born(Shape::Compiler) => checks::compiler(subject, room, rng),
        Look::Born(Shape::Diff) => source::diff(subject, room, rng),
        Look::Listing => lines::listing(subject, room, rng),
        Look::Json => machine::json(subject, room, rng),
        Look::Patch => source::patch(subject, room, rng),
    };
    for line in planted {
        page.plant(line, rng);
    }
    page.text()
}

/// A test run of about `tokens` tokens in which something fails.
pub(super) fn failing_tests(subject: &Subject<'_>, tokens: u32, rng: &mut ChaCha8Rng) -> String {
    let room = f64::from(tokens) * Look::Born(Shape::Tests).characters_per_token();
    checks::failing_tests(subject, room as usize, rng).text()
}

/// One line: what tools say when there is little to say.
fn brief(look: Look, subject: &Subject<'_>, rng: &mut ChaCha8Rng) -> String {
    let target = subject.target;
    let template = match look {
        Look::Born(Shape::Source | Shape::Settings | Shape::Handbook) => "(no lines past {large})",
        Look::Born(Shape::Hits) => pick(rng, &["no matches", "no matches in {large} files"]),
        Look::Born(Shape::Tests) => "ok: {small} passed",
        Look::Born(Shape::Log) => pick(rng, &["{large} lines, none new", "done in {small} s"]),
        Look::Born(Shape::Compiler) => "no errors in {small} files",
        Look::Born(Shape::Diff) => {
            return format!("updated {target} at line {}", rng.random_range(2..900));
        }
        Look::Listing => "{small} files",
        Look::Json => "{\"ok\":true,\"{noun}\":{large}}",
        Look::Patch => "[{noun}-{thing} {revision}] {verb} {part}",
    };
    let mut cast = words(rng);
    cast.set("revision", revision(rng));
    cast.fill(template)
}

/// Why a tool call failed, in the tool's own words.
pub(super) fn failure(look: Look, subject: &Subject<'_>, rng: &mut ChaCha8Rng) -> String {
    let target = subject.target;
    let number = rng.random_range(20..180);
    match look {
        Look::Born(Shape::Source | Shape::Settings | Shape::Handbook) => {
            format!("error: {target}: no such file or directory")
        }
        Look::Born(Shape::Hits) => {
            format!("error: search in {target} stopped after {number} files: too many matches")
        }
        Look::Born(Shape::Tests) => {
            format!("error: test run stopped after {number} s: time limit reached")
        }
        Look::Born(Shape::Log | Shape::Compiler) | Look::Listing | Look::Json | Look::Patch => {
            format!("{target}: command exited with status {}", rng.random_range(1..=3))
        }
        Look::Born(Shape::Diff) => {
            format!("error: the text to replace was not found in {target} ({number} lines)")
        }
    }
}

/// Lines, with a head that stays on top and a tail that stays at the end.
struct Page {
    head: Vec<String>,
    body: Vec<String>,
    tail: Vec<String>,
    /// The number of the first line, where the tool prints them.
    numbered: Option<u32>,
}

impl Page {
    fn new(head: Vec<String>) -> Page {
        Page { head, body: Vec::new(), tail: Vec::new(), numbered: None }
    }

    fn plant(&mut self, line: &str, rng: &mut ChaCha8Rng) {
        let at = rng.random_range(0..=self.body.len() as u32) as usize;
        self.body.insert(at, line.to_owned());
    }

    fn text(&self) -> String {
        let lines: Vec<&str> =
            self.head.iter().chain(&self.body).chain(&self.tail).map(String::as_str).collect();
        let plain = lines.join("\n");
        let Some(first) = self.numbered else { return plain };
        let mut text = String::with_capacity(plain.len() * 5 / 4);
        for (number, line) in (first..).zip(plain.split('\n')) {
            if number > first {
                text.push('\n');
            }
            // OK because writing to a string cannot fail.
            let _ = write!(text, "{number:>6}→{line}");
        }
        text
    }

    /// Adds what `next` gives until the room is used up.
    fn grow(&mut self, room: usize, mut next: impl FnMut() -> String) {
        let margin = if self.numbered.is_some() { 9 } else { 1 };
        let size = |piece: &String| {
            piece.len() + margin * (1 + piece.bytes().filter(|byte| *byte == b'\n').count())
        };
        let mut used: usize = self.head.iter().chain(&self.body).chain(&self.tail).map(size).sum();
        while used < room {
            let piece = next();
            let more = size(&piece);
            // A long piece that would lie beyond the room for the most part is left out,
            // so that results are as long as wanted on average.
            if more > LONG && used + more / 2 > room && !self.body.is_empty() {
                return;
            }
            used += more;
            self.body.push(piece);
        }
    }
}

/// Words for one block of background text. Names have two parts at most, facts three.
fn words(rng: &mut ChaCha8Rng) -> Cast {
    let mut cast = Cast::default();
    let (noun, other) = (pick(rng, &NOUNS), pick(rng, &NOUNS));
    let (thing, part) = (pick(rng, &THINGS), pick(rng, &THINGS));
    let (verb, act) = (pick(rng, &VERBS), pick(rng, &VERBS));
    cast.set("noun", noun);
    cast.set("other", other);
    cast.set("Noun", camel(noun));
    cast.set("Other", camel(other));
    cast.set("thing", thing);
    cast.set("part", part);
    cast.set("Thing", camel(thing));
    cast.set("Part", camel(part));
    cast.set("verb", verb);
    cast.set("verbs", third_person(verb));
    cast.set("act", act);
    cast.set("Verb", camel(verb));
    cast.set("Act", camel(act));
    cast.set("small", rng.random_range(2..64).to_string());
    cast.set("large", rng.random_range(100..9_999).to_string());
    cast
}

/// Seven letters and figures, as version control and tracing name things.
fn revision(rng: &mut ChaCha8Rng) -> String {
    format!("{:x}{:05x}", rng.random_range(10..16), rng.random_range(0..0x0010_0000_u32))
}

/// A clock reading that moves forward line by line.
struct Stamp {
    seconds: u32,
    day: u32,
}

impl Stamp {
    fn draw(rng: &mut ChaCha8Rng) -> Stamp {
        Stamp { seconds: rng.random_range(0..80_000), day: rng.random_range(0..330) }
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

    fn day(&self) -> String {
        let day = self.day + self.seconds / 86_400;
        format!("2024-{:02}-{:02}", day / 28 + 1, day % 28 + 1)
    }
}

/// The extension of source files, with its dot.
fn extension(language: Language) -> String {
    format!(".{}", language.extension())
}
