//! Names, ids and seeds: everything that makes a cell findable again.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares ids that are indices.
macro_rules! ids {
    ($( $(#[$doc:meta])+ $id:ident; )+) => { $(
        $(#[$doc])+
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            JsonSchema,
        )]
        pub struct $id(pub u32);

        impl $id {
            /// As an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+ };
}

ids! {
    /// A message: its index in `Log::messages`.
    MsgId;
    /// An entry of a view. Ids are given in the order of creation, never reused.
    EntryId;
    /// A summary request, numbered within its plan.
    RequestId;
    /// A fact: its index in `Truth::facts`.
    FactId;
    /// A goal: its index in `Truth::goals`.
    GoalId;
}

/// Source of all randomness: each purpose has a seed of its own, so draws never shift others.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Seed(pub u64);

impl Seed {
    /// The seed for one purpose, e.g. `seed.derive(&["synth", "goals"])`.
    pub fn derive(self, purpose: &[&str]) -> Seed {
        Seed(hashed(&self.0.to_le_bytes(), purpose) as u64)
    }

    /// A portable generator (ChaCha8): the same draws on every platform.
    pub fn rng(self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.0)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A key that stands for these texts: 128 bits of BLAKE3.
pub fn key_of(texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> u128 {
    hashed(&[], texts)
}

fn hashed(start: &[u8], texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(start);
    for text in texts {
        // The length keeps ["ab", "c"] and ["a", "bc"] apart.
        hasher.update(&(text.as_ref().len() as u64).to_le_bytes());
        hasher.update(text.as_ref());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    u128::from_le_bytes(bytes)
}

/// A short content digest (128 bits of BLAKE3, in hex).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest(pub String);

impl Digest {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(blake3::hash(bytes).to_hex()[..32].to_owned())
    }

    /// Of a value as JSON.
    pub fn of_json<T: Serialize>(value: &T) -> Digest {
        // OK because JSON cannot say only a map with keys that are no strings, and no input or
        // trace has one. Two inputs that could not be written must never have the same digest.
        Digest::of(&serde_json::to_vec(value).expect("what is digested can be written as JSON"))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether the text is a name of our files: lower-case letters, digits, `-`, `.` and `_`.
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._".contains(c))
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// The known name nearest to a misspelt one, if any is near; else the shortest that begins with it.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const BEGINNING: usize = 3;
    let known: Vec<&str> = known.into_iter().collect();
    let near = known
        .iter()
        .map(|name| (distance(wrong, name), *name))
        .filter(|(distance, name)| *distance <= 1 + name.len().max(wrong.len()) / 3)
        .min();
    let longer = || {
        let begun = known.iter().filter(|name| name.starts_with(wrong));
        begun.min_by_key(|name| name.len()).filter(|_| wrong.len() >= BEGINNING).copied()
    };
    near.map(|(_, name)| name).or_else(longer)
}

/// Letters to add, drop, replace or swap with their neighbour (optimal string alignment).
fn distance(one: &str, other: &str) -> usize {
    let [one, other] = [one, other].map(|text| text.chars().collect::<Vec<char>>());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(a != b);
            let least = replaced.min(row[j] + 1).min(rows[i][j + 1] + 1);
            let swaps = i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b;
            row.push(if swaps { least.min(rows[i - 1][j - 1] + 1) } else { least });
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

/// The remedy for a misspelt name, if any known name is near.
pub fn did_you_mean<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(wrong, known).map(|near| format!("did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::Rng;

    use super::*;

    #[test]
    fn a_purpose_has_a_seed_of_its_own() {
        let seed = Seed(7);
        assert_ne!(seed.derive(&["ab", "c"]), seed.derive(&["a", "bc"]));
        assert_eq!(seed.derive(&["goals"]), Seed(7).derive(&["goals"]));
    }

    #[test]
    fn the_first_draws_are_pinned() {
        // A change of the random crates that moves these would move every session.
        let mut rng = Seed(1).rng();
        let drawn: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
        insta::assert_debug_snapshot!(drawn);
    }

    #[test]
    fn a_misspelt_name_finds_its_neighbour() {
        assert_eq!(nearest("forge-ard", ["none", "forge-adr"]), Some("forge-adr"));
        assert_eq!(nearest("zzzzzz", ["none", "forge-adr"]), None);
        let begun = ["recall_at_need.reached", "recall_at_need", "cost.usd"];
        assert_eq!(nearest("recall", begun), Some("recall_at_need"));
        assert_eq!(nearest("", begun), None);
    }
}
