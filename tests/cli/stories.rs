//! Stories of cells: which are told, what they say, and how `inspect` shows them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proctor::run_dir::read::{self, RunData};
use proctor::run_dir::story::{Story, story, story_files};
use proctor::truth::Origin;

use crate::harness::{proctor, stories, work};

fn told(run: &Path) -> Vec<Story> {
    let files = story_files(run).expect("they are listed");
    files.iter().map(|file| story(file).expect("a story")).collect()
}

#[test]
fn stories_are_told_of_the_first_seed_as_deployed_and_agree_with_the_tables() {
    let work = work();
    let out = work.path().join("run");
    proctor(&["run", "smoke", "--out"]).arg(&out).run().succeeds();
    let stories = told(&out);
    let cells: Vec<&str> = stories.iter().map(|story| story.cell.as_str()).collect();
    let expected = ["none", "truncate", "forge-tool-call-threshold", "forge-adr"];
    assert_eq!(cells, expected.map(|pipeline| format!("smoke@20k/{pipeline}/1")));
    let data = RunData::load(&out).expect("it reads");
    for story in &stories {
        let rows: Vec<_> = data.compactions.iter().filter(|row| row.cell == story.cell).collect();
        assert_eq!(rows.len(), story.compactions.len(), "{}", story.cell);
        for (row, one) in rows.iter().zip(&story.compactions) {
            let lost = row.lost_dropped
                + row.lost_unseen
                + row.lost_omitted
                + row.lost_resummarized
                + row.lost_inverted;
            assert_eq!(
                (row.before.0, row.after.0, lost as usize),
                (one.before, one.after, one.lost.len())
            );
            assert_eq!(row.removed as usize, one.covers.len() + one.more_covered as usize);
        }
        let mut by_table = 0;
        read::each_row(&out.join("facts.parquet"), |row: proctor::row::FactRow| {
            let missed = row.demand.found.is_missing();
            let is_ranked = row.demand.origin != Origin::Incidental;
            by_table += usize::from(row.cell == story.cell && is_ranked && missed);
        })
        .expect("it reads");
        assert_eq!(by_table, story.demands.iter().filter(|demand| !demand.met).count());
        let needed = story.compactions.iter().flat_map(|one| &one.lost);
        let needed: usize = needed.map(|lost| lost.needed_at.len()).sum();
        assert!(needed <= by_table, "{needed} of {by_table} in {}", story.cell);
    }
    let adr = stories.last().expect("a story");
    assert!(
        adr.compactions.iter().any(|one| !one.answers.is_empty() && !one.instruction.is_empty())
    );
    assert!(adr.compactions.iter().flat_map(|one| &one.covers).any(|covered| covered.shown));
    assert!(
        adr.compactions.iter().flat_map(|one| &one.lost).any(|lost| !lost.needed_at.is_empty())
    );
}

#[test]
fn the_choice_of_stories_belongs_to_the_run() {
    let work = work();
    let seed = ["--seeds", "1"];
    let mut counts = BTreeMap::new();
    for choice in ["first", "all", "none"] {
        let out = work.path().join(choice);
        let run = proctor(&["run", "smoke", "--stories", choice, "--out"]).arg(&out).args(&seed);
        run.run().succeeds();
        counts.insert(choice, stories(&out).len());
    }
    assert_eq!(counts, BTreeMap::from([("all", 11), ("first", 4), ("none", 0)]));
    let other = proctor(&["run", "smoke", "--resume", "--stories", "all", "--out"])
        .arg(&work.path().join("first"))
        .args(&seed)
        .run();
    other.fails_with(6, "`stories` are not the same");
}

#[test]
fn a_cell_is_shown_whole_or_by_compaction_step_and_fact() {
    let work = work();
    proctor(&["run", "smoke", "--seeds", "1"]).within(work.path()).run().succeeds();
    let cell = "smoke@20k/forge-adr/1";
    let show = |words: &[&str]| {
        let shown = proctor(&["inspect"]).args(&[cell]).args(words).within(work.path()).run();
        shown.succeeds();
        assert!(!shown.stderr.contains("did not repeat"), "{}", shown.stderr);
        shown.stdout
    };
    let overview = show(&[]);
    for part in ["COMPACTIONS", "NEEDED AND MISSED", "needs", "forge-goal-batch"] {
        assert!(overview.contains(part), "no {part} in\n{overview}");
    }
    let brief = show(&["--compaction", "3"]);
    let full = show(&["--compaction", "3", "--full"]);
    assert!(full.len() > 2 * brief.len(), "{} and {}", full.len(), brief.len());
    assert!(full.contains("request 1 of") && full.contains("\n    > "), "{full}");
    let story = told(&work.path().join("reports/runs/smoke-001")).pop().expect("a story");
    let missed = story.demands.iter().find(|demand| !demand.met).expect("one was missed");
    let step = show(&["--step", &missed.step.to_string()]);
    assert!(step.contains("missing") && step.contains("lost in compaction"), "{step}");
    let statement = &story.facts[missed.fact as usize].statement;
    let fact = show(&["--fact", &statement[..20]]);
    assert!(fact.contains("needed, and missing") && fact.contains("lost in"), "{fact}");
    let inspect =
        |words: &[&str]| proctor(&["inspect", cell]).args(words).within(work.path()).run();
    inspect(&["--compaction", "999"]).fails_with(3, "the cell has");
    inspect(&["--step", "999"]).fails_with(3, "calls");
    inspect(&["--fact", "no such words"]).fails_with(3, "holds this text");
    let unknown = proctor(&["inspect", "smoke@20k/none/9"]).within(work.path()).run();
    unknown.fails_with(2, "no run under");
}

#[test]
fn a_hostile_transcript_steers_no_terminal() {
    let work = work();
    let path = work.path().join("hostile.jsonl");
    let escapes =
        "\u{1b}]52;c;AAAA\u{7} \u{1b}]8;;http://x\u{1b}\\ \u{9b}2J \u{202e}txt \u{8}\r \u{1b}P q";
    fs::write(
        &path,
        super::redaction::session("hostile", |number| {
            format!("{escapes} line {number} must never be in src/hostile_{number}.rs {escapes}")
        }),
    )
    .expect("it writes");
    let out = work.path().join("run");
    let words = ["run", "--strategies", "forge-adr", "--filter", "forge-adr/0", "--out"];
    let run = proctor(&words).arg(&out).arg(&path).run();
    run.succeeds();
    for words in [&["--full"][..], &[], &["--compaction", "1", "--full"], &["--fact", "hostile"]] {
        let shown = proctor(&["inspect"])
            .arg(&out)
            .args(&["hostile@100k/forge-adr/0"])
            .args(words)
            .coloured()
            .run();
        shown.succeeds();
        assert!(shown.stdout.contains("\u{1b}[1m"), "colours were asked for");
        let codes = ["0", "1", "2", "31", "32", "36", "1;4"];
        let rest = codes
            .iter()
            .fold(shown.stdout.clone(), |text, code| text.replace(&format!("\u{1b}[{code}m"), ""));
        let steers = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        let at = rest.find(steers);
        assert_eq!(at, None, "{:?}", at.map(|at| rest[at..].chars().take(40).collect::<String>()));
    }
}
