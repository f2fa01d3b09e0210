//! What a profile that goes by text makes of entries, beside what they are.

use crate::log::Author;
use crate::pipeline::Pipeline;
use crate::strategy::{Strategy, Taken};
use crate::trace::Trace;
use crate::view::{Entry, Kind};

/// Counts a new entry that some stage takes for what it is not. A pipeline whose stages
/// go by kind has no count.
pub(super) fn count(pipeline: &Pipeline, entry: &Entry, trace: &mut Trace) {
    let stages = pipeline.stages.iter().map(|stage| stage.strategy.strategy());
    if let Some(wrong) = is_misclassified(stages, entry) {
        *trace.misclassified.get_or_insert(0) += u32::from(wrong);
    }
}

/// Whether any of the strategies takes the entry for what it is not; `None` where none
/// goes by text.
fn is_misclassified<'a>(
    strategies: impl Iterator<Item = &'a dyn Strategy>,
    entry: &Entry,
) -> Option<bool> {
    let is = truly(entry);
    let (content, calls) = (entry.content(), !entry.calls.is_empty());
    let taken = strategies.filter_map(|one| one.takes_for(entry.role, &content, calls));
    taken.map(|taken| taken != is).reduce(|one, other| one | other)
}

fn truly(entry: &Entry) -> Taken {
    match (entry.kind, entry.author) {
        (Kind::Summarized | Kind::GoalBatch | Kind::Summary, _) => Taken::Summary,
        (Kind::Message, Author::Human) => Taken::Human,
        (Kind::Message | Kind::Notice | Kind::Recalled, _) => Taken::Other,
    }
}
