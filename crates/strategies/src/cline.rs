//! Cline's context compaction (`cline`): sdk/packages/core/src/extensions/context at 21cb8d2.
//!
//! What is older than a suffix of 20,000 tokens becomes a summary. The one before it is shown apart,
//! so that only newer messages are folded into it, and the files that were read and changed are
//! listed behind it without a model. A summary that fails or frees nothing gives way to a plan that
//! asks nobody; where a prompt was refused as too long, that plan is taken at once. It keeps what the
//! user typed and the last three texts of the agent, and what it kept is not folded again by it.
//!
//! Not known of the source, and ours: the words of the prompt, the limit of an answer, the keys under
//! which arguments hold paths, and in windows where 20,000 tokens would leave nothing to fold a share
//! of the window in their place. Its targets (0.7 of the trigger, or half of the input for five
//! exchanges and more) bound what its plan without a model keeps of calls; here none are kept.

use std::collections::BTreeSet;

use crate::log::Call;
use crate::plan::Accept;
use crate::prelude::*;

const PROMPT: &str = include_str!("../prompts/cline.md");
const FILES: &str = "\n\n# Files\n";
const NOTICE: &str = "<SYSTEM_NOTICE> What stands between these messages was left out. They are a \
                      summary of your actions so far.";

/// Texts of the agent that the plan without a model keeps.
const TEXTS: usize = 3;

/// Keys of arguments that hold the path of a file.
const PATHS: [&str; 2] = ["path", "file_path"];

parameters! {
    /// Cline's compaction, agentic with the basic one as its fallback.
    ///
    /// Keep-rules: `suffix-tokens`, `suffix-share`. Pressure: the limit, in the pipeline file.
    pub struct Cline {
        eligibility "suffix-tokens" suffix_tokens: Tokens = Tokens(20_000),
            "tokens at the end that stay, by the pipeline's counter";
        eligibility "suffix-share" suffix_share: f64 = 0.35,
            "most of them, as a share of the window";
        request "max-tokens" max_tokens: Tokens = Tokens(4_000), "most tokens of the summary";
    }
}

impl Strategy for Cline {
    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let share = context.budget.window.share(self.suffix_share);
        let cut = cut(view, self.suffix_tokens.min(share));
        if view.entries()[..cut].iter().all(|entry| is_summary(entry)) {
            return Decision::decline("nothing new stands before the suffix");
        }
        // Recovery does not hang on another answer of a model.
        Decision::Plan(match context.occasion.is_reactive() {
            true => basic(view, cut),
            false => self.agentic(view, cut),
        })
    }
}

impl Cline {
    fn agentic(&self, view: &View, cut: usize) -> Plan {
        let head: Vec<&Entry> = view.entries()[..cut].iter().map(|entry| &**entry).collect();
        let (previous, newer): (Vec<&Entry>, Vec<&Entry>) =
            head.iter().copied().partition(|entry| is_summary(entry));
        let request = self.request(&previous, &newer);
        let pieces = vec![Piece::answer(RequestId(0)), files(&newer, &previous)];
        let summary = summary(pieces, head.iter().map(|entry| entry.id).collect(), "agentic");
        let slots = [summary].into_iter().chain(kept_from(view, cut)).collect();
        Plan {
            // Anything freed at all.
            accept: vec![Accept::FreesShare(f64::MIN_POSITIVE)],
            otherwise: Some(Box::new(basic(view, cut))),
            ..Plan::summarizing(Layout::Whole(slots), vec![request])
        }
    }

    fn request(&self, previous: &[&Entry], newer: &[&Entry]) -> SummaryRequest {
        let mut asked = vec![Piece::literal(PROMPT)];
        for entry in previous {
            asked.extend([Piece::literal("<previous>"), Piece::quote(entry.id)]);
            asked.push(Piece::literal("</previous>\n"));
        }
        for entry in newer {
            asked.push(Piece::literal(format!("[{}] ", entry.role.name())));
            asked.push(Piece::quote(entry.id));
            for call in &entry.calls {
                asked.push(Piece::literal(format!(" [{} ", call.name)));
                asked.extend([Piece::arguments(entry.id, &call.id), Piece::literal("]")]);
            }
            asked.push(Piece::literal("\n"));
        }
        SummaryRequest {
            // An empty answer counts as a failure.
            recover: BTreeMap::from([(FailureClass::Empty, Vec::new())]),
            ..SummaryRequest::new(RequestId(0), Text::from(""), asked, self.max_tokens)
        }
    }
}

/// Where the suffix begins: at least so many tokens, never past the last message of the user, and at
/// no result of a tool.
fn cut(view: &View, suffix: Tokens) -> usize {
    let entries = view.entries();
    let (mut start, mut tokens) = (view.len(), Tokens::ZERO);
    while start > 0 && tokens < suffix {
        start -= 1;
        tokens += entries[start].counted;
    }
    start = start.min(view.live_turn());
    while start > 0 && entries[start].role == Role::Tool {
        start -= 1;
    }
    start
}

fn is_summary(entry: &Entry) -> bool {
    entry.kind == Kind::Summary
}

fn summary(pieces: Vec<Piece>, covers: Vec<EntryId>, note: &str) -> Slot {
    let new = NewEntry::new(Role::User, Kind::Summary, pieces, Covers::Entries(covers));
    Slot::New(NewEntry { note: Some(note.to_owned()), ..new })
}

/// No summarizer: what the user typed and the last texts of the agent, as one entry. One of an
/// earlier time stays as it is.
fn basic(view: &View, cut: usize) -> Plan {
    let (mut slots, mut pieces, mut covers) = (Vec::new(), Vec::new(), Vec::new());
    let head = &view.entries()[..cut];
    let says = |entry: &&Arc<Entry>| entry.role == Role::Assistant && entry.content_len() > 0;
    let texts: Vec<EntryId> =
        head.iter().filter(says).rev().take(TEXTS).map(|entry| entry.id).collect();
    for entry in head {
        if is_summary(entry) {
            slots.push(Slot::Keep(entry.id));
            continue;
        }
        covers.push(entry.id);
        if entry.is_user() || texts.contains(&entry.id) {
            pieces.extend([Piece::quote(entry.id), Piece::literal("\n")]);
        }
    }
    pieces.push(Piece::literal(NOTICE));
    slots.push(summary(pieces, covers, "basic"));
    slots.extend(kept_from(view, cut));
    Plan::mechanical(Layout::Whole(slots))
}

/// Paths in arguments and in the lists before, merged and sorted.
fn files(newer: &[&Entry], previous: &[&Entry]) -> Piece {
    let (mut paths, mut of) = (BTreeSet::new(), Vec::new());
    for (entry, call) in newer.iter().flat_map(|entry| entry.calls.iter().map(move |c| (entry, c)))
    {
        let Some(path) = path_of(call) else { continue };
        paths.insert(path);
        of.push(Source::Call(entry.id, call.id.clone()));
    }
    for entry in previous {
        let text = entry.content();
        let Some((_, list)) = text.rsplit_once(FILES) else { continue };
        paths.extend(list.lines().map(str::to_owned));
        of.push(Source::Entry(entry.id));
    }
    if paths.is_empty() {
        return Piece::literal("");
    }
    let list: Vec<String> = paths.into_iter().collect();
    Piece::Extract { text: format!("{FILES}{}", list.join("\n")).into(), of }
}

fn path_of(call: &Call) -> Option<String> {
    let args: serde_json::Value = serde_json::from_str(&call.args).ok()?;
    PATHS.into_iter().find_map(|key| args.get(key)?.as_str().map(str::to_owned))
}
