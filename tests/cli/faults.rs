//! The fault suite: what it says, and that every cell of it comes to a row.

use proctor::measure::MetricId;
use std::collections::BTreeSet;
use std::fs;

use crate::harness::{identity, proctor, work};
use proctor::matrix::{Suite, cells, configurations};
use proctor::run_dir::read::RunData;
use proctor::scenario::Scenario;
use proctor::strategy::shipped;
use proctor::strategy::{codex, roadmap};
use proctor::summarize::fault::TAGS;

#[test]
fn imitated_tags_are_those_that_strategies_read() {
    assert!(TAGS.contains(&format!("{}\n", codex::SUMMARY_PREFIX).as_str()));
    assert!(TAGS.contains(&roadmap::SUMMARY_PREFIX));
}

#[test]
fn faults_are_driven_in_every_mode_and_brackets_in_the_first() {
    let suite = Suite::embedded("faults").expect("it ships").expect("it parses");
    let suite =
        Suite { brackets: vec!["empty".parse::<proctor::matrix::Summarizer>().unwrap()], ..suite };
    let configurations = configurations(shipped(), &suite).expect("they ship");
    let scenario = Scenario::embedded(&suite.scenarios[0]).expect("it ships");
    let cells = cells(&suite, &configurations, &scenario, 120, 1);
    let ids: BTreeSet<&str> = cells.iter().map(|cell| &*cell.key.cell).collect();
    assert_eq!(ids.len(), cells.len());
    for (id, driven) in [
        ("faults@50k/forge-adr/1/extractive+error", true),
        ("faults@50k/forge-adr/1/reactive/extractive+error", true),
        ("faults@50k/forge-adr/1/extractive+error-0.3", true),
        ("faults@50k/forge-adr/1/extractive+time-out-burst-40-of-160", true),
        ("faults@50k/forge-adr/1/empty", true),
        ("faults@50k/forge-adr/1/reactive/empty", false),
        ("faults@50k/truncate/1/extractive+error", false),
    ] {
        assert_eq!(ids.contains(id), driven, "{id}");
    }
    assert!(cells.iter().all(|cell| cell.key.fault().is_none() || !cell.is_probed(&suite)));
}

#[test]
fn what_a_suite_says_wrongly_is_named_with_its_neighbour() {
    let work = work();
    for (faults, expected) in [
        ("[\"erorr\"]", &["unknown kind of fault `erorr` in faults", "did you mean `error`?"][..]),
        ("[{ kind = \"emtpy\" }]", &["unknown kind of fault `emtpy`", "did you mean `empty`?"]),
        (
            "[{ kind = \"error\", schedule = { shere = 0.3 } }]",
            &["`shere`", "did you mean `share`?"],
        ),
        ("[{ kind = \"error\", schedule = { share = 1.5 } }]", &["schedule.share: 1.5 is not"]),
        ("[{ kind = \"error\", schedule = { every = 1 } }]", &["schedule.every: 1 is below 2"]),
        (
            "[{ kind = \"error\", schedle = \"always\" }]",
            &["`schedle`", "did you mean `schedule`?"],
        ),
        ("[\"error\", { kind = \"error\" }]", &["faults", "stands twice"]),
        ("[3]", &["a kind of fault, or a table"]),
    ] {
        let file = work.path().join("suite.toml");
        let text = format!(
            "name = \"mine\"\nabout = \"\"\nscenarios = [\"smoke\"]\npipelines = [\"forge-adr\"]\n\
             seeds = [1]\nfaults = {faults}\n"
        );
        fs::write(&file, text).expect("it can be written");
        let run = proctor(&["run", "--list"]).arg(&file).run();
        for expected in expected {
            run.fails_with(3, expected);
        }
    }
}

/// One seed of a part of the suite: every family, two faults and a schedule.
#[test]
fn every_cell_of_the_fault_suite_has_a_row() {
    let work = work();
    let file = work.path().join("part.toml");
    let text = fs::read_to_string("scenarios/suites/faults.toml").expect("it is there");
    let text = text
        .replace("scenarios = [\"faults\"]", "scenarios = [\"smoke\"]")
        .replace("name = \"faults\"", "name = \"part\"");
    fs::write(&file, text).expect("it can be written");
    let run = |out: &str, jobs: &str, filter: &str| {
        let out = work.path().join(out);
        let words = ["run", "--seeds", "1", "--jobs", jobs, "--filter", filter, "--out"];
        proctor(&words).arg(&out).arg(&file).run().succeeds();
        out
    };
    let one = run("one", "2", "extractive+");
    let data = RunData::load(&one).expect("it can be read");
    let suite = Suite::parse("part.toml", &fs::read_to_string(&file).unwrap()).expect("it parses");
    let asking = suite.pipelines.len() - 2;
    assert!(data.measurements.len() >= asking * suite.faults.len(), "{}", data.measurements.len());
    assert_eq!(data.measurements.len(), data.manifest.cells.len());
    assert_eq!(data.manifest.faults.len(), suite.faults.len());
    for row in &data.measurements {
        assert_eq!((row.state.name(), row.state.error()), ("done", ""), "{}", row.key.cell);
        assert!(row.number(MetricId::StepsReached) > Some(0.0), "{}", row.key.cell);
        assert!(row.key.fault().is_some());
        let ended = row.figures.ended_by().expect("every cell ends").name();
        assert_ne!(ended, "compaction-limit", "{}", row.key.cell);
    }
    let part = |jobs: &str| identity(&run(jobs, jobs, "forge-head/1/extractive+"));
    assert_eq!(part("1"), part("2"), "jobs change no byte");
    let report = fs::read_to_string(one.join("report.md")).expect("it was written");
    assert!(report.contains("## Summarizers that fail"), "the report has its section");
    let cell = "forge-adr/1/extractive+error-0.3";
    let cell = format!("smoke@20k/{cell}");
    let shown = proctor(&["inspect", "--cell", &cell]).arg(&one).run();
    shown.succeeds();
    assert!(!shown.stderr.contains("did not repeat"), "{}", shown.stderr);
}
