//! OpenHands' summarizing condensers: that of the V1 SDK (`openhands`) and the one named `llm` of
//! V0 (`openhands-v0`).
//!
//! V1 is `LLMSummarizingCondenser` of OpenHands/software-agent-sdk at 611629e. The first events and
//! the last ones stay, and a summary in the user's role stands between. There are three reasons to
//! act: more events than `max_size`, more tokens than the limit, and a request, which the agent
//! makes where the model refuses a prompt. Each says how much of the end may stay, and the least
//! counts. Both ends of what is forgotten move on to the next place that parts no call from its
//! result. The number of events alone is a soft requirement: where nothing can be forgotten, less
//! than a tenth would be, or the summary fails, all stays as it is. The other two are hard: then
//! everything is forgotten for one summary (a hard context reset). Where that fails it is tried
//! again with events cut shorter, and at last the session ends.
//!
//! The summarizer is shown previews: the first 500 characters of each event, and of a call its name
//! without arguments. An earlier summary is an event like any other, previewed likewise.
//!
//! V0 is `LLMSummarizingCondenser` of All-Hands-AI/OpenHands. It counts events alone, cuts where
//! the count falls, shows events up to 10,000 characters and shows the earlier summary apart. A
//! result whose call is forgotten is not sent any more, and no summary knows of it.
//!
//! An event is a message, or one call of a message. The system prompt is the first one. In V1, a
//! result that answers no call and a call without a result are not sent; here they stay and bind
//! nothing.
//!
//! Not known of the source, and ours: the words of the prompt (its sections are the source's), how
//! an event is written and the length of the notice in a cut one. What the model takes as input is
//! the window less the longest answer; there it stands in a table of models. Not as in the source:
//! a hard context reset leaves the system prompt; a condensation is followed by a call and not by
//! another one at once; loops of tools under thinking blocks can be cut, as no log tells them; V0
//! ends in an error where a request finds nothing to forget, and here nothing is done. Whether the
//! first message of the user is put back into what V0 sends differs between its versions; it is not
//! here.

mod v0;

pub use v0::OpenHandsV0;

use crate::prelude::*;
use crate::pressure::Budget;

/// The sections are those of both sources.
const PROMPT: &str = include_str!("../prompts/openhands.md");
const ASKED: &str = "Now write the sections.";
const NOTICE: &str = "[cut]";

/// Characters of an event that V1 shows.
const PREVIEW: usize = 500;

parameters! {
    /// V1's condenser with the defaults of its class. The agent that the SDK makes by itself has
    /// `max-size` 80 and `keep-first` 4.
    ///
    /// Keep-rules: `max-size`, `keep-first`, `minimum-progress`. Pressure: `max-tokens`, and the
    /// window.
    pub struct OpenHands {
        eligibility "max-size" max_size: usize = 240, "most events; half of them stay";
        eligibility "keep-first" keep_first: usize = 2,
            "events at the start that stay, the system prompt among them";
        eligibility "minimum-progress" minimum_progress: f64 = 0.1,
            "least share of the events that is worth a summary";
        pressure "max-tokens" max_tokens: Tokens = Tokens::ZERO,
            "most tokens, beside what the model takes; 0 for that alone";
        request "hard-context-reset-max-retries" resets: usize = 5,
            "how often a hard context reset is tried";
        request "hard-context-reset-context-scaling" scaling: f64 = 0.8,
            "what the longest event shrinks by after a reset that failed";
    }
}

impl Strategy for OpenHands {
    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("hard-context-reset-max-retries", self.resets as u64)])?;
        check_sizes(self.max_size, self.keep_first + 1)?;
        let shares = [
            ("minimum-progress", self.minimum_progress),
            ("hard-context-reset-context-scaling", self.scaling),
        ];
        match shares.into_iter().find(|(_, share)| *share <= 0.0 || *share >= 1.0) {
            Some((name, share)) => Err(format!("`{name}` {share} is not between 0 and 1")),
            None => Ok(()),
        }
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let events = Events::of(view, context.budget);
        let asked = is_forced(context.occasion).then(|| self.tail(events.len()));
        let counted = (events.len() > self.max_size).then(|| self.tail(self.max_size));
        let pressed = self.tail_by_tokens(view, &events, context.budget);
        let Some(tail) = asked.into_iter().chain(counted).chain(pressed).min() else {
            return Decision::decline("there is room");
        };
        let is_hard = asked.is_some() || pressed.is_some();
        match self.forgotten(view, &events, tail) {
            Some(forgotten) => Decision::Plan(Plan {
                otherwise: is_hard.then(|| self.reset(view)).flatten(),
                then: if is_hard { Then::AsPipeline } else { Then::Continue },
                ..folding(view, forgotten, None)
            }),
            None if is_hard => {
                let reset = self.reset(view).map(|plan| *plan);
                reset.map_or(Decision::decline("there is no event"), Decision::Plan)
            }
            None => Decision::decline("nothing can be forgotten"),
        }
    }
}

impl OpenHands {
    /// Events at the end that stay where so many events are to become half of that.
    fn tail(&self, events: usize) -> isize {
        (events / 2) as isize - self.keep_first as isize - 1
    }

    /// The same where there are too many tokens: so many events that what goes before them makes
    /// the rest fit half of the limit.
    fn tail_by_tokens(&self, view: &View, events: &Events, budget: &Budget) -> Option<isize> {
        let model = budget.window - budget.max_output;
        let own = Some(self.max_tokens).filter(|most| *most > Tokens::ZERO);
        let most = own.map_or(model, |own| own.min(model));
        let used = view.counted() + budget.system + budget.schemas;
        if used <= most {
            return None;
        }
        let excess = used - Tokens(most.0 / 2);
        let mut freed = Tokens::ZERO;
        let frees_enough = |place: &usize| {
            freed += view.entries()[*place].counted;
            freed > excess
        };
        let first = events.starts.partition_point(|start| *start < self.keep_first);
        let last = (first..view.len()).find(frees_enough);
        Some(last.map_or(0, |last| (events.len() - events.starts[last + 1]) as isize))
    }

    /// The places that are forgotten, where that is worth it.
    fn forgotten(&self, view: &View, events: &Events, tail: isize) -> Option<Range<usize>> {
        let seams = seams(view.entries());
        let next = |event: isize| {
            (0..=view.len()).find(|place| seams[*place] && events.starts[*place] as isize >= event)
        };
        let range = next(self.keep_first as isize)?..next(events.len() as isize - tail)?;
        let progress = events.starts[range.end].saturating_sub(events.starts[range.start]);
        let least = events.len() as f64 * self.minimum_progress;
        (!range.is_empty() && progress as f64 >= least).then_some(range)
    }

    /// Everything becomes a summary, of events that are cut shorter each time it fails.
    fn reset(&self, view: &View) -> Option<Box<Plan>> {
        let preview = |entry: &Arc<Entry>| entry.content_len().min(PREVIEW);
        let longest = view.entries().iter().map(preview).max()?;
        let shorter = |most: &usize| Some((*most as f64 * self.scaling) as usize);
        let limits = std::iter::successors(shorter(&longest), shorter).map(Some);
        let limits: Vec<Option<usize>> =
            [None].into_iter().chain(limits).take(self.resets).collect();
        limits.into_iter().rev().fold(None, |otherwise, most| {
            Some(Box::new(Plan { otherwise, ..folding(view, 0..view.len(), most) }))
        })
    }
}

/// Half of the events leave room for what stays at the start and a summary.
fn check_sizes(max_size: usize, keep_first: usize) -> Result<(), String> {
    match keep_first < max_size / 2 {
        true => Ok(()),
        false => Err("`keep-first` leaves no room in half of `max-size`".to_owned()),
    }
}

/// Where the events of a view begin and end.
struct Events {
    /// The number of the first event of each entry; at last, how many there are.
    starts: Vec<usize>,
}

impl Events {
    fn of(view: &View, budget: &Budget) -> Events {
        let mut starts = vec![usize::from(budget.system > Tokens::ZERO)];
        for entry in view.entries() {
            starts.push(starts.last().map_or(0, |start| start + event_count(entry)));
        }
        Events { starts }
    }

    fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }
}

/// A summary in place of a range, of events of at most so many characters.
fn folding(view: &View, forgotten: Range<usize>, most: Option<usize>) -> Plan {
    let mut asked = vec![Piece::literal(PROMPT)];
    for entry in &view.entries()[forgotten.clone()] {
        let mut content = preview(entry, most);
        for number in 0..event_count(entry) {
            asked.push(Piece::literal(format!("<EVENT>\n[{}] ", entry.role.name())));
            asked.append(&mut content);
            let name = entry.calls.get(number).map(|call| format!("\nAction: {}", call.name));
            asked.push(Piece::literal(format!("{}\n</EVENT>\n", name.unwrap_or_default())));
        }
    }
    asked.push(Piece::literal(ASKED));
    let instead = BTreeMap::from([(forgotten.start, vec![summary(Covers::Rest)])]);
    let places: Vec<usize> = forgotten.collect();
    let request = SummaryRequest::new(RequestId(0), Text::from(""), asked, Tokens::UNBOUNDED);
    Plan::summarizing(Layout::Whole(replacing(view, &places, instead)), vec![request])
}

fn summary(covers: Covers) -> Slot {
    let pieces = vec![Piece::answer(RequestId(0))];
    Slot::New(NewEntry::new(Role::User, Kind::Summary, pieces, covers))
}

/// The beginning of an event, cut in the middle where even that is too long. A limit of nothing is
/// none, as in the source.
fn preview(entry: &Entry, most: Option<usize>) -> Vec<Piece> {
    let quote = |from, to| Piece::Quote { of: Source::Entry(entry.id), bytes: Some((from, to)) };
    let length = entry.content_len().min(PREVIEW);
    let Some(most) = most.filter(|most| *most > 0 && *most < length) else {
        let more = if length < entry.content_len() { "..." } else { "" };
        return vec![quote(0, length), Piece::literal(more)];
    };
    let Some(left) = most.checked_sub(NOTICE.len()).filter(|left| *left > 0) else {
        return vec![Piece::literal(&NOTICE[..most])];
    };
    let tail = left / 2;
    vec![quote(0, left - tail), Piece::literal(NOTICE), quote(length - tail, length)]
}
