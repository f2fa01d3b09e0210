//! Tier 1: old tool calls become `[SUMMARIZED]` blocks.

use crate::forge::{Fold, folding, prompt};
use crate::ident::EntryId;
use crate::log::Call;
use crate::parameters;
use crate::plan::{Decision, Piece};
use crate::slots::places;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Entry, Kind, View};

parameters! {
    /// ADR-0014's `ToolCallSummarizationStrategy`: every call that is at least
    /// `older-than-turns` turns old is replaced, with its results, by one summary.
    ///
    /// Chosen where the record is silent: age is the number of user-role messages that
    /// came after the call's own turn began; one request and one summary per call, as
    /// the record's prompt takes a single call (an assistant message with several calls
    /// becomes several summaries, each standing for the message and its own results);
    /// all calls that are old enough go in one pass; the summaries stand where the
    /// assistant message stood, so they follow the user message of their own turn; a
    /// call without a result is summarized alone. Where the record's prompt says
    /// "abbreviated" inputs and results without saying how, input and result are shown
    /// whole: this tier loses nothing unseen. The threshold is 10 turns where the
    /// record says so and 20 in one example; 10 is its default.
    ///
    /// Keep-rules: `older-than-turns`, the live turn. Pressure: none.
    pub struct ToolCall {
        eligibility "older-than-turns" older_than_turns: u32 = 10, "least age of a call, in turns";
        request "max-tokens" max_tokens: Tokens = Tokens(300), "most tokens of one summary";
        + model
    }
}

impl Strategy for ToolCall {
    fn parameters(&self) -> &'static [Parameter] {
        ToolCall::PARAMETERS
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let live = view.live_turn();
        let mut folds = Vec::new();
        // The index is in view order, so the first call that is too young ends it.
        for place in places(view, Class::Call) {
            let entry = &view.entries()[place];
            let age = context.turn.saturating_sub(entry.turn);
            if place >= live || age < self.older_than_turns {
                break;
            }
            folds.extend(entry.calls.iter().map(|call| self.fold(view, entry, call)));
        }
        if folds.is_empty() {
            return Decision::decline("no tool call is old enough");
        }
        folding(view, folds)
    }
}

impl ToolCall {
    fn fold(&self, view: &View, entry: &Entry, call: &Call) -> Fold {
        let results: &[EntryId] = view.pair(&call.id).map_or(&[], |pair| &pair.results);
        let mut body = vec![Piece::literal(prompt::TOOL_CALL)];
        if entry.content_len() > 0 {
            body.extend([Piece::literal("What I said: "), Piece::quote(entry.id)]);
        }
        body.extend([
            Piece::literal("\nTool: "),
            Piece::Literal(call.name.clone()),
            Piece::literal("\nInput: "),
            Piece::arguments(entry.id, &call.id),
        ]);
        for result in results {
            body.extend([Piece::literal("\nResult: "), Piece::quote(*result)]);
        }
        let covers = [entry.id].into_iter().chain(results.iter().copied());
        Fold::new(Kind::Summarized, covers, body, self.max_tokens, &self.model)
    }
}
