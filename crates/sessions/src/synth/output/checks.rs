//! Test runs and what compilers object to, in the manner of the language's tools.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Page, Subject, dialect, source, words};
use crate::synth::draw::pick;
use crate::synth::names::Language;

/// Whose tool reports.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Rust,
    Python,
    TypeScript,
    /// A part of the project that is written in Go.
    Go,
    /// One that is written in C.
    C,
}

fn manner(language: Language, neighbour: Manner, rng: &mut ChaCha8Rng) -> Manner {
    if rng.random_bool(0.2) {
        return neighbour;
    }
    match language {
        Language::Rust => Manner::Rust,
        Language::Python => Manner::Python,
        Language::TypeScript => Manner::TypeScript,
    }
}

/// A test run, passed or failed; `planted` failures are added by the caller.
pub(super) fn tests(
    subject: &Subject<'_>,
    room: usize,
    planted: usize,
    rng: &mut ChaCha8Rng,
) -> Page {
    run(subject, room, planted, 0.04, rng)
}

/// A test run in which something fails for sure.
pub(super) fn failing_tests(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    run(subject, room, 0, 0.3, rng)
}

fn run(
    subject: &Subject<'_>,
    room: usize,
    planted: usize,
    share: f64,
    rng: &mut ChaCha8Rng,
) -> Page {
    let manner = manner(subject.world.language, Manner::Go, rng);
    let module = subject.component.module.as_str();
    let mut page = Page::new(opening(manner, module, rng));
    let mut failures = Vec::new();
    let sure = share > 0.1;
    let mut run = 0_usize;
    page.grow(room * 2 / 3, || {
        run += 1;
        let name = words(rng).fill("{verbs}_{noun}");
        if (sure && run == 1) || rng.random_bool(share) {
            failures.push(failure(manner, module, &name, rng));
            return line(manner, module, &name, false, rng);
        }
        line(manner, module, &name, true, rng)
    });
    let failed = failures.len() + planted;
    let passed = run - failures.len();
    page.tail = failures;
    // A long run prints its warnings too.
    page.grow(room, || line(manner, module, &words(rng).fill("{act}_{other}"), true, rng));
    page.tail.push(closing(manner, module, passed, failed, rng));
    page
}

fn opening(manner: Manner, module: &str, rng: &mut ChaCha8Rng) -> Vec<String> {
    let count = rng.random_range(20..400);
    vec![match manner {
        Manner::Rust => format!(
            "   Compiling {module} v0.{count}.0\n    Finished `test` profile [unoptimized + debuginfo] target(s)\n\nrunning {count} tests"
        ),
        Manner::Python => format!("collected {count} items\n"),
        Manner::TypeScript => format!(" RUN  v2.1.{}\n", count % 10),
        Manner::Go | Manner::C => format!("?   \tinternal.example/{module}/cmd\t[no test files]"),
    }]
}

fn line(manner: Manner, module: &str, name: &str, passed: bool, rng: &mut ChaCha8Rng) -> String {
    let time = rng.random_range(1..900);
    let percent = rng.random_range(1..100);
    match manner {
        Manner::Rust => {
            format!("test {module}::tests::{name} ... {}", if passed { "ok" } else { "FAILED" })
        }
        Manner::Python => {
            let state = if passed { "PASSED" } else { "FAILED" };
            format!("tests/test_{module}.py::test_{name} {state} [{percent:>3}%]")
        }
        Manner::TypeScript => {
            let sign = if passed { '✓' } else { '×' };
            format!(" {sign} {module} > {} ({time} ms)", name.replace('_', " "))
        }
        Manner::Go | Manner::C => {
            let state = if passed { "PASS" } else { "FAIL" };
            format!("=== RUN   Test_{name}\n--- {state}: Test_{name} (0.{time:03}s)")
        }
    }
}

fn failure(manner: Manner, module: &str, name: &str, rng: &mut ChaCha8Rng) -> String {
    let (left, right) = (rng.random_range(0..40), rng.random_range(41..90));
    let at = rng.random_range(20..700);
    let cast = words(rng);
    let (noun, part) = (cast.get("noun").to_owned(), cast.get("part").to_owned());
    match manner {
        Manner::Rust => format!(
            "\n---- {module}::tests::{name} stdout ----\n\nthread '{module}::tests::{name}' panicked at {module}/tests.rs:{at}:9:\nassertion `left == right` failed: {part} of the {noun}\n  left: {left}\n right: {right}\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"
        ),
        Manner::Python => format!(
            "\n____ test_{name} ____\n\n    def test_{name}({noun}_factory):\n        rows = {noun}_factory({part}={left})\n>       assert len(rows) == {right}\nE       assert {left} == {right}\nE        +  where {left} = len([<{noun} {part}>, ...])\n\ntests/test_{module}.py:{at}: AssertionError"
        ),
        Manner::TypeScript => format!(
            "\n FAIL  {module}.test.ts > {}\nAssertionError: expected {left} to be {right} // Object.is equality\n\n- Expected\n+ Received\n\n- {right}\n+ {left}\n\n ❯ {module}.test.ts:{at}:5\n    {}|     const {part} = await {noun}();\n    {at}|     expect({part}).toBe({right});\n       |     ^",
            name.replace('_', " "),
            at - 1
        ),
        Manner::Go | Manner::C => format!(
            "    {module}_test.go:{at}: {noun}.{part}: got {left}, want {right}\n    --- FAIL: Test_{name}/{part} (0.00s)"
        ),
    }
}

fn closing(
    manner: Manner,
    module: &str,
    passed: usize,
    failed: usize,
    rng: &mut ChaCha8Rng,
) -> String {
    let (seconds, hundredths) = (rng.random_range(0..60), rng.random_range(10..99));
    match manner {
        Manner::Rust => format!(
            "\ntest result: {}. {passed} passed; {failed} failed; 0 ignored; 0 measured; finished in {seconds}.{hundredths}s",
            if failed == 0 { "ok" } else { "FAILED" }
        ),
        Manner::Python => {
            format!("=== {failed} failed, {passed} passed in {seconds}.{hundredths}s ===")
        }
        Manner::TypeScript => format!(
            "\n Tests  {failed} failed | {passed} passed\n Duration  {seconds}.{hundredths}s"
        ),
        Manner::Go | Manner::C => format!(
            "{}\tinternal.example/{module}\t{seconds}.{hundredths}s",
            if failed == 0 { "ok  " } else { "FAIL" }
        ),
    }
}

/// What the compiler or type checker objects to.
pub(super) fn compiler(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let manner = manner(subject.world.language, Manner::C, rng);
    let mut page = Page::new(Vec::new());
    page.grow(room, || complaint(manner, subject, rng));
    let count = page.body.len();
    page.tail.push(match manner {
        Manner::Rust => format!(
            "error: could not compile `{}` (lib) due to {count} previous errors; {} warnings emitted",
            subject.component.module,
            rng.random_range(1..40)
        ),
        Manner::Python => format!("Found {count} errors in {} files (checked {} source files)", count.div_ceil(2), rng.random_range(40..900)),
        Manner::TypeScript => format!("\nFound {count} errors in {} files.", count.div_ceil(2)),
        Manner::Go | Manner::C => format!("make: *** [native.o] Error {}", rng.random_range(1..3)),
    });
    page
}

fn complaint(manner: Manner, subject: &Subject<'_>, rng: &mut ChaCha8Rng) -> String {
    let mut cast = words(rng);
    let (line, column) = (rng.random_range(10..500_u32), rng.random_range(5..60_u32));
    let ending = match manner {
        Manner::Rust => "rs",
        Manner::Python => "py",
        Manner::TypeScript => "ts",
        Manner::Go | Manner::C => "c",
    };
    let dialect = dialect::of_file(&format!("x.{ending}"), subject.world.language);
    let code = source::statement(dialect, &words(rng), rng);
    let other = source::statement(dialect, &words(rng), rng);
    cast.set("file", format!("{}/{}.{ending}", subject.component.dir, cast.fill("{noun}_{thing}")));
    cast.set("line", line.to_string());
    cast.set("column", column.to_string());
    cast.set("next", (line + 1).to_string());
    cast.set("code", code);
    cast.set("more", other);
    cast.set("wide", " ".repeat(column as usize % 24));
    cast.fill(pick(rng, objections(manner)))
}

fn objections(manner: Manner) -> &'static [&'static str] {
    match manner {
        Manner::Rust => &[
            "error[E0308]: mismatched types\n  --> {file}:{line}:{column}\n   |\n{line} | {code}\n   |     {wide}^^^^^^ expected `{Noun}`, found `Option<{Noun}>`\n   |\n   = note: expected struct `{Noun}`\n                found enum `Option<{Noun}>`\nhelp: consider using `Option::expect` to unwrap the `Option<{Noun}>` value\n",
            "error[E0382]: use of moved value: `{noun}`\n  --> {file}:{next}:{column}\n   |\n{line} | {more}\n   |     {wide}---- value moved here\n{next} | {code}\n   |     {wide}^^^^ value used here after move\n   |\n   = note: move occurs because `{noun}` has type `{Noun}<{Other}>`, which does not implement the `Copy` trait\n",
            "error[E0425]: cannot find value `{part}` in this scope\n  --> {file}:{line}:{column}\n   |\n{line} | {code}\n   |     {wide}^^^^ help: a local variable with a similar name exists: `{thing}`\n",
            "warning: unused variable: `{other}`\n  --> {file}:{line}:{column}\n   |\n{line} | {code}\n   |     {wide}^^^^^ help: if this is intentional, prefix it with an underscore: `_{other}`\n   |\n   = note: `#[warn(unused_variables)]` on by default\n",
        ],
        Manner::Python => &[
            "{file}:{line}: error: Argument 1 to \"{verb}\" has incompatible type \"{Noun} | None\"; expected \"{Noun}\"  [arg-type]\n{code}",
            "{file}:{line}: error: \"{Noun}\" has no attribute \"{part}\"; maybe \"{thing}\"?  [attr-defined]\n{code}",
            "{file}:{line}: error: Name \"{other}\" is not defined  [name-defined]\n{code}",
            "{file}:{line}: note: See the overloads of \"{act}\" in {other}",
        ],
        Manner::TypeScript => &[
            "{file}({line},{column}): error TS2345: Argument of type '{Noun} | undefined' is not assignable to parameter of type '{Noun}'.\n  Type 'undefined' is not assignable to type '{Noun}'.\n\n{line} {code}\n{wide}~~~~~~\n",
            "{file}({line},{column}): error TS2339: Property '{part}' does not exist on type '{ id: number; {thing}: {Other}[]; {other}?: string | undefined; }'.",
            "{file}({line},{column}): error TS2304: Cannot find name '{other}'.\n\n{line} {code}\n{wide}~~~~\n",
        ],
        Manner::Go | Manner::C => &[
            "{file}: In function '{verb}_{noun}':\n{file}:{line}:{column}: error: passing argument 1 of '{act}_{other}' from incompatible pointer type [-Werror=incompatible-pointer-types]\n  {line} | {code}\n      | {wide}^~~~~~\n      | {wide}|\n      | {wide}struct {noun} *\n",
            "{file}:{line}:{column}: warning: unused variable '{part}' [-Wunused-variable]\n  {line} | {code}\n      | {wide}^~~~\n",
            "{file}:{line}:{column}: error: '{thing}' undeclared (first use in this function); did you mean '{part}'?\n  {line} | {code}\n      | {wide}^~~~\n",
        ],
    }
}
