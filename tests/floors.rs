//! Floors of driven sessions: what is bounded reads so, and no floor lies above its view.

use proctor::drive::{Limits, Session};
use proctor::frame::Derived;
use proctor::ident::Seed;
use proctor::measure::{MetricId, Word};
use proctor::scenario::Scenario;
use proctor::summarize::simple::Lead;

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
fn a_floor_that_fills_up_and_stays_reads_bounded() {
    let cells = [probed("goat-code")];
    let (trace, rows) = (&cells[0].trace, derived(&cells));
    let one_pass = |place: usize| trace.checkpoints[place].rounds[1].tokens.as_f64();
    assert!(one_pass(11) > 1.5 * one_pass(0), "{} {}", one_pass(0), one_pass(11));
    let growth = told(&rows, MetricId::FloorGrowth);
    let law = growth.as_word().map(Word::name);
    assert!(matches!(law, Some("constant" | "saturating")), "{law:?}: {}", growth.basis);
    let slope = told(&rows, MetricId::FloorSlope).as_number().expect("a slope");
    let driven = f64::from(trace.checkpoints[11].turn);
    assert!(slope * driven < 0.05 * one_pass(11), "{slope} tokens a turn");
    let verdict = told(&rows, MetricId::FloorVerdict).as_word().map(Word::name);
    assert_eq!(verdict, Some("eliminated"));
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
