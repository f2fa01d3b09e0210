//! The account that ends a turn, in the manner of agents that report in lists.

use rand::RngExt;

use super::Writer;
use crate::synth::dialect::RESULTS;
use crate::synth::draw::{pick_line, pick_ref};
use crate::synth::fill::{Cast, sentence, third_person};
use crate::synth::output;

/// Characters of a token of such an account, measured with `o200k_base`.
const DENSITY: f64 = 4.1;

impl Writer<'_> {
    /// An account of about `tokens` tokens; empty for none.
    pub(super) fn account(&mut self, tokens: u32) -> String {
        let room = (f64::from(tokens) * DENSITY) as usize;
        let world = &self.outline.world;
        let mut text = String::new();
        while text.len() + 40 < room {
            let part = pick_ref(&mut self.text, &RESULTS.account);
            text.push_str("\n\n**");
            text.push_str(&part.head);
            text.push_str("**\n");
            for _ in 0..self.text.random_range(2..6) {
                text.push('\n');
                let cast = self.item();
                text.push_str(&sentence(&cast.fill(pick_line(&mut self.text, &part.lines))));
            }
            if self.text.random_bool(0.2) {
                text.push_str("\n\n```\n");
                let file = self.file();
                text.push_str(&output::passage(&file, world, 60, &mut self.text));
                text.push_str("\n```");
            }
        }
        text
    }

    fn item(&mut self) -> Cast {
        let mut cast = Cast::default();
        cast.draw(&["verb", "noun", "thing", "part"], &mut self.text);
        let verbs = third_person(cast.get("verb"));
        cast.set("verbs", verbs);
        cast.set("file", self.file());
        cast.set("n", self.text.random_range(3..900).to_string());
        cast
    }
}
