//! Steps of a long session that are enough to draw it and to follow its losses.

use std::collections::BTreeSet;

use crate::run_dir::story::{Steps, Story};

/// Most steps of one story in a page.
pub const MOST_STEPS: usize = 1_500;

/// Thins the story's steps to [`MOST_STEPS`] and says how many it had. The first and the
/// last stay, then those around compactions and needs of what was lost, then every so many.
pub fn thin(story: &mut Story) -> usize {
    let all = story.steps.step.len();
    if all > MOST_STEPS {
        let kept = chosen(story);
        pick(&mut story.steps, &kept);
    }
    all
}

fn chosen(story: &Story) -> BTreeSet<usize> {
    let step = &story.steps.step;
    let wanted = story.compactions.iter().flat_map(|compaction| {
        let at = compaction.step;
        let needed = compaction.lost.iter().flat_map(|lost| &lost.needed_at).copied();
        needed.chain([at.saturating_sub(1), at, at + 1])
    });
    let wanted: BTreeSet<usize> =
        wanted.filter_map(|number| step.binary_search(&number).ok()).collect();
    let mut kept = evenly(&Vec::from_iter(wanted), MOST_STEPS - 2);
    let all: Vec<usize> = (0..step.len()).collect();
    kept.extend(evenly(&all, MOST_STEPS - 2 - kept.len()));
    kept.into_iter().chain([0, step.len() - 1]).collect()
}

/// At most so many of them, at equal distances.
fn evenly(places: &[usize], most: usize) -> Vec<usize> {
    let count = places.len().min(most);
    (0..count).map(|index| places[index * places.len() / count]).collect()
}

fn pick(steps: &mut Steps, kept: &BTreeSet<usize>) {
    fn of<Value: Clone>(column: &mut Vec<Value>, kept: &BTreeSet<usize>) {
        *column = kept.iter().filter_map(|place| column.get(*place).cloned()).collect();
    }
    for column in [&mut steps.step, &mut steps.turn, &mut steps.live, &mut steps.present] {
        of(column, kept);
    }
    for column in [&mut steps.prompt, &mut steps.kept, &mut steps.cached] {
        of(column, kept);
    }
    of(&mut steps.shares, kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_dir::story::{LostFact, StoryCompaction};

    fn long(steps: u32, compactions: impl Iterator<Item = u32>) -> Story {
        let lost = vec![LostFact { needed_at: vec![steps - 7], ..LostFact::default() }];
        let compaction = |step| StoryCompaction { step, ..StoryCompaction::default() };
        let mut story =
            Story { compactions: compactions.map(compaction).collect(), ..Story::default() };
        story.compactions[0].lost = lost;
        story.steps.step = (1..=steps).collect();
        story.steps.shares = (1..=steps).map(|step| vec![u64::from(step)]).collect();
        story
    }

    #[test]
    fn a_long_session_keeps_its_ends_its_compactions_and_its_needs() {
        let mut story = long(20_000, (500..20_000).step_by(700));
        assert_eq!(thin(&mut story), 20_000);
        let Steps { step, shares, .. } = &story.steps;
        assert!(step.len() <= MOST_STEPS && step.len() > MOST_STEPS * 9 / 10, "{}", step.len());
        for kept in [1, 499, 500, 501, 1_200, 19_993, 20_000] {
            assert!(step.contains(&kept), "{kept}");
        }
        assert!(step.is_sorted());
        assert!(shares.iter().map(|shares| shares[0]).eq(step.iter().map(|step| u64::from(*step))));
        // It is bounded where every step compacts, too.
        let mut story = long(9_000, 1..=9_000);
        thin(&mut story);
        assert!(story.steps.step.len() <= MOST_STEPS);
        assert_eq!((story.steps.step[0], story.steps.step.last()), (1, Some(&9_000)));
    }

    #[test]
    fn a_short_session_and_an_empty_one_stay_whole() {
        for steps in [0, 1, 1_500] {
            let mut story = Story::default();
            story.steps.step = (1..=steps).collect();
            let all = thin(&mut story);
            assert_eq!([all, story.steps.step.len()], [steps as usize; 2]);
        }
    }
}
