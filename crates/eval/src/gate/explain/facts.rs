//! The facts that a change won and lost: needs that one side met and the other did not.

use schemars::JsonSchema;

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

/// What became of the needs that both sides came to, as deployed, under the main summarizer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovedFacts {
    /// Needs of facts that both sides came to.
    pub needs: usize,
    /// Of them, known before.
    pub before: usize,
    /// Known after.
    pub after: usize,
    /// Known after and not before; some of them are named.
    pub won: Vec<MovedFact>,
    /// How many were won.
    pub won_count: usize,
    /// Known before and not after; some of them are named.
    pub lost: Vec<MovedFact>,
    /// How many were lost.
    pub lost_count: usize,
}

/// A fact where it was needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovedFact {
    /// The fact, in a sentence.
    pub statement: String,
    /// Its kind.
    pub kind: String,
    /// The scenario.
    pub scenario: String,
    /// The seed of its session.
    pub seed: u64,
    /// The step that needed it.
    pub step: u32,
}

impl MovedFacts {
    /// Of one configuration under its two names, over pairs of run directories.
    pub fn read(
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
            moved.add(registry, candidate, needs.all())?;
        }
        Ok(moved)
    }

    fn add(&mut self, registry: &Registry, run: &Path, needs: &[Need]) -> Result<()> {
        let mut statements = Statements { registry, run, recorded: None, truths: BTreeMap::new() };
        for need in needs {
            self.needs += 1;
            self.before += usize::from(need.was_known());
            self.after += usize::from(need.is_known());
            let (list, count) = match (need.was_known(), need.is_known()) {
                (false, true) => (&mut self.won, &mut self.won_count),
                (true, false) => (&mut self.lost, &mut self.lost_count),
                _ => continue,
            };
            *count += 1;
            if list.len() < NAMED {
                list.push(statements.moved(need)?);
            }
        }
        Ok(())
    }

    /// In sentences, for people.
    pub fn told(&self) -> Vec<String> {
        let MovedFacts { needs, before, after, won_count, lost_count, .. } = self;
        if *needs == 0 {
            return Vec::new();
        }
        let mut lines = vec![format!(
            "facts needed: {needs}; known {before} before and {after} after: {won_count} won, \
             {lost_count} lost"
        )];
        for (word, list) in [("won", &self.won), ("lost", &self.lost)] {
            lines.extend(list.iter().map(|one| format!("{word}: {one}")));
        }
        lines
    }
}

impl std::fmt::Display for MovedFact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MovedFact { statement, kind, scenario, seed, step } = self;
        write!(f, "“{statement}” ({kind}; {scenario}, seed {seed}, step {step})")
    }
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
