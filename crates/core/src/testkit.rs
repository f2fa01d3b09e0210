//! Sessions, views and summarizers by hand, to test a strategy with. A [`Scene`] is a log with its
//! view: it has a plan answered by a [`Script`] and applied. [`with_cell`] drives a [`log`] made
//! ready by [`Session::new`](crate::drive::Session::new) through a whole pipeline.

mod scene;
mod script;
mod session;

pub use scene::{Fate, PRESSED, Scene, scene};
pub use script::{Script, fails, says};
pub use session::{Line, OpenCalls, fact, log, message, needed, with_cell};

use serde::de::DeserializeOwned;

use crate::answer::{Answered, Answers};
use crate::apply::{Applied, Rule};
use crate::log::{Role, Text};
use crate::plan::{Covers, Layout, NewEntry, Piece, Plan, Slot};
use crate::prelude::*;
use crate::pressure::Reading;
use crate::summarize::Finish;
use crate::view::Kind;

/// The rows of a table of a TOML file of cases.
pub fn cases<T: DeserializeOwned>(file: &str, table: &str) -> Vec<T> {
    let tables: toml::Table = toml::from_str(file).expect("sound TOML");
    tables[table].clone().try_into().unwrap_or_else(|error| panic!("{table}: {error}"))
}

/// The rules that a change breaks, in order of finding.
pub fn rules(applied: &Applied) -> Vec<Rule> {
    applied.violations.iter().map(|violation| violation.rule).collect()
}

/// The slots that keep these entries as they are.
pub fn keep(entries: impl IntoIterator<Item = u32>) -> Vec<Slot> {
    entries.into_iter().map(|id| Slot::Keep(EntryId(id))).collect()
}

/// A pressure that is met, by so many tokens of a thousand.
pub fn over(tokens: u64) -> Option<Reading> {
    let limit = Tokens(1_000 - tokens);
    Some(Reading { used: Tokens(1_000), limit, target: limit, met: true })
}

/// The note of the first new entry of a plan.
pub fn note(plan: &Plan) -> Option<String> {
    let Layout::Whole(slots) = &plan.layout else { return None };
    slots.iter().find_map(|slot| match slot {
        Slot::New(new) => new.note.clone(),
        _ => None,
    })
}

/// A new entry that answers no call and has no note.
pub fn new(role: Role, kind: Kind, pieces: Vec<Piece>, covers: Covers) -> Slot {
    Slot::New(NewEntry::new(role, kind, pieces, covers))
}

/// A summary that holds the answer to request 0.
pub fn summary(role: Role, covers: Covers) -> Slot {
    new(role, Kind::Summary, vec![Piece::answer(RequestId(0))], covers)
}

/// Request 0 is answered with this text, and was shown nothing.
pub fn answered(text: &str) -> Answers {
    let answered = Answered {
        text: Text::from(text),
        shown: Vec::new(),
        words: Vec::new(),
        stand_in: false,
        finish: Finish::Stop,
    };
    Answers::from([(RequestId(0), answered)])
}
