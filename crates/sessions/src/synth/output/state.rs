//! What commands print where it follows from the state of a project.

use super::checks::{self, failure, named};
use super::page::{Page, Subject, revision, words};
use crate::synth::prelude::*;

/// A test of a run.
pub(in crate::synth) struct Case<'a> {
    pub name: &'a str,
    /// Why it fails: what its message is drawn from, and the lines that are at fault.
    pub cause: Option<(Seed, Vec<String>)>,
}

/// A line of a file that a build has something to say about.
pub(in crate::synth) struct Place<'a> {
    pub file: &'a str,
    /// From 1.
    pub line: usize,
    pub text: &'a str,
    pub before: &'a str,
    /// What the message is drawn from.
    pub draws: Seed,
}

/// A run of these tests, with the lines of others: those that fail as well, and those that do not.
pub(in crate::synth) fn test_run(
    subject: &Subject<'_>,
    cases: &[Case<'_>],
    [failing, other]: &[Vec<String>; 2],
    rng: &mut ChaCha8Rng,
) -> String {
    let templates = &subject.world.dialect.tests;
    let module = subject.component.module.as_str();
    let failed = failing.len() + cases.iter().filter(|case| case.cause.is_some()).count();
    let passed = cases.len() + failing.len() - failed;
    let mut page = Page::new(vec![counted(&templates.opening, module, [passed, failed], rng)]);
    for (number, case) in (1..).zip(cases) {
        let (named, done) = (named(module, case.name), Some(100 * number / cases.len()));
        page.body.push(checks::line(templates, named.clone(), case.cause.is_some(), done, rng));
        if let Some((draws, lines)) = &case.cause {
            page.tail.push(failure(templates, &named, &mut draws.rng()));
            page.tail.extend(lines.iter().cloned());
        }
    }
    spread(&mut page.body, &[&failing[..], other].concat());
    let closing = &templates.closing[usize::from(failed > 0)];
    page.tail.push(counted(closing, module, [passed, failed], rng));
    page.text()
}

/// A run of the one test whose line this is. It passes.
pub(in crate::synth) fn one_test(
    subject: &Subject<'_>,
    line: String,
    rng: &mut ChaCha8Rng,
) -> String {
    let (templates, module) = (&subject.world.dialect.tests, &subject.component.module);
    let [opening, closing] = [&templates.opening, &templates.closing[0]]
        .map(|template| counted(template, module, [1, 0], rng));
    [opening, line, closing].join("\n")
}

fn counted(
    template: &str,
    module: &str,
    [passed, failed]: [usize; 2],
    rng: &mut ChaCha8Rng,
) -> String {
    // The version of the tool.
    let (count, digit) = ((passed + failed).to_string(), (module.len() % 10).to_string());
    let (passed, failed) = (passed.to_string(), failed.to_string());
    let seconds = Cast::default().drawn("{0..60}.{10..99}", rng);
    let slots = [
        ("module", module),
        ("count", &*count),
        ("digit", &*digit),
        ("passed", &*passed),
        ("failed", &*failed),
        ("seconds", &*seconds),
    ];
    Cast::from(slots).fill(template)
}

/// A build that stops at these errors and at those told. As far as there is room it warns of the
/// other places, in their order.
pub(in crate::synth) fn build(
    subject: &Subject<'_>,
    errors: &[Place<'_>],
    told: &[String],
    others: &[Place<'_>],
    tokens: u32,
    rng: &mut ChaCha8Rng,
) -> String {
    let dialect = subject.world.dialect;
    let (objections, build) = (&dialect.compiler.objections, &dialect.build);
    let objections = &objections[..build.errors.min(objections.len())];
    let mut page = Page::new(Vec::new());
    page.body.extend(errors.iter().map(|place| objection(objections, place)));
    let said = page.body.len() + told.len();
    let mut others = others.iter();
    while page.text().len() < super::room(Look::Compiler, tokens)
        && let Some(place) = others.next()
    {
        page.body.push(objection(&build.warnings, place));
    }
    let warned = page.body.len() - errors.len();
    spread(&mut page.body, told);
    let closing = &build.closing[usize::from(said > 0)];
    let [count, warnings] = [said, warned].map(|count| count.to_string());
    let files = errors.iter().map(|place| place.file).collect::<BTreeSet<&str>>().len().max(1);
    let (files, seconds) = (files.to_string(), Cast::default().drawn("{0..60}.{10..99}", rng));
    let slots = [
        ("module", &*subject.component.module),
        ("count", &count),
        ("warnings", &warnings),
        ("files", &files),
        ("seconds", &seconds),
    ];
    page.tail.push(Cast::from(slots).fill(closing));
    page.text()
}

/// Puts lines among others, as far from each other as they can be.
fn spread(body: &mut Vec<String>, lines: &[String]) {
    let others = body.len();
    for (number, line) in lines.iter().enumerate() {
        body.insert((number + 1) * others / (lines.len() + 1) + number, line.clone());
    }
}

/// What a compiler says of a place, the same each time.
fn objection(templates: &[String], place: &Place<'_>) -> String {
    let mut rng = place.draws.rng();
    let mut cast = words(&mut rng);
    let indent = place.text.len() - place.text.trim_start().len();
    cast.set("file", place.file);
    cast.set("line", place.line.to_string());
    cast.set("next", (place.line + 1).to_string());
    cast.set("column", (indent + 1).to_string());
    cast.set("code", place.text);
    cast.set("more", place.before);
    cast.set("wide", " ".repeat(indent));
    cast.fill(pick_line(&mut rng, templates))
}

/// The numbered line of a service's log, the same whenever it is shown: one every three seconds.
pub(in crate::synth) fn log_line(
    domain: &DomainForm,
    module: &str,
    number: u64,
    seed: Seed,
) -> String {
    let service = seed.derive(&["log", module]);
    // Lines that point into code would point at none.
    let lines = &pick_ref(&mut service.rng(), domain.logs()).lines;
    let lines: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| !line.contains('\n')).collect();
    let mut rng = service.derive(&[&number.to_string()]).rng();
    let mut cast = words(&mut rng);
    let (time, day) = clock(number, &mut rng);
    cast.set("module", module);
    cast.set("time", time);
    cast.set("day", day);
    cast.set("request", revision(&mut rng));
    cast.fill(pick(&mut rng, &lines))
}

/// The line by which a service says what is at fault.
pub(in crate::synth) fn log_error(module: &str, number: u64, cause: &str, seed: Seed) -> String {
    let (time, _) = clock(number, &mut seed.derive(&["error", &number.to_string()]).rng());
    format!("{time} ERROR {module}: failed at {cause}")
}

fn clock(number: u64, rng: &mut ChaCha8Rng) -> (String, String) {
    let (seconds, millis) = (3 * number + rng.random_range(0..3_u64), rng.random_range(0..1_000));
    let (hours, minutes, day) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds / 86_400);
    let time = format!("{hours:02}:{minutes:02}:{:02}.{millis:03}", seconds % 60);
    (time, format!("2024-{:02}-{:02}", day / 28 % 12 + 1, day % 28 + 1))
}

/// A line of a listing: a file with its size in bytes.
pub(in crate::synth) fn entry(name: &str, size: usize, draws: Seed) -> String {
    let mut rng = draws.derive(&["entry", name]).rng();
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Sep", "Oct", "Nov"];
    let month = pick(&mut rng, &months);
    let date = Cast::default().drawn("{10..29} {10..24}:{10..60}", &mut rng);
    format!("-rw-r--r--  1 build  staff  {size:>6} {month} {date} {name}")
}

/// The answer of a service to a request, the same each time.
pub(in crate::synth) fn answer(tokens: u32, draws: Seed) -> String {
    super::lines::answer(super::room(Look::Json, tokens), &mut draws.rng()).text()
}

/// What a commit is called.
pub(in crate::synth) fn subject_of(rng: &mut ChaCha8Rng) -> String {
    sentence(&words(rng).fill("{verb} the {noun} {part}"))
}

/// What names a commit.
pub(in crate::synth) fn name_of(rng: &mut ChaCha8Rng) -> String {
    revision(rng)
}

/// A line of code that calls what has this name, in languages with such lines.
pub(in crate::synth) fn call_of(
    name: &str,
    dialect: &Dialect,
    rng: &mut ChaCha8Rng,
) -> Option<String> {
    let calls: Vec<&str> = dialect
        .statements
        .iter()
        .map(String::as_str)
        .filter(|line| line.contains("{act}("))
        .collect();
    let mut cast = words(rng);
    cast.set("act", name);
    (!calls.is_empty()).then(|| cast.fill(pick(rng, &calls)))
}
