use super::*;
use crate::matrix::configurations;
use crate::matrix::tests::suite_of as suite;
use crate::strategy::shipped;

const FOUR: &str =
    r#"stages = ["forge-tool-call", "forge-threshold", "forge-goal-batch", "truncate"]"#;

fn pipelines(rest: &str) -> Vec<Pipeline> {
    let suite = suite(&format!("[orderings]\n{rest}")).expect("it parses");
    let all = suite.orderings.expect("it has some").described(shipped(), "test");
    all.expect("they ship").into_iter().map(|(_, one)| one.pipeline).collect()
}

fn names(rest: &str) -> Vec<String> {
    pipelines(rest).into_iter().map(|pipeline| pipeline.name).collect()
}

#[test]
fn all_orders_of_four_stages_are_twenty_four_pipelines_with_names_of_their_own() {
    let names = names(FOUR);
    assert_eq!(names.len(), 24);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 24);
    assert_eq!(names[0], "order_forge-tool-call_forge-threshold_forge-goal-batch_truncate");
    assert_eq!(names[23], "order_truncate_forge-goal-batch_forge-threshold_forge-tool-call");
    assert!(names.iter().all(|name| is_name(name)));
    for pipeline in pipelines(FOUR) {
        let stages: Vec<&str> = pipeline.stages.iter().map(|stage| stage.strategy.name()).collect();
        assert_eq!(pipeline.name, format!("order_{}", stages.join("_")));
    }
}

#[test]
fn adjacent_is_the_base_order_and_each_swap_of_neighbours() {
    let four = format!("{FOUR}\nlabels = [\"a\", \"b\", \"c\", \"d\"]\norder = \"adjacent\"");
    assert_eq!(names(&four), ["order_a_b_c_d", "order_b_a_c_d", "order_a_c_b_d", "order_a_b_d_c"]);
}

#[test]
fn a_sample_holds_the_base_order_and_is_the_same_every_time() {
    let sample = |size: usize| names(&format!("{FOUR}\norder = {{ sample = {size} }}"));
    let twelve = sample(12);
    assert_eq!(twelve, sample(12));
    assert_eq!(twelve.iter().collect::<BTreeSet<_>>().len(), 12);
    let all = names(FOUR);
    assert_eq!(twelve[0], all[0]);
    assert!(twelve.iter().all(|name| all.contains(name)));
    assert_eq!(sample(100), all, "more than there are is all");
    assert_eq!(sample(1), all[..1]);
    insta::assert_debug_snapshot!(sample(4));
}

#[test]
fn an_order_that_is_a_shipped_pipeline_runs_once_under_its_name() {
    let text = "pipelines = [\"forge-adr\"]\n[orderings]\nsettings-of = \"forge-adr\"\n\
                stages = [\"forge-tool-call\", \"forge-threshold\", \"forge-goal-batch\"]\n";
    let all = configurations(shipped(), &suite(text).expect("it parses")).expect("they ship");
    assert_eq!(all.len(), 6, "five orders beside the pipeline itself");
    assert_eq!(all[0].pipeline.name, "forge-adr");
    assert_eq!(all[0].aliases, ["order_forge-tool-call_forge-threshold_forge-goal-batch"]);
    assert!(all[1..].iter().all(|one| one.aliases.is_empty()));
    let names: BTreeSet<String> = all.iter().map(Configuration::name).collect();
    assert_eq!(names.len(), 6);
}

#[test]
fn settings_are_those_of_one_pipeline() {
    let counters = |rest: &str| {
        let all = pipelines(&format!("stages = [\"truncate\", \"forge-threshold\"]\n{rest}"));
        all.iter().map(|one| one.counter.tokenizer.name()).collect::<Vec<_>>()
    };
    assert_eq!(counters(""), ["chars4", "chars4"]);
    assert_eq!(counters("settings-of = \"forge-adr\""), ["cl100k", "cl100k"]);
}

#[test]
fn orders_are_told_by_their_labels_and_named_in_each_window() {
    let suite = suite(
        "[orderings]\nstages = [\"forge-tool-call\", \"forge-threshold\"]\n\
         labels = [\"call\", \"threshold\"]\nwindows = [50_000, 1_500]\n",
    )
    .expect("a suite");
    let orders = orders(shipped(), &suite).expect("they ship");
    let told: Vec<(&str, String, u64)> = orders
        .iter()
        .map(|one| (one.name.as_str(), one.stages.join(" "), one.window.expect("a window").0))
        .collect();
    assert_eq!(
        told,
        [
            ("order_call_threshold_window-50k", "call threshold".to_owned(), 50_000),
            ("order_call_threshold_window-1500", "call threshold".to_owned(), 1_500),
            ("order_threshold_call_window-50k", "threshold call".to_owned(), 50_000),
            ("order_threshold_call_window-1500", "threshold call".to_owned(), 1_500),
        ]
    );
}

#[test]
fn bad_orderings_name_key_value_and_rule() {
    for (rest, expected) in [
        ("stages = [\"truncate\"]", "s.toml: orderings.stages: 1 stages have no orders"),
        ("stages = [\"truncate\", \"truncate\"]", "orderings.stages: the same stage twice"),
        ("stages = [\"a\", \"b\"]\nlabels = [\"x\"]", "orderings.labels: 1 labels for 2 stages"),
        ("stages = [\"a\", \"b\"]\nlabels = [\"x\", \"x\"]", "two stages have the same label"),
        ("stages = [\"a\", \"b\"]\nlabels = [\"x\", \"a b\"]", "`a b` is no part of a name"),
        ("stages = [\"a\", \"b\"]\norder = { sample = 0 }", "orderings.order: a sample of 0"),
        ("stages = [\"a\", \"b\"]\nwindows = [10]", "orderings.windows: 10 is out of range"),
        (
            "stages = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\"]",
            "orderings.order: `all` orders of 7 stages are too many: at most 6",
        ),
    ] {
        let error = suite(&format!("[orderings]\n{rest}")).expect_err("a bad suite").to_string();
        assert!(error.contains(expected), "{error}");
    }
    let unknown = suite("[orderings]\nstages = [\"forge-adr\", \"none\"]").expect("well formed");
    let error = configurations(shipped(), &unknown).expect_err("several stages");
    assert_eq!(
        error.to_string(),
        "suite `s`: orderings.stages: `forge-adr` has 3 stages, and is taken as one"
    );
    assert!(error.hint().is_some());
}
