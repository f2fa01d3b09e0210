use super::sample::{Sample, holds};
use super::*;
use crate::pressure::Occasion;
use crate::row::CompactionRow;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenes {
    scene: Vec<Scene>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scene {
    name: String,
    #[serde(default)]
    references: BTreeMap<String, String>,
    #[serde(default)]
    cells: Vec<String>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(default)]
    cells: Vec<String>,
    expect: Vec<String>,
}

#[test]
fn figures_of_several_cells_are_those_of_the_scenes() {
    let scenes: Scenes = toml::from_str(include_str!("scenes.toml")).expect("they parse");
    for scene in scenes.scene {
        for case in &scene.case {
            let cells = scene.cells.iter().chain(&case.cells).map(String::as_str);
            let references = scene.references.clone();
            let rows = Sample { references, ..Sample::of(cells) }.derive();
            case.expect.iter().for_each(|expected| holds(&scene.name, &rows, expected));
            // A fault is no bracket and no configuration of its own.
            let mut others = rows.iter().filter(|row| row.subject.scope != Scope::Cell);
            assert!(others.all(|row| !row.subject.to_string().contains('+')));
        }
    }
}

#[test]
fn a_control_must_know_everything_and_invent_nothing() {
    for (recall, decoys, faults) in
        [("1", "0", 0), ("0.99", "0", 1), ("1", "2", 1), ("0", "1", 2), ("", "0", 0)]
    {
        let control = format!("none@windowless recall.all={recall} decoys.seen={decoys}");
        let found = controls_hold(&Sample::of([control.as_str()]).derive());
        let found = found.err().map_or(0, |faults| faults.len());
        assert_eq!(found, faults, "{recall} and {decoys}");
    }
    // What was not driven cannot fail.
    assert_eq!(controls_hold(&Sample::of(["truncate"]).derive()), Ok(()));
}

#[test]
fn an_adversary_that_wins_is_a_broken_control_with_its_figures() {
    let chance = "forge-adr@adversary under=random-sentence recall_at_need=0.3";
    let list = "forge-adr@adversary under=adversary-shape-list recall_at_need=0.93";
    let faults = controls_hold(&Sample::of([chance, list]).derive()).expect_err("it wins");
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    assert!(fault.contains("adversary-shape-list` must lose: it does not lose"), "{fault}");
    assert!(fault.contains("93%") && fault.contains("chance 30%"), "{fault}");
}

/// The pipelines on the front of a pool.
fn front(sample: &Sample, inferred: &[&str], pool: &str) -> Vec<String> {
    let inferred = inferred.iter().map(ToString::to_string).collect();
    let rows = curve(&sample.cells, &inferred).into_iter();
    rows.filter(|row| row.pool == pool && row.on_front == 1).map(|row| row.pipeline).collect()
}

#[test]
fn an_inferred_pipeline_has_a_point_and_no_place_on_the_front() {
    let sample = Sample::of([
        "known tokens.mean_prompt=600 recall_at_need=0.5",
        "guessed tokens.mean_prompt=300 recall_at_need=0.9",
    ]);
    assert_eq!(front(&sample, &["guessed"], "all"), ["known"]);
    assert_eq!(front(&sample, &[], "all"), ["guessed"]);
}

#[test]
fn the_front_is_what_no_completed_point_beats() {
    let sample = Sample::of([
        "a tokens.mean_prompt=100 recall_at_need=0.2",
        "b tokens.mean_prompt=200 recall_at_need=0.2",
        "c tokens.mean_prompt=300 recall_at_need=0.5 oracle=0.9",
        "d tokens.mean_prompt=250 recall_at_need=0.8 completion=0",
        "none@windowless tokens.mean_prompt=900 recall_at_need=1",
        "e tokens.mean_prompt=50 oracle=0.9",
    ]);
    for pool in ["family", "all"] {
        assert_eq!(front(&sample, &[], pool), ["a", "c", "none"]);
    }
    let rows = curve(&sample.cells, &BTreeSet::new());
    let bound = rows.iter().find(|row| row.pipeline == "c" && row.point == "oracle").unwrap();
    assert_eq!((bound.mean_share.as_str(), bound.recall.as_str()), ("0.3", "0.9"));
    assert!(rows.iter().all(|row| row.pipeline != "e" || row.point != "achieved"));
}

fn moments(cell: &str, flags: [bool; 3], reason: &str, n: u32) -> TriggerRow {
    TriggerRow {
        cell: cell.to_owned(),
        stage: 2,
        strategy: "truncate".to_owned(),
        occasion: Occasion::BeforeCall,
        fired: flags[0],
        changed: flags[1],
        declined: flags[2],
        reason: reason.to_owned(),
        n,
    }
}

#[test]
fn moments_are_summed_over_sessions_and_firings_have_a_median() {
    let mut sample = Sample::of(["p", "p seed=2"]);
    let ids = ["scenario/p/1/extractive/0", "scenario/p/2/extractive/0"];
    sample.triggers = vec![
        moments(ids[0], [true, true, false], "", 3),
        moments(ids[0], [false, false, false], "below its limit", 40),
        moments(ids[0], [false, false, true], "no batch", 5),
        moments(ids[1], [true, false, false], "", 1),
        moments(ids[1], [false, false, true], "nothing old", 2),
    ];
    let plan = |utilization: f64, round| CompactionRow {
        cell: ids[0].to_owned(),
        stage: "truncate".to_owned(),
        occasion: Occasion::BeforeCall,
        utilization: Some(utilization),
        round,
        ..crate::measure::sample::compaction_row()
    };
    sample.compactions = vec![plan(0.8, 0), plan(0.7, 1), plan(0.9, 0), plan(0.6, 0)];
    let rows = sample.derive();
    let figures = "trigger.due 51 n=2, trigger.fired 4 n=2, trigger.changed 3 n=2, \
                   trigger.declined 7 n=2, trigger.utilization 0.8 n=2";
    for subject in ["2 truncate", "2 truncate/before-call"] {
        holds("triggers", &rows, &format!("p/deployed/extractive/{subject}: {figures}"));
    }
    let declined = rows.iter().find(|row| row.metric == crate::measure::MetricId::TriggerDeclined);
    let declined = declined.expect("a row").basis.to_string();
    assert_eq!(declined, "no batch (5); nothing old (2)");
}
