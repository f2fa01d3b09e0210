//! Context folding, by two papers in which the agent itself learns when to fold.
//!
//! [`AgentFold`] (`agentfold`): arXiv 2510.24699, section on the workspace. The context is the
//! question, a list of state summaries and the latest interaction in full. With each step the agent
//! writes a folding directive for the interaction before: either a summary of it alone (granular
//! condensation), or one that fuses it with the summaries of earlier steps (deep consolidation),
//! when a sub-task has come to its end.
//!
//! [`BranchReturn`] (`branch-return`): arXiv 2510.11967, "Context-Folding", with
//! sunnweiwei/FoldAgent at 0aa8ff1 (agents/fold_agent.py). The agent branches off for a sub-task
//! and returns with a message. Its steps in between are folded away: what is left is the
//! instruction and the message. Without a message to return, the last that the branch said is it.
//!
//! A recorded agent did neither, so that both are mapped to what a log has, and this is ours: a
//! sub-task is a turn, the instruction is the user's message, it returns when the user speaks
//! again, and the message is the last that the assistant said in it. What it said before it was cut
//! off in a call stands without the call. The agents of the papers choose other moments, fold
//! within a turn, and write their summaries in the same answer as the next call; here a summary is
//! a request of its own, which is shown what it folds and nothing else. Messages of the user stay,
//! as the question does. Prompts, labels and limits are ours. The papers' limits on the number of
//! branches, and branches that overflow, have no counterpart.

use crate::log::opens_turn_as;
use crate::plan::Edit;
use crate::prelude::*;

const STEP: &str = include_str!("../prompts/agentfold-step.md").trim_ascii_end();
const SUBTASK: &str = include_str!("../prompts/agentfold-subtask.md").trim_ascii_end();
const SYSTEM: &str = "You fold the history of an agent's work into short summaries.";
const CONDENSED: &str = "[Compressed step] ";
const CONSOLIDATED: &str = "[Compressed steps] ";

parameters! {
    /// AgentFold's two scales: each step but the latest becomes a summary of its own, and all of a
    /// turn become one when the next turn is under way.
    ///
    /// Keep-rules: system messages, messages of the user, the latest step. Pressure: none.
    pub struct AgentFold {
        request "step-tokens" step_tokens: Tokens = Tokens(300),
            "most tokens of the summary of a step";
        request "sub-task-tokens" subtask_tokens: Tokens = Tokens(1_000),
            "most tokens of the summary of a sub-task";
    }
}

impl Strategy for AgentFold {
    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let Some(latest) = view.entries().iter().rposition(|one| is_raw(one, Role::Assistant))
        else {
            return Decision::decline("there is no step yet");
        };
        let turn = turns(view).into_iter().rfind(|turn| turn.start <= latest);
        let live = turn.map_or(0, |turn| turn.start);
        let (mut slots, mut requests, mut place) = (Vec::new(), Vec::new(), 0);
        while place < view.len() {
            let consolidates = place < live;
            let end = match consolidates {
                true => run(view, place, latest),
                false => step(view, place, latest),
            };
            if end == place || !is_whole(view, place..end) {
                slots.push(Slot::Keep(view.entries()[place].id));
                place += 1;
                continue;
            }
            let folded = &view.entries()[place..end];
            // One summary that stands alone says all that there is of its turn.
            if let [entry] = folded
                && entry.kind == Kind::Summary
            {
                slots.push(Slot::Keep(entry.id));
            } else {
                let id = RequestId(requests.len() as u32);
                requests.push(self.request(id, folded, consolidates));
                slots.push(block(id, folded, consolidates));
            }
            place = end;
        }
        match requests.is_empty() {
            true => Decision::decline("every step is folded"),
            false => Decision::Plan(Plan::summarizing(Layout::Whole(slots), requests)),
        }
    }
}

impl AgentFold {
    fn request(&self, id: RequestId, folded: &[Arc<Entry>], consolidates: bool) -> SummaryRequest {
        let (prompt, most) = match consolidates {
            true => (SUBTASK, self.subtask_tokens),
            false => (STEP, self.step_tokens),
        };
        let mut asked = vec![Piece::literal(format!("{prompt}\n\n"))];
        for entry in folded {
            asked.push(Piece::literal(format!("[{}] ", entry.role.name())));
            asked.push(Piece::quote(entry.id));
            for call in &entry.calls {
                asked.push(Piece::literal(format!(" [{} ", call.name)));
                asked.extend([Piece::arguments(entry.id, &call.id), Piece::literal("]")]);
            }
            asked.push(Piece::literal("\n"));
        }
        SummaryRequest::new(id, Text::from(SYSTEM), asked, most)
    }
}

/// The summary that stands for these entries.
fn block(id: RequestId, folded: &[Arc<Entry>], consolidates: bool) -> Slot {
    let label = if consolidates { CONSOLIDATED } else { CONDENSED };
    let pieces = vec![Piece::literal(label), Piece::answer(id)];
    let covers = Covers::Entries(folded.iter().map(|entry| entry.id).collect());
    Slot::New(NewEntry::new(Role::Assistant, Kind::Summary, pieces, covers))
}

/// Where a step ends that begins at a place and is not the latest: an answer and its results.
fn step(view: &View, place: usize, latest: usize) -> usize {
    let entries = view.entries();
    if place >= latest || !is_raw(&entries[place], Role::Assistant) {
        return place;
    }
    let results = entries[place + 1..].iter().take_while(|one| is_raw(one, Role::Tool)).count();
    place + 1 + results
}

/// Where summaries and steps end that follow each other, without the latest step.
fn run(view: &View, place: usize, latest: usize) -> usize {
    let folds = |entry: &Arc<Entry>| entry.kind == Kind::Summary || entry.is_raw_work();
    place + view.entries()[place..latest].iter().take_while(|one| folds(one)).count()
}

parameters! {
    /// Context-Folding's return: of each closed turn only what opened it and what the assistant
    /// said last stay.
    ///
    /// Keep-rules: system messages, messages of the user, the last words of each turn, the live
    /// turn. Pressure: none.
    pub struct BranchReturn {}
}

impl Strategy for BranchReturn {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let entries = view.entries();
        let (mut gone, mut instead) = (Vec::new(), BTreeMap::new());
        let turns = turns(view);
        for turn in turns.iter().rev().skip(1).rev() {
            let said = |place: &usize| {
                is_raw(&entries[*place], Role::Assistant) && entries[*place].content_len() > 0
            };
            // A turn with a call that is open when it closes has not returned.
            let message = turn.clone().rev().find(said).filter(|_| is_whole(view, turn.clone()));
            let Some(message) = message else { continue };
            gone.extend(
                turn.clone().filter(|place| *place != message && entries[*place].is_raw_work()),
            );
            if !entries[message].calls.is_empty() {
                gone.push(message);
                instead.insert(message, vec![without_calls(&entries[message])]);
            }
        }
        if gone.is_empty() {
            return Decision::decline("no sub-task has returned");
        }
        gone.sort_unstable();
        mechanical(replacing(view, &gone, instead))
    }
}

/// What was said with a call that is folded.
fn without_calls(entry: &Entry) -> Slot {
    Slot::Rewrite(Edit {
        entry: entry.id,
        pieces: None,
        args: BTreeMap::new(),
        drops: entry.calls.iter().map(|call| call.id.clone()).collect(),
    })
}

/// The turns, each from what a person said to where the next begins. What stands before is in none.
fn turns(view: &View) -> Vec<Range<usize>> {
    let opens = |entry: &Entry| entry.is_user() && opens_turn_as(entry.role, entry.author);
    let starts: Vec<usize> =
        (0..view.len()).filter(|place| opens(&view.entries()[*place])).collect();
    let ends = starts.iter().skip(1).copied().chain([view.len()]);
    starts.iter().zip(ends).map(|(start, end)| *start..end).collect()
}

/// Whether no call stands without its results, and no result without its call.
fn is_whole(view: &View, range: Range<usize>) -> bool {
    let entries = &view.entries()[range.clone()];
    let made = entries.iter().flat_map(|entry| &entry.calls).filter_map(|call| view.pair(&call.id));
    let mut results = made.flat_map(|pair| &pair.results).filter_map(|id| view.position(*id));
    let answers = entries.iter().filter_map(|entry| entry.answers.as_ref());
    let mut calls = answers.filter_map(|id| view.position(view.pair(id)?.call?));
    results.all(|at| at < range.end) && calls.all(|at| at >= range.start)
}

fn is_raw(entry: &Entry, role: Role) -> bool {
    entry.role == role && entry.is_raw_work()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::scene;

    /// The paper's two operations, told apart by what they fold.
    #[test]
    fn steps_and_sub_tasks_are_asked_for_in_words_and_lengths_of_their_own() {
        for (shape, prompt, most) in [("uctct", STEP, 300), ("uctauct", SUBTASK, 1_000)] {
            let plan = scene(shape).plan(&AgentFold::default(), None).expect("it acts");
            let [request] = plan.requests.as_slice() else { panic!("{shape}") };
            assert_eq!(request.instruction[0], Piece::literal(format!("{prompt}\n\n")), "{shape}");
            assert_eq!(request.max_tokens, Tokens(most), "{shape}");
        }
        assert!(!BranchReturn {}.asks());
    }
}
