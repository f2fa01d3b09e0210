//! What was worked out once and is looked up from then on, by several threads.

use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

/// Values by key. A value is a function of its key, so that it does not matter who works it out.
#[derive(Debug)]
pub(crate) struct Memo<K, V>(Mutex<FxHashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Memo<K, V> {
        Memo(Mutex::default())
    }
}

impl<K: Copy + Eq + Hash, V: Clone> Memo<K, V> {
    /// The value of a key, made where it is not known yet. No lock is held meanwhile.
    pub(crate) fn of(&self, key: K, make: impl FnOnce() -> V) -> V {
        // A poisoned lock only means that another cell panicked; the map is whole.
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| {
            let value = make();
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value.clone());
            value
        })
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
