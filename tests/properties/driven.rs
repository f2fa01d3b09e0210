//! A session driven through a pipeline, with the view around each compaction.

use proctor::answer::Answers;
use proctor::apply::Applied;
use proctor::drive::{Cell, Limits, Mode, Observer, Session, drive_observed};
use proctor::pipeline::Pipeline;
use proctor::summarize::Ask;
use proctor::testkit::with_cell;
use proctor::trace::{Compaction, Trace};
use proctor::unit::Tokens;
use proctor::view::View;
use proctor::watch::FactTracker;

/// Modes that differ in what makes a stage act.
pub const MODES: [Mode; 3] = [Mode::Deployed, Mode::Reactive, Mode::Forced];

/// The view around one compaction.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub before: View,
    pub after: View,
}

/// Keeps the view around each compaction, failed ones too.
#[derive(Default)]
struct Recorder {
    before: Option<View>,
    snapshots: Vec<Snapshot>,
}

impl Observer for Recorder {
    fn changing(&mut self, view: &View, _: &Applied, _: &Answers, _: &FactTracker) {
        self.before = Some(view.clone());
    }

    fn compacted(&mut self, _: &Compaction, view: &View) {
        let before = self.before.take().unwrap_or_else(|| view.clone());
        self.snapshots.push(Snapshot { before, after: view.clone() });
    }
}

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
    let mut recorder = Recorder::default();
    let trace = with_cell(session, pipeline, limits, ask, |cell| {
        drive_observed(Cell { mode, ..cell }, &mut recorder)
    });
    Driven { trace, snapshots: recorder.snapshots }
}
