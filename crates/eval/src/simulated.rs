//! A summarizer that forgets as a recorded one did. It is told the facts in the material it is shown,
//! like `perfect`, and keeps each with the chance that one of its kind and standing had in 57 recorded
//! compactions (`proctor-studies fit`; METHODOLOGY, "The simulated summarizer"). It is no language
//! model: it chooses among facts and writes them out.

mod fitted;
mod parameters;
mod standing;
mod writing;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use self::fitted::{Fitted, FittedName};
pub use self::parameters::{
    Assumed, FEATURES, Features, Intercepts, Length, Parameters, Slopes, Sort, WEIGHTS, Weights,
    logistic, odds,
};

use self::parameters::logit;
use self::standing::Standing;
use self::writing::{HEADING, Kept, Page};
use crate::drive::Session;
use crate::ident::{FactId, MsgId, Seed};
use crate::summarize::sentence::sentences;
use crate::summarize::simple::Limits;
use crate::summarize::{Offline, Prompt, cut_within};
use crate::truth::{Fact, Searched};
use crate::words;

words! {
    /// Where on the axis of log-odds it stands: from forgetting more than the recorded summarizer to
    /// forgetting less. `perfect` is its end.
    pub enum Skill {
        /// Two units below.
        Poor = "simulated-poor",
        /// As recorded.
        Recorded = "simulated",
        /// Two units above.
        Good = "simulated-good",
    }
}

impl Skill {
    fn shift(self) -> f64 {
        match self {
            Skill::Poor => -2.0,
            Skill::Recorded => 0.0,
            Skill::Good => 2.0,
        }
    }
}

/// Keeps facts of the material by lot. A lot depends on the seed, the replicate, the fact and the
/// youngest fact shown: prompts of which that is the same have the same luck.
#[derive(Debug)]
pub struct Simulated {
    skill: Skill,
    parameters: Parameters,
    index: Arc<Searched>,
    facts: Vec<Fact>,
    standings: Vec<Standing>,
    decoys: Vec<String>,
    seed: Seed,
}

/// What the material shows of a fact.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    /// Pieces of the material that hold it.
    pieces: usize,
    /// Bytes of the material behind the last of them.
    behind: usize,
    /// Whether an earlier summary holds it.
    previous: bool,
}

/// A fact in a material, with all that decides whether it is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// The fact.
    pub fact: FactId,
    /// Its sort.
    pub sort: Sort,
    /// Its standing.
    pub features: Features,
}

/// A piece of a material, and whether it is an earlier summary.
pub type Piece<'a> = (&'a str, bool);

impl Simulated {
    /// Told the facts of this session, and who named them. It forgets as recorded ones did.
    pub fn new(session: &Session, skill: Skill, seed: Seed) -> Simulated {
        Simulated::fitted(session, Parameters::recorded().clone(), skill, seed)
    }

    /// The same with parameters of one's own.
    pub fn fitted(
        session: &Session,
        parameters: Parameters,
        skill: Skill,
        seed: Seed,
    ) -> Simulated {
        let truth = &session.book.truth;
        let index = Arc::clone(session.book.index());
        let standings = standing::of_facts(&session.log, &index, truth.facts.len());
        let decoys = truth.decoys.iter().map(|decoy| decoy.statement.clone());
        Simulated {
            skill,
            parameters,
            index,
            facts: truth.facts.clone(),
            standings,
            decoys: decoys.collect(),
            seed: seed.derive(&["simulated"]),
        }
    }

    /// The facts of a material that ends before `end`, but for those that it shows replaced.
    pub fn cases(&self, pieces: &[Piece], end: MsgId) -> Vec<Case> {
        let now = MsgId(end.0.saturating_sub(1));
        let shown = self.shown(pieces);
        let stands = |fact: &&FactId| self.successor(**fact, &shown).is_none();
        let facts = shown.keys().filter(stands);
        facts.map(|fact| self.case(*fact, &shown[fact], now)).collect()
    }

    /// The facts of a material of which only its pieces are known. It ends where the youngest fact
    /// in it was born.
    pub fn cases_in(&self, pieces: &[Piece]) -> Vec<Case> {
        self.cases(pieces, MsgId(self.now(&self.shown(pieces)).0 + 1))
    }

    fn now(&self, shown: &BTreeMap<FactId, Shown>) -> MsgId {
        let born = shown.keys().map(|fact| self.facts[fact.index()].born);
        born.max().unwrap_or(MsgId(0))
    }

    /// The facts that a text tells as they are.
    pub fn told(&self, text: &str) -> BTreeSet<FactId> {
        let held = self.index.search(text);
        held.iter().filter(|held| held.present()).map(|held| held.fact).collect()
    }

    fn shown(&self, pieces: &[Piece]) -> BTreeMap<FactId, Shown> {
        let mut behind: usize = pieces.iter().map(|(piece, _)| piece.len()).sum();
        let mut shown: BTreeMap<FactId, Shown> = BTreeMap::new();
        for (piece, previous) in pieces {
            behind -= piece.len();
            for fact in self.told(piece) {
                let of = shown.entry(fact).or_default();
                of.pieces += 1;
                of.behind = behind;
                of.previous |= previous;
            }
        }
        shown
    }

    fn case(&self, fact: FactId, shown: &Shown, now: MsgId) -> Case {
        let fact = &self.facts[fact.index()];
        let standing = self.standings[fact.id.index()].until(now);
        let sort = Sort::of(fact.kind, standing.user);
        let flag = |is: bool| f64::from(u8::from(is));
        let features = [
            (shown.pieces.max(1) as f64).ln(),
            (shown.behind as f64 / BYTES_A_TOKEN + 1.0).ln(),
            flag(standing.user),
            flag(standing.text),
            flag(standing.call),
            flag(standing.edited),
            flag(standing.read),
            flag(shown.previous),
        ];
        // How often and where a sentence was said had no part in whether it was kept.
        let features = if sort.is_sentence() { Features::default() } else { features };
        Case { fact: fact.id, sort, features }
    }

    /// The chance that a fact is kept.
    fn chance(&self, case: &Case) -> f64 {
        let odds = odds(&self.parameters.weights(), case.sort, &case.features);
        logistic(odds + self.skill.shift())
    }

    /// A lot from 0 to 1.
    fn lot(&self, purpose: &str, of: &str, now: MsgId, replicate: u32) -> f64 {
        let (now, replicate) = (now.0.to_string(), replicate.to_string());
        let lot = self.seed.derive(&[purpose, of, &now, &replicate]);
        (lot.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The chance of an error: the more skill, the rarer.
    fn error(&self, rate: f64) -> f64 {
        logistic(logit(rate) - self.skill.shift())
    }

    /// The nearest successor that is shown too.
    fn successor(&self, fact: FactId, shown: &BTreeMap<FactId, Shown>) -> Option<FactId> {
        let next = |fact: &FactId| self.facts[fact.index()].superseded_by;
        // Bounded by the number of facts, so that a ring in a broken answer key ends.
        let mut chain = std::iter::successors(next(&fact), next).take(self.facts.len());
        chain.find(|next| *next != fact && shown.contains_key(next))
    }

    /// What is kept, each with what went wrong with it.
    fn kept(&self, shown: &BTreeMap<FactId, Shown>, now: MsgId, replicate: u32) -> Vec<Kept<'_>> {
        let rates = &self.parameters.assumed;
        let mut kept: Vec<Kept> = Vec::new();
        for (id, of) in shown {
            let fact = &self.facts[id.index()];
            let lot = |purpose: &str| self.lot(purpose, &fact.statement, now, replicate);
            let struck = |purpose: &str, rate: f64| lot(purpose) < self.error(rate);
            let is_stale = self.successor(*id, shown).is_some();
            // What was replaced is told only by mistake.
            let told = if is_stale {
                struck("stale", rates.stale)
            } else {
                lot("keep") < self.chance(&self.case(*id, of, now))
            };
            if !told {
                continue;
            }
            kept.push(Kept {
                fact,
                altered: struck("altered", rates.altered),
                unpolar: fact.kind.has_polarity() && struck("polarity", rates.polarity),
                merged: struck("merged", rates.merged),
            });
        }
        kept
    }

    /// How long its summary is, in bytes.
    fn length(&self, material: usize, now: MsgId, replicate: u32) -> usize {
        let length = &self.parameters.length;
        let tokens = (material as f64 / BYTES_A_TOKEN).max(1.0);
        // Twelve lots less six have the mean 0 and the deviation 1.
        let lots = (0..12).map(|one| self.lot("length", &one.to_string(), now, replicate));
        let normal = lots.sum::<f64>() - 6.0;
        (length.intercept + length.slope * tokens.ln() + length.deviation * normal).exp() as usize
    }
}

/// In the data a token is this many bytes.
pub const BYTES_A_TOKEN: f64 = 3.0;
/// Bytes of a line that is quoted.
const LINE: std::ops::RangeInclusive<usize> = 20..=200;

impl Offline for Simulated {
    fn answer(&self, prompt: &Prompt) -> String {
        let material: Vec<&str> = prompt.material().collect();
        let pieces: Vec<Piece> =
            material.iter().map(|piece| (*piece, piece.contains(HEADING))).collect();
        let shown = self.shown(&pieces);
        let (now, replicate) = (self.now(&shown), prompt.replicate);
        let kept = self.kept(&shown, now, replicate);
        let invents = |decoy: &&String| {
            let share = self.parameters.assumed.invented * kept.len() as f64;
            let each = share / self.decoys.len().max(1) as f64;
            self.lot("invented", decoy, now, replicate) < self.error(each.min(0.5))
        };
        let invented: Vec<&str> = self.decoys.iter().filter(invents).map(String::as_str).collect();
        let length = material.iter().map(|piece| piece.len()).sum();
        let length = self.length(length, now, replicate);
        // What is quoted says nothing of what was kept: an earlier summary is none of it.
        let raw = material.iter().rev().filter(|piece| !piece.contains(HEADING));
        let lines = raw.flat_map(|piece| sentences(piece).collect::<Vec<_>>().into_iter().rev());
        let mut rest =
            lines.filter(|line| LINE.contains(&line.len()) && self.index.search(line).is_empty());
        let page = Page { kept, invented, rest: &mut rest, length };
        cut_within(page.write(), Limits::default().allowed(prompt))
    }
}

#[cfg(test)]
mod tests;
