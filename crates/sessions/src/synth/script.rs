//! Puts a outline into words: the messages of the log.

mod calls;
mod commands;
mod history;
mod logs;
mod project;
mod say;
mod tree;

use std::fmt::Display;

use self::calls::{CallPlan, Round};
use self::project::Project;
use super::outline::{Act, Duty, Outline};
use super::output;
use crate::synth::prelude::*;

#[cfg(test)]
pub(super) use say::STRIDES;

/// Share of goals whose part has something wrong from the start.
const BROKEN: f64 = 0.15;

/// Weights and ranges of how long an answer, a tool and a person take, in milliseconds. Quantiles
/// (10, 50, 90, 99 %) of two recorded sessions: 2.6, 3.5, 11, 60 s; 0.5, 1.6, 7, 50 s; 16, 90, 420,
/// 1,300 s. Longer absences are the plan's `pauses`.
type Pace = [(u32, u64, u64)];
const THINKING: &Pace =
    &[(60, 2_000, 4_500), (30, 4_500, 11_000), (9, 11_000, 30_000), (1, 30_000, 90_000)];
const RUNNING: &Pace =
    &[(50, 80, 2_000), (38, 2_000, 5_000), (11, 5_000, 20_000), (1, 20_000, 100_000)];
const WAITING: &Pace = &[(22, 8_000, 35_000), (50, 35_000, 130_000), (24, 130_000, 290_000)];

/// A written session, its facts still numbered as in the outline.
#[derive(Default)]
pub(super) struct Script {
    pub messages: Vec<Message>,
    pub born: Vec<Option<MsgId>>,
    /// Fact and the message whose call needs it.
    pub demands: Vec<(usize, MsgId)>,
    /// User messages of each goal, and the goal in the user's words.
    pub arcs: Vec<(String, Vec<MsgId>)>,
}

pub(super) fn write(
    plan: &SynthPlan,
    bank: &'static Bank,
    outline: &Outline,
    seed: Seed,
) -> Script {
    let mut writer = Writer {
        plan,
        bank,
        outline,
        text: seed.derive(&["text"]).rng(),
        output: seed.derive(&["output"]).rng(),
        clock: seed.derive(&["clock"]).rng(),
        again: seed.derive(&["again"]).rng(),
        round: None,
        project: Project::new(
            &outline.world,
            plan.work.habits.file_tokens.clone(),
            seed.derive(&["project"]),
        ),
        printed: FxHashSet::default(),
        now: Millis(0),
        calls: 0,
        goal: Cast::default(),
        files: Vec::new(),
        failed: false,
        used: vec![0; outline.facts.len()],
        script: Script { born: vec![None; outline.facts.len()], ..Script::default() },
    };
    for turn in 0..outline.turns.len() {
        writer.turn(turn);
    }
    writer.script
}

struct Writer<'a> {
    plan: &'a SynthPlan,
    bank: &'static Bank,
    outline: &'a Outline,
    text: ChaCha8Rng,
    output: ChaCha8Rng,
    clock: ChaCha8Rng,
    /// What the repeated call prints: never advanced.
    again: ChaCha8Rng,
    /// The failing loop on its way.
    round: Option<Round>,
    project: Project,
    printed: FxHashSet<String>,
    now: Millis,
    calls: u32,
    goal: Cast,
    files: Vec<String>,
    failed: bool,
    /// How often each fact was used.
    used: Vec<usize>,
    script: Script,
}

impl<'a> Writer<'a> {
    fn turn(&mut self, number: usize) {
        let turn = &self.outline.turns[number];
        if self.script.arcs.len() == turn.goal {
            self.begin_goal(turn.goal);
        }
        self.user(number);
        for step in turn.steps.clone() {
            if self.outline.steps[step].results.is_empty() {
                self.close(step);
            } else {
                self.work(step);
            }
        }
    }

    fn component(&self, goal: usize) -> &'a Component {
        &self.outline.world.components[self.outline.goals[goal].component]
    }

    fn begin_goal(&mut self, goal: usize) {
        let component = self.component(goal);
        let world = &self.outline.world;
        (self.goal, self.files) = say::goal(world, component, &mut self.text);
        if self.is_played() {
            self.files = self.project.files(world, component).to_vec();
            if self.text.random_bool(BROKEN) {
                self.project.break_some(world, component, &mut self.text);
            }
        }
        self.script.arcs.push((String::new(), Vec::new()));
    }

    fn user(&mut self, number: usize) {
        if number > 0 && self.plan.work.pauses.happens(&mut self.clock) {
            let minutes = self.plan.work.pause_minutes.sample(&mut self.clock);
            self.now = self.now + Millis(u64::from(minutes) * 60_000);
        } else if number > 0 {
            self.wait(WAITING);
        }
        let late = self.comes_late();
        let (mut text, title) = self.user_text(number, late);
        let pasted = self.outline.turns[number].pasted;
        if pasted > 0 {
            let block = format!("```\n{}\n```", self.pasted(pasted));
            text = if late { format!("{block}\n\n{text}") } else { format!("{text}\n\n{block}") };
        }
        let id = self.push(Role::User, Author::Human, text);
        let turn = &self.outline.turns[number];
        for &fact in &turn.says {
            self.script.born[fact] = Some(id);
        }
        let (goal, arc) = &mut self.script.arcs[turn.goal];
        arc.push(id);
        if goal.is_empty() {
            *goal = title;
        }
    }

    fn wait(&mut self, pace: &Pace) {
        let range = weighted(&mut self.clock, pace, |range| range.0);
        let wait = range.map_or(0, |(_, from, to)| self.clock.random_range(*from..*to));
        self.now = self.now + Millis(wait);
    }

    fn work(&mut self, step: usize) {
        let calls = self.plan_calls(step);
        let content = self.agent_text(step, &calls);
        self.wait(THINKING);
        let id = self.push(Role::Assistant, Author::Agent, content);
        self.record(step, id);
        let first = self.calls;
        for plan in &calls {
            let call_id = self.next_call();
            let name = Text::from(plan.look.form().tool.form().name.as_str());
            let call = Call { id: call_id, name, args: Text::from(plan.args.as_str()) };
            self.script.messages[id.index()].calls.push(call);
        }
        for (number, plan) in calls.iter().enumerate() {
            self.result(step, plan, number, first + number as u32 + 1);
        }
    }

    fn pasted(&mut self, tokens: u32) -> String {
        let looks = [Look::Log, Look::Log, Look::Tests, Look::Compiler];
        let look = pick(&mut self.text, &looks);
        let (world, component) = (&self.outline.world, self.component(self.script.arcs.len() - 1));
        if self.is_played() {
            return self.copied(look, component, tokens);
        }
        let subject = output::Subject { world, component, target: &component.module, edit: None };
        output::render(look, &subject, tokens, &[], &mut self.output)
    }

    fn record(&mut self, step: usize, id: MsgId) {
        for &duty in &self.outline.steps[step].duties {
            match duty {
                Duty::Demand(fact) => self.script.demands.push((fact, id)),
                Duty::Birth(fact) if !self.born_in_result(fact) => {
                    self.script.born[fact] = Some(id);
                }
                Duty::Birth(_) | Duty::Echo(_) | Duty::Sign(_) => {}
            }
        }
    }

    fn born_in_result(&self, fact: usize) -> bool {
        matches!(self.outline.facts[fact].form.birth, Birth::Result(_))
    }

    fn result(&mut self, step: usize, plan: &CallPlan, number: usize, call: u32) {
        self.wait(RUNNING);
        let size = self.outline.steps[step].results[number];
        let (text, failed) = self.result_text(plan, size);
        self.printed.insert(text.clone());
        let id = self.push(Role::Tool, Author::Harness, text);
        let message = &mut self.script.messages[id.index()];
        message.answers = Some(call_id(call));
        message.failed = failed;
        self.failed = failed;
        for &fact in &plan.plants {
            self.script.born[fact] = Some(id);
        }
    }

    fn close(&mut self, step: usize) {
        self.wait(THINKING);
        let mut text = self.closing_text(step);
        if let Act::Closing(tokens) = self.outline.steps[step].act {
            text.push_str(&self.account(tokens));
        }
        let id = match self.plan.work.closing {
            Closing::Text => self.push(Role::Assistant, Author::Agent, text),
            Closing::UnpairedCall => {
                let id = self.push(Role::Assistant, Author::Agent, String::new());
                let args = Text::from(calls::arguments(&[("result", &text)]));
                let name = Text::from("task_completion");
                let call = Call { id: self.next_call(), name, args };
                self.script.messages[id.index()].calls.push(call);
                id
            }
        };
        self.record(step, id);
    }

    fn next_call(&mut self) -> CallId {
        self.calls += 1;
        call_id(self.calls)
    }

    fn push(&mut self, role: Role, author: Author, content: String) -> MsgId {
        let id = MsgId(self.script.messages.len() as u32);
        self.script.messages.push(Message::new(id, role, author, self.now, content));
        id
    }
}

fn call_id(number: u32) -> CallId {
    CallId::new(&format!("call_{number:05}"))
}

/// A system prompt of about this many tokens.
pub(super) fn system(bank: &Bank, world: &World, tokens: u32, seed: Seed) -> String {
    let mut rng = seed.derive(&["system"]).rng();
    let room = (f64::from(tokens) * 4.8) as usize;
    let mut cast = Cast::default();
    cast.set("project", world.project);
    let mut text = cast.fill(&bank.system.opening.join(" "));
    for rule in &bank.system.rules {
        if text.len() < room {
            text.push_str("\n- ");
            text.push_str(rule);
        }
    }
    let mut notes = world
        .components
        .iter()
        .flat_map(|component| bank.system.notes.iter().map(move |note| (component, note.as_str())));
    while text.len() + 40 < room {
        let (component, note) = notes.next().unwrap_or_else(|| {
            let component = pick_ref(&mut rng, &world.components);
            (component, pick_line(&mut rng, &bank.system.history))
        });
        cast.set("component", component.name.as_str());
        cast.set("dir", component.dir.as_str());
        cast.draw(&["noun", "thing"], &mut rng);
        cast.set("n", rng.random_range(100..9_999).to_string());
        text.push('\n');
        text.push_str(&sentence(&cast.fill(note)));
    }
    text
}

/// Tool schemas of about this many tokens: of the tools in use, then of a service that is not.
pub(super) fn tools(tokens: u32, seed: Seed) -> String {
    let mut rng = seed.derive(&["tools"]).rng();
    let room = (f64::from(tokens) * 4.2) as usize;
    let mut schemas: Vec<String> = Vec::new();
    for tool in Tool::all() {
        schemas.push(schema(&tool.name, &tool.purpose, &tool.parameters));
    }
    schemas.push(schema("task_completion", "Ends the present task with a result.", &["result"]));
    let mut length = schemas.iter().map(String::len).sum::<usize>();
    while length + 120 < room {
        let (verb, noun) = (pick(&mut rng, &VERBS), pick(&mut rng, &NOUNS));
        let thing = pick(&mut rng, &THINGS);
        let name = format!("desk_{verb}_{noun}");
        let purpose = sentence(&format!("{verb} a {noun} of the service desk by its {thing}."));
        schemas.push(schema(&name, &purpose, &[noun, thing]));
        length += schemas.last().map_or(0, String::len);
    }
    if tokens == 0 { String::new() } else { format!("[{}]", schemas.join(",\n")) }
}

fn schema<T: Display>(name: &str, purpose: &str, parameters: &[T]) -> String {
    let properties: Vec<String> =
        parameters.iter().map(|p| format!("\"{p}\": {{\"type\": \"string\"}}")).collect();
    let required: Vec<String> = parameters.iter().map(|p| format!("\"{p}\"")).collect();
    format!(
        "{{\"name\": \"{name}\", \"description\": \"{purpose}\", \"parameters\": {{\"type\": \"object\", \
         \"properties\": {{{}}}, \"required\": [{}]}}}}",
        properties.join(", "),
        required.join(", ")
    )
}
