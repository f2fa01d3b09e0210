//! What each recorded compaction kept and lost.

use super::driven::{At, Driven};
use super::seen::{Needed, Seen, is_hidden};
use super::{Compacted, Count, Fate, Item, Sign, signs};
use crate::ident::{FactId, MsgId};
use crate::log::{Boundary, BoundaryAction, Role, Trigger};
use crate::prelude::*;
use crate::truth::{Fact, FactKind};

/// Facts that are named of each compaction.
const NAMED: usize = 12;

/// All recorded compactions, in order.
pub(super) fn all(view: &Seen, taken: &[&Boundary], recorded: Option<&Driven>) -> Vec<Compacted> {
    let mut gone = BTreeSet::new();
    let mut since = MsgId(0);
    let mut compactions = Vec::new();
    for (place, boundary) in taken.iter().enumerate() {
        let until =
            taken.get(place + 1).map_or(view.log.messages.len() as u32, |next| next.before.0);
        let judged = Judged::of(view, boundary, (since, until), recorded, &mut gone);
        let signs = signs::find(view, since, boundary.before, until);
        compactions.push(told(view, (place, boundary), judged, signs));
        since = boundary.before;
    }
    compactions
}

/// The facts that a compaction met, and what it did to them.
struct Judged<'a> {
    needed: Needed,
    needs_by_origin: BTreeMap<&'static str, Count>,
    fates: Vec<(&'a Fact, Fate)>,
    unseen: Option<u64>,
    hidden: bool,
}

impl<'a> Judged<'a> {
    /// `gone` are the sayings that earlier compactions lost: what has their words later does not bring
    /// them back.
    fn of(
        view: &'a Seen,
        boundary: &Boundary,
        (since, until): (MsgId, u32),
        recorded: Option<&Driven>,
        gone: &mut BTreeSet<FactId>,
    ) -> Judged<'a> {
        let at = recorded.and_then(|one| one.at(boundary.before));
        let hidden = is_hidden(boundary);
        let unseen = recorded.and_then(|one| {
            // Without a ratio the two are of different units.
            view.log.ratio?;
            let counted = one.prompt_after(boundary.before)?;
            let more = boundary.post_tokens?.0.checked_sub(counted);
            more.filter(|more| *more * 10 > counted)
        });
        let needed = view.needed(boundary.before, until);
        let restored = view.of_last_files(since, boundary.before);
        let fate = |fact: &Fact| {
            let fate = at.map_or(Fate::Unclear, |at| at.fate(fact.id));
            // What the prompt held beside the file: instructions, which alone can have told the agent a
            // command that nothing told it, and files.
            let told_unseen = fact.kind == FactKind::Command && view.by(fact) == Role::Assistant;
            let in_file = || fact.mentions.iter().any(|mention| restored.contains(mention));
            let attached = !fact.kind.is_said() && in_file();
            let from_unseen = unseen.is_some() && (told_unseen || attached);
            if fate == Fate::Lost && (hidden || from_unseen) { Fate::Unclear } else { fate }
        };
        let had = |fact: &&Fact| at.is_none_or(|at: &At| at.before.contains(&fact.id));
        let alive = view.alive(boundary.before, &needed).into_iter().filter(had);
        let alive = alive.filter(|fact| !gone.contains(&fact.id));
        let fates: Vec<(&Fact, Fate)> = alive.map(|fact| (fact, fate(fact))).collect();
        let lost = fates.iter().filter(|(fact, fate)| fact.kind.is_said() && *fate == Fate::Lost);
        gone.extend(lost.map(|(fact, _)| fact.id));
        let mut needs_by_origin: BTreeMap<&'static str, Count> = BTreeMap::new();
        for (fact, (_, origin)) in &needed {
            let fate = fate(&view.truth.facts[fact.index()]);
            needs_by_origin.entry(origin.name()).or_default().add(fate);
        }
        Judged { needed, needs_by_origin, fates, unseen, hidden }
    }

    fn count(&self, said: bool) -> Count {
        let mut count = Count::default();
        let of = self.fates.iter().filter(|(fact, _)| fact.kind.is_said() == said);
        of.for_each(|(_, fate)| count.add(*fate));
        count
    }

    /// The first facts with this fate.
    fn items(&self, view: &Seen, before: MsgId, wanted: Fate) -> Vec<Item> {
        let of = self.fates.iter().filter(|(_, fate)| *fate == wanted);
        let mut facts: Vec<&Fact> = of.map(|(fact, _)| *fact).collect();
        facts.sort_by_key(|fact| (view.rank(fact, &self.needed), fact.id));
        let needed = |fact: &Fact| self.needed.get(&fact.id).map(|(at, _)| at.0);
        facts.into_iter().take(NAMED).map(|fact| view.item(fact, before, needed(fact))).collect()
    }
}

fn told(
    view: &Seen,
    (place, boundary): (usize, &Boundary),
    judged: Judged,
    signs: Vec<Sign>,
) -> Compacted {
    let summary = match &boundary.action {
        BoundaryAction::Summary(text) => Some(text),
        BoundaryAction::Clear(_) | BoundaryAction::Nothing => None,
    };
    let known = summary.filter(|text| !text.is_empty());
    let before = boundary.before;
    Compacted {
        number: place + 1,
        before: before.0,
        line: view.line(before.0),
        manual: boundary.trigger == Trigger::Manual,
        cleared: summary.is_none(),
        tokens_before: boundary.pre_tokens.map(|tokens| tokens.0),
        tokens_after: boundary.post_tokens.map(|tokens| tokens.0),
        tokens_unseen: judged.unseen,
        hidden: judged.hidden,
        summary_tokens: known.map(|text| view.log.tokens_of(text).0),
        said: judged.count(true),
        worked_on: judged.count(false),
        needs: judged.needs_by_origin.values().copied().fold(Count::default(), Count::plus),
        kept: judged.items(view, before, Fate::Kept),
        unclear: judged.items(view, before, Fate::Unclear),
        lost: judged.items(view, before, Fate::Lost),
        needs_by_origin: judged.needs_by_origin,
        signs,
    }
}
