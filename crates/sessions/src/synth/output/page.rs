//! What a result is about, the page that it is written on, the words of background text.

use std::fmt::Write;

use crate::synth::prelude::*;

/// What a result is about.
pub(in crate::synth) struct Subject<'a> {
    pub world: &'a World,
    pub component: &'a Component,
    /// The file or filter that the call named.
    pub target: &'a str,
    pub edit: Option<(&'a str, &'a str)>,
}

impl Subject<'_> {
    /// Some file of the project, now and then in another language than most.
    pub fn other_file(&self, rng: &mut ChaCha8Rng) -> String {
        let component = pick_ref(rng, &self.world.components);
        let name = words(rng).fill("{noun}_{thing}");
        if rng.random_bool(0.15) {
            let (ending, place) = pick_ref(rng, &RESULTS.neighbours);
            return format!("{}/{place}/{name}.{ending}", component.dir);
        }
        format!("{}/{name}.{}", component.dir, self.world.ending())
    }
}

/// From so many characters on a piece of a page is a long one.
const LONG: usize = 110;

/// Lines, with a head that stays on top and a tail that stays at the end.
pub(super) struct Page {
    pub head: Vec<String>,
    pub body: Vec<String>,
    pub tail: Vec<String>,
    /// The number of the first line, where the tool prints them.
    pub numbered: Option<u32>,
}

impl Page {
    pub fn new(head: Vec<String>) -> Page {
        Page { head, body: Vec::new(), tail: Vec::new(), numbered: None }
    }

    /// A page under this head, filled by what `next` gives.
    pub fn filled(head: Vec<String>, room: usize, next: impl FnMut() -> String) -> Page {
        let mut page = Page::new(head);
        page.grow(room, next);
        page
    }

    pub fn plant(&mut self, line: &str, rng: &mut ChaCha8Rng) {
        let at = rng.random_range(0..=self.body.len() as u32) as usize;
        self.body.insert(at, line.to_owned());
    }

    pub fn text(&self) -> String {
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
    pub fn grow(&mut self, room: usize, mut next: impl FnMut() -> String) {
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
pub(in crate::synth) fn words(rng: &mut ChaCha8Rng) -> Cast {
    const WORDS: [&str; 6] = ["noun", "other", "thing", "part", "verb", "act"];
    const NAMES: [&str; 6] = ["Noun", "Other", "Thing", "Part", "Verb", "Act"];
    let mut cast = Cast::default();
    cast.draw(&WORDS, rng);
    for (slot, word) in NAMES.into_iter().zip(WORDS) {
        let name = camel(cast.get(word));
        cast.set(slot, name);
    }
    let verbs = third_person(cast.get("verb"));
    cast.set("verbs", verbs);
    cast.set("small", rng.random_range(2..64).to_string());
    cast.set("large", rng.random_range(100..9_999).to_string());
    cast
}

/// Seven letters and figures, as version control and tracing name things.
pub(super) fn revision(rng: &mut ChaCha8Rng) -> String {
    format!("{:x}{:05x}", rng.random_range(10..16), rng.random_range(0..0x0010_0000_u32))
}
