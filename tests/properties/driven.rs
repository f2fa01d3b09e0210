//! A session driven through a pipeline, with the view around each compaction.

use proctor::answer::Memo;
use proctor::drive::{Cell, Limits, Mode, Session, Snapshot, drive_with_snapshots};
use proctor::pipeline::Pipeline;
use proctor::price::PriceSheet;
use proctor::scenario::{Admits, Wire};
use proctor::summarize::Ask;
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
    Limits {
        window: Tokens(window),
        max_output: Tokens(window / 8),
        admits: Admits::Prompt,
        wire: Wire::Text,
        cut_off_every,
    }
}

pub fn driven(
    session: &Session,
    pipeline: &Pipeline,
    limits: Limits,
    mode: Mode,
    ask: &dyn Ask,
) -> Driven {
    let (memo, sheet) = (Memo::default(), PriceSheet::embedded());
    let (trace, snapshots) = drive_with_snapshots(Cell {
        session,
        pipeline,
        limits,
        mode,
        ask,
        memo: &memo,
        sheet: &sheet,
        replicate: 0,
        probes: false,
    })
    .expect("its summarizer never stops");
    Driven { trace, snapshots }
}
