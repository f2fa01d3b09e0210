//! Source files, and what changed in them.

use super::page::{Page, Subject, revision, words};
use crate::synth::prelude::*;

/// Below so many characters a part of a file is shown rather than its head.
const PART: usize = 900;

/// A source file, or the part of one that fits, with numbered lines.
pub(super) fn file(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let dialect = subject.world.dialect_of(subject.target);
    let from_top = room > PART && rng.random_bool(0.7);
    let head = if from_top { head(dialect, rng) } else { Vec::new() };
    let mut page = Page::new(head);
    page.numbered = Some(if from_top { 1 } else { rng.random_range(20..900) });
    if room < 200 {
        page.grow(room, || words(rng).fill(pick_line(rng, &dialect.statements)));
        return page;
    }
    let mut waiting: Vec<String> = Vec::new();
    page.grow(room, || {
        if waiting.is_empty() {
            waiting = block(dialect, rng);
            waiting.reverse();
        }
        // OK because a block has a line at least.
        waiting.pop().unwrap_or_default()
    });
    page
}

/// Some of the lines that files begin with, in their order.
fn head(dialect: &Dialect, rng: &mut ChaCha8Rng) -> Vec<String> {
    let cast = words(rng);
    let mut kept = Vec::new();
    for (place, line) in dialect.head.lines().enumerate() {
        let frame = place == 0 || line.is_empty() || line.ends_with('(') || line == ")";
        if frame || rng.random_bool(0.75) {
            kept.push(cast.fill(line));
        }
    }
    kept
}

/// A definition, or a container with its members, as pieces between which a line can be planted.
fn block(dialect: &Dialect, rng: &mut ChaCha8Rng) -> Vec<String> {
    let mut pieces = Vec::new();
    if rng.random_bool(0.12) {
        pieces.push(words(rng).fill(pick_line(rng, &dialect.remarks)) + "\n");
    }
    if rng.random_bool(0.5) {
        pieces.push(words(rng).fill(pick_line(rng, &dialect.items)));
        return pieces;
    }
    let ends = pick_ref(rng, &dialect.containers);
    let outer = words(rng);
    pieces.push(outer.fill(&ends.open));
    for _ in 0..rng.random_range(2..7) {
        let cast = words(rng);
        pieces.push(dialect.inside(pick_line(rng, &dialect.members), &cast));
    }
    pieces.push(outer.fill(&ends.close));
    pieces
}

/// What an edit tool answers: the edited place, then others of the same file.
pub(super) fn diff(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let dialect = subject.world.dialect_of(subject.target);
    let mut page = Page::new(vec![format!("edited {}", subject.target)]);
    let mut line = rng.random_range(10..400);
    if let Some((old, new)) = subject.edit {
        let marked = |sign: &str, text: &str| {
            let lines = text.lines().take(3).map(|line| format!("{sign}{line}"));
            lines.collect::<Vec<String>>().join("\n")
        };
        let change = format!("{}\n{}", marked("-", old), marked("+", new));
        page.head.push(format!("@@ -{line},1 +{line},1 @@\n{change}"));
    }
    page.grow(room, || {
        line += rng.random_range(9..60);
        hunk(dialect, line, rng)
    });
    page
}

/// A unified diff over several files, as version control prints it.
pub(super) fn patch(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let (mut hunks, mut line) = (0, 0);
    let mut dialect = subject.world.dialect;
    Page::filled(Vec::new(), room, || {
        if hunks == 0 {
            let file = subject.other_file(rng);
            dialect = subject.world.dialect_of(&file);
            hunks = rng.random_range(1..5);
            line = rng.random_range(1..120);
            return format!(
                "diff --git a/{file} b/{file}\nindex {}..{} 100644\n--- a/{file}\n+++ b/{file}",
                revision(rng),
                revision(rng)
            );
        }
        hunks -= 1;
        line += rng.random_range(9..140);
        hunk(dialect, line, rng)
    })
}

fn hunk(dialect: &Dialect, line: u32, rng: &mut ChaCha8Rng) -> String {
    let (removed, added) = (rng.random_range(0..4_u32), rng.random_range(1..5_u32));
    let context = words(rng);
    let mut text = format!(
        "@@ -{line},{} +{line},{} @@ {}\n {}",
        removed + 3,
        added + 3,
        context.fill(pick_line(rng, &dialect.statements)).trim(),
        context.fill(pick_line(rng, &dialect.statements))
    );
    for (sign, count) in [('-', removed), ('+', added), (' ', 2)] {
        for _ in 0..count {
            text.push('\n');
            text.push(sign);
            text.push_str(&words(rng).fill(pick_line(rng, &dialect.statements)));
        }
    }
    text
}

/// Some lines of code of about `tokens` tokens: one statement where that is enough.
pub(in crate::synth) fn passage(
    target: &str,
    world: &World,
    tokens: u32,
    rng: &mut ChaCha8Rng,
) -> String {
    let dialect = world.dialect_of(target);
    if tokens < 40 {
        return words(rng).fill(pick_line(rng, &dialect.statements)).trim_start().to_owned();
    }
    let room = (f64::from(tokens) * 3.6) as usize;
    let mut text = String::new();
    while text.len() < room {
        for piece in block(dialect, rng) {
            text.push_str(&piece);
            text.push('\n');
        }
    }
    cut_at_line(text, room)
}

/// The text up to the end of the line that goes past `room` bytes.
fn cut_at_line(mut text: String, room: usize) -> String {
    if let Some(end) = text.as_bytes().iter().skip(room).position(|byte| *byte == b'\n') {
        text.truncate(room + end);
    }
    text
}

/// One line of code in the project's language, as a search shows it.
pub(super) fn statement(dialect: &Dialect, cast: &Cast, rng: &mut ChaCha8Rng) -> String {
    cast.fill(pick_line(rng, &dialect.statements))
}
