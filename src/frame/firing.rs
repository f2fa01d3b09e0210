//! What the rows of a run say of compactions and floors, defined once.

use crate::row::{CompactionRow, FloorRow};

impl FloorRow {
    /// Whether it is the first forced round: one pass.
    pub fn is_one_pass(&self) -> bool {
        self.round == 1
    }
}

impl CompactionRow {
    /// Whether the plan changed the view.
    pub fn changed_view(&self) -> bool {
        let is_applied = matches!(self.outcome.as_str(), "accepted" | "fallback");
        is_applied && (self.removed > 0 || self.added > 0)
    }
}
