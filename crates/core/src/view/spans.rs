//! Sets of log messages as sorted half-open ranges.

use crate::prelude::*;
use crate::record::JsonSchema;

/// A set of message ids as sorted, disjoint, not adjacent ranges: equal sets are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Spans(Vec<(u32, u32)>);

impl Spans {
    /// The empty set.
    pub fn new() -> Spans {
        Spans::default()
    }

    /// One message.
    pub fn one(id: MsgId) -> Spans {
        Spans(vec![(id.0, id.0 + 1)])
    }

    /// The union of many sets, in one pass.
    pub fn union<'a>(sets: impl IntoIterator<Item = &'a Spans>) -> Spans {
        let mut ranges: Vec<(u32, u32)> =
            sets.into_iter().flat_map(|set| set.0.iter().copied()).collect();
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len().min(8));
        for (start, end) in ranges {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        Spans(merged)
    }

    /// What is in `self` and not in `other`.
    pub fn without(&self, other: &Spans) -> Spans {
        let mut left = Vec::new();
        for &(start, end) in &self.0 {
            let mut from = start;
            let first = other.0.partition_point(|cut| cut.1 <= start);
            for &(cut_start, cut_end) in other.0[first..].iter().take_while(|cut| cut.0 < end) {
                if from < cut_start {
                    left.push((from, cut_start));
                }
                from = cut_end;
            }
            if from < end {
                left.push((from, end));
            }
        }
        Spans(left)
    }

    /// Whether the message is in the set.
    pub fn contains(&self, id: MsgId) -> bool {
        let after = self.0.partition_point(|range| range.0 <= id.0);
        after > 0 && id.0 < self.0[after - 1].1
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.0.iter().map(|(start, end)| (end - start) as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges, sorted.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// The message ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = MsgId> + '_ {
        self.0.iter().flat_map(|&(start, end)| (start..end).map(MsgId))
    }
}

impl FromIterator<MsgId> for Spans {
    fn from_iter<I: IntoIterator<Item = MsgId>>(ids: I) -> Spans {
        let singles: Vec<Spans> = ids.into_iter().map(Spans::one).collect();
        Spans::union(&singles)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn spans(ids: &BTreeSet<u32>) -> Spans {
        ids.iter().copied().map(MsgId).collect()
    }

    proptest! {
        /// forall sets a, b: union, difference and membership are those of sets.
        #[test]
        fn spans_behave_as_sets(
            a in proptest::collection::btree_set(0u32..40, 0..20),
            b in proptest::collection::btree_set(0u32..40, 0..20),
        ) {
            let (x, y) = (spans(&a), spans(&b));
            let union: BTreeSet<u32> = a.union(&b).copied().collect();
            let difference: BTreeSet<u32> = a.difference(&b).copied().collect();
            prop_assert_eq!(Spans::union([&x, &y]), spans(&union));
            prop_assert_eq!(x.without(&y), spans(&difference));
            prop_assert_eq!(x.len(), a.len());
            for id in 0..40 {
                prop_assert_eq!(x.contains(MsgId(id)), a.contains(&id));
            }
            prop_assert_eq!(x.iter().map(|id| id.0).collect::<BTreeSet<_>>(), a);
        }
    }
}
