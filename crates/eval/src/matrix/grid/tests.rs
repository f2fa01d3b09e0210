use super::*;
use crate::matrix::configurations;
use crate::matrix::tests::suite_of as suite;
use crate::pressure::Limit;
use crate::strategy::shipped;

fn all(rest: &str) -> Result<Vec<Configuration>> {
    configurations(shipped(), &suite(rest)?)
}

fn names(rest: &str) -> Vec<String> {
    let all = all(rest).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<String> = all.iter().map(Configuration::name).collect();
    assert!(!has_doubles(&names) && names.iter().all(|name| is_name(name)), "{names:?}");
    names
}

const CROSS: &str = "[[grid]]\npipeline = \"forge-adr\"\n\
    parameters = { \"forge-goal-batch.older-than-messages\" = [10, 20], \
                   \"forge-goal-batch.min-turns\" = [2, 3, 6] }\n";

#[test]
fn a_grid_is_the_cross_product_of_its_axes() {
    assert_eq!(
        names(CROSS),
        [
            "forge-adr_min-turns-2_older-than-messages-10",
            "forge-adr_min-turns-2_older-than-messages-20",
            "forge-adr_min-turns-3_older-than-messages-10",
            "forge-adr_min-turns-3_older-than-messages-20",
            "forge-adr_min-turns-6_older-than-messages-10",
            "forge-adr_min-turns-6_older-than-messages-20",
        ]
    );
    let all = all(CROSS).expect("it is sound");
    let json = serde_json::to_value(&all[4].pipeline).expect("it serializes");
    let stage = &json["stage"][2]["strategy"]["forge-goal-batch"];
    assert_eq!((&stage["min-turns"], &stage["older-than-messages"]), (&6.into(), &10.into()));
    let windows = names(&format!("{CROSS}windows = [50_000, 100_000]\n"));
    assert_eq!(windows.len(), 12);
    assert_eq!(windows[1], "forge-adr_min-turns-2_older-than-messages-10_window-100k");
}

#[test]
fn keys_that_end_alike_are_told_apart_by_what_comes_before() {
    let both = format!(
        "{CROSS}[[grid]]\npipeline = \"forge-adr\"\nwindows = [50_000]\n\
         [[grid]]\npipeline = \"forge-adr\"\nparameters = {{ \"forge-threshold.pressure.limit.share\" \
         = [0.7, 0.9], \"forge-threshold.pressure.target.share\" = [0.3] }}\n"
    );
    let names = names(&both);
    assert_eq!(names.len(), 6 + 1 + 2);
    assert_eq!(names[6], "forge-adr_window-50k");
    assert_eq!(names[7], "forge-adr_limit-share-0.7_target-share-0.3");
}

#[test]
fn a_point_that_changes_nothing_is_an_alias() {
    let all = all(&format!("pipelines = [\"forge-adr\"]\n{CROSS}")).expect("it is sound");
    assert_eq!(all.len(), 6);
    assert_eq!(all[0].aliases, ["forge-adr_min-turns-3_older-than-messages-20"]);
    let twice = names(&format!("{CROSS}{CROSS}"));
    assert_eq!(twice.len(), 6, "the same point of two grids is one");
}

#[test]
fn a_key_reaches_parameters_pressures_occasions_and_the_pipeline() {
    let one = |key: &str, value: &str| {
        let text = format!(
            "[[grid]]\npipeline = \"forge-adr\"\nparameters = {{ \"{key}\" = [{value}] }}\n"
        );
        all(&text).unwrap_or_else(|error| panic!("{error}")).remove(0).pipeline
    };
    let share = one("forge-threshold.pressure.limit.share", "0.6");
    let limit: &Limit = &share.stages[1].pressure[0].limit;
    assert_eq!(limit.share, 0.6);
    let by_number = one("2.pressure.limit.share", "0.6");
    assert_eq!(by_number.stages, share.stages);
    assert_eq!(one("on-error", "\"raise\"").on_error, crate::pipeline::OnError::Raise);
    let tokenizer = one("counter.tokenizer", "\"chars4\"").counter.tokenizer;
    assert_eq!(tokenizer, crate::token::Tokenizer::Chars4);
    let repeat = one("forge-threshold.repeat", "\"once\"");
    assert_eq!(repeat.stages[1].repeat, crate::pipeline::Repeat::Once);
    let on = one("forge-goal-batch.on.before-call", "\"always\"");
    assert_eq!(on.stages.len(), 3);
}

#[test]
fn windows_move_the_cells_and_not_their_scenario() {
    use crate::drive::Mode;
    use crate::matrix::cells;
    use crate::scenario::Scenario;
    let rest = "modes = [\"deployed\", \"forced\"]\n[[grid]]\npipeline = \"forge-adr\"\n\
                windows = [50_000]\n";
    let suite = suite(rest).expect("it is sound");
    let configurations = configurations(shipped(), &suite).expect("it is sound");
    let scenario = Scenario::embedded("multi-goal-arcs").expect("it ships");
    let cells = cells(&suite, &configurations, &scenario, 72, 1);
    let ids: Vec<&str> = cells.iter().map(|cell| &*cell.key.cell).collect();
    assert_eq!(
        ids,
        [
            "multi-goal-arcs@50k/forge-adr_window-50k/1",
            "multi-goal-arcs@50k/forge-adr_window-50k/1/forced",
        ]
    );
    assert_eq!((cells[0].key.window, cells[1].mode), (50_000, Mode::Forced));
    let limits = crate::run::limits(&scenario, &configurations[0]);
    assert_eq!(limits.window, Tokens(50_000));
}

#[test]
fn bad_grids_name_key_value_and_rule() {
    let one = |parameters: &str| {
        let text = format!("[[grid]]\npipeline = \"forge-adr\"\nparameters = {{ {parameters} }}\n");
        let error = all(&text).expect_err("a bad grid");
        format!("{error} / {}", error.hint().unwrap_or_default())
    };
    // Too large a grid is refused before it is made.
    let values = (0..100).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let large = ["older-than-messages", "min-turns", "max-turns", "max-tokens"]
        .map(|key| format!("\"forge-goal-batch.{key}\" = [{values}]"));
    for (parameters, expected) in [
        ("", "s.toml: grid 1: parameters: a grid without `parameters` and `windows` has no axis"),
        ("\"forge-goal-batch.min-turns\" = []", "min-turns\": an axis without a value"),
        ("\"forge-goal-batch.min-turns\" = [2, 2]", "min-turns\": the same value stands twice"),
        ("\"forge-goal-batch.min-turns\" = [[2]]", "`[2]` is no number, word or truth value"),
        (
            "\"forge-goal-batch.min-turn\" = [2]",
            "suite `s`: grid 1: parameters.\"forge-goal-batch.min-turn\": unknown key `min-turn`",
        ),
        ("\"forge-goal-batch.min-turn\" = [2]", "/ did you mean `min-turns`?"),
        ("\"forge-goal-bacth.min-turns\" = [2]", "/ did you mean `forge-goal-batch`?"),
        ("\"forge-goal-batch\" = [2]", "names a stage and nothing of it"),
        ("\"4.min-turns\" = [2]", "there is no stage 4: the pipeline has 3"),
        ("\"forge-goal-batch.min-turns\" = [\"many\"]", "`\"many\"` does not fit: invalid type"),
        ("\"forge-goal-batch.min-turns\" = [-1]", "`-1` cannot be part of a name"),
        ("\"forge-goal-batch.min-turns\" = [7]", "`7`: stage 3 (forge-goal-batch): `max-turns` 6"),
        ("\"forge-goal-batch.pressure.limit.share\" = [0.5]", "the list is empty"),
        ("\"forge-threshold.pressure.limit.share\" = [11.0]", "share 11 is not between 0 and 10"),
        ("\"name\" = [\"x\"]", "`name` is no stage of it"),
        (&large.join(", "), "its axes make 100000000 points: at most 2000"),
    ] {
        let text = one(parameters);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn swept_limits_are_named_with_all_their_digits() {
    let configurations = all("windowless = [\"none\"]\ntruncate-sweep = [0.25, 0.254, 0.4]\n");
    let names: Vec<String> =
        configurations.expect("it is sound").iter().map(Configuration::name).collect();
    assert_eq!(names[1..], ["truncate@limit=0.25", "truncate@limit=0.254", "truncate@limit=0.40"]);
    let twice = suite("windowless = [\"none\"]\ntruncate-sweep = [0.4, 0.4]\n");
    assert!(twice.expect_err("it stands twice").to_string().contains("the same share"));
}

#[test]
fn points_of_a_grid_know_their_place_on_each_axis() {
    let suite = suite(
        "[[grid]]\npipeline = \"forge-adr\"\nwindows = [50_000, 100_000]\n\
         parameters = { \"forge-goal-batch.min-turns\" = [2, 3, 6] }\n",
    )
    .expect("a suite");
    let grids = grids(shipped(), &suite).expect("they ship");
    let grid = &grids[0];
    let keys: Vec<&str> = grid.axes.iter().map(|axis| axis.key.as_str()).collect();
    assert_eq!(keys, ["forge-goal-batch.min-turns", "window"]);
    assert_eq!(grid.points.len(), 6);
    assert_eq!(grid.points[3], "forge-adr_min-turns-3_window-100k");
    assert_eq!(grid.place(3), [1, 1]);
    assert_eq!(grid.place(4), [2, 0]);
}
