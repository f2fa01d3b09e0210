//! Several cassettes as one.

use crate::cassette::{Contents, Outcome, Recorded, RequestKey};
use crate::prelude::*;

/// What becomes of calls whose outcomes differ from cassette to cassette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflicts {
    /// They are refused, by name.
    Refuse,
    /// The cassette named first holds.
    PreferFirst,
}

/// Joins cassettes, each with the name for errors. Of equal outcomes the record that comes
/// first in the order of its fields (model, date, tokens, latency, tries) is kept, so that
/// the order of the cassettes does not matter. An error names the first conflict and counts the
/// others, unless the first cassette is preferred.
pub fn merge(
    cassettes: &[(String, Contents)],
    conflicts: Conflicts,
) -> Result<BTreeMap<RequestKey, Recorded>> {
    let mut merged: BTreeMap<RequestKey, (&str, &Recorded)> = BTreeMap::new();
    let mut differing: BTreeMap<RequestKey, [(&str, &Recorded); 2]> = BTreeMap::new();
    let records = cassettes.iter().flat_map(|(name, contents)| {
        let records = contents.entries.values();
        records.map(move |recorded| (recorded.key, (name.as_str(), recorded)))
    });
    for (key, new) in records {
        let old = *merged.entry(key).or_insert(new);
        if old.1.outcome != new.1.outcome {
            differing.entry(key).or_insert([old, new]);
        } else if rank(new.1) < rank(old.1) {
            merged.insert(key, new);
        }
    }
    if conflicts == Conflicts::PreferFirst {
        differing.clear();
    }
    let Some((key, [first, second])) = differing.first_key_value() else {
        let recorded = |(key, (_, recorded)): (_, (_, &Recorded))| (key, recorded.clone());
        return Ok(merged.into_iter().map(recorded).collect());
    };
    let rule = format!(
        "`{}` has {}, `{}` has {}; {} of {} calls differ",
        first.0,
        outcome(first.1),
        second.0,
        outcome(second.1),
        differing.len(),
        merged.len()
    );
    let hint = "`--prefer-first` keeps what the cassette named first says";
    Err(refused(format!("request {key}"), rule, hint))
}

/// Orders records of one outcome.
fn rank(recorded: &Recorded) -> impl Ord {
    let Recorded { key: _, model, date, outcome: _, usage, latency_ms, tries } = recorded;
    (model, date, usage, latency_ms, tries)
}

/// An outcome in a few words.
fn outcome(recorded: &Recorded) -> String {
    let (kind, text) = match &recorded.outcome {
        Outcome::Answer { text, .. } => ("the answer".to_owned(), text),
        Outcome::Failure { class, message } => (format!("the failure {}", class.name()), message),
    };
    format!("{kind} {:?} of {}", beginning(text, 40), recorded.date)
}
