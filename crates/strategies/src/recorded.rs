//! What really happened: at a recorded boundary, what the recording says was done.

use crate::log::{Boundary, BoundaryAction};
use crate::prelude::*;

/// Stands in the place of a result that the recorded session cleared.
const CLEARED: &str = "[Old tool result content cleared]";

parameters! {
    /// At a boundary of the recording: its summary takes the place of all but what it kept, or the
    /// results that it cleared are cleared. Where the recording has no boundary it does nothing.
    ///
    /// The call that made a recorded summary is not made again, and not billed. A summary that the
    /// file holds only encrypted (Codex) is absent: what the messages that it kept say is all that
    /// is left. Entries that a harness attached behind the boundary are messages of the log.
    ///
    /// Keep-rules: what the recording kept. Pressure: none.
    pub struct Recorded {}
}

impl Strategy for Recorded {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let here = context.past.messages.len();
        let at_hand = |boundary: &&Boundary| boundary.before.index() == here;
        let Some(boundary) = context.past.boundaries.iter().rev().find(at_hand) else {
            return Decision::decline("nothing was compacted here");
        };
        match &boundary.action {
            BoundaryAction::Nothing => {
                Decision::decline("the recording says nothing of this point")
            }
            BoundaryAction::Clear(calls) => cleared(view, calls),
            BoundaryAction::Summary(text) => replaced(view, boundary, text),
        }
    }
}

/// The summary, and behind it what was kept.
fn replaced(view: &View, boundary: &Boundary, text: &Text) -> Decision {
    let is_kept = |entry: &&Arc<Entry>| {
        let kept = entry.origin.is_some_and(|id| boundary.kept.binary_search(&id).is_ok());
        kept || entry.role == Role::System
    };
    let mut slots = kept_before(view, view.len(), |entry| entry.role == Role::System);
    let summary = vec![Piece::literal(text.clone())];
    let summary = NewEntry::new(Role::User, Kind::Summary, summary, Covers::Rest);
    slots.push(if text.is_empty() { Slot::NewUnlessEmpty(summary) } else { Slot::New(summary) });
    let kept = view.entries().iter().filter(is_kept).filter(|entry| entry.role != Role::System);
    slots.extend(kept.map(|entry| Slot::Keep(entry.id)));
    mechanical(slots)
}

fn cleared(view: &View, calls: &[CallId]) -> Decision {
    let is_named =
        |entry: &Arc<Entry>| entry.answers.as_ref().is_some_and(|call| calls.contains(call));
    if !view.entries().iter().any(is_named) {
        return Decision::decline("what was cleared is not in the view");
    }
    let slot = |entry: &Arc<Entry>| match is_named(entry) {
        true => reworded(entry, vec![Piece::literal(CLEARED)]),
        false => Slot::Keep(entry.id),
    };
    mechanical(view.entries().iter().map(slot).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::MsgId;
    use crate::log::Trigger;
    use crate::testkit::Line::{Calls, Output, Says, System, User};
    use crate::testkit::{Scene, Script};

    /// What is left of a session that was compacted at its end, or before it.
    fn left(action: BoundaryAction, before: u32) -> Option<Vec<String>> {
        let mut scene = Scene::lines(&[
            System("Rules."),
            User("Look."),
            Calls("", &[("c1", "read", "{}"), ("c2", "read", "{}")]),
            Output("c1", "one"),
            Output("c2", "two"),
            Says("Seen."),
        ]);
        scene.log.boundaries.push(Boundary {
            before: MsgId(before),
            trigger: Trigger::Auto,
            action,
            kept: vec![MsgId(1), MsgId(5)],
            pre_tokens: None,
            post_tokens: None,
        });
        scene.plan(&Recorded {}, None)?;
        scene.compact(&Recorded {}, &Script::new([])).expect("nobody is asked");
        Some(scene.rows())
    }

    #[test]
    fn what_the_recording_says_is_done_and_nothing_elsewhere() {
        let summary = BoundaryAction::Summary("It looked.".into());
        let told = ["y Rules.", "u* It looked.", "u Look.", "a Seen."].map(str::to_owned);
        assert_eq!(left(summary.clone(), 6).as_deref(), Some(&told[..]));
        assert_eq!(left(summary, 5), None);
        let clear = |id: &str| left(BoundaryAction::Clear(vec![CallId(id.into())]), 6);
        let cleared = clear("c1").expect("it is in the view");
        assert_eq!(cleared[3..5], ["t~ [Old tool result content cleared]", "t two"]);
        assert_eq!(clear("c9"), None);
        assert_eq!(left(BoundaryAction::Nothing, 6), None);
        assert!(!Recorded {}.asks());
    }
}
