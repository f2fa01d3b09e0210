//! The pages of the book that show commands, run word for word: what they write into files, what
//! they run, and what they say that it prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What a fenced block of a page is there for.
#[derive(Debug, PartialEq)]
enum Block {
    /// `<!-- file: NAME -->` stands before it.
    File(String, String),
    /// Its language is `sh`.
    Run(String),
    /// `<!-- output -->` stands before it.
    Output(String),
}

fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut mark) = (Vec::new(), "");
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            mark = line;
            continue;
        };
        let text = lines.by_ref().take_while(|line| *line != "```");
        let text: String = text.map(|line| format!("{line}\n")).collect();
        let named = mark.strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->"));
        match (named, mark, language) {
            (Some(name), ..) => blocks.push(Block::File(name.to_owned(), text)),
            (None, "<!-- output -->", _) => blocks.push(Block::Output(text)),
            (None, _, "sh") => blocks.push(Block::Run(text)),
            _ => {}
        }
        mark = "";
    }
    blocks
}

/// The first line that is not printed, or not in its order. `…` stands for anything.
fn missing<'a>(shown: &'a str, printed: &str) -> Option<&'a str> {
    let mut printed = printed.lines();
    shown.lines().filter(|line| *line != "…").find(|line| {
        let parts: Vec<String> = line.trim_end().split('…').map(regex::escape).collect();
        let wanted = Regex::new(&format!("^{}$", parts.join(".*"))).unwrap();
        !printed.any(|line| wanted.is_match(line.trim_end()))
    })
}

/// A directory as the page's reader has it: the examples of the repository, and `proctor`.
fn place() -> tempfile::TempDir {
    let work = tempfile::tempdir().unwrap();
    for folder in ["bin", "examples"] {
        fs::create_dir(work.path().join(folder)).unwrap();
    }
    for file in fs::read_dir(Path::new(ROOT).join("examples")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), work.path().join("examples").join(file.file_name())).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_proctor"), work.path().join("bin/proctor"))
        .unwrap();
    work
}

fn follow(name: &str) {
    let page = fs::read_to_string(page(name)).unwrap();
    let work = place();
    let path = format!("{}:{}", work.path().join("bin").display(), std::env::var("PATH").unwrap());
    let (mut printed, mut runs) = (String::new(), 0);
    for block in blocks(&page) {
        match block {
            Block::File(file, text) => {
                let file = work.path().join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, text).unwrap();
            }
            Block::Run(script) => {
                let mut bash = Command::new("bash");
                bash.args(["-euc", &script]).current_dir(work.path());
                let output = bash.env("PATH", &path).env("HOME", work.path()).output().unwrap();
                let [out, err] = [output.stdout, output.stderr].map(String::from_utf8);
                printed = format!("{}{}", out.unwrap(), err.unwrap());
                assert!(output.status.success(), "{name}: {script}\n{printed}");
                runs += 1;
            }
            Block::Output(shown) => {
                let missing = missing(&shown, &printed);
                assert_eq!(missing, None, "{name} shows a line that is not printed:\n{printed}");
            }
        }
    }
    assert!(runs > 2, "{name} runs {runs} blocks");
}

fn page(name: &str) -> PathBuf {
    Path::new(ROOT).join("docs").join(format!("{name}.md"))
}

#[test]
fn the_quick_start_does_what_it_says() {
    follow("quick-start");
}

#[test]
fn the_tutorial_on_a_session_of_ones_own_does_what_it_says() {
    follow("my-session");
}

#[test]
fn the_tutorial_on_a_strategy_of_ones_own_does_what_it_says() {
    follow("my-strategy");
}

#[test]
fn the_tutorial_on_a_prompt_of_ones_own_does_what_it_says() {
    follow("my-prompt");
}

#[test]
fn the_tutorial_on_a_strategy_in_any_language_does_what_it_says() {
    follow("strategy-in-any-language");
}

#[test]
fn the_questions_and_answers_do_what_they_say() {
    follow("faq");
}

#[test]
fn the_tutorial_on_the_gate_does_what_it_says() {
    follow("pull-request-gate");
}

#[test]
#[ignore = "it builds a crate: .ci/outside runs it"]
fn the_page_on_a_strategy_in_rust_does_what_it_says() {
    follow("strategy-in-rust");
}

#[test]
fn blocks_are_told_by_their_marks() {
    let page = "text\n<!-- file: a/b.toml -->\n```toml\nx = 1\n```\n```console\nno\n```\n\
                ```sh\nls\n```\n\n<!-- output -->\n```text\na\n…\n```\n";
    let found = blocks(page);
    let expected = [
        Block::File("a/b.toml".to_owned(), "x = 1\n".to_owned()),
        Block::Run("ls\n".to_owned()),
        Block::Output("a\n…\n".to_owned()),
    ];
    assert_eq!(found, expected);
    assert_eq!(missing("a\n…\nb … d\n", "a\nx\nb c d\n"), None);
    assert_eq!(missing("b\na\n", "a\nb\n"), Some("a"));
}

/// A link of a page leads to a file of the repository and, behind `#`, to one of its headings.
#[test]
fn every_link_between_documents_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)").unwrap();
    let code = Regex::new(r"(?s)```.*?```|`[^`\n]*`").unwrap();
    let mut wrong = Vec::new();
    for file in documents() {
        let text = fs::read_to_string(&file).unwrap();
        let text = code.replace_all(&text, "");
        for found in link.captures_iter(&text) {
            let (path, anchor) = (&found[1], found.get(2).map(|anchor| anchor.as_str()));
            if path.contains("://") || path.starts_with("mailto:") {
                continue;
            }
            let target = match path {
                "" => file.clone(),
                _ => file.parent().unwrap().join(path),
            };
            let is_there = target.exists()
                && anchor.is_none_or(|anchor| anchors(&target).iter().any(|one| one == anchor));
            if !is_there {
                wrong.push(format!("{}: {}", file.display(), &found[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The documents that a reader is led to from README.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let folders = [root.to_owned(), root.join("docs"), root.join("scenarios")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = files.map(|file| file.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|suffix| suffix == "md")).collect()
}

/// The anchors of a document: those of its headings, as GitHub and mdBook make them, and its own.
fn anchors(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let heading = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().replace(' ', "-")
    };
    let headings = text.lines().filter(|line| line.starts_with('#')).map(heading);
    let own = Regex::new(r#"<a id="([^"]+)""#).unwrap();
    headings.chain(own.captures_iter(&text).map(|found| found[1].to_owned())).collect()
}
