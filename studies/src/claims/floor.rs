//! Whether the floor is gone: the verdicts of a run on families of several lengths.

use std::collections::{BTreeMap, BTreeSet};

use proctor_eval::frame::Scope;
use proctor_eval::measure::floor::verdict::Verdict as OfFloor;
use proctor_eval::measure::{MetricId, Word};

use super::verdict::{Judged, Verdict};
use crate::run::Run;

pub fn judge(run: &Run, subject: &str) -> Judged {
    let mut lengths: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for cell in run.cells().iter().filter(|cell| !cell.is_twin()) {
        lengths.entry(&cell.key.family).or_default().insert(cell.key.turns);
    }
    let several = lengths.into_iter().filter(|(_, lengths)| lengths.len() > 1);
    let verdicts = several.filter_map(|(family, _)| {
        let row =
            run.derived(Scope::Group, &format!("{family}/{subject}"), MetricId::FloorVerdict)?;
        Some((family, row.n, row.as_word()?))
    });
    let verdicts: Vec<_> = verdicts.collect();
    if verdicts.is_empty() {
        return Judged::untested(
            "it takes sessions of several lengths: `proctor run floor` drives them",
        );
    }
    let with = |wanted: OfFloor| -> Vec<&str> {
        let own = verdicts.iter().filter(|(_, _, word)| *word == Word::Floor(wanted));
        own.map(|(family, ..)| *family).collect()
    };
    let (gone, open) = (with(OfFloor::Eliminated), with(OfFloor::Inconclusive).len());
    let all = verdicts.len();
    let verdict = match (gone.len(), open) {
        (holds, _) if holds == all => Verdict::Holds,
        (0, open) if open == all => Verdict::Open,
        (0, _) => Verdict::Fails,
        _ => Verdict::Where(format!("sessions are of {}", gone.join(", "))),
    };
    let figure = format!(
        "of families of several lengths: eliminated in {} of {all}, {open} inconclusive",
        gone.len()
    );
    // The verdict is no firmer than that of its weakest family.
    let n = verdicts.iter().map(|(_, n, _)| *n as usize).min().unwrap_or(0);
    Judged { verdict, figure, n }
}
