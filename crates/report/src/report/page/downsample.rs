//! Steps of a long session that are enough to draw it and to follow its losses.

use crate::run_dir::story::{Steps, Story};

/// Most steps of one story in a page.
pub const MOST_STEPS: usize = 1_500;

/// Thins the story's steps to [`MOST_STEPS`] and says how many it had. The first and the
/// last stay, then those around compactions and those where something lost was needed,
/// then every so many.
pub fn thin(story: &mut Story) -> usize {
    let all = story.steps.step.len();
    if all > MOST_STEPS {
        let kept = chosen(story);
        pick(&mut story.steps, &kept);
    }
    all
}

fn chosen(story: &Story) -> Vec<usize> {
    let step = &story.steps.step;
    let last = step.len() - 1;
    let mut wanted = vec![false; step.len()];
    let mut want = |number: u32| {
        if let Ok(place) = step.binary_search(&number) {
            wanted[place] = true;
        }
    };
    for compaction in &story.compactions {
        for near in [compaction.step.saturating_sub(1), compaction.step, compaction.step + 1] {
            want(near);
        }
        compaction.lost.iter().flat_map(|lost| &lost.needed_at).for_each(|step| want(*step));
    }
    let wanted: Vec<usize> = (0..=last).filter(|place| wanted[*place]).collect();
    let mut kept = evenly(&wanted, MOST_STEPS - 2);
    let room = MOST_STEPS - 2 - kept.len();
    let all: Vec<usize> = (0..=last).collect();
    kept.extend(evenly(&all, room));
    kept.extend([0, last]);
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// At most so many of them, at equal distances.
fn evenly(places: &[usize], most: usize) -> Vec<usize> {
    let count = places.len().min(most);
    (0..count).map(|index| places[index * places.len() / count]).collect()
}

fn pick(steps: &mut Steps, kept: &[usize]) {
    fn of<Value: Clone>(column: &mut Vec<Value>, kept: &[usize]) {
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
        let compactions =
            compactions.map(|step| StoryCompaction { step, ..StoryCompaction::default() });
        let mut story = Story { compactions: compactions.collect(), ..Story::default() };
        if let Some(first) = story.compactions.first_mut() {
            first.lost = lost;
        }
        story.steps.step = (1..=steps).collect();
        story.steps.shares = (1..=steps).map(|step| vec![u64::from(step)]).collect();
        story
    }

    #[test]
    fn a_long_session_keeps_its_ends_its_compactions_and_its_needs() {
        let mut story = long(20_000, (500..20_000).step_by(700));
        assert_eq!(thin(&mut story), 20_000);
        let step = &story.steps.step;
        assert!(step.len() <= MOST_STEPS && step.len() > MOST_STEPS * 9 / 10, "{}", step.len());
        for kept in [1, 499, 500, 501, 1_200, 19_993, 20_000] {
            assert!(step.contains(&kept), "{kept}");
        }
        assert!(step.is_sorted());
        assert_eq!(story.steps.shares.len(), step.len());
        assert!(
            story
                .steps
                .shares
                .iter()
                .zip(step)
                .all(|(shares, step)| { shares[0] == u64::from(*step) })
        );
    }

    #[test]
    fn a_session_that_compacts_at_every_step_is_bounded_too() {
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
            assert_eq!(thin(&mut story), steps as usize);
            assert_eq!(story.steps.step.len(), steps as usize);
        }
    }
}
