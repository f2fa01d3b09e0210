//! What the recorded compactions of a session met and kept.

use crate::drive::Session;
use crate::fit::regression::Row;
use crate::ident::{FactId, MsgId};
use crate::log::{BoundaryAction, Log, Message, Text};
use crate::prelude::*;
use crate::simulated::{BYTES_A_TOKEN, Case, Piece, Simulated, Skill};
use crate::truth::Truth;

/// A recorded compaction whose summary the file holds.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The summary that stood before it, if any.
    pub previous: Option<Text>,
    /// The messages that the summary took the place of.
    pub messages: Vec<MsgId>,
    /// The summary.
    pub summary: Text,
    /// Tokens of what it replaced.
    pub tokens: f64,
    /// The facts that it met.
    pub facts: Vec<(FactId, Row)>,
}

/// The compactions of a session whose summaries are in the file.
pub fn observed(log: &Log, truth: &Truth) -> Vec<Observed> {
    let session = Session::new(log.clone(), truth.clone(), []);
    let simulated = Simulated::new(&session, Skill::Recorded, Seed(0));
    let mut all: Vec<Observed> = Vec::new();
    let (mut held, mut since) = (Vec::new(), MsgId(0));
    let mut previous: Option<Text> = None;
    for boundary in &log.boundaries {
        let BoundaryAction::Summary(summary) = &boundary.action else { continue };
        held.extend(log.messages[since.index()..boundary.before.index()].iter().map(|one| one.id));
        let is_gone = |id: &MsgId| !boundary.kept.contains(id);
        let messages: Vec<MsgId> = held.iter().copied().filter(is_gone).collect();
        since = boundary.before;
        held.clone_from(&boundary.kept);
        let before = previous.take();
        if summary.is_empty() {
            continue;
        }
        previous = Some(summary.clone());
        let texts: Vec<String> =
            messages.iter().map(|id| text(&log.messages[id.index()])).collect();
        let mut pieces: Vec<Piece> = texts.iter().map(|text| (text.as_str(), false)).collect();
        pieces.splice(0..0, before.as_deref().map(|text| (text, true)));
        let cases = simulated.cases(&pieces, boundary.before);
        let told = simulated.told(summary);
        let row = |case: Case| Row {
            session: log.id.as_str().into(),
            compaction: all.len(),
            sort: case.sort,
            features: case.features,
            survived: told.contains(&case.fact),
        };
        let facts = cases.into_iter().map(|case| (case.fact, row(case))).collect();
        let bytes: usize = pieces.iter().map(|(piece, _)| piece.len()).sum();
        let tokens = (bytes as f64 / BYTES_A_TOKEN).max(1.0);
        all.push(Observed { previous: before, messages, summary: summary.clone(), tokens, facts });
    }
    all
}

/// A message with what its calls say.
fn text(message: &Message) -> String {
    let calls = message.calls.iter().map(|call| &*call.args);
    [&*message.content].into_iter().chain(calls).collect::<Vec<_>>().join("\n")
}
