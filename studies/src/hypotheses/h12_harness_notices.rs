//! Notices that the harness puts into the user's role: H12.

use std::sync::{Mutex, PoisonError};

use proctor_core::error::Result;
use proctor_core::log::Author;
use proctor_core::summarize::Prompt;
use proctor_core::trace::Share;

use super::constructed::{Construction, windowless};
use super::reading::{added, users};
use super::summarizers::Altered;
use super::{Finding, Laboratory, Measured, Rows};
use crate::table::row;

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

pub(super) fn displaced(lab: &Laboratory) -> Result<Finding> {
    let (plain, noticed) = (seen(lab, false)?, seen(lab, true)?);
    let mut rows = Rows::default();
    for (name, seen) in [("without notices", &plain), ("with notices", &noticed)] {
        rows.push(row![
            name,
            seen.batches,
            seen.real,
            seen.notices,
            seen.real_a_batch(),
            seen.goals,
            seen.notice_goals,
        ]);
    }
    let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    let turns = noticed.real + noticed.notices;
    let measured = vec![
        Measured::exact(
            "turns of goal batches that are notices",
            "%",
            share(noticed.notices, turns),
        ),
        Measured::exact("real requests a batch with notices", "", noticed.real_a_batch()),
        Measured::exact("real requests a batch without", "", plain.real_a_batch()),
        Measured::exact(
            "requests of the tool-call tier that name a notice as the user's goal",
            "%",
            share(noticed.notice_goals, noticed.goals),
        ),
    ];
    let parts = [
        noticed.notices > 0,
        noticed.real_a_batch() < plain.real_a_batch(),
        noticed.notice_goals > 0,
    ];
    Ok(Finding::of(&parts, measured).with(rows))
}

impl Seen {
    fn real_a_batch(&self) -> f64 {
        self.real as f64 / self.batches.max(1) as f64
    }
}

fn seen(lab: &Laboratory, notices: bool) -> Result<Seen> {
    let mut made = Construction::new();
    for turn in 0..40 {
        made.user(60).pairs(4, 60);
        if notices && turn % 2 == 0 {
            made.closing().notice(NOTICE);
        }
        made.pairs(4, 60).closing();
    }
    let (session, goals) = (made.session(), Mutex::new(Vec::new()));
    let ask = Altered::new(300, |prompt, reply| {
        goals.lock().unwrap_or_else(PoisonError::into_inner).extend(goal(prompt));
        reply
    });
    let pipeline = proctor_strategies::pipeline("forge-head-no-threshold")?;
    let trace = lab.drive(&session, &pipeline, windowless(), &ask);
    let by = |author| -> usize {
        added(&trace, Share::GoalBatch).map(|batch| users(&session, batch, author)).sum()
    };
    let goals = goals.lock().unwrap_or_else(PoisonError::into_inner);
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
    let texts = prompt.messages.iter().map(proctor_core::summarize::PromptMessage::text);
    texts.into_iter().find_map(|text| text.split_once(GOAL).map(|(_, after)| after.to_owned()))
}
