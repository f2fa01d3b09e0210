//! From requests to answers: render, ask in waves (a request may use an earlier answer), recover,
//! give up. Every try is recorded and billed; a prompt that the summarizer does not admit is
//! refused unasked and not billed, and a remembered answer is billed like a new one.

mod render;

pub use render::Malformed;
pub(crate) use render::Sources;
use render::{Rendered, render};

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::log::{CallId, Past, Text};
use crate::plan::{GiveUp, Item, Recovery, SummaryRequest};
use crate::prelude::*;
use crate::summarize::fault::{CallIndex, FaultKind};
use crate::summarize::{Answer, Ask, AskError, FailureClass, Finish, Prompt, Reply, Stopped};
use crate::token::{Counted, Tally};
use crate::view::{Spans, View};

/// A stretch of the conversation that an answered request really held.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The entry it came from; `None` for text straight from the log.
    pub entry: Option<EntryId>,
    /// The words.
    pub text: Text,
    /// Whether this is all of the entry's content (calls apart).
    pub whole: bool,
    /// Its reference tokens.
    pub tokens: Tokens,
    /// The log messages it stands for.
    pub spans: Spans,
    /// Its generation.
    pub generation: u32,
}

/// The answer to one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The text, or what the profile says in its place.
    pub text: Text,
    /// What the request showed when it was answered, after all trimming.
    pub shown: Vec<Shown>,
    /// The strategy's own words in the prompt, its system prompt among them.
    pub words: Vec<Text>,
    /// Whether the text is the profile's stand-in after failures.
    pub stand_in: bool,
    /// Why the answer ended; as if of itself for a stand-in.
    pub finish: Finish,
}

impl Answered {
    /// Log messages that the request showed.
    pub fn spans(&self) -> Spans {
        Spans::union(self.shown.iter().map(|shown| &shown.spans))
    }

    /// Whether the request came to nothing: every remedy spent, no text in its place.
    fn is_nothing(&self) -> bool {
        self.stand_in && self.text.is_empty()
    }

    /// Generation of the answer: one more than the most that it was shown.
    fn generation(&self) -> u32 {
        1 + self.shown.iter().map(|shown| shown.generation).max().unwrap_or(0)
    }
}

/// Answers by request.
pub type Answers = BTreeMap<RequestId, Answered>;

/// One try of one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The request.
    pub request: RequestId,
    /// Number of the batch that it was asked in: tries of a batch run at once.
    pub batch: u32,
    /// `None` when it was accepted.
    pub failed: Option<FailureClass>,
    /// Reference tokens of the prompt.
    pub prompt: Tokens,
    /// Reference tokens of the answer.
    pub completion: Tokens,
    /// Whether the provider bills it: refused and failed calls are not billed.
    pub billed: bool,
    /// Leading entries of the view that the prompt repeats exactly: what it can read from cache.
    pub prefix_entries: usize,
    /// What the summarizer was made to do wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultKind>,
}

/// Successful answers of one session, by digest of what determines them, and the lengths of texts.
#[derive(Debug, Default)]
pub struct Memo {
    answers: Mutex<FxHashMap<u128, (Answer, Tokens)>>,
    counted: Arc<Counted>,
}

impl Memo {
    /// What the session's cells have counted.
    pub fn counted(&self) -> Arc<Counted> {
        self.counted.clone()
    }

    fn answers(&self) -> MutexGuard<'_, FxHashMap<u128, (Answer, Tokens)>> {
        // A poisoned lock only means that another cell panicked; the map is whole.
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Everything outside the plan that answering needs.
#[derive(Clone, Copy)]
pub struct AnswerContext<'a> {
    /// The summarizer.
    pub ask: &'a dyn Ask,
    /// What was answered before in this session.
    pub memo: &'a Memo,
    /// Counts prompts and answers.
    pub tally: &'a Tally,
    /// The agent's window.
    pub window: Tokens,
    /// The agent's system prompt.
    pub system: &'a Text,
    /// The agent's tool schemas.
    pub tools: &'a Text,
    /// The log so far.
    pub past: Past<'a>,
    /// Which draw of a stochastic summarizer this cell takes.
    pub replicate: u32,
    /// When the first request is asked.
    pub moment: CallIndex,
}

/// The outcome of a plan's requests.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The answers, stand-ins included.
    pub answers: Answers,
    /// Every try in order.
    pub attempts: Vec<Attempt>,
    /// What each request was when it was last asked, all trimming done.
    pub prompts: BTreeMap<RequestId, Prompt>,
    /// The last failure of a request that failed for good and fails the plan.
    pub failure: Option<AskError>,
    /// Calls of the summarizer: tries that were neither refused here nor remembered.
    pub asked: u32,
}

impl Outcome {
    /// The same, and then what later requests came to: its batches follow those before it.
    pub(crate) fn then(mut self, later: Outcome) -> Outcome {
        let batch = self.attempts.last().map_or(0, |last| last.batch + 1);
        let moved = later.attempts.into_iter().map(|a| Attempt { batch: batch + a.batch, ..a });
        self.attempts.extend(moved);
        self.answers.extend(later.answers);
        self.prompts.extend(later.prompts);
        Outcome { failure: later.failure, asked: self.asked + later.asked, ..self }
    }
}

/// Why requests have no outcome at all.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerError {
    /// The plan names what is not there.
    Malformed(Malformed),
    /// The summarizer will not answer any more.
    Stopped(Stopped),
}

/// Has the requests answered. Fails where they name what is not there, or the summarizer stops.
pub fn answer(
    requests: &[SummaryRequest],
    view: &View,
    context: &AnswerContext,
) -> Result<Outcome, AnswerError> {
    let mut outcome = Outcome::default();
    let mut numbers = FxHashSet::default();
    if let Some(doubled) = requests.iter().find(|request| !numbers.insert(request.id)) {
        let rule = format!("two requests have the number {}", doubled.id.0);
        return Err(AnswerError::Malformed(Malformed(rule)));
    }
    let mut open: Vec<Remedies> = requests.iter().map(Remedies::new).collect();
    while !open.is_empty() && outcome.failure.is_none() {
        // A later preference is taken only once the earlier ones have come to nothing.
        let known = |id: &RequestId| outcome.answers.contains_key(id);
        let ready = |open: &Remedies| render::dependencies(open.request).flatten().all(known);
        let (wave, later): (Vec<_>, Vec<_>) = open.into_iter().partition(ready);
        if wave.is_empty() {
            let id = later[0].request.id.0;
            let rule = format!("request {id} waits for an answer that no request gives");
            return Err(AnswerError::Malformed(Malformed(rule)));
        }
        open = later;
        run_wave(wave, view, context, &mut outcome)?;
    }
    Ok(outcome)
}

fn run_wave(
    mut wave: Vec<Remedies>,
    view: &View,
    context: &AnswerContext,
    outcome: &mut Outcome,
) -> Result<(), AnswerError> {
    while !wave.is_empty() && outcome.failure.is_none() {
        let sources = Sources { view, past: context.past, answers: &outcome.answers };
        let rendered = wave.iter_mut().map(|open| render(open, sources, context));
        let rendered: Result<Vec<Rendered>, Malformed> = rendered.collect();
        let rendered = rendered.map_err(AnswerError::Malformed)?;
        let replies = ask_batch(&rendered, context, &mut outcome.asked);
        let replies = replies.map_err(AnswerError::Stopped)?;
        let batch = outcome.attempts.last().map_or(0, |last| last.batch + 1);
        let mut again = Vec::new();
        for ((mut open, rendered), result) in wave.into_iter().zip(rendered).zip(replies) {
            let (reply, completion, fault) = result;
            let (id, judged) = (open.request.id, judge(open.request, reply, completion, &rendered));
            let failed = judged.as_ref().err().map(|error| error.class);
            outcome.attempts.push(Attempt {
                request: id,
                batch,
                failed,
                prompt: rendered.tokens,
                completion,
                billed: failed.is_none_or(FailureClass::has_answer),
                prefix_entries: rendered.prefix_entries,
                fault,
            });
            match judged {
                Ok(Answer { text, finish }) => {
                    let (shown, words) = (rendered.shown.clone(), rendered.words());
                    let text = text.into();
                    let answered = Answered { text, shown, words, stand_in: false, finish };
                    outcome.answers.insert(id, answered);
                }
                Err(error) if open.apply(error.class, view) => again.push(open),
                Err(error) => give_up(open.request, error, outcome),
            }
            outcome.prompts.extend(rendered.prompt.map(|prompt| (id, prompt)));
        }
        wave = again;
    }
    Ok(())
}

/// A reply, its reference tokens, and the fault that the summarizer showed.
type CallResult = (Reply, Tokens, Option<FaultKind>);

fn failed(error: AskError) -> CallResult {
    (Err(error), Tokens::ZERO, None)
}

/// The result of each prompt, in order: oversized ones are refused, remembered ones not asked.
fn ask_batch(
    rendered: &[Rendered],
    context: &AnswerContext,
    calls: &mut u32,
) -> Result<Vec<CallResult>, Stopped> {
    let memoizes = context.ask.memoizes();
    let mut replies: Vec<Option<CallResult>> = Vec::with_capacity(rendered.len());
    let (mut asked, mut batch) = (Vec::new(), Vec::new());
    for (index, rendered) in rendered.iter().enumerate() {
        let known = match &rendered.prompt {
            Some(prompt) => {
                let key = memoizes.then(|| prompt.fingerprint());
                let hit = key.and_then(|key| context.memo.answers().get(&key).cloned());
                if hit.is_none() {
                    asked.push((index, key));
                    batch.push(prompt.clone());
                }
                hit.map(|(answer, completion)| (Ok(answer), completion, None))
            }
            None => Some(failed(too_large(rendered, context))),
        };
        replies.push(known);
    }
    if !batch.is_empty() {
        let first = context.moment.later(*calls);
        *calls += batch.len() as u32;
        let replied = context.ask.ask_at(&batch, first)?;
        for (((index, key), reply), later) in asked.into_iter().zip(replied).zip(0..) {
            let tokens = reply.as_ref().map_or(Tokens::ZERO, |a| context.tally.reference(&a.text));
            if let (Some(key), Ok(answer)) = (key, &reply) {
                context.memo.answers().insert(key, (answer.clone(), tokens));
            }
            let fault = context.ask.fault_at(first.later(later));
            replies[index] = Some((reply, tokens, fault));
        }
    }
    let unanswered = || failed(AskError::unanswered());
    Ok(replies.into_iter().map(|reply| reply.unwrap_or_else(unanswered)).collect())
}

fn too_large(rendered: &Rendered, context: &AnswerContext) -> AskError {
    let message = format!(
        "prompt of {} and {} to answer exceed the window of {} tokens",
        rendered.tokens,
        rendered.max_tokens,
        context.ask.limits().window(context.window)
    );
    AskError::new(FailureClass::Overflow, message)
}

/// Whether the profile takes the reply for an answer.
fn judge(request: &SummaryRequest, reply: Reply, completion: Tokens, rendered: &Rendered) -> Reply {
    let answer = reply?;
    let class = match answer.finish {
        Finish::ToolCall => Some(FailureClass::ToolCall),
        Finish::Length => Some(FailureClass::Truncated),
        Finish::Stop if answer.text.trim().is_empty() => Some(FailureClass::Empty),
        Finish::Stop if completion > rendered.material => Some(FailureClass::Inflated),
        Finish::Stop => None,
    };
    match class {
        Some(class) if request.recover.contains_key(&class) => {
            Err(AskError::new(class, "the profile does not take such an answer"))
        }
        _ => Ok(answer),
    }
}

fn give_up(request: &SummaryRequest, error: AskError, outcome: &mut Outcome) {
    let text = match request.give_up_on.get(&error.class).unwrap_or(&request.give_up) {
        GiveUp::FailPlan => {
            outcome.failure = Some(error);
            return;
        }
        GiveUp::Say(text) => text.as_str(),
        GiveUp::Nothing => "",
    };
    let (text, shown, words) = (text.into(), Vec::new(), Vec::new());
    let finish = Finish::Stop;
    outcome.answers.insert(request.id, Answered { text, shown, words, stand_in: true, finish });
}

/// How a failed request is changed before it is asked again.
struct Remedies<'a> {
    request: &'a SummaryRequest,
    keep: Vec<bool>,
    /// By class: which remedy is in use, and how often it was.
    spent: BTreeMap<FailureClass, (usize, u32)>,
    /// Reference tokens, of all that is shown and by item, once the whole request was written.
    sizes: Option<(Tokens, Vec<Tokens>)>,
    /// By call: the items that make or answer it, once a remedy asks for pairs.
    calls: Option<FxHashMap<CallId, Vec<usize>>>,
}

impl<'a> Remedies<'a> {
    fn new(request: &'a SummaryRequest) -> Remedies<'a> {
        Remedies {
            request,
            keep: vec![true; request.items.len()],
            spent: BTreeMap::new(),
            sizes: None,
            calls: None,
        }
    }

    fn measure(&mut self, total: Tokens, items: Vec<Tokens>) {
        if items.len() == self.keep.len() {
            self.sizes = Some((total, items));
        }
    }

    fn items(&self) -> impl Iterator<Item = &'a Item> {
        self.request.items.iter().zip(&self.keep).filter(|(_, keep)| **keep).map(|(item, _)| item)
    }

    /// Applies the next remedy for this class; false when there is none left.
    fn apply(&mut self, class: FailureClass, view: &View) -> bool {
        let Some(remedies) = self.request.recover.get(&class) else { return false };
        let (mut number, mut used) = self.spent.get(&class).copied().unwrap_or((0, 0));
        while let Some(remedy) = remedies.get(number) {
            let applies = match remedy {
                Recovery::Retry(times) => used < *times,
                Recovery::TrimOldest { pairs, leave } => self.trim_oldest(*pairs, *leave, view),
            };
            if applies {
                self.spent.insert(class, (number, used + 1));
                return true;
            }
            (number, used) = (number + 1, 0);
        }
        self.spent.insert(class, (number, used));
        false
    }

    fn trim_oldest(&mut self, pairs: bool, leave: usize, view: &View) -> bool {
        let Some(oldest) = self.keep.iter().position(|keep| *keep) else { return false };
        let mut going = vec![oldest];
        if pairs {
            let partners = self.calls.get_or_insert_with(|| items_by_call(self.request, view));
            let touched = calls_of(&self.request.items[oldest], view);
            going.extend(touched.filter_map(|call| partners.get(call)).flatten().copied());
            going.retain(|index| self.keep[*index]);
            going.sort_unstable();
            going.dedup();
        }
        let shown = self.keep.iter().filter(|keep| **keep).count();
        // Trimming everything is no request at all; the next remedy needs the items.
        if shown <= leave || leave > 0 && going.len() == shown {
            return false;
        }
        for index in going {
            self.keep[index] = false;
            if let Some((total, items)) = &mut self.sizes {
                *total -= items[index];
            }
        }
        true
    }
}

/// The calls that an item makes, and the one that it answers.
fn calls_of<'a>(item: &'a Item, view: &'a View) -> impl Iterator<Item = &'a CallId> {
    let (made, answered) = match item {
        Item::Entry(id) => view
            .entry(*id)
            .map_or((&[][..], None), |entry| (&entry.calls[..], entry.answers.as_ref())),
        Item::Message { answers, .. } => (&[][..], answers.as_ref()),
    };
    made.iter().map(|call| &call.id).chain(answered)
}

fn items_by_call(request: &SummaryRequest, view: &View) -> FxHashMap<CallId, Vec<usize>> {
    let mut items: FxHashMap<CallId, Vec<usize>> = FxHashMap::default();
    for (index, item) in request.items.iter().enumerate() {
        for call in calls_of(item, view) {
            items.entry(call.clone()).or_default().push(index);
        }
    }
    items
}

#[cfg(test)]
mod tests;
