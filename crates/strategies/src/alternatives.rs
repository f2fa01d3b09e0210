//! The options that Forge's decision records considered and did not choose: ADR-0041,
//! options 1 to 3, and ADR-0014, options 1 and 2. The records give each a paragraph; what was
//! added is inferred, and the prompts are ours. None touches the live turn unless it says so.

use crate::forge::{Fold, at_target, closed_turns, folding, prompt, role};
use crate::prelude::*;

parameters! {
    /// ADR-0041, option 1: "A second pass that fires when the first pass finds nothing to do
    /// and the context is still above threshold", the stage behind `forge-threshold`, folds
    /// "`user + [SUMMARIZED]` pairs into higher-level summaries".
    ///
    /// Added: the first pass is done when no raw work stands before the live turn; the oldest
    /// pair goes first, one a plan, until the target; a pair is a user message and the
    /// `[SUMMARIZED]` blocks behind it; what a pair has become is never folded again.
    ///
    /// Keep-rules: the live turn, summaries without a user message. Pressure: threshold and
    /// target.
    pub struct MetaSummary {
        request "max-tokens" max_tokens: Tokens = Tokens(300), "most tokens of one summary";
        + model
    }
}

impl Strategy for MetaSummary {
    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        if at_target(context) {
            return Decision::decline("already at the target");
        }
        let live = view.live_turn();
        if places(view, Class::Work).next().is_some_and(|place| place < live) {
            return Decision::decline("the first pass still finds work to fold");
        }
        let Some(pair) = closed_turns(view, live).next() else {
            return Decision::decline("no user message with summaries before the live turn");
        };
        let (pair, most, model) = (&view.entries()[pair], self.max_tokens, &self.model);
        let task = include_str!("../prompts/forge-pair.md");
        folding(view, vec![Fold::of(Kind::Summary, pair, task, role, most, model)])
    }
}

parameters! {
    /// ADR-0041, option 2: under pressure "classify old user messages as goal-setting (high
    /// value, preserve) or transactional (low value, discard). Drop transactional messages
    /// silently", by "message length + content signals".
    ///
    /// Added: a message is transactional when it has at most `short` characters and its first
    /// sentence has no signal: no word that sets a goal or a rule (of a list of English words,
    /// the cultural bias that the record warns of), no path and no back quote. Old is before
    /// the live turn and the last `older-than-messages` messages. All of them go at once.
    ///
    /// Keep-rules: both numbers, the signals, the live turn. Pressure: whether it acts.
    pub struct PruneUsers {
        eligibility "older-than-messages" older_than_messages: usize = 20,
            "messages at the end never touched";
        eligibility "short" short: usize = 400, "most characters of a transactional message";
    }
}

/// Words that set a goal or a rule.
const SIGNALS: &str = "add always avoid build change create don't ensure fix implement make \
    migrate must need never only refactor remove rename replace should support update use want \
    write";

impl PruneUsers {
    fn is_transactional(&self, text: &str) -> bool {
        let end = [". ", "! ", "? ", "\n"].iter().filter_map(|end| text.find(end)).min();
        let first = text[..end.unwrap_or(text.len())].to_lowercase();
        let mut words = first.split(|c: char| !c.is_alphanumeric() && c != '\'');
        text.chars().count() <= self.short
            && !first.contains(['/', '`'])
            && !words.any(|word| SIGNALS.split(' ').any(|signal| signal == word))
    }
}

impl Strategy for PruneUsers {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let end = view.len().saturating_sub(self.older_than_messages).min(view.live_turn());
        let removed: Vec<usize> = places(view, Class::User)
            .take_while(|place| *place < end)
            .filter(|place| self.is_transactional(&view.entries()[*place].content()))
            .collect();
        if removed.is_empty() {
            return Decision::decline("no old user message is transactional");
        }
        mechanical(replacing(view, &removed, BTreeMap::new()))
    }
}

parameters! {
    /// ADR-0041, option 3: "`[SUMMARIZED]` → `[GOAL: complete]` → `[GOAL: archived]`. Each
    /// promotion reduces resolution. Fires proactively on age".
    ///
    /// Added: the ages, in messages as elsewhere in the record; a goal is a user message and
    /// the `[SUMMARIZED]` blocks directly behind it; all promotions that are due go in one
    /// pass, a request each, and a goal is promoted once a pass; the tier is told by metadata.
    /// Archived goals stay for good, a sentence each ("single-sentence records").
    ///
    /// Keep-rules: both ages, the live turn. Pressure: none.
    pub struct GoalLifecycle {
        eligibility "complete-after" complete_after: usize = 20, "age in messages of a turn to complete";
        eligibility "archive-after" archive_after: usize = 40, "age in messages of a goal to archive";
        request "complete-tokens" complete_tokens: Tokens = Tokens(300), "most tokens of a [GOAL: complete]";
        request "archived-tokens" archived_tokens: Tokens = Tokens(60), "most tokens of a [GOAL: archived]";
        + model
    }
}

/// What tells the blocks of goals that are complete.
const COMPLETE: &str = "goal=complete";

impl Strategy for GoalLifecycle {
    fn check(&self) -> Result<(), String> {
        if self.archive_after < self.complete_after {
            return Err(format!(
                "`archive-after` {} is below `complete-after` {}: a goal is complete first",
                self.archive_after, self.complete_after
            ));
        }
        Ok(())
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let promoted = |places: Range<usize>, task, most, tag, note: &str| {
            let entries = &view.entries()[places];
            let fold = Fold::of(Kind::GoalBatch, entries, task, role, most, &self.model);
            Fold { tag, ..fold.noted(note.to_owned()) }
        };
        let archive = view.len().saturating_sub(self.archive_after);
        let archived = places(view, Class::Summary)
            .take_while(|place| *place < archive)
            .filter(|place| view.entries()[*place].note.as_deref() == Some(COMPLETE))
            .map(|place| {
                let (goal, task, most) = (place..place + 1, prompt::ARCHIVED, self.archived_tokens);
                promoted(goal, task, most, "[GOAL: archived] ", "goal=archived")
            });
        let end = view.len().saturating_sub(self.complete_after).min(view.live_turn());
        let completed = closed_turns(view, end).filter(|turn| turn.end <= end).map(|turn| {
            let (task, most) = (include_str!("../prompts/forge-complete.md"), self.complete_tokens);
            promoted(turn, task, most, "[GOAL: complete] ", COMPLETE)
        });
        let folds: Vec<Fold> = archived.chain(completed).collect();
        if folds.is_empty() {
            return Decision::decline("no goal is old enough for its next tier");
        }
        folding(view, folds)
    }
}

parameters! {
    /// ADR-0014, option 1: "When token count exceeds a threshold (e.g., 80% of max), remove the
    /// oldest messages until under the threshold", by its account what `Prune` did before.
    ///
    /// Added: system messages stay, as in `Prune`, and so does the newest message, as a prompt
    /// without it asks nothing. "All content types treated equally" is kept: a cut parts a call
    /// from its result and a turn from its request (`truncate` takes whole steps).
    ///
    /// Keep-rules: system messages, the newest message. Pressure: everything else.
    pub struct PruneOldest {}
}

impl Strategy for PruneOldest {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let Some(reading) = context.reading else {
            return Decision::decline("prune-oldest needs a pressure to say how far");
        };
        let entries = view.entries();
        let (mut freed, mut cut) = (Tokens::ZERO, 0);
        while reading.used - freed > reading.target && cut + 1 < entries.len() {
            if entries[cut].role != Role::System {
                freed += entries[cut].counted;
            }
            cut += 1;
        }
        if freed == Tokens::ZERO {
            return Decision::decline("nothing to remove, or already under the threshold");
        }
        mechanical(cut_before(view, cut, Vec::new()))
    }
}

parameters! {
    /// ADR-0014, option 2: "Assign priority scores to different message types and summarize
    /// lower-priority content first. Use heuristics like message age, tool type, and result
    /// size".
    ///
    /// Added: a unit is a call message with its results, a plain assistant message or a user
    /// message, before the live turn. Its score is a weight by type (a call that only reads 0,
    /// any other call 10, an assistant message 20, a user message 60), less a point for each
    /// turn of age up to 20, less a point for each 100 tokens up to 20; the lowest go first,
    /// older before newer. `at-once` units are summarized in a plan, a request each with the
    /// same prompt ("one-size-fits-all"), each where it stood, until the target. What is
    /// summarized, and a unit of at most 50 tokens, is left.
    ///
    /// Keep-rules: the live turn, the least size. Pressure: threshold and target.
    pub struct Priority {
        pressure "at-once" at_once: usize = 10, "units summarized in one plan";
        request "max-tokens" max_tokens: Tokens = Tokens(100), "most tokens of one summary";
        + model
    }
}

/// Units up to this size are left as they are: no summary would be shorter.
const SMALL: Tokens = Tokens(50);
/// Words in the names of tools that change nothing.
const READING: &[&str] =
    &["cat", "fetch", "find", "get", "glob", "grep", "list", "ls", "read", "search", "view"];

impl Strategy for Priority {
    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("at-once", self.at_once as u64)])
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        if at_target(context) {
            return Decision::decline("already at the target");
        }
        let mut units = units(view, context.turn);
        units.sort_by_key(|(score, places)| (*score, places[0]));
        units.truncate(self.at_once);
        if units.is_empty() {
            return Decision::decline("nothing before the live turn is left to summarize");
        }
        let fold = |(score, places): &(i64, Vec<usize>)| {
            let entries = places.iter().map(|place| &*view.entries()[*place]);
            let (entries, most) = (entries.collect::<Vec<&Entry>>(), self.max_tokens);
            let task = include_str!("../prompts/forge-any-part.md");
            Fold::of(Kind::Summarized, &entries, task, role, most, &self.model)
                .noted(format!("score={score}"))
        };
        folding(view, units.iter().map(fold).collect())
    }
}

/// What can be summarized by itself: its score and its places, the message first.
fn units(view: &View, turn: u32) -> Vec<(i64, Vec<usize>)> {
    let raw = view.entries()[..view.live_turn()].iter().enumerate();
    // A result goes with its call; one without a call is left where it is.
    raw.filter(|(_, entry)| entry.kind == Kind::Message)
        .filter(|(_, entry)| matches!(entry.role, Role::User | Role::Assistant))
        .filter_map(|(place, entry)| {
            let results = entry.calls.iter().filter_map(|call| view.pair(&call.id));
            let results = results.flat_map(|pair| &pair.results);
            let mut places: Vec<usize> = results.filter_map(|id| view.position(*id)).collect();
            places.insert(0, place);
            let size: Tokens = places.iter().map(|place| view.entries()[*place].tokens()).sum();
            let score = weight(entry)
                - i64::from(turn.saturating_sub(entry.turn).min(20))
                - (size.0 / 100).min(20).cast_signed();
            (size > SMALL).then_some((score, places))
        })
        .collect()
}

fn weight(entry: &Entry) -> i64 {
    let reads = |name: &str| {
        let name = name.to_lowercase();
        name.split(|c: char| !c.is_alphanumeric()).any(|word| READING.contains(&word))
    };
    match entry.role {
        Role::User => 60,
        _ if entry.calls.is_empty() => 20,
        _ if entry.calls.iter().all(|call| reads(&call.name)) => 0,
        _ => 10,
    }
}
