//! No two files of a crate import each other. A module and what stands below it count as
//! one: a parent names its children, and they use what it shares.

use std::collections::{BTreeMap, BTreeSet};

use super::{CRATES, Source, sources_of};

/// The path of a file's module in its crate: `a/b.rs` is `a::b`.
fn module(file: &str) -> Vec<String> {
    let stem = file.trim_end_matches(".rs");
    if matches!(stem, "lib" | "main") {
        return Vec::new();
    }
    stem.split('/').map(str::to_owned).collect()
}

/// The paths that a `use` tree names, groups taken apart.
fn paths(tree: &str) -> Vec<String> {
    let Some(open) = tree.find('{') else {
        return vec![tree.split(" as ").next().unwrap_or(tree).trim().to_owned()];
    };
    let (prefix, inner) = (&tree[..open], tree[open + 1..].trim_end().trim_end_matches('}'));
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (place, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let named = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
    named.flat_map(|part| paths(&format!("{prefix}{part}"))).collect()
}

/// The segments of a path from the root of the crate, where it is one of the crate.
fn from_root(path: &str, own: &[String]) -> Option<Vec<String>> {
    let mut base = own.to_vec();
    let mut rest = path.split("::").map(str::trim).peekable();
    match *rest.peek()? {
        "crate" => base.clear(),
        "self" | "super" => {}
        _ => return None,
    }
    for segment in rest {
        match segment {
            "crate" | "self" => {}
            "super" => drop(base.pop()),
            segment => base.push(segment.to_owned()),
        }
    }
    Some(base)
}

/// The modules that a file imports.
fn imports(source: &Source, known: &BTreeSet<Vec<String>>) -> BTreeSet<Vec<String>> {
    let own = module(&source.name);
    let code = source.code();
    let statements = code.split(';').filter_map(|text| {
        let start = text.rfind("\nuse ").map(|start| start + 5);
        let start = start.or_else(|| text.rfind("\npub use ").map(|start| start + 9))?;
        Some(text[start..].replace('\n', " "))
    });
    let named = statements.flat_map(|tree| paths(&tree));
    let found = named.filter_map(|path| from_root(&path, &own)).filter_map(|mut path| {
        while !path.is_empty() && !known.contains(&path) {
            path.pop();
        }
        (!path.is_empty()).then_some(path)
    });
    found.filter(|other| !other.starts_with(&own) && !own.starts_with(other)).collect()
}

/// Pairs of modules that import each other.
fn knots(sources: &[Source]) -> Vec<String> {
    let sources: Vec<&Source> = sources.iter().filter(|source| !source.is_test()).collect();
    let known: BTreeSet<Vec<String>> = sources.iter().map(|source| module(&source.name)).collect();
    let all: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> =
        sources.iter().map(|source| (module(&source.name), imports(source, &known))).collect();
    let pairs = all.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    let mutual = pairs.filter(|(from, to)| from < to && all[*to].contains(*from));
    mutual.map(|(one, other)| format!("{} and {}", one.join("::"), other.join("::"))).collect()
}

#[test]
fn no_two_files_import_each_other() {
    for member in CRATES {
        assert_eq!(knots(&sources_of(member)), Vec::<String>::new(), "in {member}");
    }
}

#[test]
fn a_knot_is_seen() {
    let source = |name: &str, text: &str| Source { name: name.to_owned(), text: text.to_owned() };
    let knotted = [
        source("a.rs", "//! A.\n\nuse crate::b::{c::D, E};\nuse std::fmt;\n"),
        source("a/x.rs", "\nuse super::A;\n"),
        source("b.rs", "\nmod c;\n"),
        source("b/c.rs", "\nuse super::super::a as other;\n"),
    ];
    assert_eq!(knots(&knotted), ["a and b::c"]);
    assert_eq!(paths("crate::{a::{B, c as d}, e}"), ["crate::a::B", "crate::a::c", "crate::e"]);
}
