//! V0's condenser `llm`.

use super::{ASKED, Events, PROMPT, check_sizes, summary};
use crate::prelude::*;

const NOTICE: &str = "\n[... cut ...]\n";
const NO_SUMMARY: &str = "No events summarized";

parameters! {
    /// V0's condenser with the defaults of its configuration.
    ///
    /// Keep-rules: `max-size`, `keep-first`. Pressure: none.
    pub struct OpenHandsV0 {
        eligibility "max-size" max_size: usize = 100, "most events; half of them stay";
        eligibility "keep-first" keep_first: usize = 1,
            "events at the start that stay, the system prompt among them";
        request "max-event-length" max_event_length: usize = 10_000,
            "most characters of an event that are shown";
    }
}

impl Strategy for OpenHandsV0 {
    fn check(&self) -> Result<(), String> {
        check_sizes(self.max_size, self.keep_first)
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let events = Events::of(view, context.budget);
        if events.len() <= self.max_size && !is_forced(context.occasion) {
            return Decision::decline("there is room");
        }
        // Half of `max-size`, whatever made it act. Where no end may stay, the slice is empty.
        let tail = self.max_size / 2 - self.keep_first.min(events.len()) - 1;
        let end = if tail == 0 { 0 } else { events.len().saturating_sub(tail) };
        let place = |event| events.starts[..view.len()].partition_point(|start| *start < event);
        let (first, end) = (place(self.keep_first), place(end));
        let is_summary = |place: &usize| view.entries()[*place].kind.is_summary();
        let (old, forgotten): (Vec<usize>, Vec<usize>) = (first..end).partition(is_summary);
        if forgotten.is_empty() {
            return Decision::decline("nothing can be forgotten");
        }
        let previous = old.first().filter(|place| **place == first);
        let request =
            self.request(view, &forgotten, previous.map(|place| view.entries()[*place].id));
        let left = |place: &usize| !is_summary(place) && !(first..end).contains(place);
        let stays: Vec<usize> = (0..view.len()).filter(left).collect();
        let slots = |places: Range<usize>| {
            let kept = places.filter(|place| is_whole(view, *place, &stays));
            kept.map(|place| Slot::Keep(view.entries()[place].id)).collect::<Vec<Slot>>()
        };
        let covered = forgotten.iter().chain(&old).map(|place| view.entries()[*place].id);
        let mut layout = slots(0..first);
        layout.push(summary(Covers::Entries(covered.collect())));
        layout.extend(slots(end..view.len()));
        summarizing(layout, request)
    }
}

impl OpenHandsV0 {
    fn request(
        &self,
        view: &View,
        forgotten: &[usize],
        previous: Option<EntryId>,
    ) -> SummaryRequest {
        let cut =
            |of: Source, length| Piece::middle_cut(&of, length, self.max_event_length, NOTICE);
        let mut asked = vec![Piece::literal(format!("{PROMPT}<PREVIOUS SUMMARY>\n"))];
        match previous.and_then(|id| view.entry(id)) {
            Some(entry) => asked.extend(cut(Source::Entry(entry.id), entry.content_len())),
            None => asked.push(Piece::literal(NO_SUMMARY)),
        }
        asked.push(Piece::literal("\n</PREVIOUS SUMMARY>\n"));
        for entry in forgotten.iter().map(|place| &view.entries()[*place]) {
            asked.push(Piece::literal(format!("<EVENT>\n[{}] ", entry.role.name())));
            asked.extend(cut(Source::Entry(entry.id), entry.content_len()));
            for call in &entry.calls {
                asked.push(Piece::literal(format!("\nAction: {} ", call.name)));
                asked.extend(cut(Source::Call(entry.id, call.id.clone()), call.args.len()));
            }
            asked.push(Piece::literal("\n</EVENT>\n"));
        }
        asked.push(Piece::literal(ASKED));
        SummaryRequest::new(RequestId(0), Text::from(""), asked, Tokens::UNBOUNDED)
    }
}

/// Whether what stays holds the calls of an entry that stays with their results.
fn is_whole(view: &View, place: usize, stays: &[usize]) -> bool {
    let is_there =
        |id: &EntryId| view.position(*id).is_some_and(|one| stays.binary_search(&one).is_ok());
    let answered = |entry: &Entry| {
        let pairs = entry.calls.iter().filter_map(|call| view.pair(&call.id));
        pairs.into_iter().all(|pair| pair.results.is_empty() || pair.results.iter().any(is_there))
    };
    let entry = &view.entries()[place];
    let call = entry.answers.as_ref().and_then(|id| view.pair(id)?.call);
    let called = |id: &EntryId| is_there(id) && view.entry(*id).is_some_and(|one| answered(one));
    stays.binary_search(&place).is_ok() && answered(entry) && call.as_ref().is_none_or(called)
}
