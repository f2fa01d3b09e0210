//! Driving one cell: a log replayed through a pipeline. The scripted agent says what it said; in the
//! closed loop it also does something about what it has lost (`closed.rs`). [`Ask`] is the one blocking seam; truth is known only through [`FactTracker`].

mod closed;
pub mod consequences;
mod limits;
mod pass;
pub mod probe;
mod send;

pub use limits::{Admits, Limits, Mode, Wire};

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::answer::{Answers, Memo, Outcome};
use crate::apply::Applied;
use crate::archive::Archive;
use crate::cache::CacheSim;
use crate::log::files::{self, Edit};
use crate::log::{Author, Log, Role, Step, Text, opens_turn};
use crate::overlay::Overlay;
use crate::pipeline::Pipeline;
use crate::prelude::*;
use crate::pressure::{Budget, Gauge, Occasion};
use crate::price::PriceSheet;
use crate::strategy::{Exchanges, Taken};
use crate::summarize::fault::CallIndex;
use crate::summarize::{Ask, Stopped};
use crate::token::{Counter, Tally, TokenTable, Tokenizer};
use crate::trace::{Compaction, Composition, DemandRecord, EndedBy, EventRecord, Trace};
use crate::truth::Truth;
use crate::view::{Entry, Kind, View};
use crate::watch::{FactBook, FactTracker};

/// A session made ready: log, cuts, counts and fact book, shared by its cells.
#[derive(Debug)]
pub struct Session {
    /// The record.
    pub log: Log,
    /// Its steps.
    pub steps: Vec<Step>,
    /// Number of human turns.
    pub turns: u32,
    /// Reference counts.
    pub reference: TokenTable,
    /// Counts by the other tokenizers that pipelines use.
    pub tables: Vec<TokenTable>,
    /// The truth's side.
    pub book: Arc<FactBook>,
    /// Found when they are first asked for ([`Session::edits`]).
    pub edits: OnceLock<Vec<Edit>>,
}

impl Session {
    /// Ready for pipelines that count with these tokenizers, and for the reference.
    pub fn new(log: Log, truth: Truth, tokenizers: impl IntoIterator<Item = Tokenizer>) -> Session {
        let steps = log.steps();
        let turns = log.turns().len() as u32;
        let reference = TokenTable::new(&log, Counter::REFERENCE.tokenizer);
        let others = tokenizers.into_iter().filter(|one| *one != reference.tokenizer);
        let tables = others.map(|tokenizer| TokenTable::new(&log, tokenizer)).collect();
        let book = Arc::new(FactBook::new(&log, &steps, truth, &reference));
        Session { log, steps, turns, reference, tables, book, edits: OnceLock::new() }
    }

    /// The counts of a tokenizer.
    pub fn table(&self, tokenizer: Tokenizer) -> &TokenTable {
        let own = self.tables.iter().find(|table| table.tokenizer == tokenizer);
        own.unwrap_or(&self.reference)
    }

    /// Where a file is edited that was read before, in order.
    pub fn edits(&self) -> &[Edit] {
        self.edits.get_or_init(|| files::edits(&self.log, &self.steps))
    }

    /// Tokens of every prompt beyond its messages, in reference tokens.
    pub fn fixed(&self) -> Tokens {
        self.reference.system + self.reference.tools + self.log.overhead
    }
}

/// One cell's inputs.
#[derive(Clone, Copy)]
pub struct Cell<'a> {
    /// The session.
    pub session: &'a Session,
    /// The strategy configuration.
    pub pipeline: &'a Pipeline,
    /// What the model admits.
    pub limits: Limits,
    /// Which occasions count.
    pub mode: Mode,
    /// The summarizer.
    pub ask: &'a dyn Ask,
    /// Answers so far, shared by the session's cells with the same summarizer.
    pub memo: &'a Memo,
    /// Prices and rates.
    pub sheet: &'a PriceSheet,
    /// Which draw of a stochastic summarizer.
    pub replicate: u32,
    /// Whether the floor is probed.
    pub probes: bool,
    /// What strategies that are programs of their own answered, where that is kept.
    pub exchanges: Option<&'a dyn Exchanges>,
}

/// Everything that changes while a cell is driven. Cloned by the floor probe.
#[derive(Clone)]
struct State {
    /// Another in each cell of a process; a probe's copy has that of its cell.
    session: u64,
    view: View,
    /// By number: those of request-scope stages. A later stage's edits stand above an earlier's.
    overlays: BTreeMap<usize, Overlay>,
    archive: Archive,
    watch: FactTracker,
    cache: CacheSim,
    stale_from: usize,
    tally: Tally,
    happened: usize,
    /// First entry appended since the previous call.
    fresh: EntryId,
    /// First message that no call was made with.
    unread: MsgId,
    user_turn: u32,
    last_usage: Option<Tokens>,
    compacted_since: bool,
    /// By stage: what a strategy outside asked to be given again.
    memory: BTreeMap<usize, Text>,
    /// Of the next call of the summarizer, as far as it is made at the same step.
    moment: CallIndex,
    /// The view from before a failed pass, when the profile sends it.
    stale: Option<Box<Unchanged>>,
    /// The same, taken before the first change of the pass on its way.
    before_pass: Option<Box<Unchanged>>,
    /// A committed change broke a pair.
    broken_wire: Option<&'static str>,
}

#[derive(Clone)]
struct Unchanged {
    view: View,
    watch: FactTracker,
}

struct Drive<'a> {
    cell: Cell<'a>,
    budget: Budget,
    state: State,
    trace: Trace,
    /// Step number from 1, and human turn.
    step: u32,
    turn: u32,
    /// Told of the compactions; a probe's copy has none.
    observer: Option<&'a mut (dyn Observer + 'a)>,
    /// Where facts are sampled and the floor is probed; nowhere in a probe's copy.
    checkpoints: Vec<probe::Planned>,
}

/// Told what the compactions of a cell do. Texts that it does not keep are gone.
pub trait Observer {
    /// Requests were answered, or failed: those of the plan, then those of its fallback.
    fn asked(&mut self, _outcome: &Outcome) {}
    /// A change is about to be committed to the view.
    fn changing(&mut self, _: &View, _: &Applied, _: &Answers, _: &FactTracker) {}
    /// The compaction is over, and this is the view as it left it.
    fn compacted(&mut self, _record: &Compaction, _view: &View) {}
    /// A step's prompt was answered; what was needed there has been judged.
    fn sending(&mut self, _sent: &Sent) {}
}

/// A prompt as it was sent, without the agent's system prompt.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Sent<'a> {
    /// The step, from 1.
    pub step: u32,
    /// The history.
    pub view: &'a View,
    /// What was sent in place of entries of it, and behind them.
    pub overlay: &'a Overlay,
    /// First entry appended since the previous call.
    pub fresh: EntryId,
    /// What the step needed, and whether the history held it.
    pub demands: &'a [DemandRecord],
}

enum End {
    /// In the way that its trace records.
    By(EndedBy),
    /// Without a trace: the summarizer will not answer any more.
    Stopped(Stopped),
}

/// Drives a cell to its end, or fails where the summarizer stops: then nothing is measured.
pub fn drive(cell: Cell) -> Result<Trace, Stopped> {
    Drive::new(cell).run()
}

/// The same, with an observer of the compactions. It changes nothing.
pub fn drive_observed<'a>(
    cell: Cell<'a>,
    observer: &'a mut (dyn Observer + 'a),
) -> Result<Trace, Stopped> {
    let mut drive = Drive::new(cell);
    drive.observer = Some(observer);
    drive.run()
}

impl<'a> Drive<'a> {
    fn new(cell: Cell<'a>) -> Drive<'a> {
        let (log, pipeline) = (&cell.session.log, cell.pipeline);
        let own = cell.session.table(pipeline.counter.tokenizer);
        let budget = Budget {
            window: cell.limits.window,
            max_output: cell.limits.max_output,
            system: own.system + log.overhead,
            schemas: own.tools,
        };
        static SESSIONS: AtomicU64 = AtomicU64::new(1);
        let state = State {
            session: SESSIONS.fetch_add(1, Ordering::Relaxed),
            view: View::default(),
            overlays: BTreeMap::new(),
            archive: Archive::default(),
            watch: FactTracker::new(cell.session.book.clone()),
            cache: CacheSim::new(cell.sheet.cache(), cell.session.fixed()),
            stale_from: 0,
            tally: Tally::sharing(pipeline.counter, cell.memo.counted(), log.ratio),
            happened: 0,
            fresh: EntryId(0),
            unread: MsgId(0),
            user_turn: 0,
            last_usage: None,
            compacted_since: false,
            memory: BTreeMap::new(),
            moment: CallIndex::default(),
            stale: None,
            before_pass: None,
            broken_wire: None,
        };
        let steps_total = cell.session.steps.len() as u32;
        let trace = Trace { steps_total, closed: cell.mode.sweep(), ..Trace::default() };
        let (step, turn, observer, checkpoints) = (0, 0, None, Vec::new());
        Drive { cell, budget, state, trace, step, turn, observer, checkpoints }
    }

    fn run(mut self) -> Result<Trace, Stopped> {
        let session = self.cell.session;
        self.checkpoints = probe::checkpoints(session);
        let ended = session.steps.iter().enumerate().try_for_each(|(number, step)| {
            self.step = number as u32 + 1;
            self.take_step(number, step)
        });
        self.trace.ended_by = match ended {
            Ok(()) => EndedBy::Completed,
            Err(End::By(reason)) => reason,
            Err(End::Stopped(stopped)) => return Err(stopped),
        };
        Ok(self.finish())
    }

    fn take_step(&mut self, number: usize, step: &Step) -> Result<(), End> {
        self.state.fresh = self.state.view.next_id();
        self.state.watch.begin_step(number);
        let mut results = false;
        for index in step.appended.clone() {
            self.before_message(index)?;
            results |= self.cell.session.log.messages[index].role == Role::Tool;
            self.append(index);
        }
        if results {
            self.pass(Occasion::AfterTools)?;
        }
        self.at_boundary(step.answer.index())?;
        self.pass(Occasion::BeforeCall)?;
        if self.cell.probes
            && let Some(planned) = self.checkpoint_at(number)
        {
            let checkpoint = self.probe(planned)?;
            self.trace.checkpoints.push(checkpoint);
        }
        self.send_step(number, step)?;
        self.append(step.answer.index());
        self.pass(Occasion::AfterAnswer)?;
        Ok(())
    }

    fn checkpoint_at(&self, step: usize) -> Option<probe::Planned> {
        self.checkpoints.iter().find(|planned| planned.step == step).copied()
    }

    fn before_message(&mut self, index: usize) -> Result<(), End> {
        self.at_boundary(index)?;
        if opens_turn(&self.cell.session.log.messages[index]) {
            if self.turn > 0 {
                self.pass(Occasion::TurnEnd)?;
            }
            self.pass(Occasion::TurnStart)?;
            self.turn += 1;
        }
        Ok(())
    }

    fn at_boundary(&mut self, index: usize) -> Result<(), End> {
        let boundaries = &self.cell.session.log.boundaries;
        if boundaries.iter().any(|boundary| boundary.before.index() == index) {
            self.pass(Occasion::Boundary)?;
        }
        Ok(())
    }

    fn append(&mut self, index: usize) {
        let session = self.cell.session;
        let message = &session.log.messages[index];
        let state = &mut self.state;
        if message.role == Role::User {
            state.user_turn += 1;
        }
        let counter = self.cell.pipeline.counter;
        let own = session.table(counter.tokenizer).messages[index].total() + counter.overhead();
        let counts = session.reference.messages[index].clone();
        let id = state.view.next_id();
        let entry = Entry::of_message(id, message, state.user_turn, counts, own);
        state.watch.appended(&entry);
        state.happened = index + 1;
        self.count_taken(&entry);
        self.state.view.append(entry);
    }

    /// Counts a new entry that a stage takes for what it is not; no count where all go by kind.
    fn count_taken(&mut self, entry: &Entry) {
        let is = match (entry.kind, entry.author) {
            (kind, _) if kind.is_summary() => Taken::Summary,
            (Kind::Message, Author::Human) => Taken::Human,
            _ => Taken::Other,
        };
        let (content, calls) = (entry.content(), !entry.calls.is_empty());
        let stages = self.cell.pipeline.stages.iter().map(|stage| stage.strategy.strategy());
        let taken = stages.filter_map(|one| one.takes_for(entry.role, &content, calls));
        if let Some(wrong) = taken.map(|taken| taken != is).reduce(|one, other| one | other) {
            *self.trace.misclassified.get_or_insert(0) += u32::from(wrong);
        }
    }

    fn gauge(&self) -> Gauge {
        let state = &self.state;
        Gauge {
            messages: state.view.counted() + Tokens(self.cell.pipeline.counter.per_list),
            reference: state.view.tokens(),
            last_usage: state.last_usage,
            compacted_since: state.compacted_since,
        }
    }

    fn event(&mut self, event: crate::trace::Event) {
        // The number of the compaction on its way is one past those recorded.
        let compaction = self.trace.compactions.len() as u32 + 1;
        self.trace.events.push(EventRecord { step: self.step, compaction, event });
    }

    fn finish(mut self) -> Trace {
        let reached = self.trace.steps.len();
        self.trace.last = Composition::of(&self.state.view);
        self.state.watch.conclude(reached, &mut self.trace);
        self.trace
    }
}

#[cfg(test)]
mod tests;
