//! `truncate`: drop the oldest and say nothing.

use crate::prelude::*;

parameters! {
    /// Drops the oldest whole steps, pairs intact, until the view is at the target of its pressure
    /// (its limit where it names no target): the `Prune` that ADR-0014 sets out from, made to keep
    /// pairs together, and the baseline that every compaction has to beat.
    ///
    /// A cut may fall before any message that is no tool result; system messages stay. What was
    /// appended since the last call is never dropped; where that alone exceeds the window, the
    /// session overflows.
    ///
    /// Keep-rules: the current step. Pressure: everything else, so the floor probe leaves the
    /// current step only.
    pub struct Truncate {}
}

impl Strategy for Truncate {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        drop_oldest(view, context, "truncate", |entry| entry.role == Role::System)
            .unwrap_or_else(|| Decision::decline("only the current step is left"))
    }
}

/// How far a strategy that needs a pressure has to go, or why it does not.
pub(crate) fn excess(context: &PlanContext, strategy: &str) -> Result<Tokens, Decision> {
    let reading = context
        .reading
        .ok_or_else(|| Decision::decline(format!("{strategy} needs a pressure to say how far")))?;
    if reading.used <= reading.target {
        return Err(Decision::decline("already within the target"));
    }
    Ok(reading.used - reading.target)
}

/// Drops the oldest whole steps but what stays; `None` where nothing can go.
pub(crate) fn drop_oldest(
    view: &View,
    context: &PlanContext,
    strategy: &str,
    stays: impl Fn(&Entry) -> bool + Copy,
) -> Option<Decision> {
    let excess = match excess(context, strategy) {
        Ok(excess) => excess,
        Err(declined) => return Some(declined),
    };
    let place = cut(view, excess, stays)?;
    let mut slots = kept_before(view, place, stays);
    slots.extend(kept_from(view, place));
    Some(mechanical(slots))
}

/// The first legal place to cut at which enough is freed, or the last legal one. What stays
/// frees nothing.
fn cut(view: &View, excess: Tokens, stays: impl Fn(&Entry) -> bool) -> Option<usize> {
    let current = current_step(view);
    let (mut freed, mut best) = (Tokens::ZERO, None);
    for (place, entry) in view.entries().iter().enumerate().take(current + 1) {
        // A cut directly before a result would part it from its call.
        if freed > Tokens::ZERO && entry.role != Role::Tool {
            best = Some(place);
            if freed >= excess {
                break;
            }
        }
        if !stays(entry) {
            freed += entry.counted;
        }
    }
    best
}

/// Where the messages begin that came after the last answer. The step of a tool result begins
/// at the answer before.
pub(crate) fn current_step(view: &View) -> usize {
    let entries = view.entries();
    let answer = entries.iter().rposition(|entry| entry.role == Role::Assistant);
    let is_result = |place: usize| entries.get(place).is_some_and(|entry| entry.role == Role::Tool);
    answer.map_or(0, |answer| if is_result(answer + 1) { answer } else { answer + 1 })
}
