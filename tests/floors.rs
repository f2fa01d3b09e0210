//! Floors of driven sessions: what is bounded reads so, and no floor lies above its view.

use std::collections::BTreeMap;

use proctor::derive::{Record, derive};
use proctor::drive::{Cell, Limits, Session, drive};
use proctor::frame::{Derived, Frame, MeasuredCell};
use proctor::ident::Seed;
use proctor::measure::{MetricId, Subject, Word, measure, rows};
use proctor::price::PriceSheet;
use proctor::row::CellKey;
use proctor::scenario::Scenario;
use proctor::summarize::simple::Lead;
use proctor::testkit::with_cell;
use proctor::trace::Trace;

const SCENARIO: &str = "multi-goal-arcs";

/// A probed cell of one session in its own window, with what is derived from it alone.
fn probed(pipeline: &str) -> (Trace, Vec<Derived>) {
    let scenario = Scenario::embedded(SCENARIO).expect("it ships");
    let source = scenario.session(Seed(1)).expect("it can be made");
    let pipeline = proctor::strategy::pipeline(pipeline).expect("it ships");
    let session = Session::new(source.log, source.truth, [pipeline.counter.tokenizer]);
    let (window, sheet) = (scenario.window, PriceSheet::embedded());
    let limits = Limits { admits: scenario.admits, ..Limits::new(window, scenario.max_output) };
    let trace = with_cell(&session, &pipeline, limits, &Lead::default(), |cell| {
        drive(Cell { probes: true, ..cell })
    });
    let subject = Subject {
        trace: &trace,
        session: &session,
        pipeline: &pipeline,
        limits,
        base_window: window,
        sheet: &sheet,
    };
    let key = CellKey {
        cell: format!("{SCENARIO}/{}/1", pipeline.name),
        scenario: SCENARIO.to_owned(),
        family: SCENARIO.to_owned(),
        turns: session.turns,
        window: window.0,
        pipeline: pipeline.name.clone(),
        variant: "windowed".to_owned(),
        mode: "deployed".to_owned(),
        seed: 1,
        summarizer: "lead".to_owned(),
        replicate: 0,
    };
    let floor = rows::floor_rows(&key.cell, &subject);
    let compactions = rows::compaction_rows(&key.cell, &subject);
    let cells = [MeasuredCell::done(key, measure(&subject).as_written())];
    let derived = derive(&Record {
        frame: &Frame::new(&cells, &floor, &compactions, &[]),
        references: &BTreeMap::new(),
        triggers: &[],
        steps_of: &|_| Ok(Vec::new()),
    });
    (trace, derived.expect("there are no steps to read"))
}

fn told(rows: &[Derived], metric: MetricId) -> &Derived {
    let group = format!("{SCENARIO}/goat-code/deployed/lead");
    let found = rows.iter().find(|row| row.subject.to_string() == group && row.metric == metric);
    found.expect("a row of the group")
}

/// By design two fifths of the window stay: the view fills up to that, and then the floor is flat.
#[test]
fn a_floor_that_fills_up_and_stays_reads_bounded() {
    let (trace, rows) = probed("goat-code");
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
    let (trace, _) = probed("forge-adr");
    assert_eq!(trace.checkpoints.len(), 12);
    for checkpoint in &trace.checkpoints {
        let (floor, composition) = checkpoint.floor().expect("it was probed");
        assert!(floor.tokens <= checkpoint.rounds[0].tokens, "{checkpoint:?}");
        assert_eq!(composition.tokens.iter().copied().sum::<proctor::unit::Tokens>(), floor.tokens);
    }
}
