//! The sessions that are searched and those that are held back: no session is both.

use std::ops::Range;

use super::budget::Rungs;
use crate::matrix::has_doubles;
use crate::prelude::*;
use crate::scenario::{Scenario, SessionSource};

/// Two parts without a session in common.
#[derive(Clone, Debug)]
pub struct Split {
    /// The scenarios that are searched.
    searched: Vec<Scenario>,
    /// The seeds that each rung adds.
    seeds: Vec<Vec<u64>>,
    /// The scenarios that are held back.
    held_scenarios: Vec<Scenario>,
    /// The seeds that are held back.
    held_seeds: Vec<u64>,
}

fn is_recorded(scenario: &Scenario) -> bool {
    matches!(scenario.source, SessionSource::Transcript(_))
}

fn is_synthesized(scenario: &&Scenario) -> bool {
    !is_recorded(scenario)
}

impl Split {
    /// Of scenarios and seeds; [`Error::Invalid`] where a session would be in both parts, or twice in
    /// one, or none is left to hold back.
    pub fn new(
        (searched, seeds): (Vec<Scenario>, &[u64]),
        (held_scenarios, held_seeds): (Vec<Scenario>, &[u64]),
    ) -> Result<Split> {
        let both = seeds.iter().find(|seed| held_seeds.contains(seed));
        if let Some(seed) = both {
            let rule = format!("seed {seed} is searched, so it cannot be held back");
            let hint = "`--seeds` and `--held-back-seeds` have no seed in common";
            return Err(Error::refused("--held-back-seeds", rule, hint));
        }
        for (option, seeds) in [("--seeds", seeds), ("--held-back-seeds", held_seeds)] {
            if has_doubles(seeds) || seeds.is_empty() {
                let rule = "the same seed twice is one session counted twice, and one is needed";
                return Err(Error::refused(option, rule, "name each seed once"));
            }
        }
        distinct(&searched, &held_scenarios)?;
        let (held_seeds, seeds) = (held_seeds.to_vec(), Rungs::seeds(seeds));
        let split = Split { searched, seeds, held_scenarios, held_seeds };
        if split.held_back().0.is_empty() {
            let rule = "a recorded session has no other seeds, so nothing would be held back";
            let hint = "name sessions that the search does not see: `--held-back-scenarios FILE`";
            return Err(Error::refused("--held-back-scenarios", rule, hint));
        }
        Ok(split)
    }

    /// How many sessions each rung adds.
    pub fn rungs(&self) -> Rungs {
        let synthesized = self.searched.iter().filter(is_synthesized).count();
        let recorded = self.searched.len() - synthesized;
        let added =
            self.seeds.iter().enumerate().map(|(rung, seeds)| {
                seeds.len() * synthesized + if rung == 0 { recorded } else { 0 }
            });
        Rungs::new(added)
    }

    /// What some rungs add: recorded sessions come with the first.
    pub fn over(&self, rungs: Range<usize>) -> (Vec<Scenario>, Vec<u64>) {
        let is_first = rungs.start == 0;
        let scenarios = self.searched.iter().filter(|one| is_first || is_synthesized(one));
        (scenarios.cloned().collect(), self.seeds[rungs].concat())
    }

    /// The held-back part: what was searched under other seeds, and scenarios of its own.
    pub fn held_back(&self) -> (Vec<Scenario>, Vec<u64>) {
        let searched = self.searched.iter().filter(is_synthesized);
        (searched.chain(&self.held_scenarios).cloned().collect(), self.held_seeds.clone())
    }

    /// How many sessions are held back.
    pub fn held_sessions(&self) -> usize {
        let (scenarios, seeds) = self.held_back();
        let sessions = |one: &Scenario| if is_recorded(one) { 1 } else { seeds.len() };
        scenarios.iter().map(sessions).sum()
    }
}

fn distinct(searched: &[Scenario], held: &[Scenario]) -> Result<()> {
    let option = |place: usize| match place < searched.len() {
        true => "--scenarios",
        false => "--held-back-scenarios",
    };
    // Two names may stand for one file.
    let file = |one: &Scenario| match &one.source {
        SessionSource::Transcript(path) => {
            Some(path.canonicalize().unwrap_or_else(|_| path.clone()))
        }
        SessionSource::Synth(_) => None,
    };
    let (mut names, mut files) = (BTreeSet::new(), BTreeSet::new());
    for (place, one) in searched.iter().chain(held).enumerate() {
        let is_new = names.insert(&one.name) & file(one).is_none_or(|path| files.insert(path));
        if is_new {
            continue;
        }
        let rule = match place < searched.len() {
            true => format!("`{}` stands twice: its sessions would count twice", one.name),
            false => {
                format!("`{}` is searched or stands twice, so it cannot be held back", one.name)
            }
        };
        return Err(Error::refused(option(place), rule, "name each scenario once"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(name: &str) -> Scenario {
        Scenario::embedded(name).expect("it ships")
    }

    fn recorded(name: &str) -> Scenario {
        Scenario::for_transcript(Path::new(name), name)
    }

    fn sessions((scenarios, seeds): (Vec<Scenario>, Vec<u64>)) -> BTreeSet<(String, u64)> {
        let each = |one: &Scenario| seeds.iter().map(|seed| (one.name.clone(), *seed)).collect();
        scenarios.iter().flat_map(|one| -> Vec<_> { each(one) }).collect()
    }

    #[test]
    fn no_session_is_searched_and_held_back() {
        let (searched, held) = (vec![scenario("smoke"), scenario("pocket")], scenario("dense"));
        let split = Split::new((searched, &[1, 2, 3]), (vec![held], &[4, 5])).expect("it is sound");
        let (searched, held) =
            (sessions(split.over(0..split.rungs().count())), sessions(split.held_back()));
        assert_eq!((searched.len(), held.len(), split.held_sessions()), (6, 6, 6));
        assert!(searched.is_disjoint(&held));
    }

    #[test]
    fn parts_that_overlap_are_refused() {
        let own = || vec![scenario("smoke")];
        for (seeds, held, held_seeds, said) in [
            (&[1, 2][..], vec![], &[2, 3][..], "seed 2 is searched"),
            (&[1, 1], vec![], &[2], "--seeds: the same seed twice"),
            (&[1], vec![], &[2, 2], "--held-back-seeds: the same seed twice"),
            (&[1], own(), &[2], "`smoke` is searched"),
        ] {
            let refused = Split::new((own(), seeds), (held, held_seeds)).expect_err(said);
            assert!(refused.to_string().contains(said), "{refused}");
        }
        let twice = Split::new(([own(), own()].concat(), &[1]), (vec![], &[2]));
        assert!(
            twice.expect_err("twice").to_string().contains("--scenarios: `smoke` stands twice")
        );
    }

    #[test]
    fn recorded_sessions_are_driven_once_and_need_others_to_be_held_back() {
        let (one, other) = (|| vec![recorded("a.jsonl")], || vec![recorded("b.jsonl")]);
        let alone = Split::new((one(), &[1, 2]), (vec![], &[3])).expect_err("nothing is left");
        assert!(alone.to_string().contains("nothing would be held back"), "{alone}");
        let split = Split::new((one(), &[1, 2]), (other(), &[3])).expect("it is sound");
        assert_eq!((split.rungs().count(), split.held_sessions()), (1, 1));
        assert!(Split::new((one(), &[1]), (one(), &[2])).is_err());
    }
}
