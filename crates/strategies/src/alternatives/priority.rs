//! ADR-0014, option 2: what matters least is summarized first.

use crate::forge::{Fold, at_target, folding, prompt, role};
use crate::log::Role;
use crate::plan::Decision;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Entry, Kind, View};
use crate::{none_is_zero, parameters};

parameters! {
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
    pub struct Priority {
        pressure "at-once" at_once: usize = 10, "units summarized in one plan";
        request "max-tokens" max_tokens: Tokens = Tokens(100), "most tokens of one summary";
        + model
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
        Priority::PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("at-once", self.at_once as u64)])
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
        folding(view, units.iter().map(|unit| self.fold(view, unit)).collect())
    }
}

impl Priority {
    fn fold(&self, view: &View, unit: &Unit) -> Fold {
        let places = unit.places.iter();
        let entries: Vec<&Entry> = places.map(|place| &*view.entries()[*place]).collect();
        let (most, model) = (self.max_tokens, &self.model);
        let fold = Fold::of(Kind::Summarized, &entries, prompt::ANY_PART, role, most, model);
        fold.noted(format!("score={}", unit.score))
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
