//! Which questions are asked of a session: drawn once, the same for every cell of it.

use std::collections::BTreeMap;

use crate::drive::Session;
use crate::ident::{Digest, FactId, MsgId, Seed};
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
    pub(super) fact: String,
    pub(super) fact_kind: FactKind,
    pub(super) step: u32,
    pub(super) question: Question,
    pub(super) statement: String,
    /// `None` for decoys.
    pub(super) need: Option<Need>,
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

/// Draws the questions of a session; `spare` are decoys for sessions without any of their own.
pub fn draw(
    session: &Session,
    name: (&str, u64),
    needs: &[Need],
    spare: &[Fact],
    how: Draw,
) -> Sheet {
    let lots = Seed(how.seed).derive(&["questions", name.0, &name.1.to_string()]);
    let descriptions = Descriptions::of(session);
    let drawing = Drawing { session, name, lots, descriptions };
    let mut counts = SheetCounts::default();
    let mut strata = Strata::new();
    for need in needs.iter().filter(|need| need.windows >= how.windows) {
        counts.needs += 1;
        let Some(fact) = session.book.truth.facts.get(need.fact.index()) else { continue };
        let candidates = drawing.candidates(fact, *need);
        counts.sole += usize::from(candidates.sole);
        counts.fair += usize::from(!candidates.questions.is_empty());
        for (contrast, question) in candidates.questions {
            let stratum = (question.kind, contrast);
            let lot = format!("{}/{contrast}", question.kind.name());
            let lot = drawing.lot("need", *need, &[&lot]);
            let item = drawing.item(need.fact.0.to_string(), fact, need.step, question);
            strata.entry(stratum).or_default().push((lot, Item { need: Some(*need), ..item }));
        }
    }
    let mut items = taken(strata, how.per_cell);
    counts.drawn = items.len();
    let decoys = drawing.decoys(&items, spare);
    counts.decoys = decoys.len();
    items.extend(decoys);
    Sheet { items, counts }
}

type Strata = BTreeMap<(Kind, bool), Vec<(u64, Item)>>;

#[derive(Default)]
struct Candidates {
    /// With each whether it is about a free choice.
    questions: Vec<(bool, Question)>,
    sole: bool,
}

struct Drawing<'a> {
    session: &'a Session,
    name: (&'a str, u64),
    lots: Seed,
    descriptions: Descriptions,
}

impl Drawing<'_> {
    fn lot(&self, purpose: &str, need: Need, more: &[&str]) -> u64 {
        let (fact, step) = (need.fact.0.to_string(), need.step.to_string());
        self.lots.derive(&[&[purpose, &fact, &step], more].concat()).0
    }

    fn item(&self, name: String, fact: &Fact, step: u32, question: Question) -> Item {
        let (scenario, seed) = self.name;
        let text =
            format!("{QUESTIONS_VERSION}\n{scenario}\n{seed}\n{name}\n{step}\n{}", question.text);
        Item {
            id: format!("q-{}", &Digest::of(text.as_bytes()).0[..10]),
            fact: name,
            fact_kind: fact.kind,
            step,
            question,
            statement: fact.statement.clone(),
            need: None,
        }
    }

    fn candidates(&self, fact: &Fact, need: Need) -> Candidates {
        let (session, index) = (self.session, need.step.saturating_sub(1) as usize);
        let step = session.steps.get(index);
        let Some(step) = step.filter(|_| answerability::holds(session, fact.id, index)) else {
            return Candidates::default();
        };
        let before = MsgId(step.appended.start as u32);
        let mut questions = Vec::new();
        let is_sole = |_: &Question| self.descriptions.is_sole(session, fact.id, index);
        let thing = wording::thing(fact).filter(is_sole);
        let mut sole = thing.is_some();
        if let Some(question) = thing.filter(|_| answerability::is_tied(session, fact, before)) {
            questions.push((false, question));
        }
        let sense = Sense::drawn(self.lot("sense", need, &[]));
        let barred = fact.kind.has_polarity();
        if (barred || answerability::is_free(session, fact))
            && let Some(question) = wording::ruling(fact, sense, barred)
        {
            sole = true;
            questions.push((!barred, question));
        }
        Candidates { questions, sole }
    }

    /// Questions about what was never stated, at steps at which others are asked.
    fn decoys(&self, items: &[Item], spare: &[Fact]) -> Vec<Item> {
        if items.is_empty() {
            return Vec::new();
        }
        let asked = |decoys: &[Fact]| {
            let mut strata = Strata::new();
            for decoy in decoys.iter().filter(|one| self.descriptions.is_foreign(self.session, one))
            {
                let number = decoy.id.0.to_string();
                let lot = self.lots.derive(&["decoy", &number]).0;
                let question = match decoy.kind.has_polarity() {
                    true => wording::ruling(decoy, Sense::drawn(lot), true),
                    false => wording::thing(decoy),
                };
                let Some(question) = question else { continue };
                let step = items[(lot >> 1) as usize % items.len()].step;
                let stratum = (question.kind, false);
                let item = self.item(format!("decoy-{number}"), decoy, step, question);
                strata.entry(stratum).or_default().push((lot, item));
            }
            strata
        };
        let own = asked(&self.session.book.truth.decoys);
        let strata = if own.is_empty() { asked(spare) } else { own };
        taken(strata, items.len().div_ceil(3))
    }
}

/// From each stratum in turn, in the order of the lots, each need once, until there are enough.
fn taken(mut strata: Strata, most: usize) -> Vec<Item> {
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
