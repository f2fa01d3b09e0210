//! `summarize-every-n-turns`: the summaries of the JetBrains study (arXiv 2508.21433, "The
//! Complexity Trap"), a history processor that its fork of SWE-agent adds. Read in
//! Recursive-Safeguarding/the-complexity-trap at 303738f (sweagent/agent/history_processors.py) and
//! adfaa1a (config), a copy that others extended.
//!
//! A turn there is a call with its output. When `n + keep_last_m_turns` of them have no summary
//! yet, the oldest `n` become one, in the assistant's role, behind the task. The model is shown the
//! turns in full and the checkpoint before, or the task where there is none; with static
//! checkpointing, as the study has it, the new checkpoint takes the older one's place. Its hybrid
//! (section on combining both) lets a window of 10 observations mask what is older in what is sent,
//! and summarizes late: 43 turns and 10. That is the pipeline `mask-and-summarize`, of this
//! strategy and [`MaskToolResults`](crate::mask::MaskToolResults). Alone the study summarizes 21
//! turns.
//!
//! What is masked is shown to the summarizer as it was, as the source masks behind the summaries.
//! Here the history itself is masked.
//!
//! Not known of the source, and ours: the words of the prompt (with the source's sections), how the
//! turns are told, the limit of an answer; that what a user or the agent says between turns goes
//! into the checkpoint with them (the source's tasks have one message of the user, and it loses
//! what is no turn); that a call with several results is one turn,
//! up to the last of them. `n = 0` is the copy's mode on
//! demand: all turns but the last ones, whenever the pipeline file says so.

use crate::prelude::*;

const SYSTEM: &str = include_str!("../prompts/every-n-turns.md").trim_ascii_end();
const CHECKPOINT: &str = "Summary of the work before this point:\n";

parameters! {
    /// A checkpoint of the oldest turns, again and again.
    ///
    /// Keep-rules: system messages, the first message of the user, `n`, `keep-last-m-turns`.
    /// Pressure: none, or the limit in the pipeline file.
    pub struct EveryNTurns {
        eligibility "n" n: usize = 21, "turns that become a checkpoint, 0 for all but the last";
        eligibility "keep-last-m-turns" keep: usize = 10, "turns at the end that stay";
        request "max-tokens" max_tokens: Tokens = Tokens(4_096), "most tokens of a checkpoint";
    }
}

impl Strategy for EveryNTurns {
    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let calls: Vec<usize> = places(view, Class::Call).collect();
        let folded = match self.n {
            0 => calls.len().saturating_sub(self.keep),
            n if calls.len() >= n + self.keep => n,
            _ => 0,
        };
        let Some(last) = folded.checked_sub(1).and_then(|number| calls.get(number)) else {
            return Decision::decline("there are too few turns");
        };
        // A turn goes on to the last of its results.
        let whole = seams(view.entries());
        let end = (last + 1..view.len()).find(|place| whole[*place]).unwrap_or(view.len());
        let task = view.entries().iter().find(|entry| entry.is_user()).map(|entry| entry.id);
        let stays = |entry: &Entry| entry.role == Role::System || Some(entry.id) == task;
        let pieces = vec![Piece::literal(CHECKPOINT), Piece::answer(RequestId(0))];
        let checkpoint = NewEntry::new(Role::Assistant, Kind::Summary, pieces, Covers::Rest);
        let mut slots = kept_before(view, end, stays);
        slots.push(Slot::New(checkpoint));
        slots.extend(kept_from(view, end));
        summarizing(slots, self.request(&view.entries()[..end], task))
    }
}

impl EveryNTurns {
    fn request(&self, head: &[Arc<Entry>], task: Option<EntryId>) -> SummaryRequest {
        let previous = head.iter().rfind(|entry| entry.kind == Kind::Summary).map(|entry| entry.id);
        let mut asked = Vec::new();
        match (previous, task) {
            (Some(previous), _) => asked.extend(element("PREVIOUS_CHECKPOINT", previous)),
            (None, Some(task)) => asked.extend(element("PROBLEM_STATEMENT", task)),
            (None, None) => {}
        }
        let is_shown = |entry: &&Arc<Entry>| {
            entry.role != Role::System && entry.kind == Kind::Message && Some(entry.id) != task
        };
        asked.extend(head.iter().filter(is_shown).flat_map(|entry| told(entry)));
        SummaryRequest::new(RequestId(0), Text::from(SYSTEM), asked, self.max_tokens)
    }
}

fn element(name: &str, entry: EntryId) -> [Piece; 3] {
    let tag = |tag: String| Piece::literal(tag);
    [tag(format!("<{name}>\n")), Piece::quote(entry), tag(format!("\n</{name}>\n"))]
}

/// An entry with its calls, as the log has it where it was masked.
fn told(entry: &Entry) -> Vec<Piece> {
    let source =
        entry.origin.filter(|_| entry.rewritten).map_or(Source::Entry(entry.id), Source::Log);
    let mut pieces = vec![Piece::literal(format!("[{}] ", entry.role.name()))];
    pieces.push(Piece::Quote { of: source, bytes: None });
    for call in &entry.calls {
        pieces.push(Piece::literal(format!(" [{} ", call.name)));
        pieces.extend([Piece::arguments(entry.id, &call.id), Piece::literal("]")]);
    }
    pieces.push(Piece::literal("\n"));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::MaskToolResults;
    use crate::testkit::{Scene, Script, says};

    /// The order of the source's history processors: summaries first, masking behind them.
    #[test]
    fn what_was_masked_is_shown_to_the_summarizer_as_it_was() {
        let long = "a line of output\n".repeat(20);
        let lines = [('u', "go"), ('c', ""), ('t', &*long), ('c', "more"), ('t', "ok")];
        let mut scene = Scene::texts(&lines);
        scene.act(&MaskToolResults { keep_last: 1, ..Default::default() }, None).expect("it masks");
        assert_ne!(scene.contents()[2], long);
        let script = Script::new([says("s")]);
        let strategy = EveryNTurns { n: 1, keep: 1, ..EveryNTurns::default() };
        scene.attempt(&strategy, None, &script).expect("it acts").expect("a checkpoint");
        let prompt = script.prompts()[0].messages[0].text();
        let task = "<PROBLEM_STATEMENT>\ngo\n</PROBLEM_STATEMENT>\n";
        assert_eq!(prompt, format!("{task}[assistant]  [run {{\"n\":1}}]\n[tool] {long}\n"));
        assert_eq!(scene.contents(), ["go", &format!("{CHECKPOINT}s"), "more", "ok"]);
    }
}
