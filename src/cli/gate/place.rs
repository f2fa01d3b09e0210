//! Where a pipeline's file was changed.

use std::path::Path;

use crate::gate::Place;

/// A line of a file, as the repository knows the file: relative where that can be said.
pub(super) fn place(path: &Path, line: usize) -> Place {
    let here = std::env::current_dir().ok();
    let relative = here.as_ref().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
    Place { file: relative.display().to_string().replace('\\', "/"), line }
}

/// Where the stages begin.
pub(super) fn first_stage(text: &str) -> usize {
    line_of(text, |line| line.trim_start().starts_with("[[stage]]"))
}

/// The first line that another text does not have: of the stages, or else before them,
/// where names are; where there is none, the stages.
pub(super) fn first_change(before: &str, text: &str) -> usize {
    let parts = |text: &str| first_stage(text).saturating_sub(1);
    let (before, there): (Vec<&str>, usize) = (before.lines().collect(), parts(before));
    let (own, here): (Vec<&str>, usize) = (text.lines().collect(), parts(text));
    let (before, own) =
        (before.split_at(there.min(before.len())), own.split_at(here.min(own.len())));
    let of_stages = changed(before.1, own.1).map(|place| here + place);
    of_stages.or_else(|| changed(before.0, own.0)).unwrap_or(here) + 1
}

/// The first line that is new, comments aside, else the first that is not where it was.
fn changed(before: &[&str], own: &[&str]) -> Option<usize> {
    let is_new = |line: &&str| !line.trim_start().starts_with('#') && !before.contains(line);
    let moved = || own.iter().zip(before).position(|(line, other)| line != other);
    own.iter().position(is_new).or_else(moved)
}

fn line_of(text: &str, is: impl Fn(&str) -> bool) -> usize {
    text.lines().position(is).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_the_one_that_changed() {
        let text = "name = \"a\"\n\n[[stage]]\nx = 1\n";
        assert_eq!(first_stage(text), 3);
        assert_eq!(first_change(text, text), 3);
        assert_eq!(first_change(text, &text.replace("x = 1", "x = 2")), 4);
        assert_eq!(first_change("", text), 3);
        assert_eq!(first_change(text, &text.replace("\"a\"", "\"b\"").replace("x = 1", "y")), 4);
        assert_eq!(first_change(text, &text.replace("\"a\"", "\"b\"")), 1);
        // Lines above it move it, and are not it.
        let below = format!("# why\n{}", text.replace("x = 1", "x = 2"));
        assert_eq!(first_change(text, &below), 5);
        assert_eq!(first_change("[[stage]]\na\nb\n", "[[stage]]\nb\na\n"), 2);
    }
}
