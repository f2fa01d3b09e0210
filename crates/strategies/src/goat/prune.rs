//! Goat's pruning of old tool results.

use std::collections::BTreeMap;

use crate::log::Role;
use crate::parameters;
use crate::plan::{Decision, Piece, Source};
use crate::slots::{mechanical, rewording};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::view::View;

parameters! {
    /// Goat's `pruneOldToolResults(messages, 10)`, after every tool round: long tool
    /// results outside the last ten messages are cut to their first 200 bytes.
    ///
    /// From its specification; the body was not read. No mark is known to be left where
    /// the text was cut, so none is: the model cannot tell. The trace announces it as it
    /// does every change of the view; in Goat no hook runs for it.
    ///
    /// Keep-rules: all parameters. Pressure: none.
    pub struct PruneResults {
        eligibility "keep-messages" keep_messages: usize = 10, "messages at the end never touched";
        eligibility "longer-than" longer_than: usize = 1_000,
            "bytes up to which a result stays whole";
        eligibility "cut-to" cut_to: usize = 200, "bytes that are left of a longer result";
    }
}

impl Strategy for PruneResults {
    fn asks(&self) -> bool {
        false
    }

    fn parameters(&self) -> &'static [Parameter] {
        PruneResults::PARAMETERS
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
        let cut = |place: usize| {
            let of = Source::Entry(entries[place].id);
            (place, vec![Piece::Quote { of, bytes: Some((0, self.cut_to)) }])
        };
        let cut: BTreeMap<_, _> = old.map(|(place, _)| place).filter(long).map(cut).collect();
        if cut.is_empty() {
            return Decision::decline("no long tool result is old enough");
        }
        mechanical(rewording(view, cut))
    }
}
