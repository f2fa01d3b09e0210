//! `strata`: ours. What is older is told in fewer words, in three layers.
//!
//! 1. The newest messages stay as they are.
//! 2. What leaves them is told twice. A digest, which no model writes, holds the beginnings of what
//!    the agent wrote, its calls and short results; the user's messages stay as they are. A note,
//!    which a model writes of all that leaves at once, stands behind it.
//! 3. What is older still is its notes and the user's words, up to a budget. So many of these
//!    summaries become one of the next level: no text is summarized more often than there are
//!    levels, and there are as many levels as the logarithm of the session's length.
//!
//! Nothing is cut within a step, no result leaves before the agent has read it, and no word is cut:
//! half a name is another name. Where a note fails the view stays. Where a prompt was refused as too
//! long, no model is asked. Where it is made to act before its limit, the first two layers may have
//! half of their shares.

mod digest;
mod layers;

use self::digest::{Digest, is_system};
use self::layers::Layers;
use crate::plan::Accept;
use crate::prelude::*;
use crate::verbatim::{CUT, WORDS, bytes, ends, said};

const NOTE: &str = include_str!("../prompts/strata.md");
const MERGE: &str = include_str!("../prompts/strata-merge.md");
const HEADING: &str = "Notes on earlier work:\n\n";

/// Results and arguments are cut to about so many tokens in what a note is made of.
const SHOWN: Tokens = Tokens(4_000);
/// Most tokens of each message of the user in a summary.
const SAID: Tokens = Tokens(400);

parameters! {
    /// Layers by age. The room is what `limit-share` of the window leaves beside the system prompt,
    /// the schemas and the longest answer: all other shares are of it.
    ///
    /// Keep-rules: all but `limit-share`. Pressure: `limit-share`.
    pub struct Strata {
        pressure "limit-share" limit_share: f64 = 0.80,
            "it acts where prompt and longest answer reach this share of the window";
        eligibility "raw-share" raw_share: f64 = 0.06,
            "the newest messages, which stay as they are; until half as much can be noted, all stay";
        eligibility "words-share" words_share: f64 = 0.85,
            "the turns before them that are words, digests and notes";
        eligibility "summaries-share" summaries_share: f64 = 0.10,
            "the summaries; the oldest are merged earlier where they are more";
        eligibility "user-share" user_share: f64 = 0.01,
            "the user's words that a summary keeps, the newest first";
        eligibility "note-share" note_share: f64 = 0.008, "the longest note; with 0 no model is asked for any";
        eligibility "short-tokens" short: Tokens = Tokens(100),
            "results of up to so many tokens stand in a digest";
        eligibility "text-tokens" text: Tokens = Tokens(60),
            "most tokens of each text of the agent in a digest";
        eligibility "argument-tokens" argument: Tokens = Tokens(10),
            "most tokens of each argument of a call in a digest; without any, calls are not told";
        eligibility "fold" fold: usize = 4, "summaries of a level that become one of the next";
    }
}

impl Strategy for Strata {
    fn check(&self) -> Result<(), String> {
        let layers = [self.limit_share, self.raw_share, self.words_share, self.summaries_share];
        let parts = [self.user_share, self.note_share];
        if layers.iter().chain(&parts).any(|share| !(0.0..=1.0).contains(share)) {
            return Err("a share is between 0 and 1".to_owned());
        }
        match self.fold {
            0 | 1 => Err("`fold` is at least 2".to_owned()),
            _ => Ok(()),
        }
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        if view.counted() < self.room(context) && !is_forced(context.occasion) {
            return Decision::decline("the limit is not reached");
        }
        let layers = Layers::of(view, self, context);
        let next = Next { strata: self, view, context, layers: &layers };
        // Recovery does not hang on another answer of a model.
        let Some(plan) = next.plan(!context.occasion.is_reactive()) else {
            return Decision::decline("every layer is within its share");
        };
        match plan.requests.is_empty() {
            true => Decision::Plan(plan),
            false => Decision::Plan(Plan { accept: vec![Accept::NotLarger], ..plan }),
        }
    }
}

/// The next view in the making.
struct Next<'a> {
    strata: &'a Strata,
    view: &'a View,
    context: &'a PlanContext<'a>,
    layers: &'a Layers,
}

impl Next<'_> {
    /// `None` where it is this one. Without `asks`, nothing is noted or merged.
    fn plan(&self, asks: bool) -> Option<Plan> {
        let (mut slots, mut requests) = (Vec::new(), Vec::new());
        let mut changed = self.summaries(asks, &mut slots, &mut requests);
        for turn in &self.layers.turns {
            changed |= turn.lay(self.view, &mut slots);
        }
        let batch = &self.view.entries()[self.layers.batch.clone()];
        if asks && !batch.is_empty() && self.strata.notes() {
            let id = RequestId(1);
            let material = batch.iter().flat_map(|entry| self.strata.whole(entry)).collect();
            requests.push(self.request(id, NOTE, material));
            let covers = Spans::union(batch.iter().map(|entry| &entry.covers));
            slots.push(summary(vec![Piece::answer(id)], Covers::Log(covers)));
            changed = true;
        }
        slots.extend(kept_from(self.view, self.layers.raw));
        changed.then(|| Plan::summarizing(Layout::Whole(slots), requests))
    }

    /// The third layer; whether it changes.
    fn summaries(
        &self,
        asks: bool,
        slots: &mut Vec<Slot>,
        requests: &mut Vec<SummaryRequest>,
    ) -> bool {
        let entries = self.view.entries();
        let most = self.most(self.strata.summaries_share);
        let merged = self.layers.merged(self.view, self.strata.fold, most).filter(|_| asks);
        let (start, end) = merged.clone().map_or((0, 0), |run| (run.start, run.end));
        let head = self.layers.summarized;
        slots.extend(entries[..start].iter().map(|entry| Slot::Keep(entry.id)));
        if let Some(run) = &merged {
            let run = &entries[run.clone()];
            let quote = |entry: &Arc<Entry>| [Piece::quote(entry.id), Piece::literal("\n\n")];
            let mut notes = Vec::new();
            if self.strata.notes() {
                let material = run.iter().flat_map(quote).collect();
                requests.push(self.request(RequestId(0), MERGE, material));
                notes.push(Piece::answer(RequestId(0)));
            }
            slots.push(self.summary(run, notes));
        }
        slots.extend(entries[end..head].iter().map(|entry| Slot::Keep(entry.id)));
        let old = entries[self.layers.old.clone()].iter().cloned();
        let (system, old): (Vec<_>, Vec<_>) = old.partition(|entry| is_system(entry));
        slots.extend(system.iter().map(|entry| Slot::Keep(entry.id)));
        if !old.is_empty() {
            let notes = old.iter().filter(|entry| entry.kind == Kind::Summary);
            let quote = |entry: &Arc<Entry>| [Piece::quote(entry.id), Piece::literal("\n")];
            slots.push(self.summary(&old, notes.flat_map(quote).collect()));
        }
        merged.is_some() || !old.is_empty()
    }

    fn request(&self, id: RequestId, words: &str, material: Vec<Piece>) -> SummaryRequest {
        let mut asked = vec![Piece::literal(words)];
        asked.extend(material);
        SummaryRequest {
            // An empty answer is a failure.
            recover: BTreeMap::from([(FailureClass::Empty, Vec::new())]),
            ..SummaryRequest::new(id, Text::from(""), asked, self.most(self.strata.note_share))
        }
    }

    /// A summary in the place of entries, with the user's words among them. It stands there even
    /// where nothing is left to say, so that no answer comes first.
    fn summary(&self, of: &[Arc<Entry>], notes: Vec<Piece>) -> Slot {
        let covered = Spans::union(of.iter().map(|entry| &entry.covers));
        let budget = self.most(self.strata.user_share);
        let said = said(&covered, self.context.past, SAID, budget);
        let mut pieces = Vec::new();
        for (heading, told) in [(HEADING, notes), (WORDS, said)] {
            if !told.is_empty() {
                pieces.push(Piece::literal(heading));
                pieces.extend(told);
                pieces.push(Piece::literal("\n\n"));
            }
        }
        let covers = Covers::Entries(of.iter().map(|entry| entry.id).collect());
        summary(pieces, covers)
    }

    fn most(&self, share: f64) -> Tokens {
        self.strata.room(self.context).share(share)
    }
}

impl Strata {
    /// What messages may take before it acts.
    fn room(&self, context: &PlanContext) -> Tokens {
        let beyond = context.budget.window.share(1.0 - self.limit_share);
        Strata::most(context) - beyond
    }

    /// The most that messages can take.
    fn most(context: &PlanContext) -> Tokens {
        let budget = context.budget;
        budget.window - budget.system - budget.schemas - budget.max_output
    }

    /// Whether a model writes notes.
    fn notes(&self) -> bool {
        self.note_share > 0.0
    }

    /// The entry as a note's writer sees it.
    fn whole(&self, entry: &Entry) -> Vec<Piece> {
        let most = bytes(SHOWN);
        let mut pieces = vec![Piece::literal(format!("[{}] ", entry.role.name()))];
        pieces.extend(ends(&Source::Entry(entry.id), &entry.content(), most, CUT));
        for call in &entry.calls {
            pieces.push(Piece::literal(format!(" [{} ", call.name)));
            let of = Source::Call(entry.id, call.id.clone());
            pieces.extend(ends(&of, &call.args, most, CUT));
            pieces.push(Piece::literal("]"));
        }
        pieces.push(Piece::literal("\n"));
        pieces
    }
}

/// An entry of notes, in the user's role: where it comes first, a conversation begins with it.
fn summary(pieces: Vec<Piece>, covers: Covers) -> Slot {
    Slot::New(NewEntry::new(Role::User, Kind::Summary, pieces, covers))
}

#[cfg(test)]
mod tests;
