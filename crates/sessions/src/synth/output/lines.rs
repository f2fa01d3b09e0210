//! Results made of lines: settings, handbooks, hits, listings, service logs, JSON.

use super::page::{Page, Subject, revision, words};
use super::source;
use crate::synth::prelude::*;

pub(super) fn settings(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let mut page = Page::new(vec![format!("# {}", subject.target)]);
    page.numbered = Some(1);
    page.grow(room, || words(rng).fill(pick_line(rng, &RESULTS.settings)));
    page
}

pub(super) fn handbook(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let head = format!("# Handbook of the {}\n", subject.component.name);
    let mut page = Page::new(vec![head]);
    page.numbered = Some(1);
    page.grow(room, || sentence(&words(rng).fill(pick_line(rng, &RESULTS.handbook))));
    page
}

pub(super) fn hits(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let around = room > 700 && rng.random_bool(0.35);
    // A name of two parts is nobody's fact; whatever else is sought is not repeated here.
    let sought = Some(subject.target).filter(|name| {
        name.split('_').count() == 2 && name.bytes().all(|b| b == b'_' || b.is_ascii_lowercase())
    });
    let (mut left, mut file) = (0, String::new());
    let mut page = Page::filled(Vec::new(), room, || {
        if left == 0 {
            left = rng.random_range(1..7);
            file = subject.other_file(rng);
        }
        left -= 1;
        let dialect = subject.world.dialect_of(&file);
        let line = rng.random_range(5..900);
        let mut cast = words(rng);
        if let Some(sought) = sought {
            cast.set("verb", sought);
            cast.set("act", sought);
        }
        let hit = format!("{file}:{line}:{}", source::statement(dialect, &cast, rng));
        if !around {
            return hit;
        }
        let near = |at: u32, rng: &mut ChaCha8Rng| {
            format!("{file}-{at}-{}", source::statement(dialect, &words(rng), rng))
        };
        format!("{}\n{hit}\n{}\n--", near(line - 1, rng), near(line + 1, rng))
    });
    let count = page.body.len();
    page.tail.push(format!("{count} {}", if count == 1 { "match" } else { "matches" }));
    page
}

pub(super) fn listing(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let long = rng.random_bool(0.5);
    let head = if long { vec![format!("total {}", rng.random_range(100..9_000))] } else { vec![] };
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Sep", "Oct", "Nov"];
    Page::filled(head, room, || {
        if !long {
            return subject.other_file(rng);
        }
        let folder = rng.random_bool(0.2);
        let name = words(rng).fill(if folder { "{noun}_{thing}" } else { "{verb}_{noun}" });
        let kind = if folder { "drwxr-xr-x" } else { "-rw-r--r--" };
        let ending = if folder { "" } else { subject.world.ending() };
        let dot = if folder { "" } else { "." };
        format!(
            "{kind}  {} build  staff  {:>5} {} {:>2} {:02}:{:02} {name}{dot}{ending}",
            rng.random_range(1..9),
            rng.random_range(64..9_900),
            pick(rng, &months),
            rng.random_range(1..29),
            rng.random_range(0..24),
            rng.random_range(0..60)
        )
    })
}

pub(super) fn log(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let lines = &pick_ref(rng, &RESULTS.logs).lines;
    let (mut seconds, first) = (rng.random_range(0..80_000_u32), rng.random_range(0..330_u32));
    let module = subject.component.module.as_str();
    Page::filled(Vec::new(), room, || {
        let mut cast = words(rng);
        cast.set("module", module);
        // The clock moves forward line by line.
        seconds += rng.random_range(1..5);
        let [hours, minutes] = [seconds / 3_600 % 24, seconds / 60 % 60];
        let (second, millis) = (seconds % 60, rng.random_range(0..1_000));
        cast.set("time", format!("{hours:02}:{minutes:02}:{second:02}.{millis:03}"));
        let day = first + seconds / 86_400;
        cast.set("day", format!("2024-{:02}-{:02}", day / 28 + 1, day % 28 + 1));
        cast.set("request", revision(rng));
        cast.fill(pick_line(rng, lines))
    })
}

/// An answer of a service, or a package file, in JSON.
pub(super) fn json(room: usize, rng: &mut ChaCha8Rng) -> Page {
    if rng.random_bool(0.3) { package(room, rng) } else { answer(room, rng) }
}

fn package(room: usize, rng: &mut ChaCha8Rng) -> Page {
    let block = &RESULTS.package;
    let mut page = Page::new(vec![words(rng).fill(&block.head)]);
    // One line only: drawing it would move all later draws.
    let line = block.lines.concat();
    page.grow(room, || words(rng).fill(&line));
    page.tail.push(block.tail.clone());
    page
}

pub(super) fn answer(room: usize, rng: &mut ChaCha8Rng) -> Page {
    let block = &RESULTS.answer;
    let mut page = Page::new(vec![words(rng).fill(&block.head)]);
    // All items of one answer have the same keys.
    let keys = words(rng);
    page.grow(room, || {
        let (mut item, values) = (keys.clone(), words(rng));
        for slot in ["small", "large", "other", "verb", "act"] {
            item.set(slot, values.get(slot));
        }
        item.set("revision", revision(rng));
        item.fill(pick_line(rng, &block.lines))
    });
    page.tail.push(block.tail.clone());
    page
}
