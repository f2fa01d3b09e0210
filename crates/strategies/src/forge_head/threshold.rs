//! Tier 2: under token pressure, the older half becomes one `[SUMMARIZED]` block.

use serde::{Deserialize, Serialize};

use crate::forge::{MODEL, prompt, request, told};
use crate::forge_head::{note, prompt as own, recounted, uncounted_later};
use crate::ident::{EntryId, RequestId};
use crate::log::{Role, Text};
use crate::plan::{Covers, Decision, Layout, NewEntry, Piece, Plan, Slot};
use crate::pressure::Occasion;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Entry, Kind, View};

/// Least messages, system messages aside, that can be halved.
const LEAST: usize = 4;

/// Forge's `ThresholdSummarizationStrategy` at 0bff338 (`threshold_strategy.go`), the
/// half-compaction.
///
/// At the threshold of its pressure, and with at least four messages that are no system
/// message, the older half of these by number (rounded down) goes into one request and
/// becomes one block behind the system messages; the newer half stays. Kept from the
/// source: halves are counted in messages, so tokens that sit in the newer half stay
/// and the tier fires again before the next call, until three messages are left and it
/// gives up above the threshold; user messages, tool pairs, turns and earlier blocks,
/// `[GOAL BATCH]` among them, are all cut and folded alike; the half is sent whole
/// however long it is; the conversation then begins with an assistant message.
///
/// The pressure in the pipeline file is the manager's first count, system prompt
/// included. Where a tier acted before this one in the pass, the source compares its
/// recount, which leaves the system prompt out, and so does this tier.
///
/// Where the records disagree: ADR-0014 names a half-compaction and a target of 50 %,
/// then describes groups of messages; ADR-0041 describes the older code (`forge-g2`).
/// There is no target here. The threshold is a fraction there and a percentage here.
///
/// Keep-rules: the newer half, the least of four. Pressure: the threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Threshold {
    /// Most tokens of one summary.
    pub max_tokens: Tokens,
    /// A model of its own (ADR-0042).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for Threshold {
    fn default() -> Threshold {
        Threshold { max_tokens: Tokens(600), model: None }
    }
}

impl Strategy for Threshold {
    fn parameters(&self) -> &'static [Parameter] {
        const { &[Parameter::request("max-tokens", "most tokens of one summary"), MODEL] }
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        if below_by_recount(view, context) {
            return Decision::decline("below the threshold by the recount without system prompt");
        }
        let (system, talk): (Vec<&Entry>, Vec<&Entry>) =
            view.entries().iter().map(|entry| &**entry).partition(|e| e.role == Role::System);
        if talk.len() < LEAST {
            return Decision::decline("fewer than four messages");
        }
        let (older, newer) = talk.split_at(talk.len() / 2);
        let counted = format!("summary_count={}", older.len());
        let summary = NewEntry {
            role: Role::Assistant,
            kind: Kind::Summarized,
            pieces: vec![
                Piece::Literal(prompt::tag(Kind::Summarized)),
                Piece::answer(RequestId(0)),
            ],
            covers: Covers::Entries(older.iter().map(|entry| entry.id).collect()),
            answers: None,
            note: note(&counted, view, context),
        };
        let keep = |id: EntryId| Slot::Keep(id);
        let mut slots: Vec<Slot> = system.iter().map(|entry| keep(entry.id)).collect();
        slots.push(Slot::New(summary));
        slots.extend(newer.iter().map(|entry| keep(entry.id)));
        let body = numbered(own::older_half(), older);
        let request = request(0, body, self.max_tokens, self.model.as_deref());
        Decision::Plan(Plan::summarizing(Layout::Whole(slots), vec![request]))
    }
}

/// Whether the manager's recount keeps the tier from acting. Only a deployed pass has a
/// manager; elsewhere the pressure is taken as met.
pub(crate) fn below_by_recount(view: &View, context: &PlanContext) -> bool {
    context.occasion == Occasion::BeforeCall
        && recounted(view)
        && context
            .reading
            .is_some_and(|reading| reading.used - uncounted_later(context) < reading.limit)
}

/// Numbered messages after the task.
fn numbered(task: Text, entries: &[&Entry]) -> Vec<Piece> {
    let mut body = vec![Piece::Literal(task)];
    for (number, entry) in entries.iter().enumerate() {
        told(&format!("{}. [{}]", number + 1, entry.role.name()), entry, &mut body);
    }
    body
}
