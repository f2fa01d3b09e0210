//! Which questions are asked of a session: drawn once, the same for every cell of it.

use std::collections::BTreeMap;

use crate::drive::Session;
use crate::ident::{Digest, FactId, Seed};
use crate::question::answerability::{self, Descriptions};
use crate::question::wording::{self, Question, Sense};
use crate::question::{Kind, QUESTIONS_VERSION};
use crate::truth::{Fact, FactKind};

/// How questions are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// Most questions of a session; a third as many are asked about what never was.
    pub per_cell: usize,
    /// Source of the lots.
    pub seed: u64,
    /// Least distance of the last mention, in windows; 0 for all needs.
    pub windows: f64,
}

impl Default for Draw {
    fn default() -> Draw {
        Draw { per_cell: 12, seed: 1, windows: 1.0 }
    }
}

/// A need of a fact, as the run recorded it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Need {
    /// Index in `Truth::demands`.
    pub demand: u32,
    /// The fact.
    pub fact: FactId,
    /// The step, from 1.
    pub step: u32,
    /// Distance of its last mention in windows.
    pub windows: f64,
}

/// A question of a session.
#[derive(Clone, Debug)]
pub struct Item {
    /// Digest of version, session, fact, step and wording.
    pub id: String,
    /// The fact, or the decoy, as files name it.
    pub fact: String,
    /// Its kind.
    pub fact_kind: FactKind,
    /// The step from whose view it is asked, from 1.
    pub step: u32,
    /// The words, and what is right.
    pub question: Question,
    /// The fact's shortest statement.
    pub statement: String,
    /// The need that it stands for; `None` for decoys.
    pub need: Option<Need>,
}

/// All questions of a session, in order.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// About facts, and about decoys behind them.
    pub items: Vec<Item>,
    /// How many needs there were, and what was left of them.
    pub counts: SheetCounts,
}

/// How many needs there were and why some are not asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SheetCounts {
    /// Needs far enough.
    pub needs: usize,
    /// Of these, with a question whose answer stands for no other.
    pub sole: usize,
    /// Of these, whose description the log ties to the fact.
    pub fair: usize,
    /// Questions drawn about facts.
    pub drawn: usize,
    /// Questions about what was never stated.
    pub decoys: usize,
}

/// Draws the questions of a session. The lots depend on scenario, seed, fact and step.
/// `spare` are decoys for sessions without any that can be asked about.
pub fn draw(
    session: &Session,
    (scenario, seed): (&str, u64),
    needs: &[Need],
    spare: &[Fact],
    how: Draw,
) -> Sheet {
    let lots = Seed(how.seed).derive(&["questions", scenario, &seed.to_string()]);
    let lot = |words: &[&str]| lots.derive(words).0;
    let descriptions = Descriptions::of(session);
    let mut counts = SheetCounts::default();
    let mut strata: BTreeMap<(Kind, bool), Vec<(u64, Item)>> = BTreeMap::new();
    for need in needs.iter().filter(|need| need.windows >= how.windows) {
        counts.needs += 1;
        let key = [need.fact.0.to_string(), need.step.to_string()];
        let key = [key[0].as_str(), key[1].as_str()];
        let Some(fact) = session.book.truth.facts.get(need.fact.index()) else { continue };
        let candidates =
            candidates(session, &descriptions, fact, *need, lot(&["sense", key[0], key[1]]));
        counts.sole += usize::from(candidates.sole);
        counts.fair += usize::from(!candidates.questions.is_empty());
        for (contrast, question) in candidates.questions {
            let stratum = (question.kind, contrast);
            let name = format!("{}/{contrast}", question.kind.name());
            let item = Item {
                id: id(scenario, seed, &need.fact.0.to_string(), need.step, &question),
                fact: need.fact.0.to_string(),
                fact_kind: fact.kind,
                step: need.step,
                question,
                statement: fact.statement.clone(),
                need: Some(*need),
            };
            let lot = lot(&["need", key[0], key[1], &name]);
            strata.entry(stratum).or_default().push((lot, item));
        }
    }
    let mut items = taken(strata, how.per_cell);
    counts.drawn = items.len();
    let decoys = decoys(session, (scenario, seed), &items, spare, &lot);
    counts.decoys = decoys.len();
    items.extend(decoys);
    Sheet { items, counts }
}

/// What can be asked for a need.
struct Candidates {
    questions: Vec<(bool, Question)>,
    sole: bool,
}

/// The questions that are fair at a need, those about free choices marked.
fn candidates(
    session: &Session,
    descriptions: &Descriptions,
    fact: &Fact,
    need: Need,
    lot: u64,
) -> Candidates {
    let index = need.step.saturating_sub(1) as usize;
    let none = Candidates { questions: Vec::new(), sole: false };
    let Some(step) = session.steps.get(index) else { return none };
    if !answerability::holds(session, fact.id, index) {
        return none;
    }
    let before = crate::ident::MsgId(step.appended.start as u32);
    let mut questions = Vec::new();
    let thing = wording::thing(fact).filter(|_| descriptions.is_sole(session, fact.id, index));
    let mut sole = thing.is_some();
    if let Some(question) = thing.filter(|_| answerability::is_tied(session, fact, before)) {
        questions.push((false, question));
    }
    let sense = if lot & 1 == 0 { Sense::Against } else { Sense::Free };
    let barred = fact.kind.has_polarity();
    if (barred || answerability::is_free(session, fact))
        && let Some(question) = wording::ruling(fact, sense, barred)
    {
        sole = true;
        questions.push((!barred, question));
    }
    Candidates { questions, sole }
}

/// From each stratum in turn, in the order of the lots, until there are enough. A need
/// is asked about once.
fn taken(mut strata: BTreeMap<(Kind, bool), Vec<(u64, Item)>>, most: usize) -> Vec<Item> {
    for items in strata.values_mut() {
        items.sort_by(|(a, one), (b, other)| (b, &other.id).cmp(&(a, &one.id)));
    }
    let mut items: Vec<Item> = Vec::new();
    while items.len() < most && strata.values().any(|left| !left.is_empty()) {
        for left in strata.values_mut() {
            let known = |item: &Item| {
                items.iter().any(|one| (&one.fact, one.step) == (&item.fact, item.step))
            };
            let next = loop {
                match left.pop() {
                    Some((_, item)) if known(&item) => {}
                    next => break next,
                }
            };
            items.extend(next.map(|(_, item)| item).filter(|_| items.len() < most));
        }
    }
    items.sort_by(|a, b| (a.step, &a.id).cmp(&(b.step, &b.id)));
    items
}

/// Questions about what was never stated, at steps at which others are asked.
fn decoys(
    session: &Session,
    (scenario, seed): (&str, u64),
    items: &[Item],
    spare: &[Fact],
    lot: &impl Fn(&[&str]) -> u64,
) -> Vec<Item> {
    let steps: Vec<u32> = items.iter().map(|item| item.step).collect();
    if steps.is_empty() {
        return Vec::new();
    }
    let descriptions = Descriptions::of(session);
    let own = &session.book.truth.decoys;
    let asked = |decoys: &[Fact]| -> Vec<(u64, Item)> {
        let foreign = decoys.iter().filter(|decoy| descriptions.is_foreign(session, decoy));
        let askable = foreign.filter_map(|decoy| {
            let number = decoy.id.0.to_string();
            let drawn = lot(&["decoy", &number]);
            let sense = if drawn & 1 == 0 { Sense::Against } else { Sense::Free };
            let question = match decoy.kind.has_polarity() {
                true => wording::ruling(decoy, sense, true),
                false => wording::thing(decoy),
            }?;
            let step = steps[(drawn >> 1) as usize % steps.len()];
            let fact = format!("decoy-{number}");
            let item = Item {
                id: id(scenario, seed, &fact, step, &question),
                fact,
                fact_kind: decoy.kind,
                step,
                question,
                statement: decoy.statement.clone(),
                need: None,
            };
            Some((drawn, item))
        });
        askable.collect()
    };
    let mut drawn = asked(own);
    if drawn.is_empty() {
        drawn = asked(spare);
    }
    let mut strata: BTreeMap<(Kind, bool), Vec<(u64, Item)>> = BTreeMap::new();
    for (lot, item) in drawn {
        strata.entry((item.question.kind, false)).or_default().push((lot, item));
    }
    taken(strata, items.len().div_ceil(3))
}

fn id(scenario: &str, seed: u64, fact: &str, step: u32, question: &Question) -> String {
    let text =
        format!("{QUESTIONS_VERSION}\n{scenario}\n{seed}\n{fact}\n{step}\n{}", question.text);
    format!("q-{}", &Digest::of(text.as_bytes()).0[..10])
}
