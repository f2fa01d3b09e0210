//! Counts by level, for the least or the most level in use.

use std::collections::BTreeMap;

/// How many entries hold something at each level: a fact by generation, a part by needles. There
/// are few levels, mostly one, so the least is found at once, where a scan would cost the view.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels(BTreeMap<u32, u32>);

impl Levels {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, level: u32) {
        *self.0.entry(level).or_default() += 1;
    }

    pub(super) fn remove(&mut self, level: u32) {
        if let Some(count) = self.0.get_mut(&level) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&level);
            }
        }
    }

    pub(super) fn total(&self) -> u32 {
        self.0.values().sum()
    }

    pub(super) fn least(&self) -> Option<u32> {
        self.0.keys().next().copied()
    }

    /// The levels in use, ascending, when each of `hidden` is taken back once.
    pub(super) fn without<'a>(
        &'a self,
        hidden: &'a [u32],
    ) -> impl DoubleEndedIterator<Item = u32> + 'a {
        let taken = |level| hidden.iter().filter(|hidden| **hidden == level).count() as u32;
        self.0
            .iter()
            .filter(move |(level, count)| **count > taken(**level))
            .map(|(level, _)| *level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_and_the_most_level_follow_what_is_added_and_removed() {
        let mut levels = Levels::default();
        assert_eq!((levels.least(), levels.total()), (None, 0));
        for level in [3, 1, 3, 2] {
            levels.add(level);
        }
        assert_eq!((levels.least(), levels.total()), (Some(1), 4));
        assert_eq!(levels.without(&[1, 3]).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(levels.without(&[3, 3, 2]).next_back(), Some(1));
        levels.remove(1);
        assert_eq!(levels.least(), Some(2));
    }
}
