//! What machines write for machines: service logs and JSON.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::page::{Page, Subject, revision, words};
use crate::synth::dialect::{Block, RESULTS};
use crate::synth::draw::{pick_line, pick_ref};

/// Lines of a service's log.
pub(super) fn log(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let lines = &pick_ref(rng, &RESULTS.logs).lines;
    let mut stamp = Stamp::draw(rng);
    let mut page = Page::new(Vec::new());
    let module = subject.component.module.as_str();
    page.grow(room, || {
        let mut cast = words(rng);
        cast.set("module", module);
        cast.set("time", stamp.next(rng));
        cast.set("day", stamp.day());
        cast.set("request", revision(rng));
        cast.fill(pick_line(rng, lines))
    });
    page
}

/// An answer of a service, or a package file, in JSON.
pub(super) fn json(room: usize, rng: &mut ChaCha8Rng) -> Page {
    let is_package = rng.random_bool(0.3);
    let block = if is_package { &RESULTS.package } else { &RESULTS.answer };
    let mut page = Page::new(vec![words(rng).fill(&block.head)]);
    if is_package {
        package(block, &mut page, room, rng);
    } else {
        answer(block, &mut page, room, rng);
    }
    page.tail.push(block.tail.clone());
    page
}

fn answer(block: &Block, page: &mut Page, room: usize, rng: &mut ChaCha8Rng) {
    // All items of one answer have the same keys.
    let keys = words(rng);
    page.grow(room, || {
        let mut item = keys.clone();
        let values = words(rng);
        for slot in ["small", "large", "other", "verb", "act"] {
            item.set(slot, values.get(slot));
        }
        item.set("revision", revision(rng));
        item.fill(pick_line(rng, &block.lines))
    });
}

fn package(block: &Block, page: &mut Page, room: usize, rng: &mut ChaCha8Rng) {
    // One line only: drawing it would move all later draws.
    let line = block.lines.concat();
    page.grow(room, || words(rng).fill(&line));
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
