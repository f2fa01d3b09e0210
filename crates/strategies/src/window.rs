//! Yardsticks that drop and ask nobody: a window with a pinned head, whole steps by lot, the last
//! turn alone. What a summary is worth shows beside them at equal tokens.

use crate::ident::Seed;
use crate::prelude::*;
use crate::truncate::{current_step, drop_oldest, excess};

parameters! {
    /// Drops the oldest whole steps until the view is at the target of its pressure, as `truncate`
    /// does, but never the first message of the user, which holds the task: the head that is
    /// pinned in most agents that only slide a window.
    ///
    /// Keep-rules: system messages, the first message of the user, the current step. Pressure:
    /// everything else.
    pub struct SlidingWindow {}
}

impl Strategy for SlidingWindow {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let head = view.entries().iter().find(|entry| entry.role == Role::User);
        let head = head.map(|entry| entry.id);
        let stays = |entry: &Entry| entry.role == Role::System || Some(entry.id) == head;
        drop_oldest(view, context, "sliding-window", stays)
            .unwrap_or_else(|| Decision::decline("only the head and the current step are left"))
    }
}

parameters! {
    /// Drops whole steps by lot (a call with its results, or one message of another sort) until
    /// the view is at the target of its pressure. A lot depends on the seed and on the words of
    /// the step and its calls, not on what stands around it.
    ///
    /// Keep-rules: system messages, the current step. Pressure: everything else.
    pub struct RandomDrop {
        eligibility "seed" seed: u64 = 1, "which lots are drawn";
    }
}

impl Strategy for RandomDrop {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let excess = match excess(context, "random-drop") {
            Ok(excess) => excess,
            Err(declined) => return declined,
        };
        let mut units = units(view);
        units.sort_by_cached_key(|unit| (self.lot(&view.entries()[unit.start]), unit.start));
        let (mut freed, mut gone) = (Tokens::ZERO, Vec::new());
        for unit in units {
            if freed >= excess {
                break;
            }
            freed += view.entries()[unit.clone()].iter().map(|entry| entry.counted).sum();
            gone.extend(unit);
        }
        if gone.is_empty() {
            return Decision::decline("only the current step is left");
        }
        gone.sort_unstable();
        mechanical(replacing(view, &gone, BTreeMap::new()))
    }
}

impl RandomDrop {
    fn lot(&self, entry: &Entry) -> u64 {
        let calls: String =
            entry.calls.iter().flat_map(|call| [&*call.id.0, &*call.args]).collect();
        Seed(self.seed).derive(&["random-drop", &entry.content(), &calls]).0
    }
}

/// The places of every step before the current one: a message, with the results of its calls.
fn units(view: &View) -> Vec<Range<usize>> {
    let mut units: Vec<Range<usize>> = Vec::new();
    for (place, entry) in view.entries().iter().enumerate().take(current_step(view)) {
        match units.last_mut() {
            Some(unit) if entry.role == Role::Tool && unit.end == place => unit.end = place + 1,
            _ if entry.role == Role::System => {}
            _ => units.push(place..place + 1),
        }
    }
    units
}

parameters! {
    /// Keeps the last turn and nothing before it, however much room there is: an adversary, which
    /// forgets everything and breaks no rule.
    ///
    /// Keep-rules: system messages, what follows the last message of the user, and it. Pressure:
    /// none.
    pub struct LastTurn {}
}

impl Strategy for LastTurn {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let live = view.live_turn();
        if view.entries()[..live].iter().all(|entry| entry.role == Role::System) {
            return Decision::decline("there is nothing before the last turn");
        }
        mechanical(cut_before(view, live, Vec::new()))
    }
}
