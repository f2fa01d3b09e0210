//! What a profile that goes by text makes of entries, beside what they are.

use crate::log::Author;
use crate::pipeline::Pipeline;
use crate::strategy::Taken;
use crate::trace::Trace;
use crate::view::{Entry, Kind};

/// Counts a new entry that a stage takes for what it is not; no count where all go by kind.
pub(super) fn count(pipeline: &Pipeline, entry: &Entry, trace: &mut Trace) {
    let (is, content, calls) = (truly(entry), entry.content(), !entry.calls.is_empty());
    let stages = pipeline.stages.iter().map(|stage| stage.strategy.strategy());
    let taken = stages.filter_map(|strategy| strategy.takes_for(entry.role, &content, calls));
    if let Some(wrong) = taken.map(|taken| taken != is).reduce(|one, other| one | other) {
        *trace.misclassified.get_or_insert(0) += u32::from(wrong);
    }
}

fn truly(entry: &Entry) -> Taken {
    match (entry.kind, entry.author) {
        (Kind::Summarized | Kind::GoalBatch | Kind::Summary, _) => Taken::Summary,
        (Kind::Message, Author::Human) => Taken::Human,
        (Kind::Message | Kind::Notice | Kind::Recalled, _) => Taken::Other,
    }
}
