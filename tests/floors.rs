//! Floors of driven sessions: what is bounded reads so, and no floor lies above its view.

#[path = "../benches/floor/simulated.rs"]
mod simulated;

use proctor::drive::{Limits, Session};
use proctor::frame::Derived;
use proctor::ident::Seed;
use proctor::measure::floor::{LinearGrowth, growth_over};
use proctor::measure::{MetricId, Word};
use proctor::scenario::Scenario;
use proctor::stats::resample::Resampling;
use proctor::summarize::simple::Lead;
use rayon::prelude::*;
use simulated::{DESIGNS, NOISES, TRUTHS, Truth, family};

use crate::measure::{Driven, derived, driven};

/// A probed cell of one session in its own window.
fn probed(pipeline: &str) -> Driven {
    let scenario = Scenario::embedded("multi-goal-arcs").expect("it ships");
    let source = scenario.session(Seed(1)).expect("it can be made");
    let pipeline = proctor::strategy::pipeline(pipeline).expect("it ships");
    let session = Session::new(source.log, source.truth, [pipeline.counter.tokenizer]);
    let limits = Limits::new(scenario.window, scenario.max_output);
    let limits = Limits { admits: scenario.admits, ..limits };
    driven(&session, &pipeline, limits, &Lead::default(), scenario.window)
}

fn told(rows: &[Derived], metric: MetricId) -> &Derived {
    let is_group = |row: &&Derived| row.subject.to_string() == "hand-made/goat-code/deployed/any";
    let found = rows.iter().find(|row| is_group(row) && row.metric == metric);
    found.expect("a row of the group")
}

/// By design two fifths of the window stay: the view fills up to that, and then the floor is flat.
#[test]
fn a_floor_that_fills_up_and_stays_does_not_grow() {
    let cells = [probed("goat-code")];
    let (trace, rows) = (&cells[0].trace, derived(&cells));
    let one_pass = |place: usize| trace.checkpoints[place].rounds[1].tokens.as_f64();
    assert!(one_pass(11) > 1.5 * one_pass(0), "{} {}", one_pass(0), one_pass(11));
    let growth = told(&rows, MetricId::FloorGrowth);
    let law = growth.as_word().map(Word::name);
    assert_eq!(law, Some("constant"), "{}", growth.basis);
    let slope = told(&rows, MetricId::FloorSlope).as_number().expect("a slope");
    let driven = f64::from(trace.checkpoints[11].turn);
    assert!(slope * driven < 0.05 * one_pass(11), "{slope} tokens a turn");
    let verdict = told(&rows, MetricId::FloorVerdict).as_word().map(Word::name);
    // One session excludes nothing.
    assert_eq!(verdict, Some("not shown to grow"));
    for horizon in [MetricId::FloorHorizon, MetricId::FloorHorizonLowWater] {
        assert_eq!(told(&rows, horizon).value, None);
    }
}

#[test]
fn no_floor_of_a_driven_session_lies_above_its_view() {
    let trace = probed("forge-adr").trace;
    assert_eq!(trace.checkpoints.len(), 12);
    for checkpoint in &trace.checkpoints {
        let (floor, composition) = checkpoint.floor().expect("it was probed");
        assert!(floor.tokens <= checkpoint.rounds[0].tokens, "{checkpoint:?}");
        assert_eq!(composition.tokens.iter().copied().sum::<proctor::unit::Tokens>(), floor.tokens);
    }
}

/// The share of simulated families of five lengths in which this follows for linear growth, in the
/// noise in which it is largest.
fn most_often(truth: Truth, linear: LinearGrowth) -> (f64, &'static str) {
    const FAMILIES: u64 = 200;
    let shares = NOISES.map(|(name, noise)| {
        let is = |number: &u64| {
            let series = family(DESIGNS[1], truth, noise, *number);
            let resampling = Resampling { resamples: 50, ..Resampling::standard(Seed(*number)) };
            growth_over(&series, resampling).expect("points").linear == linear
        };
        let count = (0..FAMILIES).into_par_iter().filter(is).count();
        (count as f64 / FAMILIES as f64, name)
    });
    shares.into_iter().max_by(|one, other| one.0.total_cmp(&other.0)).expect("five noises")
}

/// `cargo bench --bench floor` prints the whole table.
#[test]
fn a_line_of_a_twentieth_is_seldom_excluded_and_a_constant_hardly_ever_grows() {
    let [constant, .., under_logarithm] = TRUTHS;
    let line = TRUTHS[4];
    for truth in [line, under_logarithm] {
        let (share, noise) = most_often(truth, LinearGrowth::Excluded);
        assert!(share <= 0.05, "{}: excluded in {share} under {noise}", truth.0);
    }
    let (share, noise) = most_often(constant, LinearGrowth::Established);
    assert!(share <= 0.01, "a constant grows in {share} under {noise}");
    let (share, _) = most_often(constant, LinearGrowth::Excluded);
    assert!(share >= 0.9, "in the least noise a constant is excluded in {share} only");
}
