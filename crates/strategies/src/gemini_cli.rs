//! gemini-cli's chat compression (`gemini-cli`): packages/core/src/context/
//! chatCompressionService.ts at 5411f11, by its documented constants and tests; what counts against
//! the budget for results, and what the summarizer reads, at 1bbee03.
//!
//! The head of the history, 70 % of its characters and up to a message of the user, becomes a
//! snapshot, and a second request shows the first one's answer and asks whether anything is missing.
//! The better one stands in the user's role, and a fixed answer follows. Tool results beyond a
//! budget of 50,000 tokens, newest first, are cut to head and tail before that; the summarizer
//! reads them whole where the head fits into the model's window.
//!
//! An empty snapshot is a failure, and so is a history that grew. Then only the cut of results is
//! left. In the source it is left from the next attempt on, as no further one asks a model (a
//! latch); here a pipeline remembers no failure, so that the same attempt cuts and the next one
//! asks again.
//!
//! Ours, where nothing is known of the source: what is left of a cut result, the limit of an answer,
//! the words of prompt and answer. The characters are those of content and arguments, without the
//! names of the fields around them.

use crate::plan::{Accept, GiveUp};
use crate::prelude::*;

const SYSTEM: &str = include_str!("../prompts/gemini-cli.md");
const ELEMENT: &str = "state_snapshot";
const OPEN: &str = "<state_snapshot>";
const CLOSE: &str = "</state_snapshot>";
const ASKED: &str = "Think first, then write the <state_snapshot>.";
const INTEGRATE: &str = "The history begins with an earlier <state_snapshot>. Take over all of it \
                         that still holds, and bring it up to date with what came after. ";
const VERIFY: &str = "Read your <state_snapshot> again beside the history. Is a constraint, a path, \
                      a value or an open step missing? Write the final <state_snapshot>, complete.";
const ACKNOWLEDGED: &str = "Got it. Thanks for the additional context!";
const CUT: &str = "\n[... the middle of this output was cut ...]\n";

const SNAPSHOT: RequestId = RequestId(0);
const PROBE: RequestId = RequestId(1);

parameters! {
    /// gemini-cli's compression.
    ///
    /// Keep-rules: `compress-share`, `result-tokens`, `cut-to`. Pressure: the limit, in the
    /// pipeline file.
    pub struct GeminiCli {
        eligibility "compress-share" compress_share: f64 = 0.7,
            "share of the characters up to which all is compressed";
        eligibility "result-tokens" result_tokens: usize = 50_000,
            "tokens of tool results that stay whole, newest first, 4 bytes each";
        eligibility "cut-to" cut_to: usize = 4_000, "bytes that are left of an older result";
        request "max-tokens" max_tokens: Tokens = Tokens(4_000), "most tokens of an answer";
    }
}

impl Strategy for GeminiCli {
    /// By the element, as the source tells an earlier snapshot.
    fn takes_for(&self, role: Role, content: &str, _: bool) -> Option<Taken> {
        Some(match role {
            Role::User if content.contains(OPEN) => Taken::Summary,
            Role::User => Taken::Human,
            _ => Taken::Other,
        })
    }

    fn check(&self) -> Result<(), String> {
        match (0.0..=1.0).contains(&self.compress_share) {
            true => Ok(()),
            false => Err(format!("`compress-share` {} is not from 0 to 1", self.compress_share)),
        }
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let cut = self.cut(view);
        let split = self.split(view);
        if split == 0 {
            return Decision::decline("nothing can be split off");
        }
        let best = Piece::Answer {
            first_of: vec![PROBE, SNAPSHOT],
            clean: Clean::Element(ELEMENT.to_owned()),
        };
        let snapshot = vec![Piece::literal(OPEN), best, Piece::literal(CLOSE)];
        let answer = vec![Piece::literal(ACKNOWLEDGED)];
        let mut slots = vec![
            Slot::New(NewEntry::new(Role::User, Kind::Summary, snapshot, Covers::Rest)),
            Slot::New(NewEntry::new(Role::Assistant, Kind::Notice, answer, Covers::Nothing)),
        ];
        slots.extend((split..view.len()).map(|place| slot(view, place, &cut)));
        let otherwise = (!cut.is_empty()).then(|| {
            let slots = (0..view.len()).map(|place| slot(view, place, &cut)).collect();
            Box::new(Plan::mechanical(Layout::Whole(slots)))
        });
        // The summarizer reads results whole where all of them fit into the model.
        let head: Tokens = view.entries()[..split].iter().map(|entry| entry.counted).sum();
        let shown = if head < context.budget.window { BTreeMap::new() } else { cut };
        let requests = self.requests(view, split, &shown);
        let plan = Plan::summarizing(Layout::Whole(slots), requests);
        Decision::Plan(Plan { accept: vec![Accept::NotLarger], otherwise, ..plan })
    }
}

impl GeminiCli {
    /// `findCompressSplitPoint`. The last messages of the user and results of tools are what is
    /// about to be sent, and no part of the source's history.
    fn split(&self, view: &View) -> usize {
        let said = view.entries().iter().rposition(|entry| entry.role == Role::Assistant);
        let history = &view.entries()[..said.map_or(0, |last| last + 1)];
        let length = |entry: &Entry| {
            entry.content_len() + entry.calls.iter().map(|call| call.args.len()).sum::<usize>()
        };
        let total: usize = history.iter().map(|entry| length(entry)).sum();
        let target = total as f64 * self.compress_share;
        let (mut seen, mut last) = (0, 0);
        for (place, entry) in history.iter().enumerate() {
            if entry.role == Role::User {
                if seen as f64 >= target {
                    return place;
                }
                last = place;
            }
            seen += length(entry);
        }
        match history.last().is_some_and(|entry| entry.calls.is_empty()) {
            true => history.len(),
            false => last,
        }
    }

    /// Results beyond the budget, by place.
    fn cut(&self, view: &View) -> BTreeMap<usize, Vec<Piece>> {
        let mut used = 0;
        let mut cut = BTreeMap::new();
        for (place, entry) in view.entries().iter().enumerate().rev() {
            if entry.role != Role::Tool {
                continue;
            }
            let (length, left) = (entry.content_len(), self.cut_to + CUT.len());
            let is_cut = used + length / 4 > self.result_tokens && length > left;
            // Of a cut result what is left counts.
            let stays = if is_cut { left } else { length };
            used += stays / 4;
            if is_cut {
                let of = Source::Entry(entry.id);
                cut.insert(place, Piece::middle_cut(&of, length, self.cut_to, CUT));
            }
        }
        cut
    }

    /// The snapshot, and the request that may better it.
    fn requests(
        &self,
        view: &View,
        split: usize,
        cut: &BTreeMap<usize, Vec<Piece>>,
    ) -> Vec<SummaryRequest> {
        let head = || (0..split).map(|place| item(view, place, cut));
        let is_snapshot = |entry: &Arc<Entry>| entry.content().contains(OPEN);
        let earlier = view.entries()[..split].iter().any(is_snapshot);
        let asked = format!("{}{ASKED}", if earlier { INTEGRATE } else { "" });
        let request = |id, instruction: &str| SummaryRequest {
            recover: BTreeMap::from([(FailureClass::Empty, Vec::new())]),
            ..SummaryRequest::new(
                id,
                Text::from(SYSTEM),
                vec![Piece::literal(instruction)],
                self.max_tokens,
            )
        };
        let draft = Item::Message {
            role: Role::Assistant,
            pieces: vec![Piece::answer(SNAPSHOT)],
            answers: None,
        };
        vec![
            SummaryRequest { items: head().collect(), ..request(SNAPSHOT, &asked) },
            SummaryRequest {
                items: head().chain([draft]).collect(),
                give_up: GiveUp::Nothing,
                ..request(PROBE, VERIFY)
            },
        ]
    }
}

fn slot(view: &View, place: usize, cut: &BTreeMap<usize, Vec<Piece>>) -> Slot {
    let entry = &view.entries()[place];
    cut.get(&place).map_or(Slot::Keep(entry.id), |pieces| reworded(entry, pieces.clone()))
}

fn item(view: &View, place: usize, cut: &BTreeMap<usize, Vec<Piece>>) -> Item {
    let entry = &view.entries()[place];
    cut.get(&place).map_or(Item::Entry(entry.id), |pieces| Item::Message {
        role: entry.role,
        pieces: pieces.clone(),
        answers: entry.answers.clone(),
    })
}
