//! Goat's pruning of old tool results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::log::Role;
use crate::plan::{Decision, Edit, Layout, Piece, Plan, Slot, Source, replacing};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::view::View;

/// Goat's `pruneOldToolResults(messages, 10)`, after every tool round: long tool
/// results outside the last ten messages are cut to their first 200 bytes.
///
/// From its specification; the body was not read. No mark is known to be left where
/// the text was cut, so none is: the model cannot tell. The trace announces it as it
/// does every change of the view; in Goat no hook runs for it.
///
/// Keep-rules: all parameters. Pressure: none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PruneResults {
    /// Messages at the end that are never touched.
    pub keep_messages: usize,
    /// Results up to this many bytes stay whole.
    pub longer_than: usize,
    /// Bytes that are left of a longer one.
    pub cut_to: usize,
}

impl Default for PruneResults {
    fn default() -> PruneResults {
        PruneResults { keep_messages: 10, longer_than: 1_000, cut_to: 200 }
    }
}

impl Strategy for PruneResults {
    fn asks(&self) -> bool {
        false
    }

    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[
                Parameter::eligibility("keep-messages", "messages at the end never touched"),
                Parameter::eligibility("longer-than", "bytes up to which a result stays whole"),
                Parameter::eligibility("cut-to", "bytes that are left of a longer result"),
            ]
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.cut_to > self.longer_than {
            return Err(format!(
                "`cut-to` {} is above `longer-than` {}, so results would be cut again and again",
                self.cut_to, self.longer_than
            ));
        }
        Ok(())
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let entries = view.entries();
        let messages = entries.iter().enumerate().filter(|(_, entry)| entry.role != Role::System);
        let old = messages.rev().skip(self.keep_messages);
        let long = |place: &usize| {
            entries[*place].role == Role::Tool && entries[*place].content_len() > self.longer_than
        };
        let mut places: Vec<usize> = old.map(|(place, _)| place).filter(long).collect();
        if places.is_empty() {
            return Decision::decline("no long tool result is old enough");
        }
        places.reverse();
        let cut = |place: &usize| {
            let of = Source::Entry(entries[*place].id);
            let pieces = Some(vec![Piece::Quote { of, bytes: Some((0, self.cut_to)) }]);
            let edit = Edit { entry: entries[*place].id, pieces, args: BTreeMap::new() };
            (*place, vec![Slot::Rewrite(edit)])
        };
        let instead = places.iter().map(cut).collect();
        Decision::Plan(Plan::mechanical(Layout::Whole(replacing(view, &places, instead))))
    }
}
