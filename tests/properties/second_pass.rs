//! A second pass without new messages: does it change anything?

use proctor::answer::{AnswerContext, Memo, answer};
use proctor::apply::{apply, commit};
use proctor::drive::Session;
use proctor::ident::MsgId;
use proctor::pipeline::{Pipeline, Repeat, Stage};
use proctor::plan::Decision;
use proctor::pressure::{Budget, Forced, Gauge, Occasion, Reading, When, read_any};
use proctor::strategy::{PlanContext, Scope};
use proctor::token::Tally;
use proctor::unit::Tokens;
use proctor::view::{Entry, View};
use proptest::strategy::{Strategy as _, ValueTree as _};
use rayon::prelude::*;

use crate::properties::asked::Brief;
use crate::properties::driven::limits;
use crate::properties::random::{runner, scenes};
use crate::properties::table::behaviours;
use crate::properties::witnesses::sessions;

/// A session as it stands before its last answer, with all of its messages in the view.
struct Standing<'a> {
    session: &'a Session,
    pipeline: &'a Pipeline,
    budget: Budget,
    tally: Tally,
    view: View,
    happened: usize,
    turn: u32,
}

impl<'a> Standing<'a> {
    fn new(session: &'a Session, pipeline: &'a Pipeline, window: u64) -> Standing<'a> {
        let counter = pipeline.counter;
        let own = session.table(counter.tokenizer);
        let limits = limits(window, 0);
        let budget = Budget {
            window: limits.window,
            max_output: limits.max_output,
            system: own.system,
            schemas: own.tools,
        };
        let happened = session.steps.last().map_or(0, |step| step.answer.index());
        let (mut view, mut turn) = (View::default(), 0);
        for (index, message) in session.log.messages[..happened].iter().enumerate() {
            turn += u32::from(message.role == proctor::log::Role::User);
            let counted = own.messages[index].total() + counter.overhead();
            let counts = session.reference.messages[index].clone();
            let id = view.next_id();
            view.append(Entry::of_message(id, message, turn, counts, counted));
        }
        Standing { session, pipeline, budget, tally: Tally::new(counter), view, happened, turn }
    }

    /// Every stage once, as before a call; whether the view changed.
    fn pass(&mut self) -> bool {
        let stages = self.pipeline.stages.iter();
        let history = stages.filter(|stage| stage.strategy.strategy().scope() == Scope::History);
        history.fold(false, |changed, stage| self.stage(stage) | changed)
    }

    fn stage(&mut self, stage: &Stage) -> bool {
        let own = stage.on.iter().find(|(occasion, _)| !occasion.is_reactive());
        let Some((occasion, when)) = own else { return false };
        let mut changed = false;
        for round in 0..64 {
            let reading = read_any(&stage.pressure, &self.budget, &self.gauge(), Forced::No);
            let due = match (round, stage.repeat, reading) {
                (0, _, reading) => *when == When::Always || reading.is_none_or(|one| one.met),
                (_, Repeat::Once, _) => false,
                (_, Repeat::ToTarget, Some(reading)) => reading.used > reading.target,
                (_, Repeat::ToTarget | Repeat::UntilStable, _) => true,
            };
            if !due || !self.act(stage, *occasion, reading) {
                break;
            }
            changed = true;
        }
        changed
    }

    fn gauge(&self) -> Gauge {
        Gauge {
            messages: self.view.counted() + Tokens(self.pipeline.counter.per_list),
            reference: self.view.tokens(),
            // A call was made, and what it used says nothing of the view as it is now.
            last_usage: Some(self.session.fixed() + self.view.tokens()),
            compacted_since: true,
        }
    }

    fn act(&mut self, stage: &Stage, occasion: Occasion, reading: Option<Reading>) -> bool {
        let past = self.session.log.past(self.happened);
        let (budget, turn) = (&self.budget, self.turn);
        let context = PlanContext { occasion, budget, reading, past, turn, desk: None };
        let strategy = stage.strategy.strategy();
        let Decision::Plan(plan) = strategy.plan(&self.view, &context) else { return false };
        let (ask, memo) = (Brief::default(), Memo::default());
        let desk = AnswerContext {
            ask: &ask,
            memo: &memo,
            tally: &self.tally,
            window: Tokens::UNBOUNDED,
            system: &self.session.log.system,
            tools: &self.session.log.tools,
            past,
            replicate: 0,
            moment: Default::default(),
        };
        let answers = answer(&plan.requests, &self.view, &desk).expect("well-formed").answers;
        let whole = strategy.claims_whole_turns();
        let applied =
            apply(&self.view, &plan.layout, &answers, past, &self.tally, whole, MsgId(u32::MAX))
                .expect("a well-formed plan");
        let (before, after) = (self.view.counted(), applied.counted);
        if !plan.accept.iter().all(|rule| rule.holds(before, after)) {
            return false;
        }
        commit(&mut self.view, &applied);
        !applied.change.is_empty()
    }
}

/// Whether the second of two passes changes anything; `None` where the first does not.
fn acts_again(session: &Session, pipeline: &Pipeline, window: u64) -> Option<bool> {
    let mut standing = Standing::new(session, pipeline, window);
    standing.pass().then(|| standing.pass())
}

/// pass(pass(v)) = pass(v) where the table says so, and not where it does not: there
/// some session shows that the second pass changes the view again.
#[test]
fn a_second_pass_changes_what_the_table_says() {
    let mut runner = runner(8);
    let mut drawn = || scenes().new_tree(&mut runner).expect("a scene").current();
    let random: Vec<(Session, u64)> =
        (0..8).map(|_| drawn()).map(|scene| (scene.session(), scene.window)).collect();
    let wrong: Vec<String> = behaviours()
        .par_iter()
        .filter_map(|behaviour| {
            let pipeline = proctor::strategy::pipeline(behaviour.pipeline).expect("it ships");
            let shapes = sessions().map(|(shape, session)| (session, shape.window));
            let random = random.iter().map(|(session, window)| (session, *window));
            let passes: Vec<bool> = shapes
                .chain(random)
                .filter_map(|(session, window)| acts_again(session, &pipeline, window))
                .collect();
            let settles = !passes.contains(&true);
            let acts = !passes.is_empty();
            let said = (behaviour.acts, behaviour.settles);
            let name = behaviour.pipeline;
            ((acts, settles) != said).then(|| format!("{name}: acts {acts}, settles {settles}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
