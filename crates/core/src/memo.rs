//! What was worked out once and is looked up from then on, by several threads.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use twox_hash::XxHash3_128;

/// Drawn once per process, so that nobody can write two texts that have one key.
static SECRET: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(()));

/// A key that stands for these texts in the memos of this process: 128 bits of XXH3. What is written
/// down, or drawn from, takes [`crate::ident::key_of`].
pub(crate) fn key_of(texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> u128 {
    let key = |bytes: &[u8]| XxHash3_128::oneshot_with_seed(*SECRET, bytes);
    let keys: Vec<u8> =
        texts.into_iter().flat_map(|text| key(text.as_ref()).to_le_bytes()).collect();
    key(&keys)
}

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
