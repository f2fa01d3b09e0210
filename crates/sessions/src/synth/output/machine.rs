//! What machines write for machines: service logs and JSON.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::templates::Block;
use super::{Page, Stamp, Subject, revision, words};
use crate::synth::draw::{pick_line, pick_ref};

/// Lines of a service's log.
pub(super) fn log(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let lines = &pick_ref(rng, &subject.world.templates.results.logs).lines;
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
pub(super) fn json(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let results = &subject.world.templates.results;
    if rng.random_bool(0.3) {
        package(&results.package, room, rng)
    } else {
        answer(&results.answer, room, rng)
    }
}

fn answer(block: &Block, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let mut page = Page::new(vec![words(rng).fill(&block.head)]);
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
    page.tail.push(block.tail.clone());
    page
}

fn package(block: &Block, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let mut page = Page::new(vec![words(rng).fill(&block.head)]);
    // One line only: drawing it would move all later draws.
    let line = block.lines.concat();
    page.grow(room, || words(rng).fill(&line));
    page.tail.push(block.tail.clone());
    page
}
