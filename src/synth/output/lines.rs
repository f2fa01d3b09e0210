//! Results made of lines: settings, handbooks, hits, test runs, logs, compiler errors.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Page, Stamp, Subject, extension, words};
use crate::synth::draw::{pick, pick_ref};
use crate::synth::fill::sentence;
use crate::synth::names::{Language, NOUNS};

/// A settings file.
pub(super) fn settings(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let mut page = Page::new(vec![format!("# {}", subject.target)]);
    let templates = [
        "{noun}_{thing} = {large}",
        "{other}.{verb}_after = {small}",
        "{noun}.{part}_enabled = true",
        "{verb}_{noun} = \"{part}\"  # see the {other} notes",
        "",
        "[{noun}.{thing}]",
    ];
    page.grow(room, || words(rng).fill(pick(rng, &templates)));
    page
}

/// A page of project documentation.
pub(super) fn handbook(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let head = format!("# Handbook of the {}\n", subject.component.name);
    let mut page = Page::new(vec![head]);
    let templates = [
        "## How to {verb} a {noun}\n",
        "Each {noun} goes through the {thing} before the {other} side sees it.",
        "The {part} is filled at start-up and holds at most {large} rows.",
        "When the {noun} {thing} is full, the oldest {part} is written out first.",
        "1. Stop the {noun} job.\n2. Wait until the {thing} is empty.\n3. Start it with `--{verb} {small}`.\n",
        "Alerts of this part go to the {other} rota. A single alert can wait for the morning.",
        "To {act} by hand, open a {noun} console and name the {part}.",
        "",
    ];
    page.grow(room, || sentence(&words(rng).fill(pick(rng, &templates))));
    page
}

/// Search hits.
pub(super) fn hits(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let language = subject.world.language;
    let mut page = Page::new(Vec::new());
    let ending = extension(language);
    page.grow(room, || {
        let component = pick_ref(rng, &subject.world.components);
        let file = words(rng).fill("{noun}_{thing}");
        let code = super::source::statement(language, rng);
        format!("{}/{file}{ending}:{}:    {code}", component.dir, rng.random_range(5..900))
    });
    page.tail.push(format!("{} matches", page.body.len()));
    page
}

/// A test run, passed or failed; `planted` failures are added by the caller.
pub(super) fn tests(
    subject: &Subject<'_>,
    room: usize,
    planted: usize,
    rng: &mut ChaCha8Rng,
) -> Page {
    let language = subject.world.language;
    let module = &subject.component.module;
    let mut page = Page::new(Vec::new());
    let mut failed = 0;
    page.grow(room, || {
        let name = words(rng).fill("{verbs}_{noun}");
        if rng.random_bool(0.04) {
            failed += 1;
            return failing(language, module, &name, rng);
        }
        let time = rng.random_range(1..900);
        match language {
            Language::Rust => format!("test {module}::tests::{name} ... ok"),
            Language::Python => format!("tests/test_{module}.py::test_{name} PASSED"),
            Language::TypeScript => format!(" ✓ {module} > {} ({time} ms)", name.replace('_', " ")),
        }
    });
    let passed = page.body.len() - failed;
    let failed = failed + planted;
    page.tail.push(match language {
        Language::Rust => format!(
            "\ntest result: {}. {passed} passed; {failed} failed; 0 ignored",
            if failed == 0 { "ok" } else { "FAILED" }
        ),
        Language::Python => format!("=== {failed} failed, {passed} passed ==="),
        Language::TypeScript => format!("Tests  {failed} failed | {passed} passed"),
    });
    page
}

fn failing(language: Language, module: &str, name: &str, rng: &mut ChaCha8Rng) -> String {
    let (left, right) = (rng.random_range(0..40), rng.random_range(41..90));
    let line = rng.random_range(20..700);
    match language {
        Language::Rust => format!(
            "test {module}::tests::{name} ... FAILED\n\
             assertion `left == right` failed\n  left: {left}\n right: {right}\n   at {module}/tests.rs:{line}:9"
        ),
        Language::Python => format!(
            "tests/test_{module}.py::test_{name} FAILED\n\
             >       assert len(rows) == {right}\nE       assert {left} == {right}\ntests/test_{module}.py:{line}: AssertionError"
        ),
        Language::TypeScript => format!(
            " × {module} > {}\n   AssertionError: expected {left} to be {right}\n    at {module}.test.ts:{line}:5",
            name.replace('_', " ")
        ),
    }
}

/// Lines of a service's log.
pub(super) fn log(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let templates = [
        "INFO  {module}: {verb} {noun} id={large} rows={small}",
        "INFO  {module}: {thing} at {small} %",
        "DEBUG {module}: {act} {part} took {large} us",
        "WARN  {module}: {noun} {large} was late by {small} s",
        "INFO  {module}: {other} connected",
        "DEBUG {module}: next {noun} in {small} s",
    ];
    let mut stamp = Stamp::draw(rng);
    let mut page = Page::new(Vec::new());
    page.grow(room, || {
        let mut cast = words(rng);
        cast.set("module", subject.component.module.as_str());
        format!("{} {}", stamp.next(rng), cast.fill(pick(rng, &templates)))
    });
    page
}

/// What the compiler or type checker objects to.
pub(super) fn compiler(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let language = subject.world.language;
    let mut page = Page::new(Vec::new());
    page.grow(room, || complaint(language, &subject.component.dir, rng));
    page.tail.push(match language {
        Language::Rust => format!("error: could not compile due to {} errors", page.body.len()),
        Language::Python => format!("Found {} errors", page.body.len()),
        Language::TypeScript => format!("{} errors", page.body.len()),
    });
    page
}

fn complaint(language: Language, dir: &str, rng: &mut ChaCha8Rng) -> String {
    let cast = words(rng);
    let file = cast.fill("{noun}_{thing}");
    let (line, column) = (rng.random_range(10..500), rng.random_range(5..60));
    let code = super::source::statement(language, rng);
    match language {
        Language::Rust => {
            let kinds = [
                "error[E0308]: mismatched types: expected `{Noun}`, found `Option<{Noun}>`",
                "error[E0382]: use of moved value: `{noun}`",
                "error[E0425]: cannot find value `{part}` in this scope",
                "warning: unused variable: `{other}`",
            ];
            let kind = cast.fill(pick(rng, &kinds));
            format!(
                "{kind}\n  --> {dir}/{file}.rs:{line}:{column}\n{line:>4} |     {code}\n     |     ^^^^^\n"
            )
        }
        Language::Python => {
            let noun = pick(rng, NOUNS);
            let kinds = [
                "error: Argument 1 has incompatible type \"{Noun} | None\"; expected \"{Noun}\"",
                "error: \"{Noun}\" has no attribute \"{part}\"",
                "error: Name \"{other}\" is not defined",
            ];
            let kind = cast.fill(pick(rng, &kinds));
            format!("{dir}/{file}.py:{line}: {kind}  [{noun}]\n    {code}")
        }
        Language::TypeScript => {
            let kinds = [
                "error TS2345: Argument of type '{Noun} | undefined' is not assignable to '{Noun}'.",
                "error TS2339: Property '{part}' does not exist on type '{Noun}'.",
                "error TS2304: Cannot find name '{other}'.",
            ];
            let kind = cast.fill(pick(rng, &kinds));
            format!("{dir}/{file}.ts({line},{column}): {kind}\n  {code}")
        }
    }
}
