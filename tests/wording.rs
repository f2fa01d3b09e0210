//! Wordings that readers stumbled over do not come back into what readers see.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// A wording, and what is written in its place.
const BANNED: [(&str, &str); 26] = [
    (r"anew", "again"),
    (r"owed to", "due to"),
    (r"dearer", "costs more"),
    (r"whoever", "a person who"),
    (r"thereby|hence|whilst|amongst|wherein|aforementioned", "a plain word"),
    (r"as it were|so to speak|in a manner of speaking", "nothing"),
    (r"which is not to say", "a sentence of its own"),
    (r"such as ask", "those that ask"),
    (r"comes? by again", "is found again"),
    (r"leaves? away|left away", "leaves out"),
    (r"tells? apart", "distinguishes"),
    (r"is told (?:by|from) its", "is recognized by its"),
    (r"recall and all", "the words themselves"),
    (r"who lives, who", "which finish, which"),
    (r"any engine that can count", "any scheduler"),
    (r"every one of 1\b", "the one"),
    (r"on under eight", "on fewer than eight"),
    (r"so are the words", "a sentence of its own"),
    (r"for lack of", "because there is no"),
    (r"be it|albeit|notwithstanding", "a plain word"),
    (r"utiliz(?:e|es|ed|ing)", "use"),
    (r"leverag(?:e|es|ed|ing)", "use"),
    (r"seamless(?:ly)?|blazing(?:ly)?|powerful|robust(?:ly)?", "a figure"),
    (r"simply|obviously|of course|needless to say", "nothing"),
    (r"in order to", "to"),
    (r"it should be noted|note that", "the sentence itself"),
];

#[test]
fn no_text_for_readers_has_a_banned_wording() {
    let mut wrong = Vec::new();
    let code = Regex::new(r"(?s)```.*?```|`[^`\n]*`|\{%.*?%\}|\{#.*?#\}").unwrap();
    let banned = BANNED.map(|(wording, instead)| {
        (Regex::new(&format!(r"(?i)\b(?:{wording})\b")).unwrap(), instead)
    });
    for file in texts() {
        let text = fs::read_to_string(&file).unwrap();
        // Lines stay as they are, so that a finding has its number.
        let blank = |found: &regex::Captures| "\n".repeat(found[0].matches('\n').count());
        let text = code.replace_all(&text, blank);
        for (number, line) in text.lines().enumerate() {
            for (wording, instead) in &banned {
                if let Some(found) = wording.find(line) {
                    let file = file.display();
                    let found = found.as_str();
                    wrong.push(format!("{file}:{}: “{found}”: write {instead}", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The documents, the report's and the site's templates, the help, and the metrics' definitions.
fn texts() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        ("", "md"),
        ("docs", "md"),
        ("crates/report/src/report/templates", "md"),
        ("crates/report/assets", "html"),
        ("crates/report/assets/site", "html"),
        ("src/cli/help", "txt"),
    ];
    let files = folders.iter().flat_map(|(folder, suffix)| {
        let files = fs::read_dir(root.join(folder)).unwrap().map(|file| file.unwrap().path());
        files.filter(move |file| file.extension().is_some_and(|own| own == *suffix))
    });
    let single = ["scenarios/FORMAT.md", "scenarios/proctor-1.md", "crates/eval/data/metrics.toml"];
    let all: Vec<PathBuf> = files.chain(single.iter().map(|file| root.join(file))).collect();
    assert!(all.len() > 40, "{} files", all.len());
    all
}
