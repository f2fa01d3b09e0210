//! Notices that the harness puts into the user's role: H12.

use super::super::answering::Recorder;
use super::super::constructed::{Construction, windowless};
use super::super::reading::{added, users};
use super::super::{Finding, Hypothesis, Laboratory, Measured, Rows, Verdict};
use crate::error::Result;
use crate::log::Author;
use crate::summarize::Prompt;
use crate::trace::Share;

pub(super) const DISPLACED: Hypothesis = Hypothesis {
    id: "H12",
    title: "Rejection and stop notices count as turns and displace real requests",
    expects: "Forge stores the rejection of a tool call and a stop as messages of the user's role. Goal batches take them for turns, so real requests have less room in a batch, and the tool-call tier names them as the user's goal.",
    source: "STRATEGIES 20, H12 and 1.2; Forge at 0bff338 (tool_execution.go, assistant.go)",
    method: "`forge-head-no-threshold` without a window on two constructed sessions of 40 turns of 8 tool pairs: as they are, and with a rejected call and its notice in the middle of every other turn. The turns of all goal batches by who wrote their user message; and the requests to the summarizer of tool calls whose `User Goal` is a notice.",
    judge: displaced,
    remarks: &[],
};

const NOTICE: &str = "Tool call was rejected by the user.";
/// How the tool-call tier names the goal.
const GOAL: &str = "## User Goal\n";

/// What goal batches and requests made of the users of a session.
struct Seen {
    batches: usize,
    real: usize,
    notices: usize,
    goals: usize,
    notice_goals: usize,
}

fn displaced(lab: &Laboratory) -> Result<Finding> {
    let (plain, noticed) = (seen(lab, false)?, seen(lab, true)?);
    let mut rows = Rows::new(
        "Constructed sessions of 40 turns",
        &[
            "session",
            "goal batches",
            "real requests in them",
            "notices in them",
            "real requests a batch",
            "tool-call requests",
            "whose goal is a notice",
        ],
    );
    for (name, seen) in [("without notices", &plain), ("with notices", &noticed)] {
        rows.push([
            name.to_owned(),
            seen.batches.to_string(),
            seen.real.to_string(),
            seen.notices.to_string(),
            super::super::number(seen.real_a_batch()),
            seen.goals.to_string(),
            seen.notice_goals.to_string(),
        ]);
    }
    let turns = (noticed.real + noticed.notices).max(1) as f64;
    let measured = vec![
        Measured::exact(
            "turns of goal batches that are notices",
            "%",
            100.0 * noticed.notices as f64 / turns,
        ),
        Measured::exact("real requests a batch with notices", "", noticed.real_a_batch()),
        Measured::exact("real requests a batch without", "", plain.real_a_batch()),
        Measured::exact(
            "requests of the tool-call tier that name a notice as the user's goal",
            "%",
            100.0 * noticed.notice_goals as f64 / noticed.goals.max(1) as f64,
        ),
    ];
    let parts = [
        noticed.notices > 0,
        noticed.real_a_batch() < plain.real_a_batch(),
        noticed.notice_goals > 0,
    ];
    Ok(Finding::new(Verdict::of_parts(&parts), measured).with(rows))
}

impl Seen {
    fn real_a_batch(&self) -> f64 {
        self.real as f64 / self.batches.max(1) as f64
    }
}

fn seen(lab: &Laboratory, notices: bool) -> Result<Seen> {
    let mut made = Construction::new("notices");
    for turn in 0..40 {
        made.user(60).pairs(4, 60);
        if notices && turn % 2 == 0 {
            made.closing().notice(NOTICE);
        }
        made.pairs(4, 60).closing();
    }
    let (session, ask) = (made.session(), Recorder::new(300));
    let pipeline = crate::strategy::pipeline("forge-head-no-threshold")?;
    let trace = lab.drive(&session, &pipeline, windowless(), &ask);
    let by = |author| -> usize {
        added(&trace, Share::GoalBatch).map(|batch| users(&session, batch, author)).sum()
    };
    let goals: Vec<String> = ask.asked().iter().filter_map(goal).collect();
    Ok(Seen {
        batches: added(&trace, Share::GoalBatch).count(),
        real: by(Author::Human),
        notices: by(Author::Harness),
        goals: goals.len(),
        notice_goals: goals.iter().filter(|goal| goal.starts_with(NOTICE)).count(),
    })
}

/// What a request of the tool-call tier names as the goal.
fn goal(prompt: &Prompt) -> Option<String> {
    let texts = prompt.messages.iter().map(crate::summarize::PromptMessage::text);
    texts.into_iter().find_map(|text| text.split_once(GOAL).map(|(_, after)| after.to_owned()))
}
