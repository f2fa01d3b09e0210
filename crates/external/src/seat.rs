//! A place for one process of a program: it is asked here, and replaced where it breaks a rule.

use serde_json::value::RawValue;

use crate::align;
use crate::door::Door;
use crate::exchange::{Calls, Exchange, is_forced};
use crate::mirror::Mirror;
use crate::plan::{Decision, Plan};
use crate::prelude::*;
use crate::process::{Broken, Heard, Process, Start};
use crate::protocol::{
    Evaluate, Hello, Level, Pressed, Ranges, Received, Room, Sent, VERSION, status,
};
use crate::quotes::Answer;
use crate::shape::Shape;
use crate::strategy::{Called, PlanContext};
use crate::summarize::Stopped;

mod ranges;

/// A process that said hello, if one runs, and the view as it has it.
#[derive(Debug, Default)]
pub(crate) struct Seat {
    pub(crate) mirror: Mirror,
    running: Option<(Process, Hello)>,
    /// The session of the last question; 0 before any.
    pub(crate) session: u64,
}

/// How long a program may take, and how often it may ask the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) start: Duration,
    pub(crate) answer: Duration,
    pub(crate) calls: usize,
}

/// Why a question has no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// The program broke a rule and was ended.
    Broken(Broken),
    /// The model will not answer any more.
    Stopped(Stopped),
}

/// All that asking needs beside the seat.
pub(crate) struct Asking<'a> {
    pub(crate) start: &'a dyn Fn() -> Start<'a>,
    pub(crate) parameters: &'a serde_json::Map<String, Value>,
    pub(crate) patience: Patience,
    pub(crate) view: &'a View,
    pub(crate) context: &'a PlanContext<'a>,
    pub(crate) memory: Option<Text>,
    pub(crate) session: u64,
}

impl Seat {
    /// How the process is sent views; as if of the simplest kind where none runs.
    pub(crate) fn shape(&self) -> Shape {
        self.running.as_ref().map_or_else(Shape::default, |(_, hello)| Shape::from(hello))
    }

    /// Whether a process runs.
    pub(crate) fn runs(&self) -> bool {
        self.running.is_some()
    }

    /// What the program says that it is. Starts it where it does not run.
    pub(crate) fn greet<'a>(
        &mut self,
        start: &dyn Fn() -> Start<'a>,
        parameters: &serde_json::Map<String, Value>,
        patience: Patience,
    ) -> Result<Hello, Broken> {
        if let Some((_, hello)) = &self.running {
            return Ok(hello.clone());
        }
        let start = start();
        let failed = |reason| Broken { reason, said: String::new() };
        let process = Process::start(&start);
        let mut process =
            process.map_err(|rule| failed(format!("could not be started: {rule}")))?;
        let sent = Sent::Hello { protocol: VERSION, parameters };
        let Heard::Line(line) = process.ask(&written(&sent), patience.start)? else {
            return Err(failed("asked the model before it was evaluated".to_owned()));
        };
        let hello = match parsed(&line) {
            Ok(Received::Hello(hello)) if hello.protocol == VERSION => hello,
            Ok(Received::Hello(hello)) => {
                let theirs = hello.protocol;
                return Err(failed(format!(
                    "speaks version {theirs} of the protocol, not {VERSION}"
                )));
            }
            Ok(_) => return Err(failed("answered `hello` with something else".to_owned())),
            Err(rule) => return Err(failed(rule)),
        };
        self.mirror = Mirror::default();
        self.session = 0;
        self.running = Some((process, hello.clone()));
        Ok(hello)
    }

    /// Asks the program. Where it breaks a rule its process is ended.
    pub(crate) fn ask(&mut self, asking: &Asking, calls: &mut Calls) -> Result<Exchange, NoAnswer> {
        match self.evaluate(asking, calls) {
            Err(NoAnswer::Broken(broken)) => {
                let said = self.running.take().map(|(process, _)| process.end());
                let said = said.filter(|_| broken.said.is_empty()).unwrap_or(broken.said);
                Err(NoAnswer::Broken(Broken { said, ..broken }))
            }
            answered => answered,
        }
    }

    fn evaluate(&mut self, asking: &Asking, calls: &mut Calls) -> Result<Exchange, NoAnswer> {
        let hello = self.greet(asking.start, asking.parameters, asking.patience);
        let hello = hello.map_err(NoAnswer::Broken)?;
        let shape = Shape::from(&hello);
        if self.session != asking.session {
            self.mirror.forget_sent();
            let answer = self.send(&Sent::Reset, asking.patience.answer)?;
            if !matches!(answer, Received::Ready {}) {
                return Err(broken("answered `reset` with something else"));
            }
            self.session = asking.session;
        }
        self.mirror.follow(asking.view, shape);
        if !hello.keeps_view {
            self.mirror.forget_sent();
        }
        let (keep, view) = self.mirror.rest(shape);
        let mut answers: Vec<Answer> = Vec::new();
        self.door(true);
        let first = written(&question(asking, keep, &raw(view)));
        let mut answer = self.heard(first, asking, calls, &mut answers)?;
        while let Received::Complete { system, messages, max_tokens, model } = answer {
            let most = asking.patience.calls;
            if calls.count() >= most {
                let rule = format!("asked the model more than {most} times in one evaluation");
                return Err(broken(&rule));
            }
            let messages = shape
                .read(&messages)
                .map_err(|rule| broken(&format!("asked the model wrongly: {rule}")))?;
            let request =
                align::request(asking.view, system, &messages, max_tokens, model, &answers);
            let called = calls.call(request).map_err(NoAnswer::Stopped)?;
            if let Ok(reply) = &called.reply {
                answers.push((called.request, Text::from(&*reply.text)));
            }
            answer = self.heard(written(&reply(&called)), asking, calls, &mut answers)?;
        }
        self.door(false);
        let exchange = concluded(answer, asking, &hello, shape, &answers);
        exchange.map(|exchange| Exchange { calls: calls.recorded(), ..exchange })
    }

    fn door(&self, is_open: bool) {
        if let Some(door) = self.running.as_ref().and_then(|(process, _)| process.door()) {
            door.set_open(is_open);
        }
    }

    fn ask_process(&mut self, line: &[u8], time: Duration) -> Result<Heard, NoAnswer> {
        let Some((process, _)) = &mut self.running else { return Err(broken("does not run")) };
        process.ask(line, time).map_err(NoAnswer::Broken)
    }

    fn send(&mut self, message: &Sent, time: Duration) -> Result<Received, NoAnswer> {
        match self.ask_process(&written(message), time)? {
            Heard::Line(line) => parsed(&line).map_err(|rule| broken(&rule)),
            Heard::Bell => Err(broken("asked the model while it was not evaluated")),
        }
    }

    /// The next message, once what its own client asks meanwhile is answered.
    fn heard(
        &mut self,
        mut line: Vec<u8>,
        asking: &Asking,
        calls: &mut Calls,
        answers: &mut Vec<Answer>,
    ) -> Result<Received, NoAnswer> {
        loop {
            if let Heard::Line(text) = self.ask_process(&line, asking.patience.answer)? {
                return parsed(&text).map_err(|rule| broken(&rule));
            }
            line.clear();
            let door = self.running.as_ref().and_then(|(process, _)| process.door());
            for pending in door.map(Door::pending).unwrap_or_default() {
                if calls.count() >= asking.patience.calls {
                    pending.refuse(asking.patience.calls);
                    continue;
                }
                let (system, messages, most) = pending.asked();
                let request = align::request(asking.view, system, &messages, most, None, answers);
                let called = calls.call(request).map_err(NoAnswer::Stopped)?;
                if let Ok(reply) = &called.reply {
                    answers.push((called.request, Text::from(&*reply.text)));
                }
                pending.answer(&called);
            }
        }
    }
}

fn broken(reason: &str) -> NoAnswer {
    NoAnswer::Broken(Broken { reason: reason.to_owned(), said: String::new() })
}

fn question<'a>(asking: &'a Asking, keep: usize, view: &'a RawValue) -> Sent<'a> {
    let context = asking.context;
    Sent::Evaluate(Evaluate {
        hook: context.occasion,
        forced: is_forced(context.occasion),
        turn: context.turn,
        budget: Room::from(context.budget),
        tokens: asking.view.counted().0,
        pressure: context.reading.map(Pressed::from),
        memory: asking.memory.as_deref().and_then(|memory| serde_json::from_str(memory).ok()),
        keep,
        view,
    })
}

fn reply(called: &Called) -> Sent<'_> {
    let request = called.request.0;
    match &called.reply {
        Ok(answer) => Sent::Completion { text: &answer.text, finish: answer.finish, request },
        Err(error) => Sent::Failure {
            class: error.class,
            status: status(error.class),
            message: &error.message,
            request,
        },
    }
}

/// The last message of an evaluation as a decision.
fn concluded(
    answer: Received,
    asking: &Asking,
    hello: &Hello,
    shape: Shape,
    answers: &[Answer],
) -> Result<Exchange, NoAnswer> {
    let wrong = |rule: String| broken(&format!("answered wrongly: {rule}"));
    let (decision, memory) = match (answer, hello.level) {
        (Received::Messages { messages, memory }, Level::List) => {
            let messages = shape.read(&messages).map_err(wrong)?;
            let plan = align::plan(asking.view, &messages, answers).map_err(wrong)?;
            match align::is_idle(asking.view, &plan) {
                true => (Decision::decline("the messages came back as they were"), memory),
                false => (Decision::Plan(plan), memory),
            }
        }
        (Received::Plan { mut plan, memory }, Level::Plan) => {
            if hello.ranges == Ranges::Characters {
                ranges::to_bytes(&mut plan, asking.view);
            }
            let plan: Plan =
                serde_json::from_value(plan).map_err(|error| wrong(error.to_string()))?;
            (Decision::Plan(plan), memory)
        }
        (Received::Decline { reason, memory }, _) => (Decision::decline(reason), memory),
        (Received::Raise { reason }, _) => (Decision::Raise(reason), None),
        (Received::Messages { .. }, Level::Plan) => {
            return Err(wrong("its level is `plan`, and it returned messages".to_owned()));
        }
        (Received::Plan { .. }, Level::List) => {
            return Err(wrong("its level is `list`, and it returned a plan".to_owned()));
        }
        (Received::Hello(_) | Received::Ready {} | Received::Complete { .. }, _) => {
            return Err(wrong("this message does not answer `evaluate`".to_owned()));
        }
    };
    let memory = memory.map(|value| match value {
        Value::Null => None,
        value => Some(Text::from(value.to_string())),
    });
    let memory = memory.filter(|memory| *memory != asking.memory);
    Ok(Exchange { calls: Vec::new(), decision, memory })
}

fn written(message: &Sent) -> Vec<u8> {
    // OK because a message is made of texts, numbers and lists.
    let mut line = serde_json::to_vec(message).expect("a message can be written as JSON");
    line.push(b'\n');
    line
}

fn parsed(line: &str) -> Result<Received, String> {
    serde_json::from_str(line).map_err(|error| {
        let shown: String = line.chars().take(60).collect();
        format!("wrote what is no message ({error}): {shown}")
    })
}

fn raw(json: String) -> Box<RawValue> {
    // OK because it was just written as JSON.
    RawValue::from_string(json).expect("what was written as JSON is JSON")
}
