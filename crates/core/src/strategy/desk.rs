//! What a strategy that is a program of its own has at hand while it is asked: the model at once,
//! something to be remembered, and a record of what was answered before.

use std::cell::RefCell;
use std::fmt;

use crate::answer::{AnswerContext, AnswerError, Outcome, answer};
use crate::log::Text;
use crate::plan::SummaryRequest;
use crate::prelude::*;
use crate::summarize::{Answer, AskError, FailureClass, Finish, Stopped};
use crate::view::View;

/// The number of the first request that is asked at once. A plan's own requests count from 0.
const FIRST: u32 = 1_000_000;

/// Questions to strategies outside and their answers, as texts under a key.
pub trait Exchanges: fmt::Debug + Send + Sync {
    /// The answers that are kept under a key.
    fn kept(&self, key: u128) -> Vec<Arc<str>>;
    /// Keeps one more.
    fn keep(&self, key: u128, exchange: &str);
    /// Whether a program may be asked what is not kept.
    fn asks(&self) -> bool;
    /// A program answered one question in two ways.
    fn differs(&self, _contestant: &str, _difference: &str) {}
    /// A program broke a rule, and this is what it last said on standard error.
    fn broke(&self, _contestant: &str, _reason: &str, _said: &str) {}
}

/// One question to a strategy, with what it may use to answer.
pub struct Desk<'a> {
    session: u64,
    view: &'a View,
    context: AnswerContext<'a>,
    exchanges: Option<&'a dyn Exchanges>,
    work: RefCell<Work>,
}

/// What asking at once has come to.
#[derive(Debug, Default)]
struct Work {
    memory: Option<Text>,
    outcome: Outcome,
    calls: u32,
    stopped: Option<Stopped>,
}

/// The reply to a request that was asked at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// Its number, for pieces of the plan.
    pub request: RequestId,
    /// What came back.
    pub reply: Result<Answer, AskError>,
}

impl<'a> Desk<'a> {
    /// For a question about this view. Questions of one session have the same number in a process;
    /// `memory` is what the strategy left the last time.
    pub fn new(
        session: u64,
        view: &'a View,
        context: AnswerContext<'a>,
        memory: Option<Text>,
    ) -> Desk<'a> {
        let work = RefCell::new(Work { memory, ..Work::default() });
        Desk { session, view, context, exchanges: None, work }
    }

    /// The same, with answers that are kept.
    #[must_use]
    pub fn keeping(self, exchanges: Option<&'a dyn Exchanges>) -> Desk<'a> {
        Desk { exchanges, ..self }
    }

    /// The number of the session.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// Where answers are kept, if anywhere.
    pub fn exchanges(&self) -> Option<&'a dyn Exchanges> {
        self.exchanges
    }

    /// What the strategy left in this session.
    pub fn memory(&self) -> Option<Text> {
        self.work.borrow().memory.clone()
    }

    /// Leaves something for the next question of the session.
    pub fn remember(&self, memory: Option<Text>) {
        self.work.borrow_mut().memory = memory;
    }

    /// Has the model answer at once. The request gets its number here. [`Stopped`] where no answer
    /// will come: then what the strategy decides does not count.
    pub fn call(&self, request: SummaryRequest) -> Result<Called, Stopped> {
        let mut work = self.work.borrow_mut();
        let id = RequestId(FIRST + work.calls);
        work.calls += 1;
        let moment = self.context.moment.later(work.outcome.asked);
        let context = AnswerContext { moment, ..self.context };
        let outcome = match answer(&[SummaryRequest { id, ..request }], self.view, &context) {
            Ok(outcome) => outcome,
            Err(AnswerError::Stopped(stopped)) => {
                work.stopped = Some(stopped.clone());
                return Err(stopped);
            }
            Err(AnswerError::Malformed(error)) => {
                let reply = Err(AskError::new(FailureClass::Error, error.to_string()));
                return Ok(Called { request: id, reply });
            }
        };
        let reply = match (&outcome.failure, outcome.answers.get(&id)) {
            (Some(failure), _) => Err(failure.clone()),
            (None, Some(one)) => Ok(Answer { text: one.text.to_string(), finish: one.finish }),
            (None, None) => Ok(Answer { text: String::new(), finish: Finish::Stop }),
        };
        let before = std::mem::take(&mut work.outcome);
        work.outcome = Outcome { failure: None, ..before.then(outcome) };
        Ok(Called { request: id, reply })
    }

    /// Ends the run: the strategy cannot be asked here.
    pub fn stop(&self, stopped: Stopped) {
        self.work.borrow_mut().stopped = Some(stopped);
    }

    /// What was asked at once came to, and what is to be remembered.
    pub fn close(self) -> Result<(Outcome, Option<Text>), Stopped> {
        let Work { memory, outcome, stopped, .. } = self.work.into_inner();
        stopped.map_or(Ok((outcome, memory)), Err)
    }
}

impl fmt::Debug for Desk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.work.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Memo;
    use crate::plan::Piece;
    use crate::testkit::{Script, fails, says, scene};

    #[test]
    fn what_is_asked_at_once_is_answered_billed_and_numbered() {
        let scene = scene("uu");
        let (script, memo) =
            (Script::new([fails(FailureClass::Error), says("s")]), Memo::default());
        let desk = Desk::new(1, &scene.view, scene.desk(&script, &memo), Some("m".into()));
        let quoted = vec![Piece::quote(scene.view.entries()[0].id)];
        let request = SummaryRequest::new(RequestId(0), "You sum up.".into(), quoted, Tokens(9));
        let called = [0, 1].map(|_| desk.call(request.clone()).expect("it goes on"));
        assert_eq!(called.each_ref().map(|one| one.request.0), [FIRST, FIRST + 1]);
        assert_eq!(called[0].reply.as_ref().map_err(|error| error.class), Err(FailureClass::Error));
        assert_eq!(called[1].reply, Ok(Answer::complete("s")));
        desk.remember(None);
        let (outcome, memory) = desk.close().expect("it did not stop");
        let attempts: Vec<_> = outcome.attempts.iter().map(|a| (a.batch, a.billed)).collect();
        assert_eq!((attempts, outcome.asked), (vec![(0, false), (1, true)], 2));
        assert_eq!((outcome.answers.len(), outcome.failure, memory), (1, None, None));
    }
}
