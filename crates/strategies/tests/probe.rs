//! The floor probe on pipelines that ship.

use proctor_core::drive::{Cell, Limits, Session, drive};
use proctor_core::testkit::{Script, says, scene, with_cell};
use proctor_core::trace::EndedBy;
use proctor_core::truth::Truth;
use proctor_core::unit::Tokens;
use proctor_strategies::pipeline;

/// At a tenth of the window nothing presses, and the probe still finds how far each
/// strategy can go; its keep-rules hold.
#[test]
fn the_floor_probe_finds_the_floor_of_an_idle_pipeline() {
    let shape = "uctuctuctuctuctuctuctuctuctuctuctuctuctu".to_owned() + "a";
    let session = Session::new(scene(&shape).log, Truth::default(), []);
    let used = session.reference.total();
    let limits = Limits::new(Tokens(10 * used.0) + session.fixed(), Tokens(1_000));
    for (name, entries_left, acts) in [
        ("none", 37, false),
        ("truncate", 3, false),
        ("forge-threshold", 25, false),
        ("forge-tool-call", 34, true),
        ("forge-goal-batch", 37, false),
    ] {
        let pipeline = pipeline(name).unwrap();
        let trace = with_cell(&session, &pipeline, limits, &Script::new([says("s")]), |cell| {
            drive(Cell { probes: true, ..cell })
        });
        assert_eq!(trace.ended_by, EndedBy::Completed);
        assert_eq!(!trace.compactions.is_empty(), acts, "{name}");
        let probe = trace.checkpoints.last().unwrap();
        let left: u32 = probe.one_pass.entries.iter().sum();
        assert_eq!(left, entries_left, "{name}");
    }
}
