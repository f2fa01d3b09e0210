//! Searches over a made-up world, in which what is best is known.

use super::range::Range;
use super::search::{Drive, Found, Search};
use super::*;
use crate::drive::Mode;
use crate::frame::MeasuredCell;
use crate::matrix::{Configuration, Suite, cells};
use crate::measure::{Measurement, MetricId};
use crate::pipeline::Pipeline;
use crate::prelude::*;
use crate::run::{Options, Plan};
use crate::run_dir::read::RunData;
use crate::scenario::Scenario;
use crate::strategy::shipped;

/// Drives nothing: recall rises with the tokens of users that are kept, and so do the costs of those
/// above 20,000. Compacting at a share below 0.4 loses recall.
struct World {
    split: Split,
    ends_early: fn(&Pipeline) -> bool,
    driven: BTreeSet<(String, u64, String)>,
}

fn numbers(pipeline: &Pipeline) -> (f64, f64) {
    let json = json::as_json(pipeline).expect("it is JSON");
    let number = |place: &str| json.pointer(place).and_then(serde_json::Value::as_f64);
    let kept = number("/stage/0/strategy/codex/user-tokens").expect("codex keeps some");
    (kept, number("/stage/0/pressure/0/limit/share").expect("it has a limit"))
}

impl World {
    fn figures(&self, pipeline: &Pipeline, seed: u64) -> Measurement {
        let ((kept, share), noise) = (numbers(pipeline), (seed * 7_919 % 13) as f64 / 1_000.0);
        let recall = 0.3 + kept.min(40_000.0) / 100_000.0 - if share < 0.4 { 0.2 } else { 0.0 };
        let cost = 1.0 + share * 0.5 + (kept - 20_000.0).max(0.0) / 1e5;
        let early = (self.ends_early)(pipeline);
        let recall = if early { 0.05 } else { recall };
        let mut figures = Measurement::default();
        for (metric, value) in [
            (MetricId::Completion, f64::from(!early)),
            (MetricId::StepsTotal, 10.0),
            (MetricId::StepsReached, if early { 4.0 } else { 10.0 }),
            (MetricId::RecallAtNeed, recall + noise),
            (MetricId::CostUsd, cost + noise),
            (MetricId::TokensPromptTotal, 1e6 * (cost + noise)),
            (MetricId::LatencyTotal, 1_000.0),
        ] {
            figures.put(metric, value);
        }
        figures
    }

    fn drive(
        &mut self,
        all: &[Pipeline],
        (scenarios, seeds): (Vec<Scenario>, Vec<u64>),
    ) -> RunData {
        let text = "name = 'tune'\nabout = ''\nscenarios = []\npipelines = ['none']\nseeds = [1]\n";
        let suite = Suite { seeds, ..Suite::parse("tune", text).expect("it parses") };
        assert_eq!(suite.modes, [Mode::Deployed]);
        let mut plan = Plan::new(shipped(), suite, scenarios, String::new()).expect("it is sound");
        plan.configurations = all.iter().cloned().map(configuration).collect();
        let mut measured = Vec::new();
        for (scenario, seed) in plan.sessions() {
            for spec in cells(&plan.suite, &plan.configurations, scenario, 10, seed) {
                let driven = (spec.key.scenario.clone(), seed, spec.key.pipeline.clone());
                assert!(self.driven.insert(driven.clone()), "{driven:?} is driven twice");
                let figures = self.figures(&plan.configurations[spec.configuration].pipeline, seed);
                measured.push(MeasuredCell::done(spec.key, figures));
            }
        }
        RunData::of_figures(plan.manifest(&Options::default()), measured)
    }
}

fn configuration(pipeline: Pipeline) -> Configuration {
    let variant = "windowed".to_owned();
    Configuration { pipeline, windowless: false, window: None, variant, aliases: Vec::new() }
}

impl Drive for World {
    fn rungs(&mut self, all: &[Pipeline], rungs: std::ops::Range<usize>) -> Result<RunData> {
        let over = self.split.over(rungs);
        Ok(self.drive(all, over))
    }

    fn held_back(&mut self, all: &[Pipeline]) -> Result<RunData> {
        let over = self.split.held_back();
        Ok(self.drive(all, over))
    }
}

fn ranges() -> (Pipeline, Vec<Range>) {
    let codex = shipped().pipeline("codex").expect("it ships");
    let all = settings(shipped(), &codex).expect("they are known");
    (codex, chosen(&all, &[], &[]).expect("they have ranges"))
}

fn tuned(seed: u64, ends_early: fn(&Pipeline) -> bool) -> (Tuning, World) {
    let (codex, ranges) = ranges();
    let search = Search { registry: shipped(), base: &codex, ranges: &ranges, seed };
    let seeds = [1, 2, 3, 4, 5, 6, 7, 8];
    let held: Vec<u64> = (101..=110).collect();
    let smoke = vec![Scenario::embedded("smoke").expect("it ships")];
    let split = Split::new((smoke, &seeds), (Vec::new(), &held)).expect("it is sound");
    let size = Size::within(500, split.rungs(), split.held_sessions()).expect("it is enough");
    let mut world = World { split, ends_early, driven: BTreeSet::new() };
    let tuning = search.tune(&size, &mut world).expect("it searches");
    assert!(tuning.found.cells + tuning.held.cells <= size.cells, "{size:?}");
    (tuning, world)
}

fn never(_: &Pipeline) -> bool {
    false
}

#[test]
fn what_is_better_is_found_and_stands_on_the_held_back_part() {
    let (tuning, _) = tuned(1, never);
    // A lower limit costs less and knows no less, down to 0.4.
    assert_eq!(tuning.held.verdict(Cost::Dollars), Verdict::Tuned);
    assert_eq!(tuning.held.verdict(Cost::Wait), Verdict::Tuned);
    let pick =
        |aim| tuning.held.picks.iter().find(|one| (one.cost, one.aim) == (Cost::Dollars, aim));
    let cheap = pick(Aim::LessCost).expect("there is one");
    assert_eq!(cheap.outcome, Outcome::Better, "{cheap:?}");
    let (kept, share) = numbers(&tuning.found.points[cheap.point].pipeline);
    assert!((19_000.0..25_000.0).contains(&kept) && (0.4..0.7).contains(&share), "{kept} {share}");
    assert!(tuning.conclusion().starts_with("verdict: better than the defaults"));
}

#[test]
fn who_finishes_more_is_better_whatever_ending_early_cost() {
    let (tuning, _) = tuned(1, |pipeline| numbers(pipeline).1 > 0.7);
    let defaults = &tuning.held.points[0];
    assert_eq!((defaults.point, defaults.score.finished, defaults.stays), (0, 0, [false; 3]));
    let picks = tuning.held.picks.iter().filter(|one| one.aim == Aim::MoreFinished);
    let outcomes: Vec<Outcome> = picks.map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::Better; 3]);
}

#[test]
fn the_defaults_are_never_dropped_and_no_cell_is_driven_twice() {
    let (tuning, world) = tuned(3, never);
    let found = &tuning.found;
    for rung in 1..=3 {
        let trials: Vec<_> = found.rung(rung).collect();
        assert!(trials.iter().any(|trial| trial.point == 0), "rung {rung}");
        assert!(trials.windows(2).all(|pair| pair[0].point < pair[1].point), "rung {rung}");
        let seeds = [4, 6, 8][rung - 1];
        assert!(trials.iter().all(|trial| trial.score.sessions == seeds), "rung {rung}");
    }
    assert!(found.points.iter().any(|point| matches!(point.origin, Origin::Near { .. })));
    assert_eq!(world.driven.len(), found.cells + tuning.held.cells);
    let searched = world.driven.iter().filter(|(_, seed, _)| *seed < 100).count();
    assert_eq!(searched, found.cells);
}

#[test]
fn the_same_seed_finds_the_same_and_another_one_draws_others() {
    let values = |found: &Found| -> Vec<Vec<Option<f64>>> {
        found.points.iter().map(|point| point.values.clone()).collect()
    };
    let (one, again, other) = (tuned(1, never).0, tuned(1, never).0, tuned(2, never).0);
    assert_eq!(one.found, again.found);
    assert_ne!(values(&one.found), values(&other.found));
    assert_eq!(one.found.points[0], other.found.points[0]);
}

#[test]
fn what_a_parameter_does_is_told_and_one_without_effect_has_none() {
    let (tuning, _) = tuned(1, never);
    let effect = |key: &str| tuning.effects.iter().find(|one| one.key == key).expect("it varies");
    let (kept, share) = (effect("codex.user-tokens"), effect("codex.pressure.limit.share"));
    assert!(kept.recall.is_some_and(|one| one.is_shown && one.correlation > 0.5), "{kept:?}");
    assert!(share.costs[0].is_some_and(|one| one.correlation > 0.0), "{share:?}");
    // Nothing in this world moves the wait.
    assert_eq!(kept.costs[2], None);
}

#[test]
fn every_number_of_every_shipped_pipeline_has_one_name_and_its_points_parse() {
    for name in shipped().pipeline_names() {
        let pipeline = shipped().pipeline(name).expect("it ships");
        let all = settings(shipped(), &pipeline).expect("they are known");
        let keys: BTreeSet<&str> = all.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys.len(), all.len(), "{name}: {keys:?}");
        let ranges = chosen(&all, &[], &[]).expect("they have ranges");
        for place in [0.0, 0.5, 1.0] {
            let values: Vec<f64> = ranges.iter().map(|range| range.value(place)).collect();
            let made = (7, Origin::Drawn);
            let point = Point::of(shipped(), &pipeline, &ranges, &values, made);
            let Some(point) = point.expect("it is JSON") else { continue };
            let file = point.file("Found.\nSecond line.").expect("it is TOML");
            assert!(file.starts_with("# Found.\n# Second line.\n"), "{file}");
            let read = Pipeline::parse(shipped(), &format!("{name}-7.toml"), &file);
            let read = read.unwrap_or_else(|error| panic!("{name}: {error}\n{file}"));
            assert_eq!(read, point.pipeline, "{name}");
        }
    }
}

#[test]
fn usual_ranges_hold_their_default_and_values_come_back_from_their_place() {
    for (key, least, most) in
        [("codex.user-tokens", 5_000.0, 80_000.0), ("codex.pressure.limit.share", 0.225, 0.95)]
    {
        let (_, ranges) = ranges();
        let range = ranges.iter().find(|one| one.key == key).expect("it varies");
        assert_eq!((range.least, range.most), (least, most), "{key}");
        assert_eq!((range.value(0.0), range.value(1.0)), (least, most), "{key}");
        let default = range.default.expect("it has one");
        assert!((range.value(range.place(default)) - default).abs() < 1e-9, "{key}");
    }
}

#[test]
fn ranges_are_declared_shortened_and_refused_with_the_remedy() {
    let codex = shipped().pipeline("codex").expect("it ships");
    let all = settings(shipped(), &codex).expect("they are known");
    let chosen = |vary: &[&str], only: &[&str]| {
        let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        chosen(&all, &words(vary), &words(only))
    };
    let keys = |ranges: Vec<Range>| ranges.into_iter().map(|one| one.key).collect::<Vec<_>>();
    let declared = chosen(&["max-tokens=500..4000"], &["max-tokens", "pressure.share"]);
    let declared = declared.expect("they are sound");
    assert_eq!((declared[0].least, declared[0].most), (500.0, 4_000.0));
    assert_eq!(keys(declared), ["codex.max-tokens", "codex.pressure.limit.share"]);
    for (vary, only, said) in [
        (&["user-tokens"][..], &[][..], "expected KEY=MIN..MAX"),
        (&["user-tokens=5"], &[], "expected MIN..MAX"),
        (&["user-tokens=9..5"], &[], "below MAX"),
        (&["user-tokens=0.5..5"], &[], "whole numbers"),
        (&["user-token=1..5"], &[], "no number of this name"),
        (&[], &["tokens"], "no number of this name"),
        (&[], &["max-tokens"], "has no range of its own"),
    ] {
        let refused = chosen(vary, only).expect_err(said);
        assert!(refused.to_string().contains(said), "{refused}");
        assert!(refused.hint().is_some(), "{refused}");
    }
}
