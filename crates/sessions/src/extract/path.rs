//! File paths, and the shortest part of each that names it alone.

use super::Draft;
use super::data::ARTIFACTS;
use crate::prelude::*;

pub(super) fn in_text(text: &str) -> impl Iterator<Item = String> {
    ARTIFACTS.path.find_iter(text).filter_map(|found| {
        // An address on the web is no file, nor is what tools install or keep.
        let before = &text.as_bytes()[..found.start()];
        let path = found.as_str().trim_start_matches("./").trim_start_matches(".../");
        let pattern = before.ends_with(b"*") || before.ends_with(b"}");
        let foreign = before.ends_with(b":/") || before.ends_with(b"://") || before.ends_with(b"@");
        let kept = ["node_modules/", ".git/", "//"].iter().any(|part| path.contains(part));
        let stem = path.rsplit('/').next().and_then(|name| name.split('.').next());
        let named = stem.is_some_and(|stem| stem.len() > 2);
        let ending = path.rsplit('.').next().unwrap_or_default();
        let alone = ARTIFACTS.imported.contains(ending) && !path.starts_with(['/', '~'])
            || ARTIFACTS.fields.contains(ending) && !path.contains('/');
        let address = path.contains('@') && !path.contains('/');
        (!address && !foreign && !kept && !pattern && named && !alone).then(|| path.to_owned())
    })
}

/// One fact per file. Its needle is the shortest tail of its path that belongs to no other file.
pub(super) fn drafts(paths: &BTreeSet<String>) -> Vec<Draft> {
    let paths = without_diff_sides(paths);
    let longest = longest(&paths);
    let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
    for tail in longest.iter().flat_map(|path| tails(path)) {
        *owners.entry(tail).or_default() += 1;
    }
    let alone = |tail: &&str| owners.get(*tail) == Some(&1);
    longest
        .iter()
        .filter_map(|path| {
            let own = shown_tails(path).filter(|tail| !is_common(tail)).find(alone)?;
            // What people read is the path as short as the session ever shows it.
            let statement = shown_tails(path).find(|tail| tail.len() >= own.len())?;
            let needles = vec![Needle::Code(own.to_owned())];
            Some(Draft::new(FactKind::Path, statement.to_owned(), needles))
        })
        .collect()
}

/// `a/x.go` and `b/x.go`, as a diff shows the two sides of one file, are `x.go`.
fn without_diff_sides(paths: &BTreeSet<String>) -> BTreeSet<String> {
    let side = |path: &str| {
        let (side, rest) = path.split_once('/')?;
        let other = match side {
            "a" => "b",
            "b" => "a",
            _ => return None,
        };
        let shown = paths.contains(rest) || paths.contains(&format!("{other}/{rest}"));
        shown.then(|| rest.to_owned())
    };
    paths.iter().map(|path| side(path).unwrap_or_else(|| path.clone())).collect()
}

/// The text with its paths blanked, for what must not take a part of one for a name.
pub(super) fn blanked(text: &str) -> String {
    ARTIFACTS.path.replace_all(text, " ").into_owned()
}

fn is_common(tail: &str) -> bool {
    ARTIFACTS.common_files.contains(tail) || tail.len() < 6
}

/// Paths that are not the tail of another, which is taken for the same file.
fn longest(paths: &BTreeSet<String>) -> Vec<&str> {
    let shorter = |path| shown_tails(path).filter(move |tail| tail.len() < path.len());
    let inner: BTreeSet<&str> = paths.iter().flat_map(|path| shorter(path.as_str())).collect();
    paths.iter().map(String::as_str).filter(|path| !inner.contains(path)).collect()
}

/// The path's tails by whole components, shortest first, itself last.
fn shown_tails(path: &str) -> impl Iterator<Item = &str> {
    let starts = path.rmatch_indices('/').map(|(place, _)| place + 1).filter(|start| *start > 0);
    starts.chain([0]).map(|start| &path[start..]).filter(|tail| !tail.is_empty())
}

/// All tails in which a needle would be found: from any place behind no part of a word.
fn tails(path: &str) -> impl Iterator<Item = &str> {
    let bytes = path.as_bytes();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts =
        (0..bytes.len()).filter(move |&at| at == 0 || !word(bytes[at - 1]) || !word(bytes[at]));
    starts.filter_map(|start| path.get(start..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_several_files_share_needs_more_of_the_path() {
        for (paths, expected) in crate::cases::<(BTreeSet<String>, Vec<String>)>("needles") {
            let drafts = drafts(&paths);
            let needles: Vec<&str> = drafts.iter().map(|draft| draft.needles[0].text()).collect();
            assert_eq!(needles, expected, "{paths:?}");
        }
    }

    #[test]
    fn paths_are_found_in_text_and_addresses_are_not() {
        for (text, expected) in crate::cases::<(String, Vec<String>)>("paths") {
            assert_eq!(in_text(&text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
