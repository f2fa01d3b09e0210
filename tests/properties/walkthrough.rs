//! CONTRIBUTING.md shows files as they are.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The blocks of code behind a marker: the file that it names, and the code.
fn blocks(marker: &str) -> Vec<(String, String)> {
    let text = read("CONTRIBUTING.md");
    let after = text.split(marker).skip(1);
    let block = |rest: &str| {
        let (file, rest) = rest.split_once(" -->\n```").expect("a block behind the marker");
        let (_, code) = rest.split_once('\n').expect("the language on a line of its own");
        let (code, _) = code.split_once("```\n").expect("the end of the block");
        (file.to_owned(), code.to_owned())
    };
    after.map(block).collect()
}

#[test]
fn the_walkthrough_shows_the_files_that_ship() {
    let shown = blocks("<!-- file: ");
    assert_eq!(shown.len(), 2, "strategy, pipeline");
    for (file, code) in shown {
        assert!(code == read(&file), "CONTRIBUTING.md shows another `{file}`: copy it again");
    }
}

#[test]
fn the_walkthrough_shows_lines_that_stand_where_it_says() {
    let shown = blocks("<!-- line of: ");
    assert_eq!(shown.len(), 1, "registry");
    for (file, code) in shown {
        let there = !code.trim().is_empty() && read(&file).contains(&code);
        assert!(there, "`{file}` has no such lines:\n{code}");
    }
}
