//! Pages and files that the binary is held to: `docs/commands.md` is what it says of itself.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// What `proctor list` knows, but for the metrics: METHODOLOGY has these.
const LISTED: [&str; 5] = ["suites", "scenarios", "strategies", "summarizers", "formats"];

fn says(words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proctor"));
    let output = command.args(words).env("COLUMNS", "100").output().unwrap();
    assert!(output.status.success(), "{words:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The names under “Commands” in the help.
fn verbs(help: &str) -> Vec<&str> {
    let (_, rest) = help.split_once("Commands:\n").unwrap();
    let lines = rest.lines().take_while(|line| !line.is_empty());
    let named =
        lines.filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')));
    named
        .map(|line| line.split_whitespace().next().unwrap())
        .filter(|verb| *verb != "help")
        .collect()
}

#[test]
fn the_methodology_shows_the_rates_of_the_closed_loop() {
    use proctor::drive::consequences::{Consequences, Sweep};
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("METHODOLOGY.md");
    let text = std::fs::read_to_string(path).unwrap();
    for (name, rate) in Consequences::recorded().all() {
        let [low, value, high] =
            [Sweep::Low, Sweep::Estimate, Sweep::High].map(|at| format!("{:.2}", rate.at(at)));
        let sweep = if low == high { "–".to_owned() } else { format!("{low} to {high}") };
        let n = rate.n.map_or("–".to_owned(), |n| n.to_string());
        let row = format!("| {} | {value} | {sweep} | {} | {n} |", rate.about, rate.status.name());
        assert!(text.contains(&row), "{name}: {row}");
    }
}

#[test]
fn the_reference_is_what_the_binary_says_of_itself() {
    let help = says(&["--help"]);
    let verbs = verbs(&help);
    assert!(verbs.len() > 15, "{verbs:?}");
    let mut page =
        "# Commands and what ships\n\nThis page is generated: it is what the binary prints.\n"
            .to_owned();
    for verb in &verbs {
        let _ = write!(page, "\n## proctor {verb}\n\n```text\n{}```\n", says(&[verb, "--help"]));
    }
    page.push_str("\n## What ships\n");
    for kind in LISTED {
        let _ = write!(page, "\n### {kind}\n\n```text\n{}```\n", says(&["list", kind]));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
    if std::fs::read_to_string(path).unwrap_or_default() != page {
        let regenerated = Path::new(env!("CARGO_TARGET_TMPDIR")).join("commands.md");
        std::fs::write(&regenerated, page).unwrap();
        panic!("docs/commands.md is old: copy `{}` over it", regenerated.display());
    }
}

/// `.ci/field` keeps what its searches found.
#[test]
fn every_point_that_a_search_found_is_a_pipeline_of_its_name() {
    use proctor::pipeline::Pipeline;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/field");
    let chosen = std::fs::read_to_string(folder.join("chosen.csv")).unwrap();
    let named = |file: &str| chosen.lines().any(|line| line.ends_with(&format!(",{file}")));
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let points: Vec<_> = files.filter(|path| path.extension() == Some("toml".as_ref())).collect();
    assert!(points.len() > 20, "{}", points.len());
    for path in points {
        let text = std::fs::read_to_string(&path).unwrap();
        let pipeline =
            Pipeline::parse(proctor::strategy::shipped(), &path.display().to_string(), &text);
        let name = format!("{}.toml", pipeline.unwrap().name);
        assert_eq!(path.file_name(), Some(name.as_ref()));
        assert!(named(&name), "{name}: chosen for no budget");
    }
}
