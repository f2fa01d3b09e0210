//! A session driven through a pipeline, with the view around each compaction.

use proctor::drive::{Cell, Limits, Mode, Session, Snapshot, drive_with_snapshots};
use proctor::pipeline::Pipeline;
use proctor::summarize::Ask;
use proctor::testkit::with_cell;
use proctor::trace::Trace;
use proctor::unit::Tokens;

/// Modes that differ in what makes a stage act.
pub const MODES: [Mode; 3] = [Mode::Deployed, Mode::Reactive, Mode::Forced];

/// What a drive leaves behind.
pub struct Driven {
    pub trace: Trace,
    pub snapshots: Vec<Snapshot>,
}

/// A window whose provider does not pair ids, so that a broken pair ends nothing.
pub fn limits(window: u64, cut_off_every: u32) -> Limits {
    Limits { cut_off_every, ..Limits::new(Tokens(window), Tokens(window / 8)) }
}

pub fn driven(
    session: &Session,
    pipeline: &Pipeline,
    limits: Limits,
    mode: Mode,
    ask: &dyn Ask,
) -> Driven {
    let (trace, snapshots) = with_cell(session, pipeline, limits, ask, |cell| {
        drive_with_snapshots(Cell { mode, ..cell })
    });
    Driven { trace, snapshots }
}
