//! Tool calls: which tool, with what arguments, and what comes back.

use rand::RngExt;

use super::Writer;
use crate::synth::bank::{Shape, Tool};
use crate::synth::draw::{pick, pick_ref};
use crate::synth::fill::sentence;
use crate::synth::names::{NOUNS, THINGS, VERBS};
use crate::synth::output::{self, Subject};
use crate::synth::story::Errand;
use crate::truth::FactKind;

/// A result up to this size can be the answer to an edit.
const SMALL: u32 = 160;

/// One call before it is made.
pub(super) struct CallPlan {
    pub shape: Shape,
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
        self.shape.tool()
    }
}

impl Writer<'_> {
    /// The calls of a step; the first run its errands.
    pub(super) fn plan_calls(&mut self, step: usize) -> Vec<CallPlan> {
        let plan = &self.story.steps[step];
        let opens = self.story.turns[plan.turn].steps.start == step && plan.duties.is_empty();
        let mut errands = self.story.errands(step).into_iter();
        let mut calls = Vec::new();
        for (number, &size) in plan.results.iter().enumerate() {
            calls.push(match errands.next() {
                Some(Errand::Plant(shape, plants)) => CallPlan { plants, ..self.call(shape) },
                Some(Errand::Name(fact)) => self.needing_call(fact, size),
                // Nobody begins with an edit.
                None if opens && number == 0 => {
                    let first = pick(&mut self.text, &[Shape::Source, Shape::Source, Shape::Hits]);
                    self.call(first)
                }
                None => self.free_call(size),
            });
        }
        calls
    }

    /// The call whose argument names the fact.
    fn needing_call(&mut self, fact: usize, size: u32) -> CallPlan {
        let fact = &self.story.facts[fact];
        let Some((tool, template)) = fact.form.call else { return self.free_call(size) };
        let named = fact.cast.fill(template);
        let shape = match tool {
            Tool::Read => Shape::Source,
            Tool::Search => Shape::Hits,
            Tool::Edit => Shape::Diff,
            Tool::Test => Shape::Tests,
            Tool::Shell => Shape::Log,
        };
        let args = match tool {
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
        CallPlan { shape, args, target: named, plants: Vec::new(), edit: None }
    }

    fn free_call(&mut self, size: u32) -> CallPlan {
        let small = [
            (Shape::Diff, 5),
            (Shape::Hits, 2),
            (Shape::Log, 2),
            (Shape::Tests, 2),
            (Shape::Source, 2),
        ];
        let large = [
            (Shape::Source, 9),
            (Shape::Hits, 3),
            (Shape::Tests, 4),
            (Shape::Log, 2),
            (Shape::Compiler, 2),
            (Shape::Handbook, 1),
            (Shape::Settings, 1),
            (Shape::Diff, 1),
        ];
        let choices: &[(Shape, u32)] = if size <= SMALL { &small } else { &large };
        let total: u32 = choices.iter().map(|choice| choice.1).sum();
        let mut at = self.text.random_range(0..total);
        for &(shape, weight) in choices {
            if at < weight {
                return self.call(shape);
            }
            at -= weight;
        }
        self.call(Shape::Source)
    }

    /// An ordinary call that is answered in this shape.
    fn call(&mut self, shape: Shape) -> CallPlan {
        let dir = self.goal.get("dir").to_owned();
        let module = self.goal.get("module").to_owned();
        let (target, args) = match shape {
            Shape::Source => {
                let file = self.file();
                self.reading(file)
            }
            Shape::Settings => self.reading(format!("{dir}/settings.toml")),
            Shape::Handbook => self.reading(format!("docs/{module}.md")),
            Shape::Hits => {
                let symbol =
                    format!("{}_{}", pick(&mut self.text, VERBS), pick(&mut self.text, NOUNS));
                let args = arguments(&[("query", &symbol), ("path", &dir)]);
                (symbol, args)
            }
            Shape::Tests => {
                let filter = format!("{module}::{}", pick(&mut self.text, THINGS));
                let args = arguments(&[("filter", &filter)]);
                (filter, args)
            }
            Shape::Log => {
                let lines = self.text.random_range(2..40) * 10;
                self.shell(format!("tail -n {lines} logs/{module}.log"))
            }
            Shape::Compiler => self.shell(format!("make check-{module}")),
            Shape::Diff => {
                let file = self.file();
                let (old, new) = (self.statement(), self.statement());
                return editing(file, old, new);
            }
        };
        CallPlan { shape, args, target, plants: Vec::new(), edit: None }
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

    fn statement(&mut self) -> String {
        output::statement(self.story.world.language, &mut self.text)
    }

    /// The result of a call, and whether it failed.
    pub(super) fn result_text(&mut self, plan: &CallPlan, size: u32) -> (String, bool) {
        let goal = self.script.arcs.len() - 1;
        let component = &self.story.world.components[self.story.goals[goal].component];
        let edit = plan.edit.as_ref().map(|(old, new)| (old.as_str(), new.as_str()));
        let subject = Subject { world: &self.story.world, component, target: &plan.target, edit };
        let rng = &mut self.output;
        let fails = self.plan.work.tool_errors.happens(rng);
        if fails && plan.plants.is_empty() {
            let mut text = output::failure(plan.shape, &subject, rng);
            if matches!(plan.shape, Shape::Tests | Shape::Compiler | Shape::Log) {
                text = format!("{}\n{text}", output::render(plan.shape, &subject, size, &[], rng));
            }
            return (text, true);
        }
        let facts = plan.plants.iter().map(|&fact| &self.story.facts[fact]);
        let lines = facts.map(|fact| fact.cast.fill(pick(rng, fact.form.said)));
        // A handbook is prose, the other shapes are what a machine prints.
        let prose = plan.shape == Shape::Handbook;
        let planted: Vec<String> =
            lines.map(|line| if prose { sentence(&line) } else { line }).collect();
        (output::render(plan.shape, &subject, size, &planted, rng), false)
    }
}

fn editing(target: String, old: String, new: String) -> CallPlan {
    let args = arguments(&[("path", &target), ("old", &old), ("new", &new)]);
    CallPlan { shape: Shape::Diff, args, target, plants: Vec::new(), edit: Some((old, new)) }
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
