//! Test runs and what compilers object to, in the manner of the language's tools.

use super::page::{Page, Subject, words};
use super::source;
use crate::synth::dialect::TestRun;
use crate::synth::prelude::*;

const FAILING: f64 = 0.04;
/// Share of them where something fails for sure: the first does, and others may.
const FAILING_FOR_SURE: f64 = 0.3;

/// Whose tools report: mostly the project's own, now and then those of a neighbour.
fn reporter(subject: &Subject<'_>, neighbour: &str, rng: &mut ChaCha8Rng) -> &'static Dialect {
    let world = subject.world;
    if rng.random_bool(0.2) { world.dialect_of(neighbour) } else { world.dialect }
}

/// A test run; the caller adds `planted` failures. `sure` where something fails for sure.
pub(super) fn tests(
    subject: &Subject<'_>,
    room: usize,
    planted: usize,
    sure: bool,
    rng: &mut ChaCha8Rng,
) -> Page {
    let templates = &reporter(subject, "x.go", rng).tests;
    let module = subject.component.module.as_str();
    let count = rng.random_range(20..400);
    let (digit, count) = ((count % 10).to_string(), count.to_string());
    let slots = [("module", module), ("count", &*count), ("digit", &digit)];
    let mut page = Page::new(vec![Cast::from(slots).fill(&templates.opening)]);
    let share = if sure { FAILING_FOR_SURE } else { FAILING };
    let mut failures = Vec::new();
    let mut run = 0_usize;
    page.grow(room * 2 / 3, || {
        run += 1;
        let cast = named(module, &words(rng).fill("{verbs}_{noun}"));
        let fails = (sure && run == 1) || rng.random_bool(share);
        if fails {
            failures.push(failure(templates, &cast, rng));
        }
        line(templates, cast, fails, None, rng)
    });
    let failed = failures.len() + planted;
    let passed = run - failures.len();
    page.tail = failures;
    // A long run prints its warnings too.
    page.grow(room, || {
        let cast = named(module, &words(rng).fill("{act}_{other}"));
        line(templates, cast, false, None, rng)
    });
    let seconds = Cast::default().drawn("{0..60}.{10..99}", rng);
    let closing = &templates.closing[usize::from(failed > 0)];
    let (passed, failed) = (passed.to_string(), failed.to_string());
    let slots =
        [("module", module), ("passed", &passed), ("failed", &failed), ("seconds", &seconds)];
    page.tail.push(Cast::from(slots).fill(closing));
    page
}

pub(super) fn named(module: &str, name: &str) -> Cast {
    Cast::from([("module", module), ("name", name), ("words", &name.replace('_', " "))])
}

/// A line of a run of which so much is done by then, in percent.
pub(super) fn line(
    templates: &TestRun,
    mut cast: Cast,
    failed: bool,
    done: Option<usize>,
    rng: &mut ChaCha8Rng,
) -> String {
    let time = rng.random_range(1..900);
    cast.set("time", time.to_string());
    cast.set("millis", format!("{time:03}"));
    let percent = rng.random_range(1..100);
    cast.set("percent", format!("{:>3}", done.unwrap_or(percent)));
    cast.fill(&templates.line[usize::from(failed)])
}

pub(super) fn failure(templates: &TestRun, named: &Cast, rng: &mut ChaCha8Rng) -> String {
    let (left, right) = (rng.random_range(0..40), rng.random_range(41..90));
    let at = rng.random_range(20..700);
    let mut cast = words(rng).with(named);
    for (slot, number) in [("left", left), ("right", right), ("at", at), ("before", at - 1)] {
        cast.set(slot, number.to_string());
    }
    cast.fill(&templates.failure)
}

pub(super) fn compiler(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let dialect = reporter(subject, "x.c", rng);
    let mut page = Page::filled(Vec::new(), room, || {
        let mut cast = words(rng);
        let (line, column) = (rng.random_range(10..500_u32), rng.random_range(5..60_u32));
        let [code, more] = [(); 2].map(|()| source::statement(dialect, &words(rng), rng));
        let file = cast.fill("{noun}_{thing}");
        cast.set("file", format!("{}/{file}.{}", subject.component.dir, dialect.ending));
        for (slot, number) in [("line", line), ("column", column), ("next", line + 1)] {
            cast.set(slot, number.to_string());
        }
        cast.set("code", code);
        cast.set("more", more);
        cast.set("wide", " ".repeat(column as usize % 24));
        cast.fill(pick_line(rng, &dialect.compiler.objections))
    });
    let count = page.body.len();
    let (files, count) = (count.div_ceil(2).to_string(), count.to_string());
    let slots = [("module", &*subject.component.module), ("count", &count), ("files", &files)];
    page.tail.push(Cast::from(slots).drawn(&dialect.compiler.closing, rng));
    page
}
