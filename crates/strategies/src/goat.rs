//! Goat's proactive and reactive compaction (jg-phare/goat, pkg/context, Go): [`Document`] is
//! the design document's version, [`Code`] the code's. The bodies of the code's estimator and
//! of its pruning were not read; their specification was. Where the two disagree:
//!
//! | | document | code |
//! |---|---|---|
//! | utilization | messages / (limit − system − max output) | (system + messages + max output) / limit |
//! | 40 % | of the messages | of the context limit, in tokens |
//! | summary | `[COMPACT SUMMARY]`, then "Understood." | `[Previous conversation summary]`, no answer |
//! | failure | a placeholder in the summary's place | the preserve zone alone, nothing said |
//! | an empty summary | a failure | accepted |
//! | tool pairs | never split | can be split, see [`Pairs::StepBack`] |
//! | announced last | the boundary | the session start |
//!
//! The first row is the pipeline file's business; the last one shows nowhere, as the trace
//! announces in the code's order. Both act before each call above 80 % (strictly) and, on the
//! same condition, when an answer was cut off at the output limit; a 95 % rule exists in the
//! code, and its loop never asks it. The reactive half asks of the messages that the proactive
//! one has just passed. Neither acts when a prompt is refused as too long. Tool schemas are
//! not counted, and system messages, which Goat's list does not hold, are out of its sight.

use crate::prelude::*;

/// What becomes of a split between a call and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairs {
    /// Nothing: the cut falls where it falls.
    Ignored,
    /// Goat's `adjustSplitForToolPairs` as its code has it: back over tool results, and once
    /// more back from an assistant message with calls. In a run of tool rounds that lands on
    /// the result of the round before, whose call is gone. Its tests do not see it, as their
    /// runs begin at 1, where the index is held.
    StepBack,
    /// The nearest earlier place that no pair straddles; where there is none, the
    /// nearest later one.
    Kept,
}

impl Pairs {
    /// The split moved as the rule says; 0 where nothing can be split off.
    fn adjusted(self, entries: &[Arc<Entry>], split: usize) -> usize {
        match self {
            Pairs::Ignored => split,
            _ if split == 0 || split >= entries.len() => split,
            Pairs::StepBack => stepped_back(entries, split),
            Pairs::Kept => unstraddled(entries, split),
        }
    }
}

fn stepped_back(entries: &[Arc<Entry>], split: usize) -> usize {
    let mut place = split;
    while place > 0 && entries[place].role == Role::Tool {
        place -= 1;
    }
    let calls = entries[place].role == Role::Assistant && !entries[place].calls.is_empty();
    place.saturating_sub(usize::from(calls)).max(1)
}

fn unstraddled(entries: &[Arc<Entry>], split: usize) -> usize {
    let whole = seams(entries);
    let earlier = (1..=split).rev().find(|place| whole[*place]);
    earlier.or_else(|| (split + 1..entries.len()).find(|place| whole[*place])).unwrap_or(0)
}

/// `calculateSplitPoint` before the adjustment: from the end, the first message that exceeds
/// the budget is the last to be summarized. 0 where all fit; the last is always preserved.
fn by_tokens(costs: &[Tokens], budget: Tokens) -> usize {
    let mut used = Tokens::ZERO;
    let over = costs.iter().rposition(|cost| {
        used += *cost;
        used > budget
    });
    // The source also holds the index at 1 or more, which it always is here.
    over.map_or(0, |over| (over + 1).min(costs.len() - 1))
}

/// The document's split: this share of the messages stays, rounded down (as in its
/// drawing, where 5 of 14 do). Silent on few messages: the last one stays.
fn by_count(messages: usize, share: f64) -> usize {
    let preserved = (messages as f64 * share) as usize;
    messages.saturating_sub(preserved.max(1))
}

/// What Goat's list would hold: everything but system messages.
fn conversation(view: &View) -> Vec<Arc<Entry>> {
    view.entries().iter().filter(|entry| entry.role != Role::System).cloned().collect()
}

/// The conversation and where it is split, or what to do where it is not: one message
/// alone is declined, and nothing changes where nothing can be split off.
fn split_off(
    view: &View,
    pairs: Pairs,
    split: impl FnOnce(&[Arc<Entry>]) -> usize,
) -> Result<(Vec<Arc<Entry>>, usize), Decision> {
    let messages = conversation(view);
    if messages.len() <= 1 {
        return Err(Decision::decline("a single message is returned as it is"));
    }
    let split = pairs.adjusted(&messages, split(&messages));
    if split == 0 || split >= messages.len() {
        return Err(unchanged(view));
    }
    Ok((messages, split))
}

/// The share of what stays is below all.
fn check_share(share: f64) -> Result<(), String> {
    if (0.0..1.0).contains(&share) {
        return Ok(());
    }
    Err(format!("`preserve-share` {share} is not between 0 and 1"))
}

/// The summary, in the user's role behind this header.
fn summary(header: &str) -> Slot {
    let pieces = vec![Piece::literal(header), Piece::answer(RequestId(0))];
    Slot::New(NewEntry::new(Role::User, Kind::Summary, pieces, Covers::Rest))
}

/// What stands before the preserve zone goes, system messages apart; `instead`
/// stands in its place. `first` is the first entry that is preserved.
fn replaced(view: &View, first: &Entry, instead: Vec<Slot>) -> Layout {
    Layout::Whole(cut_before(view, view.position(first.id).unwrap_or(0), instead))
}

/// Goat returns the list as it is where there is nothing to split: its `PreCompact`
/// hook has run by then, but no boundary follows and no error.
fn unchanged(view: &View) -> Decision {
    mechanical(kept_from(view, 0).into_iter().collect())
}

/// What a failed summary leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// A placeholder stands where the summary would.
    Placeholder,
    /// The session ends.
    Raise,
}

const DOCUMENT_HEADER: &str = "[COMPACT SUMMARY]\n";

/// The document says that there is a prompt and what it is for; the words are ours.
const DOCUMENT_PROMPT: &str = include_str!("../prompts/goat-document.md").trim_ascii_end();

parameters! {
    /// Goat's compactor as its document describes it: the last 40 % of the messages stay, all
    /// before them becomes a summary that the model is made to acknowledge.
    ///
    /// Chosen where the document is silent or contradicts itself: 40 % is of the number of
    /// messages (its drawing; the code has tokens); a split inside a tool pair moves back to
    /// the call; the old messages are sent whole; the answer's limit is the code's; the
    /// placeholder's topic is the document's own ellipsis. Where the preserve zone begins with
    /// the assistant, two assistant messages follow each other.
    ///
    /// With `pairs = "ignored"`, half of the messages and `on-failure = "raise"` it is the
    /// partner that the document compares itself with.
    ///
    /// Keep-rules: `preserve-share`, `pairs`. Pressure: none of its own.
    pub struct Document {
        eligibility "preserve-share" preserve_share: f64 = 0.40, "share of the messages that stay";
        eligibility "pairs" pairs: Pairs = Pairs::Kept,
            "what becomes of a split inside a tool pair";
        request "on-failure" on_failure: OnFailure = OnFailure::Placeholder,
            "a placeholder in the summary's place, or raise";
        request "max-tokens" max_tokens: Tokens = Tokens(4_096), "most tokens of the summary";
    }
}

impl Strategy for Document {
    fn check(&self) -> Result<(), String> {
        check_share(self.preserve_share)
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let split = |messages: &[Arc<Entry>]| by_count(messages.len(), self.preserve_share);
        let (messages, split) = match split_off(view, self.pairs, split) {
            Ok(found) => found,
            Err(decision) => return decision,
        };
        let acknowledged = || notice(Role::Assistant, "Understood.");
        let instead = |first| replaced(view, &messages[split], vec![first, acknowledged()]);
        let prompt = vec![Piece::literal(DOCUMENT_PROMPT)];
        let request = SummaryRequest {
            items: messages[..split].iter().map(|entry| Item::Entry(entry.id)).collect(),
            // An empty answer counts as a failure.
            recover: [(FailureClass::Empty, Vec::new())].into(),
            ..SummaryRequest::new(RequestId(0), Text::from(""), prompt, self.max_tokens)
        };
        let plan = Plan::summarizing(instead(summary(DOCUMENT_HEADER)), vec![request]);
        if self.on_failure == OnFailure::Raise {
            return Decision::Plan(Plan { then: Then::Raise, ..plan });
        }
        // The placeholder stands for nothing: what left is gone.
        let said = format!(
            "{DOCUMENT_HEADER}[Context truncated. Earlier conversation contained {split} messages \
             about: ...]"
        );
        let placeholder = Plan::mechanical(instead(notice(Role::User, &said)));
        Decision::Plan(Plan { otherwise: Some(Box::new(placeholder)), ..plan })
    }
}

fn notice(role: Role, text: &str) -> Slot {
    let pieces = vec![Piece::literal(text)];
    Slot::New(NewEntry::new(role, Kind::Notice, pieces, Covers::Nothing))
}

const CODE_HEADER: &str = "[Previous conversation summary]\n\n";

/// The model that Goat summarizes with.
const MODEL: &str = "claude-haiku-4-5-20251001";

/// The prompt is ours: of the source's only the shape is known, one user message
/// with the conversation in it.
const CODE_PROMPT: &str = include_str!("../prompts/goat-code.md");

parameters! {
    /// Goat's compactor as coded: what lies before the last 40 % of the context limit becomes
    /// one user message.
    ///
    /// Faults kept: the cut can part a result from its call ([`Pairs::StepBack`]); every
    /// message is shown to the summarizer cut to 2000 bytes and without its calls, the previous
    /// summary (up to 4096 tokens) among them; an empty answer is accepted; on failure the old
    /// messages leave with nothing said. Where the output reserve or the system prompt is
    /// large, utilization stays above the threshold and it runs before every call, or changes
    /// nothing at all (`unchanged`). Tokens are the pipeline's own (characters over four and
    /// four a message; Go's `len` counts bytes, which differs beyond ASCII).
    ///
    /// Keep-rules: `preserve-share`, `pairs`. Pressure: none of its own.
    pub struct Code {
        eligibility "preserve-share" preserve_share: f64 = 0.40,
            "share of the context limit that stays";
        eligibility "pairs" pairs: Pairs = Pairs::StepBack,
            "what becomes of a split inside a tool pair";
        request "shown-bytes" shown_bytes: usize = 2_000,
            "most bytes of one message in the request";
        request "max-tokens" max_tokens: Tokens = Tokens(4_096), "most tokens of the summary";
    }
}

impl Strategy for Code {
    fn check(&self) -> Result<(), String> {
        check_share(self.preserve_share)
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let budget = context.budget.window.share(self.preserve_share);
        let split = |messages: &[Arc<Entry>]| {
            let costs: Vec<Tokens> = messages.iter().map(|entry| entry.counted).collect();
            by_tokens(&costs, budget)
        };
        let (messages, split) = match split_off(view, self.pairs, split) {
            Ok(found) => found,
            Err(decision) => return decision,
        };
        let mut body = vec![Piece::literal(CODE_PROMPT)];
        for entry in &messages[..split] {
            let bytes = (entry.content_len() > self.shown_bytes).then_some((0, self.shown_bytes));
            body.push(Piece::literal(format!("\n[{}]: ", entry.role.name())));
            body.push(Piece::Quote { of: Source::Entry(entry.id), bytes });
        }
        let request = SummaryRequest {
            model: Some(MODEL.to_owned()),
            ..SummaryRequest::new(RequestId(0), Text::from(""), body, self.max_tokens)
        };
        let first = &messages[split];
        let alone = Plan::mechanical(replaced(view, first, Vec::new()));
        let layout = replaced(view, first, vec![summary(CODE_HEADER)]);
        let otherwise = Some(Box::new(alone));
        Decision::Plan(Plan { otherwise, ..Plan::summarizing(layout, vec![request]) })
    }
}

parameters! {
    /// Goat's `pruneOldToolResults(messages, 10)`, after every tool round: long tool results
    /// outside the last ten messages are cut to their first 200 bytes.
    ///
    /// From its specification; the body was not read. No mark is known to be left where the
    /// text was cut, so none is. The trace announces it as it does every change of the view; in
    /// Goat no hook runs for it.
    ///
    /// Keep-rules: all parameters. Pressure: none.
    pub struct PruneResults {
        eligibility "keep-messages" keep_messages: usize = 10, "messages at the end never touched";
        eligibility "longer-than" longer_than: usize = 1_000,
            "bytes up to which a result stays whole";
        eligibility "cut-to" cut_to: usize = 200, "bytes that are left of a longer result";
    }
}

impl Strategy for PruneResults {
    fn asks(&self) -> bool {
        false
    }

    fn check(&self) -> Result<(), String> {
        if self.cut_to > self.longer_than {
            return Err(format!(
                "`cut-to` {} is above `longer-than` {}, so results would be cut again and again",
                self.cut_to, self.longer_than
            ));
        }
        Ok(())
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let messages = view.entries().iter().enumerate();
        let messages = messages.filter(|(_, entry)| entry.role != Role::System);
        let old = messages.rev().skip(self.keep_messages);
        let long = old.filter(|(_, entry)| {
            entry.role == Role::Tool && entry.content_len() > self.longer_than
        });
        let bytes = Some((0, self.cut_to));
        let cut = |(place, entry): (usize, &Arc<Entry>)| {
            (place, vec![Piece::Quote { of: Source::Entry(entry.id), bytes }])
        };
        let cut: BTreeMap<_, _> = long.map(cut).collect();
        if cut.is_empty() {
            return Decision::decline("no long tool result is old enough");
        }
        mechanical(rewording(view, cut))
    }
}

#[cfg(test)]
mod tests;
