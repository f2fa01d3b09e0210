//! opencode's compaction (`opencode`): packages/opencode/src/session/compaction.ts and overflow.ts
//! of sst/opencode at 31e22f6.
//!
//! [`Opencode`] summarizes all but the newest messages. What stays is a quarter of what the model
//! takes, at least 2,000 and at most 15,000 tokens: whole turns, newest first, and of the first
//! that does not fit its end. The earlier summary is shown apart and is replaced. The summary is an
//! answer of the assistant to a fixed question, what stays follows it, and a message that asks the
//! agent to go on ends it. Where a prompt was refused as too long, the last message of the user is
//! taken off before, and sent again at the end. Where nothing but the summary stays then, what the
//! agent did since that message is lost unseen.
//!
//! [`Prune`] runs when a turn is over. It clears old results of tools: those beyond the newest
//! 40,000 tokens of results before the last two turns, if that clears more than 20,000. It ends at
//! a summary and at what is cleared already.
//!
//! Versions differ: at 001aa6c nothing but the summary stays, and Prune is on by itself; here it
//! is on as with `compaction.prune`. A failed summary stops the agent.
//!
//! Not known of the source, and ours: the words of the prompt, the question and the last message,
//! and how often an answer that failed is asked for again (by a write-up, five times). Tokens are
//! those of content and calls; there they are of the messages as JSON. A message with its tool
//! results is one message in the source, so no cut parts them. Not as in the source: images and
//! files do not exist here, and neither does the mode that goes on in the agent's own conversation.

use crate::prelude::*;
use crate::pressure::{Budget, Occasion};

const PROMPT: &str = include_str!("../prompts/opencode.md");
const QUESTION: &str = "What has been done so far?";
const GO_ON: &str = "Go on with what comes next, or ask where you are not sure.";
const CLEARED: &str = "[Old tool result content cleared]";

/// Tokens that are held free, where the longest answer has as many.
const BUFFER: Tokens = Tokens(20_000);

/// Bytes of a result that the summarizer is shown.
const SHOWN: usize = 2_000;

/// Tries after the first that fails.
const RETRIES: u32 = 5;

parameters! {
    /// opencode's summary.
    ///
    /// Keep-rules: `recent-share`, `recent-least`, `recent-most`. Pressure: the limit, in the
    /// pipeline file.
    pub struct Opencode {
        eligibility "recent-share" recent_share: f64 = 0.25,
            "share of what the model takes that stays";
        eligibility "recent-least" recent_least: Tokens = Tokens(2_000), "least tokens that stay";
        eligibility "recent-most" recent_most: Tokens = Tokens(15_000), "most tokens that stay";
    }
}

impl Strategy for Opencode {
    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let messages: Vec<usize> = (0..view.len()).filter(|place| is_said(view, *place)).collect();
        if messages.is_empty() {
            return Decision::decline("there is nothing new");
        }
        let replay = match context.occasion {
            Occasion::Overflow => last_request(view, &messages),
            _ => None,
        };
        let history = &messages[..replay.unwrap_or(messages.len())];
        let cut = self.cut(view, history, context.budget);
        let head = &history[..cut.unwrap_or(history.len())];
        let tail = cut.map_or(view.len(), |cut| history[cut]);
        let stays = replay.map(|place| &view.entries()[messages[place]]);
        summarizing(layout(view, tail, stays.map(|entry| entry.id)), request(view, head))
    }
}

impl Opencode {
    /// The first message that stays, as its number; none where that is the first of all.
    fn cut(&self, view: &View, messages: &[usize], budget: &Budget) -> Option<usize> {
        let entry = |number: usize| &view.entries()[messages[number]];
        let tokens =
            |range: Range<usize>| range.map(|number| entry(number).counted).sum::<Tokens>();
        let mut left = self.recent(budget);
        let (mut kept, mut end) = (None, messages.len());
        let turns = (0..messages.len()).filter(|number| entry(*number).role == Role::User);
        for turn in turns.rev() {
            if tokens(turn..end) <= left {
                left -= tokens(turn..end);
                (kept, end) = (Some(turn), turn);
                continue;
            }
            // No message begins with a result of a tool.
            let fits = |start: &usize| {
                left > Tokens::ZERO
                    && entry(*start).role != Role::Tool
                    && tokens(*start..end) <= left
            };
            kept = (turn + 1..end).find(fits).or(kept);
            break;
        }
        kept.filter(|first| *first > 0)
    }

    /// Tokens that stay.
    fn recent(&self, budget: &Budget) -> Tokens {
        let usable = budget.window - budget.max_output - budget.max_output.min(BUFFER);
        usable.share(self.recent_share).max(self.recent_least).min(self.recent_most)
    }
}

/// Whether an entry is a message that was not made for a summary: neither one, nor the question
/// before it. System messages are no part of the source's list.
fn is_said(view: &View, place: usize) -> bool {
    let is_summary = |place| view.at(place).is_some_and(|entry| entry.kind == Kind::Summary);
    let asks = view.entries()[place].kind == Kind::Notice && is_summary(place + 1);
    view.entries()[place].role != Role::System && !is_summary(place) && !asks
}

/// The last message of the user, as its number, where another stands before it.
fn last_request(view: &View, messages: &[usize]) -> Option<usize> {
    let is_users = |place: &usize| view.entries()[*place].role == Role::User;
    let last = messages.iter().rposition(is_users)?;
    messages[..last].iter().any(is_users).then_some(last)
}

/// The question, the summary, what stays, and the request that is sent again or a word to go on.
fn layout(view: &View, tail: usize, replay: Option<EntryId>) -> Vec<Slot> {
    let notice = |text: &str, pieces: Option<Vec<Piece>>| {
        let pieces = pieces.unwrap_or_else(|| vec![Piece::literal(text)]);
        Slot::New(NewEntry::new(Role::User, Kind::Notice, pieces, Covers::Nothing))
    };
    let answer = vec![Piece::answer(RequestId(0))];
    let summary = NewEntry::new(Role::Assistant, Kind::Summary, answer, Covers::Rest);
    let mut slots = cut_before(view, tail, vec![notice(QUESTION, None), Slot::New(summary)]);
    slots.push(match replay {
        Some(id) if tail == view.len() => Slot::Keep(id),
        Some(id) => notice("", Some(vec![Piece::quote(id)])),
        None => notice(GO_ON, None),
    });
    slots
}

fn request(view: &View, head: &[usize]) -> SummaryRequest {
    let mut asked = vec![Piece::literal(PROMPT)];
    if let Some(id) = view.entries().iter().rfind(|one| one.kind == Kind::Summary) {
        asked.extend([Piece::literal("<previous-summary>\n"), Piece::quote(id.id)]);
        asked.push(Piece::literal("\n</previous-summary>\n\n"));
    }
    for entry in head.iter().map(|place| &view.entries()[*place]) {
        asked.extend(shown(entry));
    }
    let again = [FailureClass::Error, FailureClass::TimeOut];
    SummaryRequest {
        recover: again.map(|class| (class, vec![Recovery::Retry(RETRIES)])).into(),
        ..SummaryRequest::new(RequestId(0), Text::from(""), asked, Tokens::UNBOUNDED)
    }
}

/// A message as text, a result cut to its beginning.
fn shown(entry: &Entry) -> Vec<Piece> {
    let label = match entry.role {
        Role::Tool => "[Tool result]: ",
        Role::Assistant => "[Assistant]: ",
        Role::User | Role::System => "[User]: ",
    };
    let long = entry.role == Role::Tool && entry.content_len() > SHOWN;
    let bytes = long.then_some((0, SHOWN));
    let mut pieces = Vec::new();
    if entry.content_len() > 0 {
        pieces.push(Piece::literal(label));
        pieces.push(Piece::Quote { of: Source::Entry(entry.id), bytes });
        pieces.push(Piece::literal(if long { "\n[truncated]\n\n" } else { "\n\n" }));
    }
    for call in &entry.calls {
        pieces.push(Piece::literal(format!("[Assistant tool call]: {}(", call.name)));
        pieces.extend([Piece::arguments(entry.id, &call.id), Piece::literal(")\n\n")]);
    }
    pieces
}

parameters! {
    /// opencode's `prune`.
    ///
    /// Keep-rules: all parameters. Pressure: none.
    pub struct Prune {
        eligibility "turns" turns: usize = 2, "turns at the end whose results stay";
        eligibility "protect" protect: u64 = 40_000,
            "tokens of results before them that stay, newest first, 4 characters each";
        eligibility "minimum" minimum: u64 = 20_000,
            "tokens of which more has to be cleared, or nothing is";
        eligibility "protected-tools" protected_tools: Vec<String> = vec!["skill".to_owned()],
            "tools whose results stay";
    }
}

impl Strategy for Prune {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let (mut turns, mut total, mut pruned) = (0, 0, 0);
        let mut cleared: BTreeMap<usize, Vec<Piece>> = BTreeMap::new();
        // What a summary left standing is older than it, and has a lower number.
        let summary = view.of(Class::Summary).last().copied();
        for (place, entry) in view.entries().iter().enumerate().rev() {
            turns += usize::from(entry.role == Role::User);
            let is_older = summary.is_some_and(|summary| entry.id <= summary);
            if turns >= self.turns && (is_older || entry.rewritten) {
                break;
            }
            if turns < self.turns || entry.role != Role::Tool || self.is_protected(view, entry) {
                continue;
            }
            let tokens = (entry.content().chars().count() as u64 + 2) / 4;
            total += tokens;
            if total > self.protect {
                pruned += tokens;
                cleared.insert(place, vec![Piece::literal(CLEARED)]);
            }
        }
        if pruned <= self.minimum {
            return Decision::decline("too little would be cleared");
        }
        mechanical(rewording(view, cleared))
    }
}

impl Prune {
    fn is_protected(&self, view: &View, result: &Entry) -> bool {
        let call = result.answers.as_ref().and_then(|id| {
            let maker = view.entry(view.pair(id)?.call?)?;
            maker.call(id)
        });
        call.is_some_and(|call| self.protected_tools.iter().any(|tool| **tool == *call.name))
    }
}
