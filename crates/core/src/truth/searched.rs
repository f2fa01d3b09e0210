//! An index that remembers what it found. Cells of a session have most of their texts in common.

use crate::memo::{Memo, key_of};
use crate::prelude::*;
use crate::truth::{Fact, Holding, NeedleIndex, Said};

/// A [`NeedleIndex`] that searches each text once, whoever asks.
#[derive(Debug, Default)]
pub struct Searched {
    index: NeedleIndex,
    found: Memo<u128, Arc<[Holding]>>,
}

impl Searched {
    /// For these facts; `facts[i].id` must be `FactId(i)`.
    pub fn new(facts: &[Fact]) -> Searched {
        Searched { index: NeedleIndex::new(facts), found: Memo::default() }
    }

    /// See [`NeedleIndex::search`].
    pub fn search(&self, text: &str) -> Arc<[Holding]> {
        self.found.of(key_of([text]), || self.index.search(text).into())
    }

    /// See [`NeedleIndex::search_written`]. What is `said` is the same for all of a session; what is
    /// asked comes with a key that tells it from the lines of another request.
    pub(crate) fn search_written(
        &self,
        text: &str,
        said: &Said,
        (asked, key): (&Said, u128),
    ) -> Arc<[Holding]> {
        let key = key_of([text.as_bytes(), &key.to_le_bytes()]);
        self.found.of(key, || self.index.search_written(text, said, asked).into())
    }
}
