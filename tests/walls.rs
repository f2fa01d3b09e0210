//! The walls of the house: imports run downward only, the two wings do not see each
//! other, files stay short and are named for what they do, and only the command line
//! prints.

mod english;
mod knots;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proctor::measure::MetricId;

/// The modules of each storey, lowest first; the two halves of L2 are wings that do
/// not see each other. Modules of one storey and wing may use each other.
const STOREYS: &[(u8, &str, &[&str])] = &[
    (
        0,
        "vocabulary",
        &[
            "bounds", "config", "embedded", "error", "ident", "memo", "number", "parallel",
            "record", "sanitize", "unit",
        ],
    ),
    (1, "the log", &["log", "token"]),
    (
        2,
        "mechanism",
        &[
            "answer",
            "apply",
            "archive",
            "overlay",
            "pipeline",
            "plan",
            "pressure",
            "strategy",
            "summarize",
            "view",
        ],
    ),
    (2, "truth", &["extract", "import", "masking", "synth", "truth"]),
    (
        3,
        "experiment",
        &[
            "cache",
            "drive",
            "matrix",
            "perfect",
            "price",
            "scenario",
            "simulated",
            "testkit",
            "trace",
            "watch",
        ],
    ),
    (4, "measurement", &["measure", "row", "stats"]),
    (5, "record", &["derive", "frame", "run", "run_dir", "secrets"]),
    (
        6,
        "evidence",
        &["audit", "compare", "fit", "gate", "history", "merge", "question", "tune", "verify"],
    ),
    (7, "pictures", &["chart", "report", "site"]),
    (8, "command line", &["cli", "main"]),
];

/// What all rooms of a crate import. It is no room: its imports are theirs.
const PRELUDE: &str = "prelude.rs";

/// Imports that break the rule all the same: (file, module, reason).
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Most lines of a file, tests included.
const LONGEST: usize = 500;
/// Names that say nothing.
const EMPTY_NAMES: [&str; 7] = ["utils", "util", "manager", "helper", "helpers", "misc", "common"];
const PRINTING: [&str; 5] = ["println!", "eprintln!", "print!", "eprint!", "dbg!"];

struct Source {
    /// Relative to `src`, with forward slashes.
    name: String,
    text: String,
}

impl Source {
    /// The module of the crate root that it belongs to.
    fn module(&self) -> &str {
        let first = self.name.split('/').next().unwrap_or(&self.name);
        first.trim_end_matches(".rs")
    }

    fn is_test(&self) -> bool {
        let stem = self.name.trim_end_matches(".rs");
        stem.ends_with("/tests") || stem.contains("/tests/") || stem.ends_with("/fixture")
    }

    /// Without comments and without the test module at its end.
    fn code(&self) -> String {
        let lines = self.text.lines().take_while(|line| !line.starts_with("mod tests {"));
        let code = lines.filter(|line| !line.trim_start().starts_with("//"));
        code.map(|line| format!("{line}\n")).collect()
    }

    /// The modules of the crate root that its code names.
    fn names(&self) -> BTreeSet<String> {
        let code = self.code();
        let mut named = BTreeSet::new();
        for (start, _) in code.match_indices("crate::") {
            let before = code[..start].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
                continue;
            }
            let rest = &code[start + "crate::".len()..];
            match rest.strip_prefix('{') {
                Some(group) => named.extend(heads(group)),
                None => named.extend(head(rest)),
            }
        }
        named
    }
}

/// The first segment of a path.
fn head(path: &str) -> Option<String> {
    let end = path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
    let name = &path[..end];
    // A type, a function or a macro of the crate root is no module.
    let is_module =
        name.starts_with(|c: char| c.is_ascii_lowercase()) && !["parsed", "words"].contains(&name);
    is_module.then(|| name.to_owned())
}

/// The first segments of a group of paths, up to its closing brace.
fn heads(group: &str) -> Vec<String> {
    let (mut depth, mut found, mut start) = (0, Vec::new(), 0);
    for (place, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.extend(head(group[start..place].trim_start()));
                start = place + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// The crates whose rooms stand on storeys. The walls between crates are Cargo's.
const STOREYED: [&str; 5] = [".", "crates/core", "crates/sessions", "crates/eval", "crates/report"];
/// All crates of the workspace.
const CRATES: [&str; 10] = [
    ".",
    "crates/core",
    "crates/strategies",
    "crates/live",
    "crates/serve",
    "crates/sessions",
    "crates/stats",
    "crates/eval",
    "crates/report",
    "studies",
];

fn sources_of(member: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(member).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let read = |path: &PathBuf| Source {
        name: path.strip_prefix(&root).expect("under src").to_string_lossy().replace('\\', "/"),
        text: fs::read_to_string(path).expect("a readable source file"),
    };
    files.iter().map(read).collect()
}

fn sources_in(members: &[&str]) -> Vec<Source> {
    members.iter().flat_map(|member| sources_of(member)).collect()
}

fn sources() -> Vec<Source> {
    sources_in(&CRATES)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn storey(module: &str) -> Option<(u8, &'static str)> {
    let found = STOREYS.iter().find(|(_, _, modules)| modules.contains(&module));
    found.map(|(level, wing, _)| (*level, *wing))
}

/// Why a module may not name another.
fn fault(from: &str, to: &str) -> Option<String> {
    let (Some((from_level, from_wing)), Some((to_level, to_wing))) = (storey(from), storey(to))
    else {
        return Some(format!("`{from}` or `{to}` stands on no storey"));
    };
    if to_level > from_level {
        return Some(format!("L{from_level} {from_wing} looks up to L{to_level} {to_wing}"));
    }
    (to_level == from_level && to_wing != from_wing)
        .then(|| format!("{from_wing} sees {to_wing} through the wall"))
}

fn is_excepted(file: &str, module: &str) -> bool {
    EXCEPTIONS.iter().any(|(known, to, _)| *known == file && *to == module)
}

#[test]
fn imports_run_downward_and_the_wings_do_not_see_each_other() {
    let mut faults = Vec::new();
    for member in STOREYED {
        let own = sources_of(member);
        let prelude = own.iter().find(|source| source.name == PRELUDE).map(Source::names);
        let rooms = own.iter().filter(|source| !["lib.rs", PRELUDE].contains(&&*source.name));
        for source in rooms.filter(|source| !source.is_test()) {
            let mut named = source.names();
            // Who takes the prelude names all that stands in it.
            if named.remove("prelude") {
                named.extend(prelude.clone().expect("a prelude that is named exists"));
            }
            named.remove(source.module());
            let faulty = named.iter().filter(|named| !is_excepted(&source.name, named));
            faults.extend(faulty.filter_map(|named| {
                let fault = fault(source.module(), named)?;
                Some(format!("{member}/src/{} names `{named}`: {fault}", source.name))
            }));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_exception_is_still_needed() {
    for (file, module, reason) in EXCEPTIONS {
        let source = sources().into_iter().find(|source| source.name == *file);
        let names = source.map_or_else(BTreeSet::new, |source| source.names());
        assert!(names.contains(*module), "src/{file} no longer names `{module}` ({reason})");
    }
}

#[test]
fn every_module_stands_on_a_storey() {
    let own = sources_in(&STOREYED);
    let libraries = own.iter().filter(|source| source.name == "lib.rs");
    let declared = libraries.flat_map(|library| library.text.lines());
    let declared = declared.filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let homeless: Vec<&str> = declared.filter(|module| storey(module).is_none()).collect();
    assert!(homeless.is_empty(), "modules without a storey: {homeless:?}");
}

/// What strategies and summarizers may never see.
const TRUTH: [&str; 4] = ["truth", "trace", "watch", "drive"];

#[test]
fn strategies_and_summarizers_see_nothing_of_the_truth() {
    for member in ["crates/strategies", "crates/live"] {
        for source in sources_of(member).iter().filter(|source| !source.is_test()) {
            // What tests see is imported below the line that says so.
            let code = source.code();
            let code = code.split("#[cfg(test)]").next().unwrap_or_default();
            for (start, _) in code.match_indices("proctor_core::") {
                let rest = &code[start + "proctor_core::".len()..];
                let named = match rest.strip_prefix('{') {
                    Some(group) => heads(group),
                    None => head(rest).into_iter().collect(),
                };
                let seen = named.iter().find(|name| TRUTH.contains(&name.as_str()));
                assert!(seen.is_none(), "{member}: {} names {seen:?}", source.name);
            }
        }
    }
}

#[test]
fn no_file_is_long() {
    let long: Vec<String> = sources()
        .iter()
        .map(|source| (source.text.lines().count(), &source.name))
        .filter(|(lines, _)| *lines > LONGEST)
        .map(|(lines, name)| format!("src/{name}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn every_file_is_named_for_what_it_does() {
    for source in sources() {
        let mut parts = source.name.trim_end_matches(".rs").split('/');
        assert!(!parts.any(|part| EMPTY_NAMES.contains(&part)), "src/{}", source.name);
        assert!(!source.name.ends_with("mod.rs"), "src/{}", source.name);
    }
}

#[test]
fn only_the_command_line_prints() {
    let printers = ["cli", "main"];
    let own = sources_in(&CRATES[..8]);
    for source in own.iter().filter(|source| !printers.contains(&source.module())) {
        for printing in PRINTING {
            assert!(!source.code().contains(printing), "src/{} uses {printing}", source.name);
        }
    }
}

#[test]
fn a_fault_is_seen() {
    for (text, expected) in [
        ("use crate::view::View;", &["view"][..]),
        ("use crate::{log::{Log, Role}, truth};", &["log", "truth"]),
        ("let x = crate::unit::Tokens(1);", &["unit"]),
        ("/// [`Log`](crate::log::Log)\nfn f() {}", &[]),
        ("    // crate::log\n", &[]),
        ("fn f() {}\n#[cfg(test)]\nmod tests { use crate::drive; }", &[]),
    ] {
        let source = Source { name: "x.rs".to_owned(), text: text.to_owned() };
        assert_eq!(source.names().iter().collect::<Vec<_>>(), expected, "{text}");
    }
    for (from, to, is_fault) in [
        ("view", "truth", true),
        ("truth", "view", true),
        ("plan", "drive", true),
        ("drive", "plan", false),
        ("view", "apply", false),
        ("log", "unit", false),
        ("unit", "log", true),
        ("perfect", "truth", false),
    ] {
        assert_eq!(fault(from, to).is_some(), is_fault, "{from} names {to}");
    }
}

/// The text of plain string literals in code.
fn literals(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find('"') {
        let body = &rest[start + 1..];
        let end = body
            .char_indices()
            .scan(false, |escaped, (place, c)| {
                let is_end = c == '"' && !*escaped;
                *escaped = c == '\\' && !*escaped;
                Some((place, is_end))
            })
            .find_map(|(place, is_end)| is_end.then_some(place));
        let Some(end) = end else { break };
        found.push(&body[..end]);
        rest = &body[end + 1..];
    }
    found
}

#[test]
fn metrics_are_named_in_their_table_alone() {
    // A name of one word is a word like any other: `violations`, `losses`.
    let is_name = |text: &&str| text.contains(['.', '_']) && MetricId::named(text).is_some();
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "crates", "studies/src"] {
        collect(&root.join(folder), &mut files);
    }
    let read = |path: &PathBuf| Source {
        name: path.display().to_string().replace('\\', "/"),
        text: fs::read_to_string(path).expect("a readable source file"),
    };
    for source in files.iter().map(read).filter(|source| !source.is_test()) {
        if source.name.contains("/tests/") {
            continue;
        }
        let code = source.code();
        found.extend(
            literals(&code).into_iter().filter(is_name).map(|id| format!("{}: {id}", source.name)),
        );
    }
    assert_eq!(found, Vec::<String>::new(), "write `MetricId::...`");
}

#[test]
fn literals_end_where_they_end() {
    assert_eq!(literals(r#"a("x.y", "b \" c", "")"#), ["x.y", r#"b \" c"#, ""]);
}
