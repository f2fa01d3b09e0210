//! ADR-0041, option 2: old user messages of little weight go.

use std::collections::BTreeMap;

use crate::parameters;
use crate::plan::{Decision, replacing};
use crate::slots::{mechanical, places};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::view::{Class, View};

parameters! {
    /// "When context pressure is high, classify old user messages as goal-setting (high
    /// value, preserve) or transactional (low value, discard). Drop transactional messages
    /// silently": ADR-0041's option 2, by "message length + content signals".
    ///
    /// Added: what the length and the signals are. A message is transactional when it has at
    /// most `short` characters and its first sentence has no signal: no word that sets a goal
    /// or a rule (a list of English words, which is the cultural bias that the record warns
    /// of) and no artifact (a path or something in back quotes). Old is before the live turn
    /// and the last `older-than-messages` messages. All of them go at once: the record names
    /// no order. Nothing is asked of a model and nothing stands for what went.
    ///
    /// Keep-rules: both numbers, the signals, the live turn. Pressure: whether it acts.
    pub struct PruneUsers {
        eligibility "older-than-messages" older_than_messages: usize = 20,
            "messages at the end never touched";
        eligibility "short" short: usize = 400, "most characters of a transactional message";
    }
}

/// Words that set a goal or a rule.
const SIGNALS: &[&str] = &[
    "add",
    "always",
    "avoid",
    "build",
    "change",
    "create",
    "don't",
    "ensure",
    "fix",
    "implement",
    "make",
    "migrate",
    "must",
    "need",
    "never",
    "only",
    "refactor",
    "remove",
    "rename",
    "replace",
    "should",
    "support",
    "update",
    "use",
    "want",
    "write",
];

impl PruneUsers {
    pub(super) fn is_transactional(&self, text: &str) -> bool {
        let end = [". ", "! ", "? ", "\n"].iter().filter_map(|end| text.find(end)).min();
        let first = text[..end.unwrap_or(text.len())].to_lowercase();
        let mut words = first.split(|c: char| !c.is_alphanumeric() && c != '\'');
        text.chars().count() <= self.short
            && !first.contains(['/', '`'])
            && !words.any(|word| SIGNALS.contains(&word))
    }
}

impl Strategy for PruneUsers {
    fn asks(&self) -> bool {
        false
    }

    fn parameters(&self) -> &'static [Parameter] {
        PruneUsers::PARAMETERS
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
