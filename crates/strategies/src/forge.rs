//! Forge's three tiers as its decision records describe them (`forge-adr`): ADR-0014
//! (composable context management) and ADR-0041 (goal-batch compaction). Where the records
//! are silent or contradict each other, each tier says what was chosen.
//!
//! Common to all: they act before each model call and never touch the live turn ("compression
//! of the current turn's context" is a non-goal of ADR-0014). It begins at the last user-role
//! message: Forge stores rejections and stop notices as such. The prompts are ours, with the
//! sections of those in Forge's code; no source limits an answer, so `max-tokens` is ours.

use std::borrow::Borrow;

use crate::log::Call;
use crate::prelude::*;

/// Words that several tiers send: ours, with the sections of their sources, as all `prompts`.
pub(crate) mod prompt {
    /// The system prompt of all three tiers: first-person episodic memory.
    pub(crate) const SYSTEM: &str = include_str!("../prompts/forge-system.md").trim_ascii_end();
    /// Before a block of assistant and tool messages.
    pub(crate) const BLOCK: &str = include_str!("../prompts/forge-block.md");
    /// Before the record of a finished goal, to become one sentence.
    pub(crate) const ARCHIVED: &str = include_str!("../prompts/forge-archived.md");
}

parameters! {
    /// Tier 1, ADR-0014's `ToolCallSummarizationStrategy`: every call that is at least
    /// `older-than-turns` turns old is replaced, with its results, by one summary.
    ///
    /// Chosen where the record is silent: age is the number of user-role messages since the
    /// call's own turn began; a request and a summary per call, as the record's prompt takes a
    /// single one; all that are old enough go in one pass; the summaries stand where the
    /// assistant message stood, each for the message and its own results; a call without a
    /// result is summarized alone. Inputs and results, "abbreviated" in the record, are shown
    /// whole: this tier loses nothing unseen.
    ///
    /// Keep-rules: `older-than-turns`, the live turn. Pressure: none.
    pub struct ToolCall {
        eligibility "older-than-turns" older_than_turns: u32 = 10, "least age of a call, in turns";
        request "max-tokens" max_tokens: Tokens = Tokens(300), "most tokens of one summary";
        + model
    }
}

impl Strategy for ToolCall {
    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        // The index is in view order, so the first call that is too young ends it.
        let old = places(view, Class::Call)
            .map(|place| (place, &view.entries()[place]))
            .take_while(|(place, entry)| {
                let age = context.turn.saturating_sub(entry.turn);
                *place < view.live_turn() && age >= self.older_than_turns
            });
        let calls = old.flat_map(|(_, entry)| entry.calls.iter().map(move |call| (entry, call)));
        let folds: Vec<Fold> = calls.map(|(entry, call)| self.fold(view, entry, call)).collect();
        if folds.is_empty() {
            return Decision::decline("no tool call is old enough");
        }
        folding(view, folds)
    }
}

impl ToolCall {
    fn fold(&self, view: &View, entry: &Entry, call: &Call) -> Fold {
        let results: &[EntryId] = view.pair(&call.id).map_or(&[], |pair| &pair.results);
        let mut body = vec![Piece::literal(include_str!("../prompts/forge-tool-call.md"))];
        if entry.content_len() > 0 {
            body.extend([Piece::literal("What I said: "), Piece::quote(entry.id)]);
        }
        body.extend([
            Piece::literal("\nTool: "),
            Piece::Literal(call.name.clone()),
            Piece::literal("\nInput: "),
            Piece::arguments(entry.id, &call.id),
        ]);
        for result in results {
            body.extend([Piece::literal("\nResult: "), Piece::quote(*result)]);
        }
        let covers = [entry.id].into_iter().chain(results.iter().copied());
        Fold::new(Kind::Summarized, covers, body, self.max_tokens, &self.model)
    }
}

parameters! {
    /// Tier 2, the threshold tier as the two records together describe it: at 80 % of the
    /// window (ADR-0014) it folds blocks of assistant and tool messages, oldest first, leaving
    /// user messages and summaries (ADR-0041), until usage is at 50 %. This is the version
    /// whose implicit floor ADR-0041 describes.
    ///
    /// Chosen where the records are silent: a block is a maximal run of raw work, and the
    /// summary stands where it began. A plan is one block, as it cannot know how long the
    /// answer will be, and the stage says `repeat = "to-target"`. Of ADR-0014's two
    /// descriptions (half of all messages, or older blocks) this is the second. What is
    /// compared with the window is the conversation with its system message.
    ///
    /// Keep-rules: user messages, summaries, the live turn. Pressure: the threshold and the
    /// target, both in the pipeline file.
    pub struct Threshold {
        request "max-tokens" max_tokens: Tokens = Tokens(600), "most tokens of one summary";
        + model
    }
}

impl Strategy for Threshold {
    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        if at_target(context) {
            return Decision::decline("already at the target");
        }
        let live = view.live_turn();
        let Some(start) = places(view, Class::Work).next().filter(|place| *place < live) else {
            return Decision::decline("no unsummarized work before the live turn");
        };
        let work = &view.entries()[start..live];
        let block = work.iter().take_while(|entry| entry.is_raw_work()).count();
        let (block, most, model) = (&work[..block], self.max_tokens, &self.model);
        folding(view, vec![Fold::of(Kind::Summarized, block, prompt::BLOCK, role, most, model)])
    }
}

parameters! {
    /// Tier 3, ADR-0041's `GoalBatchCompactionStrategy`: the oldest closed turns (a user message
    /// with the `[SUMMARIZED]` blocks immediately behind it) become one block, in one request.
    ///
    /// Chosen where the record is silent or contradicts itself: the age of 20 is in messages (it
    /// calls it turns and counts messages); a raw message or a `[GOAL BATCH]` ends the run of
    /// blocks; a turn whose summaries reach past the age limit is not eligible, as turns are never
    /// split; `[GOAL BATCH]` blocks are never batched again; the turns of a batch need not adjoin,
    /// and what stood between them stays, after the batch; one batch per call, an assistant's.
    /// Other readings of what a turn is are values of `turn`.
    ///
    /// Keep-rules: `turn`, `older-than-messages`, `min-turns`, the live turn. Pressure: none.
    /// `max-turns` bounds a request, not what is eligible.
    pub struct GoalBatch {
        eligibility "older-than-messages" older_than_messages: usize = 20,
            "messages at the end never touched";
        eligibility "turn" turn: Turn = Turn::Adjacent,
            "what a closed turn is: `adjacent`, `anywhere` or `whole`", absent where "is_default";
        eligibility "min-turns" min_turns: usize = 3, "least closed turns that make a batch";
        request "max-turns" max_turns: usize = 6, "most closed turns in a batch";
        request "max-tokens" max_tokens: Tokens = Tokens(500), "most tokens of one batch";
        + model
    }
}

/// What a closed turn is, as ADR-0041 can be read. Each begins at a user message, and none
/// reaches past the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// It and the `[SUMMARIZED]` blocks right behind it: "that immediately follow it".
    #[default]
    Adjacent,
    /// It and the blocks of the turn wherever they stand: "at least one `[SUMMARIZED]` block
    /// following it before the next user message". What else stands between them stays.
    Anywhere,
    /// The same with the raw words of the assistant: "turns are never split". A turn in which a
    /// call or a result is raw is not closed; one ends at a `[GOAL BATCH]`, which holds the user
    /// messages of others.
    Whole,
}

/// What the versions of the tier say differently.
pub(crate) struct Wording {
    /// The label of a block by its number in the turn, from 1.
    pub(crate) block: fn(usize) -> String,
    /// What stands behind each entry.
    pub(crate) gap: &'static str,
    /// Why it declines.
    pub(crate) too_few: &'static str,
}

/// As ADR-0041 has it.
pub(crate) const ADR_WORDING: Wording = Wording {
    block: |_| "[SUMMARIZED]: ".to_owned(),
    gap: "\n",
    too_few: "too few closed turns are old enough",
};

impl Strategy for GoalBatch {
    fn claims_whole_turns(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), String> {
        self.check_numbers()?;
        if self.max_turns < self.min_turns {
            return Err(format!(
                "`max-turns` {} is below `min-turns` {}, so no batch could ever be made",
                self.max_turns, self.min_turns
            ));
        }
        Ok(())
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        match self.turn {
            Turn::Adjacent => {
                self.batch(view, self.eligible(view), &ADR_WORDING, |counted| counted)
            }
            Turn::Anywhere | Turn::Whole => {
                self.batch(view, self.read_otherwise(view), &ADR_WORDING, |counted| counted)
            }
        }
    }
}

impl GoalBatch {
    pub(crate) fn check_numbers(&self) -> Result<(), String> {
        none_is_zero(&[("min-turns", self.min_turns as u64), ("max-turns", self.max_turns as u64)])
    }

    /// What is wrong where a version of the tier knows one reading of a turn only.
    pub(crate) fn check_adjacent(&self) -> Result<(), String> {
        if self.turn == Turn::Adjacent {
            return Ok(());
        }
        Err("`turn` is `adjacent` here: only `forge-goal-batch` reads it otherwise".into())
    }

    /// The plan that makes one batch of the oldest of these turns, if they are enough.
    /// `note` is made of what was counted.
    pub(crate) fn batch(
        &self,
        view: &View,
        turns: impl Iterator<Item: IntoIterator<Item = usize> + Clone>,
        wording: &Wording,
        note: impl Fn(String) -> String,
    ) -> Decision {
        // No more are looked at than decide: the view may hold any number.
        let mut turns: Vec<_> = turns.take(self.min_turns.max(self.max_turns)).collect();
        if turns.is_empty() || turns.len() < self.min_turns {
            return Decision::decline(wording.too_few);
        }
        turns.truncate(self.max_turns);
        let mut body = vec![Piece::literal(include_str!("../prompts/forge-goal-batch.md"))];
        for (number, turn) in turns.iter().enumerate() {
            body.push(Piece::literal(format!("--- Turn {} ---\n", number + 1)));
            for (block, place) in turn.clone().into_iter().enumerate() {
                let entry = &view.entries()[place];
                let label = match entry.kind {
                    Kind::Summarized => (wording.block)(block),
                    _ => format!("[{}]: ", entry.role.name()),
                };
                body.extend([Piece::literal(label), Piece::quote(entry.id)]);
                body.push(Piece::literal(wording.gap));
            }
        }
        let counted = format!("turn_count={}", turns.len());
        let covers = turns.into_iter().flatten().map(|place| view.entries()[place].id);
        let batch = Fold::new(Kind::GoalBatch, covers, body, self.max_tokens, &self.model);
        folding(view, vec![batch.noted(note(counted))])
    }

    /// The turns that are old enough whole, before the live one.
    pub(crate) fn eligible<'a>(
        &self,
        view: &'a View,
    ) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let end = self.old(view).min(view.live_turn());
        closed_turns(view, end).filter(move |turn| turn.end <= end)
    }

    /// The places of the same where a turn is read as [`Turn::Anywhere`] or [`Turn::Whole`].
    fn read_otherwise<'a>(&self, view: &'a View) -> impl Iterator<Item = Vec<usize>> + use<'a> {
        let (end, whole) = (self.old(view).min(view.live_turn()), self.turn == Turn::Whole);
        let starts = places(view, Class::User).take_while(move |start| *start < end);
        let turn = move |start: usize| {
            let entries = view.entries();
            let is_next = |entry: &Entry| {
                entry.role == Role::User || (whole && entry.kind == Kind::GoalBatch)
            };
            let behind = entries[start + 1..].iter().take_while(|entry| !is_next(entry)).count();
            let behind = start + 1..start + 1 + behind;
            let is_words = |entry: &Entry| entry.role == Role::Assistant && entry.calls.is_empty();
            if whole && !entries[behind.clone()].iter().all(|entry| is_words(entry)) {
                return None;
            }
            let is_block = |place: &usize| entries[*place].kind == Kind::Summarized;
            let taken: Vec<usize> = behind.filter(|place| whole || is_block(place)).collect();
            // Old as a whole, with a block of its own.
            let is_eligible =
                taken.iter().any(is_block) && taken.last().is_some_and(|last| *last < end);
            is_eligible.then(|| [start].into_iter().chain(taken).collect())
        };
        starts.filter_map(turn)
    }

    /// How many messages at the beginning are old.
    pub(crate) fn old(&self, view: &View) -> usize {
        view.len().saturating_sub(self.older_than_messages)
    }
}

/// Places of the turns that begin before `end`, oldest first: each a user message and the
/// `[SUMMARIZED]` blocks right behind it.
pub(crate) fn closed_turns(view: &View, end: usize) -> impl Iterator<Item = Range<usize>> {
    places(view, Class::ClosedTurn).take_while(move |start| *start < end).map(|start| {
        let behind = view.entries()[start + 1..].iter();
        let blocks = behind.take_while(|entry| entry.kind == Kind::Summarized).count();
        start..start + 1 + blocks
    })
}

/// A summary and the entries that it replaces.
pub(crate) struct Fold {
    /// In view order.
    pub(crate) covers: Vec<EntryId>,
    pub(crate) request: SummaryRequest,
    pub(crate) kind: Kind,
    /// What its text begins with.
    pub(crate) tag: &'static str,
    pub(crate) note: Option<String>,
}

impl Fold {
    /// With the tag of its kind and no note. The request is in the words of all tiers, to
    /// the model that the profile names.
    pub(crate) fn new(
        kind: Kind,
        covers: impl IntoIterator<Item = EntryId>,
        body: Vec<Piece>,
        max_tokens: Tokens,
        model: &Option<String>,
    ) -> Fold {
        let system = Text::from(prompt::SYSTEM);
        let request = SummaryRequest::new(RequestId(0), system, body, max_tokens);
        let request = SummaryRequest { model: model.clone(), ..request };
        let tag = if kind == Kind::GoalBatch { "[GOAL BATCH]\n" } else { "[SUMMARIZED] " };
        Fold { covers: covers.into_iter().collect(), request, kind, tag, note: None }
    }

    /// The same of entries whose request is a task and each entry behind its label, which
    /// is made of its number and itself.
    pub(crate) fn of<E: Borrow<Entry>>(
        kind: Kind,
        entries: &[E],
        task: &str,
        label: impl Fn(usize, &Entry) -> String,
        max_tokens: Tokens,
        model: &Option<String>,
    ) -> Fold {
        let entries = || entries.iter().map(Borrow::borrow);
        let mut body = vec![Piece::literal(task)];
        for (number, entry) in (1..).zip(entries()) {
            show(&label(number, entry), entry, &mut body);
        }
        Fold::new(kind, entries().map(|entry| entry.id), body, max_tokens, model)
    }

    pub(crate) fn noted(self, note: String) -> Fold {
        Fold { note: Some(note), ..self }
    }

    /// The new entry and the request with this id, whose answer it holds.
    pub(crate) fn parts(self, id: RequestId) -> (Slot, SummaryRequest) {
        let pieces = vec![Piece::literal(self.tag), Piece::answer(id)];
        let covers = Covers::Entries(self.covers);
        let entry = NewEntry::new(Role::Assistant, self.kind, pieces, covers);
        let summary = Slot::New(NewEntry { note: self.note, ..entry });
        (summary, SummaryRequest { id, ..self.request })
    }
}

/// The plan that puts each summary where the first entry that it covers was. Covered
/// entries leave.
pub(crate) fn folding(view: &View, folds: Vec<Fold>) -> Decision {
    let mut instead: BTreeMap<usize, Vec<Slot>> = BTreeMap::new();
    let mut removed: Vec<usize> = Vec::new();
    let mut requests = Vec::new();
    for (fold, number) in folds.into_iter().zip(0..) {
        let first = removed.len();
        removed.extend(fold.covers.iter().filter_map(|id| view.position(*id)));
        let place = removed.get(first).copied().unwrap_or(0);
        let (summary, request) = fold.parts(RequestId(number));
        instead.entry(place).or_default().push(summary);
        requests.push(request);
    }
    removed.sort_unstable();
    removed.dedup();
    let layout = Layout::Whole(replacing(view, &removed, instead));
    Decision::Plan(Plan::summarizing(layout, requests))
}

/// Whether there is nothing left to free.
pub(crate) fn at_target(context: &PlanContext) -> bool {
    context.reading.is_some_and(|reading| reading.used <= reading.target)
}

/// The label of an entry by its role alone.
pub(crate) fn role(_: usize, entry: &Entry) -> String {
    format!("[{}]", entry.role.name())
}

/// An entry as a prompt shows it: its words after a label, then its calls. In Forge a
/// call is text inside the message; in a log it stands beside it.
pub(crate) fn show(label: &str, entry: &Entry, body: &mut Vec<Piece>) {
    body.extend([Piece::literal(format!("\n{label}: ")), Piece::quote(entry.id)]);
    for call in &entry.calls {
        body.push(Piece::literal(format!("\n[call {}]: ", call.name)));
        body.push(Piece::arguments(entry.id, &call.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Script, says, scene};

    #[test]
    fn parallel_calls_become_one_summary_each() {
        let mut scene = scene("u2ttu");
        let script = Script::new([says("s")]);
        let tier = ToolCall { older_than_turns: 1, ..ToolCall::default() };
        let applied = scene.compact(&tier, &script).expect("answered");
        let covered =
            applied.change.added.iter().map(|added| added.covered.iter().map(|id| id.0).collect());
        let covered: Vec<Vec<u32>> = covered.collect();
        assert_eq!(covered, [[1, 2], [1, 3]], "each the message and its own result");
        assert_eq!(script.shown(0), ["21{\"n\":1}t2"]);
        assert_eq!(script.shown(1), ["21{\"n\":1}t3"]);
    }
}
