//! ADR-0014, option 1: the oldest messages go.

use serde::{Deserialize, Serialize};

use crate::log::Role;
use crate::plan::Decision;
use crate::slots::{cut_before, mechanical};
use crate::strategy::{PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::View;

/// "When token count exceeds a threshold (e.g., 80% of max), remove the oldest messages
/// until under the threshold": ADR-0014's option 1, and by its account what `Prune` did
/// before, which its fourth usage example falls back to.
///
/// Added: system messages stay, as they do in `Prune`; the newest message stays, as a
/// prompt without it asks nothing. "All content types treated equally" is kept: a cut
/// parts a call from its result and a turn from its request (`truncate` is the same with
/// whole steps).
///
/// Keep-rules: system messages, the newest message. Pressure: everything else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PruneOldest {}

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
