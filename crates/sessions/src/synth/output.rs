//! Tool results that look like what tools print; their texture was set beside recorded sessions.

mod checks;
mod lines;
mod page;
mod source;
pub(super) mod state;

pub(super) use page::{Subject, words};
pub(super) use source::passage;

use crate::synth::prelude::*;
use page::{Page, revision};

/// Below so many tokens a result is a line rather than a page.
const BRIEF: u32 = 24;

/// A result of about `tokens` tokens, with each of `planted` as lines of its own somewhere.
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
    let room = room(look, tokens);
    let room = room.saturating_sub(planted.iter().map(String::len).sum()).max(20);
    let mut page = page(look, subject, room, planted.len(), rng);
    for line in planted {
        page.plant(line, rng);
    }
    page.text()
}

/// The same without numbers and with nothing planted: what a file holds.
pub(super) fn plain(
    look: Look,
    subject: &Subject<'_>,
    tokens: u32,
    rng: &mut ChaCha8Rng,
) -> String {
    let page = page(look, subject, room(look, tokens.max(BRIEF)), 0, rng);
    Page { numbered: None, ..page }.text()
}

fn page(
    look: Look,
    subject: &Subject<'_>,
    room: usize,
    planted: usize,
    rng: &mut ChaCha8Rng,
) -> Page {
    match look {
        Look::Source => source::file(subject, room, rng),
        Look::Settings => lines::settings(subject, room, rng),
        Look::Handbook => lines::handbook(subject, room, rng),
        Look::Hits => lines::hits(subject, room, rng),
        Look::Tests => checks::tests(subject, room, planted, false, rng),
        Look::Log => lines::log(subject, room, rng),
        Look::Compiler => checks::compiler(subject, room, rng),
        Look::Diff => source::diff(subject, room, rng),
        Look::Listing => lines::listing(subject, room, rng),
        Look::Json => lines::json(room, rng),
        Look::Patch => source::patch(subject, room, rng),
    }
}

/// A test run of about `tokens` tokens in which something fails.
pub(super) fn failing_tests(subject: &Subject<'_>, tokens: u32, rng: &mut ChaCha8Rng) -> String {
    checks::tests(subject, room(Look::Tests, tokens), 0, true, rng).text()
}

/// Characters for so many tokens.
pub(super) fn room(look: Look, tokens: u32) -> usize {
    (f64::from(tokens) * look.form().density) as usize
}

/// One line: what tools say when there is little to say.
fn brief(look: Look, subject: &Subject<'_>, rng: &mut ChaCha8Rng) -> String {
    let lines = &look.form().brief;
    let line = if lines.len() > 1 { pick_line(rng, lines) } else { &lines[0] };
    if look == Look::Diff {
        return Cast::from([("target", subject.target)]).drawn(line, rng);
    }
    let mut cast = words(rng);
    cast.set("revision", revision(rng));
    cast.fill(line)
}

pub(super) fn failure(look: Look, subject: &Subject<'_>, rng: &mut ChaCha8Rng) -> String {
    let number = rng.random_range(20..180).to_string();
    let cast = Cast::from([("target", subject.target), ("number", &number)]);
    cast.drawn(&look.form().failure, rng)
}
