//! The report of a small run: what it says, and that nothing of the run escapes its place.

use crate::fixture;
use crate::harness;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::fixture::{Names, ORDINARY};
use proctor::frame::{Basis, Defeat, Derived, MeasuredCell, Scope, Setting, Subject};
use proctor::measure::{Check, MetricId, Word};
use proctor::report;
use proctor::row::{
    CompactionRow, CompositionRow, CurveRow, FloorRow, StepRow, SurvivalRow, TriggerRow,
};
use proctor::run_dir::CellState;
use proctor::run_dir::read::{RunData, steps_of};
use proctor::run_dir::tables::write_table;
use proctor::trace::Ending;
use tempfile::TempDir;

fn run(names: &Names) -> TempDir {
    let dir = tempfile::tempdir().expect("a directory for the run");
    fixture::write(dir.path(), names);
    dir
}

#[test]
fn the_report_answers_first_and_shows_the_figures_after() {
    let dir = run(&ORDINARY);
    let files = harness::reported(dir.path()).unwrap();
    // The page lands where it can be looked at: `target/report.html`.
    let look = concat!(env!("CARGO_MANIFEST_DIR"), "/target/report.html");
    fs::copy(files.html, look).unwrap();
    let markdown = fs::read_to_string(files.markdown).unwrap();
    let (opening, sections) = markdown.split_once("\n## ").unwrap();
    insta::assert_snapshot!("opening", opening);
    for section in sections.split("\n## ") {
        let heading = section.lines().next().unwrap().to_lowercase();
        let words: Vec<&str> =
            heading.split(|letter: char| !letter.is_ascii_alphanumeric()).take(3).collect();
        insta::assert_snapshot!(words.join("-").trim_end_matches('-'), section);
    }
}

#[test]
fn every_chart_of_the_markdown_lies_beside_it() {
    let dir = run(&ORDINARY);
    let files = harness::reported(dir.path()).unwrap();
    let markdown = fs::read_to_string(&files.markdown).unwrap();
    let shown: BTreeSet<&str> =
        markdown.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let stored: BTreeSet<String> = files
        .charts
        .iter()
        .filter(|path| path.extension().unwrap() == "png")
        .map(|path| path.strip_prefix(dir.path()).unwrap().display().to_string())
        .collect();
    assert_eq!(shown, stored.iter().map(String::as_str).collect());
    assert!(!stored.is_empty());
}

#[test]
fn an_earlier_report_is_replaced_and_the_same_run_gives_the_same_bytes() {
    let dir = run(&ORDINARY);
    let read = |files: &report::ReportFiles| {
        let own = [&files.markdown, &files.html].into_iter().chain(&files.charts);
        own.map(|path| fs::read(path).unwrap()).collect::<Vec<_>>()
    };
    let first = read(&harness::reported(dir.path()).unwrap());
    // One that an earlier report made, by its own list.
    let (stale, list) = (dir.path().join("charts/stale.png"), dir.path().join("charts/.made"));
    fs::write(&stale, "old").unwrap();
    let made = fs::read_to_string(&list).unwrap();
    fs::write(&list, format!("{made}stale.png\n")).unwrap();
    assert_eq!(read(&harness::reported(dir.path()).unwrap()), first);
    assert!(!stale.exists());
}

const HOSTILE: Names = Names {
    suite: "<script>alert(1)</script>",
    scenario: "\"><img src=x onerror=alert(2)>|`[click](javascript:alert(3))",
    pipeline: "</code></td><iframe src=\"http://evil.example\"></iframe>",
    error: "{{ document }} {% raw %} <svg onload=alert(4)> & \u{202E}gnp.\n# heading | cell",
    reference: "<style>*{display:none}</style> ``` <b>bold</b> ![x](http://evil.example/x.png)",
};

#[test]
fn nothing_of_a_hostile_run_is_markup_in_html() {
    let dir = run(&HOSTILE);
    let files = harness::reported(dir.path()).unwrap();
    let html = fs::read_to_string(files.html).unwrap();
    for markup in
        ["<script>alert", "<img", "<iframe", "<b>", "onload=alert(4)>", "</code></td><", "\u{202E}"]
    {
        assert!(!html.contains(markup), "{markup}");
    }
    assert_eq!(html.matches("<style>").count(), 1);
    assert!(html.contains("&lt;script&gt;alert(1)"));
    assert!(html.contains("{{ document }} {% raw %}"));
    // Attributes end where the template ends them.
    assert!(!html.contains("\"><img"));
    assert!(!html.contains("src=\"") && !html.contains("href=\"http"));
}

#[test]
fn nothing_of_a_hostile_run_is_markup_in_markdown() {
    let dir = run(&HOSTILE);
    let files = harness::reported(dir.path()).unwrap();
    let markdown = fs::read_to_string(files.markdown).unwrap();
    for line in markdown.lines().filter(|line| line.starts_with('|')) {
        assert!(line.ends_with(" |") && line.matches(" | ").count() >= 1, "{line}");
    }
    // Outside of code, no angle bracket but those of our own marks.
    for line in markdown.lines() {
        let mut outside = String::new();
        let escaped = line.replace("\\`", "");
        let mut rest = escaped.as_str();
        while let Some(start) = rest.find('`') {
            outside.push_str(&rest[..start]);
            let fence = rest[start..].chars().take_while(|letter| *letter == '`').count();
            let inside = &rest[start + fence..];
            let end = inside.find(&"`".repeat(fence)).expect("code ends on its line");
            rest = &inside[end + fence..];
        }
        outside.push_str(rest);
        for own in ["<sup>", "</sup>", "<code>", "</code>"] {
            outside = outside.replace(own, "");
        }
        assert!(!outside.contains('<'), "{line}");
        let linked = outside.replace("\\]", "").matches("](").count();
        assert_eq!(linked, usize::from(line.starts_with("![")), "{line}");
    }
}

/// Puts another value into a column of the rows that hold all of these.
fn change(file: &Path, holding: &[&str], column: &str, value: &str) {
    let mut reader = csv::Reader::from_path(file).expect("the file is there");
    let headers = reader.headers().expect("a header").clone();
    let place = headers.iter().position(|header| header == column).expect("the column");
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let mut writer = csv::Writer::from_path(file).expect("it can be written");
    writer.write_record(&headers).expect("it is written");
    let mut changed = 0;
    for row in rows {
        let wanted = holding.iter().all(|field| row.iter().any(|one| one == *field));
        changed += usize::from(wanted);
        let fields = row.iter().enumerate();
        let fields = fields.map(|(at, field)| if wanted && at == place { value } else { field });
        writer.write_record(fields).expect("it is written");
    }
    writer.flush().expect("it is written");
    assert!(changed > 0, "{holding:?}");
}

#[test]
fn what_breaks_requests_is_not_what_to_use() {
    let dir = run(&ORDINARY);
    let opening = || {
        let files = harness::reported(dir.path()).unwrap();
        let markdown = fs::read_to_string(files.markdown).unwrap();
        (markdown.split("\n## ").next().unwrap().to_owned(), files.answer)
    };
    let (_, answer) = opening();
    assert!(answer.starts_with("Use forge-adr"), "{answer}");
    let cells = ["forge-adr", "extractive", "done"];
    change(&dir.path().join("measurements.csv"), &cells, "violations.orphan-result", "2");
    let (opening, answer) = opening();
    assert!(answer.starts_with("Use forge-tool-call-threshold"), "{answer}");
    for says in
        ["Avoid: `forge-adr`. Requests that providers refuse, in 6 of 6", "| refused 6/6 <sup>"]
    {
        assert!(opening.contains(says), "{says} in {opening}");
    }
}

#[test]
fn the_answer_takes_at_most_eighty_words_before_the_first_table() {
    let dir = run(&ORDINARY);
    let files = harness::reported(dir.path()).unwrap();
    assert!(files.answer.split_whitespace().count() <= 25, "{}", files.answer);
    let markdown = fs::read_to_string(files.markdown).unwrap();
    let before: Vec<&str> =
        markdown.lines().skip(1).take_while(|line| !line.starts_with('|')).collect();
    let words = before.join(" ").split_whitespace().filter(|word| *word != "-").count();
    assert!((30..=80).contains(&words), "{words}: {before:?}");
}

#[test]
fn a_word_on_the_floor_never_hides_that_it_rises() {
    let dir = run(&ORDINARY);
    let derived = dir.path().join("derived.csv");
    let group = ["group", "floor-p3", "forge-adr"];
    let told = || {
        let files = harness::reported(dir.path()).unwrap();
        let markdown = fs::read_to_string(files.markdown).unwrap();
        let row = |from: &str, of: &str| {
            let rows = markdown.split(from).nth(1).unwrap().lines();
            rows.into_iter()
                .find(|line| line.starts_with("| `forge-adr` |") && line.contains(of))
                .unwrap()
                .to_owned()
        };
        (row("# Compaction", "|"), row("## Floor", "floor-p3"))
    };
    let (first, verdict) = told();
    assert!(first.ends_with("| ↗ |"), "{first}");
    assert!(verdict.contains("lowered against forge-tool-call-threshold, but rising"), "{verdict}");
    change(&derived, &[&group[..], &["floor.verdict"]].concat(), "word", "eliminated");
    change(&derived, &[&group[..], &["floor.growth"]].concat(), "word", "logarithmic");
    let (first, verdict) = told();
    assert!(first.ends_with("| ↗ |") && verdict.contains("rises ever more slowly"), "{verdict}");
    change(&derived, &[&group[..], &["floor.growth"]].concat(), "word", "constant");
    let (first, verdict) = told();
    assert!(first.ends_with("| → |") && verdict.contains("| eliminated"), "{first} {verdict}");
}

#[test]
fn a_floor_that_is_not_shown_to_grow_stands_with_what_would_have_been_missed() {
    let dir = run(&ORDINARY);
    let files = harness::reported(dir.path()).unwrap();
    let markdown = fs::read_to_string(files.markdown).unwrap();
    let row = |line: &&str| line.starts_with("| `truncate` | floor-p3 | not shown to grow");
    let row = markdown.lines().find(row).expect("its verdict");
    assert!(row.contains("| 42 |") && row.contains("constant, not settled"), "{row}");
}

#[test]
fn every_name_of_the_verdict_table_leads_to_what_it_means() {
    let dir = run(&ORDINARY);
    let described = || {
        let files = harness::reported(dir.path()).unwrap();
        let markdown = fs::read_to_string(files.markdown).unwrap();
        let section = markdown.split("## What each configuration does").nth(1).unwrap();
        let mut rows = section.lines();
        let row = rows.find(|line| line.starts_with("| `forge-adr` |")).unwrap().to_owned();
        (row, fs::read_to_string(files.html).unwrap())
    };
    let (row, html) = described();
    assert!(row.contains("described in its own file"), "{row}");
    for link in html.split("<a href=\"#configuration-").skip(1) {
        let place = link.split('"').next().unwrap();
        assert_eq!(html.matches(&format!("id=\"configuration-{place}\"")).count(), 1);
    }
    assert_eq!(html.matches("<a href=\"#configuration-").count(), 3 * 5);
    let own = proctor::strategy::pipeline("forge-adr").unwrap();
    let file = dir.path().join("manifest.json");
    let mut manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    manifest["pipelines"] =
        serde_json::json!([{"name": "forge-adr@windowed", "digest": own.digest()}]);
    fs::write(&file, manifest.to_string()).unwrap();
    let (row, _) = described();
    assert!(row.contains("ADR-0041") && !row.contains("described in its own file"), "{row}");
}

#[test]
fn a_reference_stands_beside_the_verdict_that_rests_on_it() {
    let dir = run(&ORDINARY);
    let derived = dir.path().join("derived.csv");
    let table = |dir: &Path| -> Option<String> {
        let files = harness::reported(dir).unwrap();
        let markdown = fs::read_to_string(files.markdown).unwrap();
        let (_, markdown) = markdown.split_once("less the reference's")?;
        let row = markdown.lines().find(|line| {
            line.starts_with("| `forge-adr` | floor-p3 | ") && line.matches(" | ").count() == 4
        });
        row.map(str::to_owned)
    };
    let row = table(dir.path()).expect("a row");
    assert!(row.contains("| `forge-tool-call-threshold` | \u{2212}62.8 \\["), "{row}");
    let difference = ["floor.slope_difference"];
    change(&derived, &difference, "basis", "reference-not-driven");
    change(&derived, &difference, "parameters", r#"{"reference":"other"}"#);
    change(&derived, &difference, "value", "");
    change(&derived, &difference, "low", "");
    change(&derived, &difference, "high", "");
    let row = table(dir.path()).expect("a row");
    assert!(row.contains("| other, not driven |"), "{row}");
    change(&derived, &difference, "basis", "no-reference");
    change(&derived, &difference, "parameters", "");
    assert_eq!(table(dir.path()), None);
}

#[test]
fn an_adversary_that_does_not_lose_stands_above_all_and_in_a_table_of_its_own() {
    let dir = run(&ORDINARY);
    let mut data = RunData::load(dir.path()).unwrap();
    let own = |row: &&MeasuredCell| row.key.cell == "multi-goal-arcs@100k/forge-adr/7";
    let mut list = data.measurements.iter().find(own).expect("a contestant").clone();
    list.key.variant = "adversary".to_owned();
    list.key.summarizer = "adversary-shape-list".to_owned();
    list.key.cell.push_str("/adversary-shape-list");
    let judged = |summarizer: &str, lost: Option<Defeat>, recall: f64| {
        let setting = Setting { summarizer: summarizer.to_owned(), ..Setting::of(&list.key) };
        let check = if lost.is_some() { Check::Holds } else { Check::Fails };
        let (chance, lasting) = (Some(0.3), Some(0.5));
        let basis = Basis::BesideChance {
            lost,
            recall: Some(recall),
            chance,
            lasting,
            chance_lasting: Some(0.4),
        };
        let subject = Subject::new(Scope::Configuration, setting);
        let word = Word::Check(check);
        Derived::word(subject, MetricId::ControlAdversary, word, 1, basis)
    };
    data.derived.push(judged("adversary-shape-list", None, 0.93));
    data.derived.push(judged("adversary-echo", Some(Defeat::Chance), 0.1));
    data.measurements.push(list.clone());
    write_table(dir.path(), "derived.csv", &data.derived).unwrap();
    write_table(dir.path(), "measurements.csv", &data.measurements).unwrap();
    let files = harness::reported(dir.path()).unwrap();
    let markdown = fs::read_to_string(files.markdown).unwrap();
    let banners = markdown.lines().skip(2).take_while(|line| !line.starts_with("**Use"));
    insta::assert_snapshot!("banners", banners.collect::<Vec<_>>().join("\n"));
    assert!(markdown.contains("1 control that must lose came near in recall."), "{markdown:.2000}");
    let (_, section) = markdown.split_once("\n## Controls that must lose\n").expect("a section");
    insta::assert_snapshot!("controls-that-must", section.split("\n## ").next().unwrap().trim());
    // It is in no ranking: no table before its own names it.
    let tables = markdown.split("\n## ").find(|part| part.starts_with("All figures")).unwrap();
    assert!(!tables.contains("adversary"), "{tables}");
}

#[test]
fn a_run_without_probe_or_brackets_still_has_a_report() {
    let dir = run(&ORDINARY);
    let dir_of = dir.path();
    write_table::<FloorRow>(dir_of, "floor.parquet", &[]).unwrap();
    write_table::<Derived>(dir_of, "derived.csv", &[]).unwrap();
    write_table::<CompositionRow>(dir_of, "composition.parquet", &[]).unwrap();
    write_table::<CompactionRow>(dir_of, "compactions.parquet", &[]).unwrap();
    write_table::<TriggerRow>(dir_of, "triggers.parquet", &[]).unwrap();
    write_table::<StepRow>(dir_of, "steps.parquet", &[]).unwrap();
    write_table::<SurvivalRow>(dir_of, "survival.parquet", &[]).unwrap();
    write_table::<CurveRow>(dir_of, "curve.csv", &[]).unwrap();
    let files = harness::reported(dir.path()).unwrap();
    let markdown = fs::read_to_string(files.markdown).unwrap();
    for says in [
        "No chart here: no compaction lost a fact.",
        "No chart here: survival by age was not measured.",
        "No chart here: no fact went through a summarizer.",
        "No chart here: recall at need is not defined for any configuration.",
        "No chart here: no configuration has a price and a recall.",
        "No chart here: steps.parquet holds none of its steps.",
        "No chart here: steps.parquet does not say what its prompts are made of.",
        "No chart here: no session completed beside a control without a window.",
        "No chart here: nothing fired in a window.",
        "No chart here: no compaction asked a summarizer.",
    ] {
        assert!(markdown.contains(says), "{says}");
    }
}

#[test]
fn a_run_reads_back_as_it_was_written() {
    let dir = run(&ORDINARY);
    let data = RunData::load(dir.path()).unwrap();
    assert_eq!(data.manifest.suite, "default");
    assert_eq!(data.measurements.len() + 1, data.manifest.cells.len());
    let overflow =
        data.measurements.iter().find(|row| row.figures.ended_by() == Some(Ending::Overflow));
    let overflow = overflow.unwrap();
    assert_eq!(overflow.number(MetricId::Completion), Some(0.0));
    assert_eq!(overflow.number(MetricId::EndedBy), None);
    assert_eq!(overflow.key.configuration(), "none");
    let failed =
        data.measurements.iter().find(|row| matches!(row.state, CellState::Failed(_))).unwrap();
    assert_eq!(
        (failed.state.error(), failed.figures.word(MetricId::Completion)),
        (ORDINARY.error, None)
    );
    let wanted = BTreeSet::from([overflow.key.cell.clone()]);
    let steps = steps_of(dir.path(), &wanted).unwrap();
    assert_eq!(steps.keys().cloned().collect::<BTreeSet<_>>(), wanted);
    assert!(steps[&overflow.key.cell].len() > 100);
}

#[test]
fn a_broken_run_directory_says_where_and_why() {
    let check = |file: &str, text: &str, expected: &str| {
        let dir = run(&ORDINARY);
        fs::write(dir.path().join(file), text).unwrap();
        harness::sealed(dir.path());
        let error = RunData::load(dir.path()).unwrap_err();
        let shown = error.to_string().replace(&dir.path().display().to_string(), "RUN");
        assert_eq!(shown, expected);
        error
    };
    check(
        "manifest.json",
        "{\n",
        "RUN/manifest.json:2: EOF while parsing an object at line 2 column 0",
    );
    let other = check(
        "manifest.json",
        "{\"schema\": 7, \"new\": true}",
        "RUN/manifest.json: schema: the layout is version 7, this reader knows 4",
    );
    assert!(other.hint().is_some());
    check(
        "floor.parquet",
        "PAR1",
        "RUN/floor.parquet: EOF: Parquet file too small. Size is 4 but need 8",
    );
    check(
        "curve.csv",
        "pool,pipeline\na,b\n",
        "RUN/curve.csv:1: the header has no column `variant`",
    );
    check(
        "derived.csv",
        "scope,subject\na\n",
        "RUN/derived.csv:1: the header has no column `cell`",
    );
    let dir = run(&ORDINARY);
    fs::remove_file(dir.path().join("facts.parquet")).unwrap();
    let error = RunData::load(dir.path()).unwrap_err().to_string();
    assert!(error.contains("facts.parquet"), "{error}");
}

/// A suite with something for every section of a report.
const EVERYTHING: &str = r#"
name = "everything"
about = "Something for every section of a report."
scenarios = ["smoke", "pocket"]
pipelines = ["none", "truncate", "full-replace-archive"]
windowless = ["none"]
truncate-sweep = [0.5]
seeds = [1]
summarizer = "extractive"
brackets = ["empty", "perfect"]
second-bank = [1]
faults = ["error"]
adversaries = ["pocket"]

[orderings]
stages = ["forge-tool-call", "forge-threshold"]
labels = ["call", "threshold"]
settings-of = "forge-adr"

[[grid]]
pipeline = "forge-adr"
parameters = { "forge-goal-batch.min-turns" = [2, 6] }
"#;

#[test]
fn every_template_is_a_section_that_some_run_fills() {
    // What other templates use.
    const SHARED: [&str; 3] = ["answer", "floor-verdicts", "pieces"];
    // What takes one session under several fixed prompts: driven among the tests of orderings.
    const ELSEWHERE: &str = "fixed-share";
    let work = harness::work();
    let (suite, run) = (work.path().join("everything.toml"), work.path().join("run"));
    fs::write(&suite, EVERYTHING).unwrap();
    // Whether adversaries lose is for another test to say.
    let line = harness::proctor(&["run", "--lenient", "--closed-loop"])
        .arg(&suite)
        .args(&["--out"])
        .arg(&run);
    line.run().succeeds();
    harness::proctor(&["question"]).arg(&run).run().succeeds();
    harness::proctor(&["report"]).arg(&run).run().succeeds();
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    let templates = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/report/src/report/templates");
    for template in fs::read_dir(templates).unwrap() {
        let name = template.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        if name == ELSEWHERE {
            continue;
        }
        let is_section = page.contains(&format!("<details class=\"section\" id=\"{name}\""));
        assert_eq!(is_section, !SHARED.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn tables_are_written_for_papers() {
    let dir = run(&ORDINARY);
    let first = report::latex(dir.path(), &["answer-1".to_owned()], false).unwrap();
    insta::assert_snapshot!("latex", first);
    let all = report::latex(dir.path(), &[], false).unwrap();
    let count = |text: &str, what: &str| text.matches(what).count();
    assert!(count(&all, "\\begin{table}") > 10);
    assert_eq!(count(&all, "\\begin{table}"), count(&all, "\\bottomrule"));
    assert!(!all.contains("\\label{tab:glossary"), "what is only looked things up in");
    let error = report::latex(dir.path(), &["answer-2".to_owned()], false).unwrap_err();
    assert!(error.hint().is_some_and(|hint| hint.contains("answer-1")), "{error}");
}
