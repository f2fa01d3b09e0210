//! The HTML report: what it may do, what it shows, and that text of a run stays text.
//!
//! Some tests drive Chromium; where there is none on the PATH they say so and pass.

mod contrast;
mod hostile;
mod parse;
mod screen;
mod told;

use crate::browser;
use crate::fixture;
use std::fs;
use std::path::Path;

use self::parse::{Piece, pieces};
use base64::Engine;
use proctor::report;
use sha2::Digest;
use tempfile::TempDir;

/// The report of the hand-made run with its hand-made story.
fn page() -> (TempDir, report::ReportFiles) {
    let dir = tempfile::tempdir().expect("a directory for the run");
    fixture::write(dir.path(), &fixture::ORDINARY);
    told::write(dir.path(), 1, &told::story());
    let files = crate::harness::reported(dir.path()).expect("a report");
    (dir, files)
}

fn read(file: &Path) -> Vec<Piece> {
    pieces(&fs::read_to_string(file).expect("the page is there")).expect("markup of the templates")
}

fn tags<'a>(page: &'a [Piece], wanted: &str) -> Vec<&'a [(String, String)]> {
    let tags = page.iter().filter_map(|piece| match piece {
        Piece::Tag { name, attributes } if name == wanted => Some(&attributes[..]),
        _ => None,
    });
    tags.collect()
}

fn value<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(known, _)| known == name).map(|(_, value)| &value[..])
}

/// The policy that a page's own style and script must have.
fn policy_of(page: &[Piece]) -> String {
    let raw: Vec<&String> = page
        .iter()
        .filter_map(|piece| if let Piece::Raw(text) = piece { Some(text) } else { None })
        .collect();
    let [style, _data, script] = raw[..] else { panic!("{} raw elements", raw.len()) };
    let digest =
        |text: &str| base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(text));
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        digest(script),
        digest(style),
    )
}

#[test]
fn the_policy_names_the_page_s_own_style_and_script_and_nothing_else() {
    let (_dir, files) = page();
    let page = read(&files.html);
    let policies: Vec<&str> = tags(&page, "meta")
        .into_iter()
        .filter(|meta| value(meta, "http-equiv") == Some("Content-Security-Policy"))
        .filter_map(|meta| value(meta, "content"))
        .collect();
    assert_eq!(policies, [policy_of(&page)]);
    for piece in &page {
        let Piece::Tag { name, attributes } = piece else { continue };
        for (attribute, value) in attributes {
            let inert = attribute != "style" && !attribute.starts_with("on");
            assert!(inert, "{name} {attribute}={value}");
        }
    }
    let data = page.iter().filter_map(|piece| match piece {
        Piece::Raw(text) => serde_json::from_str::<serde_json::Value>(text).ok(),
        _ => None,
    });
    let data: Vec<_> = data.collect();
    assert_eq!(data.len(), 1);
    assert_eq!(data[0]["stories"][0]["cell"], "multi-goal-arcs@100k/forge-adr/7");
}

#[test]
fn without_its_script_the_page_is_complete_but_for_the_explorer() {
    let (_dir, files) = page();
    let html = fs::read_to_string(files.html).unwrap();
    // Headers are words and not buttons, no row is hidden, and the explorer says why
    // it is empty.
    assert!(!html.contains("class=\"sort\"") && !html.contains("<tr hidden"));
    assert!(html.contains("<noscript>") && html.contains("id=\"cell-explorer\" hidden"));
    let cells = html.split("id=\"every-cell\"").nth(1).unwrap();
    let cells = cells.split("</details>").next().unwrap();
    let manifest = fs::read_to_string(files.markdown.with_file_name("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let all = manifest["cells"].as_array().unwrap().len();
    assert_eq!(cells.matches("<tr>").count(), all + 1);
}

#[test]
fn a_run_without_stories_says_why_the_explorer_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    fixture::write(dir.path(), &fixture::ORDINARY);
    let files = crate::harness::reported(dir.path()).unwrap();
    let html = fs::read_to_string(files.html).unwrap();
    assert!(html.contains("This run kept no stories"));
    assert!(!html.contains("id=\"cell-explorer\""));
}

#[test]
fn a_broken_story_is_an_error_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    fixture::write(dir.path(), &fixture::ORDINARY);
    told::write(dir.path(), 1, &told::story());
    told::put(&dir.path().join("stories/0002.json.gz"), "{\"cell\": 3}");
    let error = crate::harness::reported(dir.path()).unwrap_err().to_string();
    assert!(error.contains("0002.json.gz:1: invalid type"), "{error}");
}

#[test]
fn a_thousand_cells_and_their_stories_stay_under_five_megabytes() {
    let dir = tempfile::tempdir().unwrap();
    fixture::write(dir.path(), &fixture::ORDINARY);
    let cell = |number: usize| (format!("cell-{number}"), format!("name-{}", number % 20));
    hostile::add_cells(dir.path(), (0..1_000).map(cell));
    for number in 1..=40 {
        told::write(dir.path(), number, &told::long(&format!("cell-{number}"), 150_000));
    }
    let files = crate::harness::reported(dir.path()).unwrap();
    let size = fs::metadata(&files.html).unwrap().len();
    assert!(size < 5_000_000, "{size} bytes");
    let html = fs::read_to_string(&files.html).unwrap();
    assert_eq!(html.matches("\"packed\"").count(), 40);
    if let Some(mut browser) = browser::browser() {
        browser.open(&files.html);
        let rows = "document.querySelectorAll('#every-cell tbody tr').length";
        assert!(browser.evaluate(rows).as_u64().unwrap() > 1_000);
        browser.evaluate("byId('cell-select').value = '0040'; choose('0040')");
        let name = browser.text("document.getElementById('cell-about').textContent");
        assert!(name.starts_with("cell-40: "), "{name}");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

/// What the page's script unpacks is the story, thinned.
#[test]
fn a_packed_story_is_the_story() {
    let (_dir, files) = page();
    let page = read(&files.html);
    let data = page.iter().find_map(|piece| match piece {
        Piece::Raw(text) => serde_json::from_str::<serde_json::Value>(text).ok(),
        _ => None,
    });
    let packed = data.unwrap()["stories"][0]["packed"].as_str().unwrap().to_owned();
    let packed = base64::engine::general_purpose::STANDARD.decode(packed).unwrap();
    let story: serde_json::Value =
        serde_json::from_reader(flate2::read::GzDecoder::new(&packed[..])).unwrap();
    assert_eq!((&story["id"], &story["all_steps"]), (&"0001".into(), &60.into()));
    assert_eq!(story["facts"], serde_json::to_value(told::story().facts).unwrap());
}

#[test]
fn hostile_text_changes_no_tag_and_no_attribute() {
    let structure = |texts: &[String]| {
        let (_dir, files) = hostile::report(texts);
        let mut depth = 0;
        let mut found = Vec::new();
        for piece in read(&files.html) {
            match piece {
                // How a chart is laid out depends on how long its words are.
                Piece::Tag { name, .. } if name == "svg" => depth += 1,
                Piece::End(name) if name == "svg" => depth -= 1,
                // Our own, behind each underscore of a name.
                Piece::Tag { name, attributes } if name == "wbr" => assert!(attributes.is_empty()),
                Piece::Tag { name, attributes } if depth == 0 => {
                    found.push(name);
                    found.extend(attributes.into_iter().map(|(name, _)| name));
                }
                Piece::Tag { name, .. } => {
                    let drawn = ["title", "rect", "text", "circle", "polyline", "polygon", "line"];
                    assert!(drawn.contains(&name.as_str()), "{name} in a chart");
                }
                _ => {}
            }
        }
        found
    };
    let corpus = hostile::corpus();
    let harmless: Vec<String> = (0..corpus.len()).map(|place| format!("word {place}")).collect();
    let (one, other) = (structure(&corpus), structure(&harmless));
    assert!(one.len() > 3_000);
    assert!(one == other, "{} and {} tags and attributes", one.len(), other.len());
}

#[test]
fn no_letter_of_the_page_steers_how_others_are_shown() {
    let (_dir, files) = hostile::report(&hostile::corpus());
    let html = fs::read_to_string(files.html).unwrap();
    let steers = |letter: &char| {
        matches!(letter, '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}')
            || matches!(letter, '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
            || (letter.is_control() && *letter != '\n')
    };
    let found: Vec<char> = html.chars().filter(steers).collect();
    assert!(found.is_empty(), "{found:?}");
}
