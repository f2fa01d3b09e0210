//! ADR-0014, option 2: what matters least is summarized first.

use serde::{Deserialize, Serialize};

use crate::alternatives::{at_target, prompt};
use crate::forge::{self, FoldedBlock, MODEL, folding, request, told};
use crate::ident::EntryId;
use crate::log::Role;
use crate::plan::{Decision, Piece};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Entry, Kind, View};

/// "Assign priority scores to different message types and summarize lower-priority
/// content first. Use heuristics like message age, tool type, and result size":
/// ADR-0014's option 2.
///
/// Added: the rules of the score. A unit is a call message with its results, a plain
/// assistant message or a user message, before the live turn. Its score is a weight by
/// type (a call that only reads 0, any other call 10, an assistant message 20, a user
/// message 60), less a point for each turn of age up to 20, less a point for each 100
/// tokens up to 20; the lowest go first, older before newer. A tool only reads when a
/// word of its name says so (read, list, search, ...). `at-once` units are summarized in
/// a plan, a request each, all with the same prompt ("one-size-fits-all"), under
/// pressure until the target (the stage says `repeat = "to-target"`), each where it
/// stood; what is summarized is not summarized again. A unit of no more than 50 tokens
/// is left: no summary of it would be shorter.
///
/// Keep-rules: the live turn, the least size. Pressure: threshold and target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Priority {
    /// Units summarized in one plan.
    pub at_once: usize,
    /// Most tokens of one summary.
    pub max_tokens: Tokens,
    /// A model of its own (ADR-0042).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for Priority {
    fn default() -> Priority {
        Priority { at_once: 10, max_tokens: Tokens(100), model: None }
    }
}

/// Units up to this size are left as they are.
const SMALL: Tokens = Tokens(50);
/// Words in the names of tools that change nothing.
const READING: &[&str] =
    &["cat", "fetch", "find", "get", "glob", "grep", "list", "ls", "read", "search", "view"];

/// Something that is summarized by itself.
struct Unit {
    places: Vec<usize>,
    score: i64,
}

impl Strategy for Priority {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[
                Parameter::pressure("at-once", "units summarized in one plan"),
                Parameter::request("max-tokens", "most tokens of one summary"),
                MODEL,
            ]
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.at_once == 0 {
            return Err("`at-once` is at least 1".to_owned());
        }
        Ok(())
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        if at_target(context) {
            return Decision::decline("already at the target");
        }
        let mut units = units(view, context.turn);
        units.sort_by_key(|unit| (unit.score, unit.places.first().copied()));
        units.truncate(self.at_once);
        if units.is_empty() {
            return Decision::decline("nothing before the live turn is left to summarize");
        }
        let folds =
            units.into_iter().enumerate().map(|(number, unit)| self.fold(view, &unit, number));
        Decision::Plan(folding(view, folds.collect()))
    }
}

impl Priority {
    fn fold(&self, view: &View, unit: &Unit, number: usize) -> FoldedBlock {
        let mut body = vec![Piece::Literal(prompt::any())];
        let entries = || unit.places.iter().map(|place| &view.entries()[*place]);
        for entry in entries() {
            told(&format!("[{}]", entry.role.name()), entry, &mut body);
        }
        let covers: Vec<EntryId> = entries().map(|entry| entry.id).collect();
        FoldedBlock {
            place: unit.places.first().copied().unwrap_or(0),
            covers,
            request: request(number, body, self.max_tokens, self.model.as_deref()),
            kind: Kind::Summarized,
            tag: forge::prompt::tag(Kind::Summarized),
            note: Some(format!("score={}", unit.score)),
        }
    }
}

fn units(view: &View, turn: u32) -> Vec<Unit> {
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
            (size > SMALL).then_some(Unit { places, score })
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
