//! The account that ends a turn: what was looked at and what was changed, in the
//! manner of agents that report in lists.

use rand::RngExt;

use super::Writer;
use crate::synth::draw::pick;
use crate::synth::fill::{Cast, sentence, third_person};
use crate::synth::names::{NOUNS, THINGS, VERBS};
use crate::synth::output;

/// Characters of a token of such an account, measured with `o200k_base`.
const DENSITY: f64 = 4.1;

/// A heading, then lines that may stand under it.
const PARTS: [(&str, &[&str]); 4] = [
    (
        "What changed",
        &[
            "- `{file}`: {verbs} the {thing} of each {noun} before the {part} is written",
            "- `{file}`: the {noun} {part} takes a limit now ({n} by default)",
            "- `{file}`: two branches of `{verb}_{noun}` were the same and are one",
            "- `{file}`: `{verb}_{thing}` returns early where the {part} is empty",
        ],
    ),
    (
        "What I looked at",
        &[
            "- the {thing} of the {noun}, which is read in {n} places",
            "- the callers of `{verb}_{part}` in `{file}`",
            "- how a {noun} reaches its {part}; the {thing} in between just hands it on",
        ],
    ),
    (
        "How it runs",
        &[
            "1. A {noun} comes in and is put on the {thing}.",
            "2. The {part} {verbs} it and notes the {thing}.",
            "3. Whatever is left after {n} rounds goes back to the {thing}.",
        ],
    ),
    (
        "Numbers",
        &[
            "| {noun} {part} | {n} | {verb} |",
            "- {n} rows in the {thing}, a third of them from the {noun} side",
            "- the run over the {noun} {part} took {n} ms",
        ],
    ),
];

impl Writer<'_> {
    /// An account of about `tokens` tokens; empty for none.
    pub(super) fn account(&mut self, tokens: u32) -> String {
        let room = (f64::from(tokens) * DENSITY) as usize;
        let mut text = String::new();
        while text.len() + 40 < room {
            let (heading, lines) = pick(&mut self.text, &PARTS);
            text.push_str("\n\n**");
            text.push_str(heading);
            text.push_str("**\n");
            for _ in 0..self.text.random_range(2..6) {
                text.push('\n');
                let cast = self.item();
                text.push_str(&sentence(&cast.fill(pick(&mut self.text, lines))));
            }
            if self.text.random_bool(0.2) {
                text.push_str("\n\n```\n");
                let file = self.file();
                let language = self.story.world.language;
                text.push_str(&output::passage(&file, language, 60, &mut self.text));
                text.push_str("\n```");
            }
        }
        text
    }

    fn item(&mut self) -> Cast {
        let mut cast = Cast::default();
        let verb = pick(&mut self.text, VERBS);
        cast.set("verb", verb);
        cast.set("verbs", third_person(verb));
        cast.set("noun", pick(&mut self.text, NOUNS));
        cast.set("thing", pick(&mut self.text, THINGS));
        cast.set("part", pick(&mut self.text, THINGS));
        cast.set("file", self.file());
        cast.set("n", self.text.random_range(3..900).to_string());
        cast
    }
}
