//! Counts by level, for the least or the most level in use.

/// How many entries hold something at each level: a fact by generation, a part by needles. There
/// are few levels, mostly one, so the least is found at once, where a scan would cost the view.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    counts: Vec<(u32, u32)>,
}

impl Levels {
    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    pub(super) fn add(&mut self, level: u32) {
        match self.counts.binary_search_by_key(&level, |(level, _)| *level) {
            Ok(place) => self.counts[place].1 += 1,
            Err(place) => self.counts.insert(place, (level, 1)),
        }
    }

    pub(super) fn remove(&mut self, level: u32) {
        if let Ok(place) = self.counts.binary_search_by_key(&level, |(level, _)| *level) {
            self.counts[place].1 -= 1;
            if self.counts[place].1 == 0 {
                self.counts.remove(place);
            }
        }
    }

    pub(super) fn total(&self) -> u32 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    pub(super) fn least(&self) -> Option<u32> {
        self.without(&[]).next()
    }

    /// The levels in use, ascending, when each of `hidden` is taken back once.
    pub(super) fn without<'a>(
        &'a self,
        hidden: &'a [u32],
    ) -> impl DoubleEndedIterator<Item = u32> + 'a {
        let taken = |level| hidden.iter().filter(|hidden| **hidden == level).count() as u32;
        let left = self.counts.iter().filter(move |(level, count)| *count > taken(*level));
        left.map(|(level, _)| *level)
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
        levels.remove(3);
        assert_eq!((levels.least(), levels.total()), (Some(2), 2));
        levels.remove(7);
        assert_eq!(levels.total(), 2, "nothing was there to take back");
    }
}
