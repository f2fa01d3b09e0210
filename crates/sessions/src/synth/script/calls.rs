//! Tool calls: which tool, with what arguments, and what comes back.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Writer;
use crate::synth::bank::{Shape, Tool};
use crate::synth::draw::{pick, pick_line, pick_ref};
use crate::synth::fill::{Cast, sentence};
use crate::synth::names::{NOUNS, THINGS, VERBS};
use crate::synth::outline::{Act, Errand};
use crate::synth::output::{self, Look, Subject};
use crate::truth::FactKind;

/// A result up to this size can be the answer to an edit.
const SMALL: u32 = 160;
/// A result from this size on is a page of something long.
const HUGE: u32 = 8_000;
/// How often a result is drawn anew that was printed before.
const TRIES: usize = 8;

/// A failing loop: its call, and what prints the same failures every time.
#[derive(Clone)]
pub(super) struct Round {
    turn: usize,
    filter: String,
    output: ChaCha8Rng,
}

/// One call before it is made.
pub(super) struct CallPlan {
    pub look: Look,
    /// The habit that it is part of.
    pub act: Act,
    pub args: String,
    /// What the call is about: a file, a symbol, a filter.
    pub target: String,
    /// The facts that its result states.
    pub plants: Vec<usize>,
    /// What it replaces, and by what.
    pub edit: Option<(String, String)>,
}

impl CallPlan {
    pub fn tool(&self) -> Tool {
        self.look.tool()
    }
}

impl Writer<'_> {
    /// The calls of a step; the first run its errands.
    pub(super) fn plan_calls(&mut self, step: usize) -> Vec<CallPlan> {
        if let Some(call) = self.habitual(step) {
            return vec![call];
        }
        let plan = &self.outline.steps[step];
        let opens = self.outline.turns[plan.turn].steps.start == step && plan.duties.is_empty();
        let mut errands = self.outline.errands(step).into_iter();
        let mut calls = Vec::new();
        for (number, &size) in plan.results.iter().enumerate() {
            calls.push(match errands.next() {
                Some(Errand::Plant(shape, plants)) => self.planting(shape, plants),
                Some(Errand::Name(fact)) => self.needing_call(fact, size),
                // Nobody begins with an edit.
                None if opens && number == 0 => self.first_call(size),
                None => self.free_call(size),
            });
        }
        calls
    }

    /// The call whose result states facts.
    fn planting(&mut self, shape: Shape, plants: Vec<usize>) -> CallPlan {
        if shape != Shape::Source {
            return CallPlan { plants, ..self.call(Look::Born(shape)) };
        }
        // What is planted is in the project's own language.
        let file = self.file();
        let (target, args) = self.reading(file);
        CallPlan { plants, args, target, ..blank(Shape::Source) }
    }

    fn first_call(&mut self, size: u32) -> CallPlan {
        let first = pick(&mut self.text, &[Shape::Source, Shape::Source, Shape::Hits]);
        if size > SMALL { self.call(Look::Born(first)) } else { self.look_round(size) }
    }

    /// The call of a loop or a repetition, unless the step has duties.
    fn habitual(&mut self, step: usize) -> Option<CallPlan> {
        let plan = &self.outline.steps[step];
        if !plan.duties.is_empty() {
            return None;
        }
        let act = plan.act;
        let call = match act {
            Act::Failing | Act::Passing => {
                let filter = self.round(plan.turn);
                let args = arguments(&[("filter", &filter)]);
                CallPlan { args, target: filter, ..blank(Shape::Tests) }
            }
            Act::Mending => self.call(Look::Born(Shape::Diff)),
            Act::Repeated => {
                let (target, args) = self.shell("git status --short".to_owned());
                CallPlan { look: Look::Listing, args, target, ..blank(Shape::Log) }
            }
            Act::Ordinary | Act::Closing(_) => return None,
        };
        Some(CallPlan { act, ..call })
    }

    /// The filter of the turn's failing loop, the same in every round.
    fn round(&mut self, turn: usize) -> String {
        if let Some(round) = self.round.as_ref().filter(|round| round.turn == turn) {
            return round.filter.clone();
        }
        let module = self.goal.get("module").to_owned();
        let filter = format!("{module}::{}", pick(&mut self.text, &THINGS));
        self.round = Some(Round { turn, filter: filter.clone(), output: self.output.clone() });
        filter
    }

    /// The call whose argument names the fact.
    fn needing_call(&mut self, fact: usize, size: u32) -> CallPlan {
        let fact = &self.outline.facts[fact];
        let Some(call) = &fact.form.call else { return self.free_call(size) };
        let named = fact.cast.fill(&call.argument);
        let shape = match call.tool {
            Tool::Read => Shape::Source,
            Tool::Search => Shape::Hits,
            Tool::Edit => Shape::Diff,
            Tool::Test => Shape::Tests,
            Tool::Shell => Shape::Log,
        };
        let args = match call.tool {
            Tool::Read => arguments(&[("path", &named)]),
            Tool::Search => arguments(&[("query", &named)]),
            Tool::Test => arguments(&[("filter", &named)]),
            Tool::Shell => arguments(&[("command", &named)]),
            Tool::Edit if fact.form.kind == FactKind::Value => {
                let file = format!("{}/settings.toml", fact.cast.get("dir"));
                return editing(file, "# limits".to_owned(), format!("{named}  # limits"));
            }
            Tool::Edit => {
                return editing("CHANGELOG.md".to_owned(), "## Unreleased".to_owned(), named);
            }
        };
        CallPlan { args, target: named, ..blank(shape) }
    }

    /// A first small look: nobody begins with an edit.
    fn look_round(&mut self, size: u32) -> CallPlan {
        loop {
            let call = self.free_call(size);
            if call.edit.is_none() {
                return call;
            }
        }
    }

    fn free_call(&mut self, size: u32) -> CallPlan {
        use Shape::{Compiler, Diff, Handbook, Hits, Log, Settings, Source, Tests};
        let small = [
            (Look::Born(Diff), 7),
            (Look::Born(Hits), 3),
            (Look::Born(Log), 3),
            (Look::Born(Tests), 2),
            (Look::Born(Source), 1),
            (Look::Listing, 2),
            (Look::Json, 1),
            (Look::Patch, 1),
        ];
        let large = [
            (Look::Born(Source), 10),
            (Look::Born(Hits), 4),
            (Look::Born(Tests), 4),
            (Look::Born(Log), 2),
            (Look::Born(Compiler), 2),
            (Look::Born(Handbook), 1),
            (Look::Born(Settings), 1),
            (Look::Born(Diff), 2),
            (Look::Listing, 1),
            (Look::Json, 2),
            (Look::Patch, 2),
        ];
        let huge = [(Look::Born(Source), 4), (Look::Born(Log), 3), (Look::Json, 1)];
        let choices: &[(Look, u32)] = match size {
            0..=SMALL => &small,
            HUGE.. => &huge,
            _ => &large,
        };
        let total: u32 = choices.iter().map(|choice| choice.1).sum();
        let mut at = self.text.random_range(0..total);
        for &(look, weight) in choices {
            if at < weight {
                return self.call(look);
            }
            at -= weight;
        }
        self.call(Look::Born(Source))
    }

    /// An ordinary call that is answered so.
    fn call(&mut self, look: Look) -> CallPlan {
        let mut call = self.bare_call(look);
        if self.plan.work.habits.described.happens(&mut self.text) {
            // OK because every call has arguments, in braces.
            let open = call.args.trim_end_matches('}').len();
            call.args.truncate(open);
            let particulars = self.particulars(look);
            call.args.push_str(&particulars);
        }
        call
    }

    /// Further arguments, as the tools of coding agents take them.
    fn particulars(&mut self, look: Look) -> String {
        let mut cast = Cast::default();
        cast.set("noun", pick(&mut self.text, &NOUNS));
        cast.set("thing", pick(&mut self.text, &THINGS));
        cast.set("from", self.text.random_range(1..900).to_string());
        cast.set("lines", (self.text.random_range(2..40) * 10).to_string());
        cast.set("ending", self.outline.world.language.extension());
        let template = match look.tool() {
            Tool::Read => ", \"offset\": {from}, \"limit\": {lines}}",
            Tool::Search => {
                ", \"glob\": \"**/{noun}*.{ending}\", \"output_mode\": \"content\", \"before\": 0, \"after\": 1}"
            }
            Tool::Edit => ", \"replace_all\": false}",
            Tool::Test => {
                ", \"timeout\": {lines}, \"description\": \"Run the tests of the {noun} {thing} alone\"}"
            }
            Tool::Shell => {
                ", \"timeout\": {lines}, \"description\": \"See what became of the {noun} {thing} in the meantime\"}"
            }
        };
        cast.fill(template)
    }

    fn bare_call(&mut self, look: Look) -> CallPlan {
        let dir = self.goal.get("dir").to_owned();
        let module = self.goal.get("module").to_owned();
        let (target, args) = match look {
            Look::Born(Shape::Source) => {
                let file = self.file_to_read(&dir);
                self.reading(file)
            }
            Look::Born(Shape::Settings) => self.reading(format!("{dir}/settings.toml")),
            Look::Born(Shape::Handbook) => self.reading(format!("docs/{module}.md")),
            Look::Born(Shape::Hits) => {
                let symbol =
                    format!("{}_{}", pick(&mut self.text, &VERBS), pick(&mut self.text, &NOUNS));
                let args = arguments(&[("query", &symbol), ("path", &dir)]);
                (symbol, args)
            }
            Look::Born(Shape::Tests) => {
                let filter = format!("{module}::{}", pick(&mut self.text, &THINGS));
                let args = arguments(&[("filter", &filter)]);
                (filter, args)
            }
            Look::Born(Shape::Log) => {
                let lines = self.text.random_range(2..40) * 10;
                self.shell(format!("tail -n {lines} logs/{module}.log"))
            }
            Look::Born(Shape::Compiler) => self.shell(format!("make check-{module}")),
            Look::Born(Shape::Diff) => {
                let file = self.file();
                let (old, new) = (self.passage(&file), self.passage(&file));
                return editing(file, old, new);
            }
            Look::Listing => self.shell(format!("ls -la {dir}")),
            Look::Json => {
                let noun = pick(&mut self.text, &NOUNS);
                let after = self.text.random_range(100..9_999);
                self.shell(format!("curl -s localhost:8080/v1/{noun}?after={after}"))
            }
            Look::Patch => {
                let back = self.text.random_range(1..9);
                self.shell(format!("git diff HEAD~{back} -- {dir}"))
            }
        };
        CallPlan { look, args, target, ..blank(Shape::Log) }
    }

    /// A file of the goal, or one beside it in another language.
    fn file_to_read(&mut self, dir: &str) -> String {
        if self.text.random_bool(0.85) {
            return self.file();
        }
        let (ending, place) = pick(&mut self.text, &output::NEIGHBOURS);
        let (verb, noun) = (pick(&mut self.text, &VERBS), pick(&mut self.text, &NOUNS));
        format!("{dir}/{place}/{verb}_{noun}.{ending}")
    }

    fn reading(&self, file: String) -> (String, String) {
        let args = arguments(&[("path", &file)]);
        (file, args)
    }

    fn shell(&self, command: String) -> (String, String) {
        let args = arguments(&[("command", &command)]);
        (command, args)
    }

    pub(super) fn file(&mut self) -> String {
        pick_ref(&mut self.text, &self.files).clone()
    }

    /// One side of an edit.
    fn passage(&mut self, file: &str) -> String {
        let tokens = self.plan.work.habits.edit_tokens.sample(&mut self.text);
        output::passage(file, &self.outline.world, tokens, &mut self.text)
    }

    /// The result of a call, and whether it failed. No two are the same, but for those
    /// of the call that is repeated.
    pub(super) fn result_text(&mut self, plan: &CallPlan, size: u32) -> (String, bool) {
        let goal = self.script.arcs.len() - 1;
        let component = self.component(goal).clone();
        let edit = plan.edit.as_ref().map(|(old, new)| (old.as_str(), new.as_str()));
        let subject = Subject {
            world: &self.outline.world,
            component: &component,
            target: &plan.target,
            edit,
        };
        if plan.act == Act::Repeated {
            return (self.status(&subject, size), false);
        }
        let mut printed = self.print(plan, &subject, size);
        for _ in 0..TRIES {
            if !self.printed.contains(&printed.0) {
                return printed;
            }
            printed = self.print(plan, &subject, size);
        }
        // Little can be said in few tokens: the time that it took is never the same.
        let mut took = self.printed.len();
        while self.printed.contains(&format!("{}\n({took} ms)", printed.0)) {
            took += 1;
        }
        (format!("{}\n({took} ms)", printed.0), printed.1)
    }

    fn print(&mut self, plan: &CallPlan, subject: &Subject<'_>, size: u32) -> (String, bool) {
        let rng = &mut self.output;
        if plan.act == Act::Failing {
            let mut same = self.round.as_ref().map_or_else(|| rng.clone(), |r| r.output.clone());
            let took = rng.random_range(1..9_999);
            let text = output::failing_tests(subject, size, &mut same);
            return (format!("{text}\nexited with status 1 after {took} ms"), true);
        }
        let fails = self.plan.work.tool_errors.happens(rng);
        if fails && plan.plants.is_empty() {
            let mut text = output::failure(plan.look, subject, rng);
            if matches!(plan.look, Look::Born(Shape::Tests | Shape::Compiler | Shape::Log)) {
                text = format!("{}\n{text}", output::render(plan.look, subject, size, &[], rng));
            }
            return (text, true);
        }
        let facts = plan.plants.iter().map(|&fact| &self.outline.facts[fact]);
        let lines = facts.map(|fact| fact.cast.fill(pick_line(rng, &fact.form.said)));
        // A handbook is prose, the other shapes are what a machine prints.
        let prose = plan.look == Look::Born(Shape::Handbook);
        let planted: Vec<String> =
            lines.map(|line| if prose { sentence(&line) } else { line }).collect();
        (output::render(plan.look, subject, size, &planted, rng), false)
    }

    /// What the repeated call prints: the same every time, but for a last line now and
    /// then.
    fn status(&mut self, subject: &Subject<'_>, size: u32) -> String {
        let component = &self.outline.world.components[0];
        let subject = Subject { component, world: subject.world, target: "", edit: None };
        let same = output::render(Look::Listing, &subject, size, &[], &mut self.again.clone());
        if self.output.random_bool(0.3) {
            let line = self.output.random_range(2..900);
            return format!("{same}\n({line} lines changed)");
        }
        same
    }
}

/// A call without arguments and habits.
fn blank(shape: Shape) -> CallPlan {
    CallPlan {
        look: Look::Born(shape),
        act: Act::Ordinary,
        args: String::new(),
        target: String::new(),
        plants: Vec::new(),
        edit: None,
    }
}

fn editing(target: String, old: String, new: String) -> CallPlan {
    let args = arguments(&[("path", &target), ("old", &old), ("new", &new)]);
    CallPlan { args, target, edit: Some((old, new)), ..blank(Shape::Diff) }
}

/// A JSON object. Written by hand: the order of keys must not depend on how
/// another crate configures `serde_json`.
pub(super) fn arguments(pairs: &[(&str, &str)]) -> String {
    let fields: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("\"{key}\": {}", serde_json::Value::from(*value)))
        .collect();
    format!("{{{}}}", fields.join(", "))
}
