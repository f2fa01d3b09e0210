//! What the rows of a run say of compactions and floors, defined once: a firing, one
//! pass, and whether the view changed.

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

/// All rounds of one stage on one occasion, which is what an agent waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Firing<'a> {
    /// The cell.
    pub cell: &'a str,
    /// The stage.
    pub stage: &'a str,
    /// Step before or after whose call it ran.
    pub step: u32,
    /// The view over the usable window when it began; none where windowless.
    pub utilization: Option<f64>,
    /// The utilization at which the stage's own pressure is just met; none where it read
    /// no pressure.
    pub trigger: Option<f64>,
    /// Modelled time that the agent waited, in milliseconds.
    pub blocking: f64,
    /// Whether a summary request of it was billed.
    pub billed: bool,
    /// Whether it changed the view.
    pub changed: bool,
}

/// The firings of rows in the order of the file.
pub fn firings(rows: &[CompactionRow]) -> Vec<Firing<'_>> {
    let same = |one: &CompactionRow, next: &CompactionRow| {
        next.round > one.round
            && (&one.cell, one.step, &one.stage, &one.occasion)
                == (&next.cell, next.step, &next.stage, &next.occasion)
    };
    rows.chunk_by(same).filter_map(firing).collect()
}

fn firing(rounds: &[CompactionRow]) -> Option<Firing<'_>> {
    let first = rounds.first()?;
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    let tokens = |row: &CompactionRow| row.summarizer_prompt + row.summarizer_completion;
    Some(Firing {
        cell: &first.cell,
        stage: &first.stage,
        step: first.step,
        utilization: number(&first.utilization),
        trigger: number(&first.trigger),
        blocking: rounds.iter().map(|row| row.blocking_ms as f64).sum(),
        billed: rounds.iter().any(|row| tokens(row) > 0),
        changed: rounds.iter().any(CompactionRow::changed_view),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::sample::compaction;

    fn round(cell: &str, step: u32, round: u32, blocking_ms: u64) -> CompactionRow {
        let (cell, outcome) = (cell.to_owned(), "accepted".to_owned());
        let utilization = format!("0.{step}");
        let summarizer_prompt = blocking_ms;
        CompactionRow {
            cell,
            step,
            round,
            outcome,
            utilization,
            blocking_ms,
            summarizer_prompt,
            removed: 1,
            ..compaction()
        }
    }

    #[test]
    fn rounds_of_one_occasion_are_one_firing() {
        let rows = [
            round("a", 7, 0, 3_000),
            round("a", 7, 1, 4_000),
            round("a", 8, 0, 0),
            round("b", 8, 0, 10),
        ];
        let found = firings(&rows);
        let told: Vec<_> =
            found.iter().map(|one| (one.cell, one.step, one.blocking, one.billed)).collect();
        let expected = [("a", 7, 7_000.0, true), ("a", 8, 0.0, false), ("b", 8, 10.0, true)];
        assert_eq!(told, expected);
        assert_eq!((found[0].utilization, found[0].trigger), (Some(0.7), None));
    }
}
