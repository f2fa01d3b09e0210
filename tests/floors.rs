//! Floors of driven sessions: what is bounded reads so, and none lies above its view.

use std::collections::BTreeMap;

use proctor::derive::{Record, derive};
use proctor::drive::{Cell, Limits, Session, drive};
use proctor::frame::{Derived, Frame, MeasuredCell};
use proctor::ident::Seed;
use proctor::measure::{MetricId, Subject, measure, rows};
use proctor::price::PriceSheet;
use proctor::row::CellKey;
use proctor::scenario::Scenario;
use proctor::summarize::simple::Null;
use proctor::testkit::with_cell;
use proctor::unit::Tokens;

#[test]
fn probe_data() {
    let scenario = Scenario::embedded("multi-goal-arcs").unwrap();
    let source = scenario.session(Seed(1)).unwrap();
    for name in ["goat-code", "forge-threshold", "forge-adr"] {
        let pipeline = proctor::strategy::pipeline(name).unwrap();
        let t = std::time::Instant::now();
        let session =
            Session::new(source.log.clone(), source.truth.clone(), [pipeline.counter.tokenizer]);
        let limits =
            Limits { admits: scenario.admits, ..Limits::new(scenario.window, scenario.max_output) };
        let trace = with_cell(&session, &pipeline, limits, &Null::default(), |cell| {
            drive(Cell { probes: true, ..cell })
        });
        println!(
            "{name} {:?} {:?} turns {} steps {}",
            t.elapsed(),
            trace.ended_by,
            session.turns,
            trace.steps.len()
        );
        for c in &trace.checkpoints {
            println!(
                "  {} t{} s{} {:?}",
                c.number,
                c.turn,
                c.step,
                c.rounds.iter().map(|r| r.tokens.0).collect::<Vec<_>>()
            );
        }
        let sheet = PriceSheet::embedded();
        let subject = Subject {
            trace: &trace,
            session: &session,
            pipeline: &pipeline,
            limits,
            base_window: scenario.window,
            sheet: &sheet,
        };
        let m = measure(&subject);
        for id in [
            MetricId::FloorSlope,
            MetricId::FloorSlopeLowWater,
            MetricId::FloorEntriesPerTurn,
            MetricId::FloorBatchesPerTurn,
            MetricId::FloorBatchTokens,
            MetricId::FloorLowWater,
        ] {
            println!("  {id} {:?}", m.number(id));
        }
        for c in trace.compactions.iter().filter(|c| c.entries_after < c.entries_before).take(30) {
            println!(
                "  c step {} turn {} {} -> {} entries {} -> {}",
                c.step, c.turn, c.before.0, c.after.0, c.entries_before, c.entries_after
            );
        }
    }
}
