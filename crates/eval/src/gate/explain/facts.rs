//! The facts that a change won and lost: needs that one side met and the other did not.

use super::super::moved::{MovedFact, MovedFacts};
use super::needs::{Need, Needs};
use super::{Directories, Group};
use crate::drive::Mode;
use crate::ident::Seed;
use crate::prelude::*;
use crate::run::rerun::Recorded;
use crate::strategy::Registry;
use crate::truth::Truth;

/// Facts of each side that are named.
const NAMED: usize = 10;

/// Reads what became of the needs of one configuration, under its two names, over pairs of run
/// directories.
pub fn moved_facts(
    registry: &Registry,
    pairs: &[(PathBuf, PathBuf)],
    [before, after]: [&str; 2],
) -> Result<MovedFacts> {
    let mut moved = MovedFacts::default();
    let groups: BTreeSet<Group> = BTreeSet::from([(after, Mode::Deployed.name(), "")]);
    for (baseline, candidate) in pairs {
        let renamed = Some((before, after));
        let directories = Directories { baseline: Some(baseline), candidate, renamed };
        let needs = Needs::read(baseline, directories, &groups)?;
        add(&mut moved, registry, candidate, needs.all())?;
    }
    Ok(moved)
}

fn add(moved: &mut MovedFacts, registry: &Registry, run: &Path, needs: &[Need]) -> Result<()> {
    let mut statements = Statements { registry, run, recorded: None, truths: BTreeMap::new() };
    for need in needs {
        moved.needs += 1;
        moved.before += usize::from(need.was_known());
        moved.after += usize::from(need.is_known());
        let (list, count) = match (need.was_known(), need.is_known()) {
            (false, true) => (&mut moved.won, &mut moved.won_count),
            (true, false) => (&mut moved.lost, &mut moved.lost_count),
            _ => continue,
        };
        *count += 1;
        if list.len() < NAMED {
            list.push(statements.moved(need)?);
        }
    }
    Ok(())
}

/// The sentences of facts, by session.
struct Statements<'a> {
    registry: &'a Registry,
    run: &'a Path,
    recorded: Option<Recorded>,
    truths: BTreeMap<(String, u64), Truth>,
}

impl Statements<'_> {
    fn moved(&mut self, need: &Need) -> Result<MovedFact> {
        let (scenario, seed) = (need.key.scenario.clone(), need.key.seed);
        let place = (scenario.clone(), seed);
        if !self.truths.contains_key(&place) {
            let recorded = match self.recorded.take() {
                Some(recorded) => recorded,
                None => Recorded::open(self.registry, self.run, &[])?,
            };
            let (of, _) = recorded.cell(&need.key)?;
            let truth = of.session(Seed(seed))?.truth;
            self.recorded = Some(recorded);
            self.truths.insert(place.clone(), truth);
        }
        let fact = self.truths.get(&place).and_then(|t| t.facts.get(need.after.fact.index()));
        let statement = fact.map(|fact| fact.statement.clone()).unwrap_or_default();
        let (kind, step) = (need.kind().to_owned(), need.after.step);
        Ok(MovedFact { statement, kind, scenario, seed, step })
    }
}
