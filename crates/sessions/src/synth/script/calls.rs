//! Tool calls: which tool, with what arguments, and what comes back.

use super::Writer;
use super::project::Command;
use super::tree::Part;
use crate::synth::outline::{Act, Errand};
use crate::synth::output::{self, Subject};
use crate::synth::prelude::*;

/// A result up to this size can be the answer to an edit.
pub(super) const SMALL: u32 = 160;
/// A result from this size on is a page of something long.
const HUGE: u32 = 8_000;
/// How often a result is drawn anew that was printed before.
const TRIES: usize = 8;
/// Tokens of what is written beside a fact into a new file.
const WRITTEN: u32 = 120;
/// What a shell says where a command printed nothing.
const NOTHING: &str = "(no output)";

/// A failing loop: its call, and what prints the same failures every time.
#[derive(Clone)]
pub(super) struct Round {
    turn: usize,
    filter: String,
    output: ChaCha8Rng,
}

pub(super) struct CallPlan {
    pub look: Look,
    pub act: Act,
    pub args: String,
    pub target: String,
    pub plants: Vec<usize>,
    /// Lines that its result has besides.
    pub shows: Vec<String>,
    /// Whether its result has nothing else.
    pub alone: bool,
    /// The part of the project that it is about, where a fact is behind it. Such a call never fails.
    pub part: Option<usize>,
    /// What it replaces, and by what.
    pub edit: Option<(String, String)>,
    /// The part of a kept file that it reads.
    pub lines: Option<Part>,
    /// Where the state of the project answers: what it is asked.
    pub command: Option<Command>,
    /// Whether it names what is not there.
    pub misses: bool,
    /// The fact that its result calls for.
    pub sign: Option<usize>,
    /// A file that it adds a line to.
    pub writes: Option<(String, String)>,
}

impl CallPlan {
    /// A call about this and nothing else.
    pub(super) fn about(look: Look, target: String) -> CallPlan {
        let subject = &look.form().tool.form().parameters[0];
        let args = arguments(&[(subject, &target)]);
        CallPlan {
            look,
            act: Act::Ordinary,
            args,
            target,
            plants: Vec::new(),
            shows: Vec::new(),
            alone: false,
            part: None,
            edit: None,
            lines: None,
            command: None,
            misses: false,
            sign: None,
            writes: None,
        }
    }

    pub(super) fn editing(target: String, old: String, new: String) -> CallPlan {
        let args = arguments(&[("path", &target), ("old", &old), ("new", &new)]);
        CallPlan { args, edit: Some((old, new)), ..CallPlan::about(Look::Diff, target) }
    }
}

impl Writer<'_> {
    pub(super) fn plan_calls(&mut self, step: usize) -> Vec<CallPlan> {
        if let Some(call) = self.habitual(step) {
            return vec![call];
        }
        let plan = &self.outline.steps[step];
        let opens = self.outline.turns[plan.turn].steps.start == step && plan.duties.is_empty();
        let mut errands = self.outline.errands(step).into_iter();
        let call = |(number, &size): (usize, &u32)| match errands.next() {
            Some(Errand::Plant(look, plants)) if self.is_played() => {
                self.planting_call(look, plants, size)
            }
            // What is planted in source is in the project's own language.
            Some(Errand::Plant(Look::Source, plants)) => {
                CallPlan { plants, ..CallPlan::about(Look::Source, self.file()) }
            }
            Some(Errand::Plant(look, plants)) => CallPlan { plants, ..self.call(look, size) },
            Some(Errand::Sign(look, fact)) => self.sign_call(look, fact, step, size),
            Some(Errand::Name(facts)) if self.is_played() => self.using_call(facts[0], step, size),
            Some(Errand::Name(facts)) => self.needing_call(&facts, size),
            None if opens && number == 0 => self.first_call(size),
            None if number == 0 => self.telling_call(step, size),
            None => self.free_call(size),
        };
        plan.results.iter().enumerate().map(call).collect()
    }

    /// Nobody begins with an edit.
    fn first_call(&mut self, size: u32) -> CallPlan {
        let look = pick(&mut self.text, &[Look::Source, Look::Source, Look::Hits]);
        if size > SMALL {
            return self.call(look, size);
        }
        // OK because most small calls are no edits.
        loop {
            let call = self.free_call(size);
            if call.edit.is_none() {
                break call;
            }
        }
    }

    /// The call of a loop or a repetition, unless the step has duties.
    fn habitual(&mut self, step: usize) -> Option<CallPlan> {
        let plan = &self.outline.steps[step];
        if !plan.duties.is_empty() {
            return None;
        }
        let act = plan.act;
        if self.is_played() {
            return self.played(step);
        }
        let call = match act {
            Act::Failing | Act::Passing => CallPlan::about(Look::Tests, self.round(plan.turn)),
            Act::Mending => self.call(Look::Diff, 0),
            Act::Repeated => CallPlan::about(Look::Listing, "git status --short".to_owned()),
            Act::Ordinary | Act::Closing(_) => return None,
        };
        Some(CallPlan { act, ..call })
    }

    /// The filter of the turn's failing loop, the same in every round.
    fn round(&mut self, turn: usize) -> String {
        if let Some(round) = self.round.as_ref().filter(|round| round.turn == turn) {
            return round.filter.clone();
        }
        let filter = self.goal.drawn(&Look::Tests.form().target, &mut self.text);
        self.round = Some(Round { turn, filter: filter.clone(), output: self.output.clone() });
        filter
    }

    fn needing_call(&mut self, facts: &[usize], size: u32) -> CallPlan {
        let named = facts.iter().map(|&fact| &self.outline.facts[fact]);
        let named =
            named.filter_map(|fact| Some(fact.cast.fill(&fact.form.call.as_ref()?.argument)));
        let named: Vec<String> = named.collect();
        let fact = &self.outline.facts[facts[0]];
        let Some(call) = &fact.form.call else { return self.free_call(size) };
        let named = named.join(&call.tool.form().between);
        if call.tool != Tool::Edit {
            return CallPlan::about(call.tool.form().look, named);
        }
        let (file, old, new) = if fact.form.kind == FactKind::Value {
            let file = format!("{}/settings.toml", fact.cast.get("dir"));
            (file, "# limits", format!("{named}  # limits"))
        } else {
            ("CHANGELOG.md".to_owned(), "## Unreleased", named)
        };
        CallPlan::editing(file, old.to_owned(), new)
    }

    /// A look at the part of the project that a fact is about: its result calls for the fact.
    fn sign_call(&mut self, look: Look, fact: usize, step: usize, size: u32) -> CallPlan {
        let cast = self.outline.used(fact, step + 1);
        let shows = self.outline.sign(fact).map(|(_, line)| cast.fill(line));
        let sign = Some(fact);
        CallPlan { sign, ..self.showing(look, fact, shows.into_iter().collect(), size) }
    }

    /// A call about the part that a fact is about, whose result has these lines.
    pub(super) fn showing(
        &mut self,
        look: Look,
        fact: usize,
        shows: Vec<String>,
        size: u32,
    ) -> CallPlan {
        let part = self.part_of(fact);
        let call = self.command(look, &self.outline.world.components[part], size);
        CallPlan { shows, part: Some(part), ..call }
    }

    fn part_of(&self, fact: usize) -> usize {
        let name = self.outline.facts[fact].cast.get("component");
        let mut parts = self.outline.world.components.iter();
        parts.position(|part| part.name == name).unwrap_or_default()
    }

    /// The call that uses a fact, another one each time where it says the fact.
    fn using_call(&mut self, fact: usize, step: usize, size: u32) -> CallPlan {
        let form = self.outline.facts[fact].form;
        let Some(call) = form.using(self.used[fact]) else { return self.free_call(size) };
        self.used[fact] += 1;
        self.project.settle(fact);
        let cast = self.outline.used(fact, step);
        let fill = |text: &String| cast.fill(text);
        let shows = call.shows.iter().map(fill).collect();
        let argument = fill(&call.argument);
        let look = call.tool.form().look;
        let file = call.file.as_ref().filter(|_| call.tool == Tool::Edit);
        let planned = match file {
            Some(file) if call.old.is_empty() => {
                let file = fill(file);
                let code = output::passage(&file, &self.outline.world, WRITTEN, &mut self.text);
                CallPlan::editing(file, String::new(), format!("{argument}\n\n{code}"))
            }
            Some(file) => CallPlan::editing(fill(file), fill(&call.old), argument),
            None if look == Look::Hits => {
                let args = arguments(&[("query", &argument), ("path", cast.get("dir"))]);
                CallPlan { args, ..CallPlan::about(look, argument) }
            }
            None => CallPlan::about(look, argument),
        };
        // What is only read or run prints what it prints in any case.
        let looked_up = matches!(look, Look::Source | Look::Tests);
        let alone = look == Look::Hits || !(looked_up || form.uses.is_empty());
        let part = &self.outline.world.components[self.part_of(fact)];
        let command = match look {
            Look::Tests => Some(Command::OneTest),
            Look::Log if call.commits.is_some() => {
                call.commits.as_ref().map(|subject| Command::Commit(fill(subject)))
            }
            Look::Log if !alone => {
                Some(Command::Tail(self.project.lines(&self.outline.world, part, size, self.now)))
            }
            Look::Hits => Some(Command::Search),
            _ => None,
        };
        let writes = call.file.as_ref().zip(call.line.as_ref());
        let writes = writes.map(|(file, line)| (fill(file), fill(line)));
        CallPlan { shows, alone, part: Some(self.part_of(fact)), command, writes, ..planned }
    }

    pub(super) fn free_call(&mut self, size: u32) -> CallPlan {
        let choices = match size {
            0..=SMALL => &Look::choices().small,
            HUGE.. => &Look::choices().huge,
            _ => &Look::choices().large,
        };
        let choice = weighted(&mut self.text, choices, |choice| choice.1);
        let look = choice.map_or(Look::Source, |choice| choice.0);
        self.missing_call(look, size).unwrap_or_else(|| self.call(look, size))
    }

    pub(super) fn call(&mut self, look: Look, size: u32) -> CallPlan {
        let mut call = match self.is_played() {
            true => self.played_call(look, size),
            false => self.bare_call(look),
        };
        let described = self.plan.work.habits.described.happens(&mut self.text);
        // A file that is kept is read whole, and a part of a project searched whole.
        let whole = self.keeps_files() && call.look.is_file()
            || self.is_played() && call.look == Look::Hits;
        if described && !whole {
            // OK because every call has arguments, in braces.
            let open = call.args.trim_end_matches('}').len();
            call.args.truncate(open);
            let particulars = self.particulars(look);
            call.args.push_str(&particulars);
        }
        call
    }

    pub(super) fn keeps_files(&self) -> bool {
        self.plan.work.habits.file_tokens.is_some()
    }

    fn particulars(&mut self, look: Look) -> String {
        let mut cast = Cast::default();
        cast.draw(&["noun", "thing"], &mut self.text);
        cast.set("from", self.text.random_range(1..900).to_string());
        cast.set("lines", (self.text.random_range(2..40) * 10).to_string());
        cast.set("ending", self.outline.world.ending());
        cast.fill(&look.form().tool.form().particulars)
    }

    pub(super) fn bare_call(&mut self, look: Look) -> CallPlan {
        if look == Look::Source {
            return self.reading().unwrap_or_else(|| CallPlan::about(look, self.file_to_read()));
        }
        if look == Look::Diff {
            return self.edit();
        }
        let domain = self.outline.world.domain;
        let form = if self.is_played() { domain.target(look) } else { &look.form().target };
        let call = CallPlan::about(look, self.goal.drawn(form, &mut self.text));
        if look != Look::Hits {
            return call;
        }
        let name = match self.keeps_files() {
            true if self.is_played() => {
                self.project.tree.defined(self.goal.get("dir"), &mut self.text)
            }
            true => self.project.tree.name(&mut self.text),
            false => None,
        };
        let call = CallPlan { target: name.unwrap_or(call.target), ..call };
        let args = [("query", call.target.as_str()), ("path", self.goal.get("dir"))];
        CallPlan { args: arguments(&args), ..call }
    }

    /// Where files are kept: half of what is read was read before, as recorded, and is then read in
    /// part.
    fn reading(&mut self) -> Option<CallPlan> {
        if !self.keeps_files() || self.text.random_bool(0.5) {
            return None;
        }
        let file = self.project.tree.recent(&self.files, &mut self.text)?;
        let part = self.project.tree.part(&file, &mut self.text)?;
        let (offset, limit) = (part.0 + 1, part.1);
        let call = CallPlan::about(Look::Source, file);
        let args = call.args.trim_end_matches('}');
        let args = format!("{args}, \"offset\": {offset}, \"limit\": {limit}}}");
        Some(CallPlan { args, lines: Some(part), ..call })
    }

    /// An edit of a file of the goal; where files are kept, of one that was read, else it is read.
    fn edit(&mut self) -> CallPlan {
        if !self.keeps_files() {
            let file = self.file();
            let (old, new) = (self.passage(&file), self.passage(&file));
            return CallPlan::editing(file, old, new);
        }
        let Some(file) = self.project.tree.recent(&self.files, &mut self.text) else {
            return CallPlan::about(Look::Source, self.file());
        };
        let tokens = self.plan.work.habits.edit_tokens.sample(&mut self.text);
        let Some(old) = self.project.tree.passage(&file, tokens, &mut self.text) else {
            return CallPlan::about(Look::Source, file);
        };
        let new = self.passage(&file);
        CallPlan::editing(file, old, new)
    }

    /// A file of the goal, or one beside it in another language.
    fn file_to_read(&mut self) -> String {
        if self.is_played() || self.text.random_bool(0.85) {
            return self.file();
        }
        let (ending, place) = pick_ref(&mut self.text, &RESULTS.neighbours);
        let file = format!("{{dir}}/{place}/{{verb}}_{{noun}}.{ending}");
        self.goal.drawn(&file, &mut self.text)
    }

    pub(super) fn file(&mut self) -> String {
        pick_ref(&mut self.text, &self.files).clone()
    }

    pub(super) fn passage(&mut self, file: &str) -> String {
        let tokens = self.plan.work.habits.edit_tokens.sample(&mut self.text);
        output::passage(file, &self.outline.world, tokens, &mut self.text)
    }

    /// The result of a call, and whether it failed; only the repeated call's comes twice.
    pub(super) fn result_text(&mut self, plan: &CallPlan, size: u32) -> (String, bool) {
        let own = self.component(self.script.arcs.len() - 1);
        let component = plan.part.map_or(own, |part| &self.outline.world.components[part]);
        let edit = plan.edit.as_ref().map(|(old, new)| (old.as_str(), new.as_str()));
        let world = &self.outline.world;
        let subject = Subject { world, component, target: &plan.target, edit };
        if plan.act == Act::Repeated {
            return (self.status(size), false);
        }
        if self.is_played()
            && let Some(answer) = self.answer(plan, component, size)
        {
            return answer;
        }
        let (mut text, mut failed) = self.print(plan, &subject, size);
        if self.keeps_files() && (plan.look.is_file() || plan.look == Look::Hits) {
            return (text, failed);
        }
        let mut tries = 0;
        while tries < TRIES && self.printed.contains(&text) {
            (text, failed) = self.print(plan, &subject, size);
            tries += 1;
        }
        if let Some(edit) = edit.filter(|_| self.keeps_files() && !failed) {
            self.project.tree.edit(&plan.target, edit);
        }
        if tries < TRIES {
            return (text, failed);
        }
        // Little can be said in few tokens: the time that it took is never the same.
        let said = (self.printed.len()..).map(|took| format!("{text}\n({took} ms)"));
        let new = said.into_iter().find(|said| !self.printed.contains(said));
        (new.unwrap_or_default(), failed)
    }

    fn print(&mut self, plan: &CallPlan, subject: &Subject<'_>, size: u32) -> (String, bool) {
        let is_played = self.is_played();
        let rng = &mut self.output;
        if plan.act == Act::Failing {
            let mut same = self.round.as_ref().map_or_else(|| rng.clone(), |r| r.output.clone());
            let took = rng.random_range(1..9_999);
            let text = output::failing_tests(subject, size, &mut same);
            return (format!("{text}\nexited with status 1 after {took} ms"), true);
        }
        if plan.alone {
            let text = match plan.look {
                // An edit that changed nothing else says where.
                Look::Diff => output::render(plan.look, subject, 0, &[], rng),
                _ if plan.shows.is_empty() => NOTHING.to_owned(),
                _ => plan.shows.join("\n"),
            };
            return (text, false);
        }
        let fails = plan.misses || (!is_played && self.plan.work.tool_errors.happens(rng));
        if fails && plan.plants.is_empty() && plan.part.is_none() {
            let text = output::failure(plan.look, subject, rng);
            if plan.misses || !plan.look.form().fails_late {
                return (text, true);
            }
            return (output::render(plan.look, subject, size, &[], rng) + "\n" + &text, true);
        }
        let planted = self.stated(plan);
        let rng = &mut self.output;
        if let Some(tokens) = &self.plan.work.habits.file_tokens {
            let tree = &mut self.project.tree;
            if let Some(part) = plan.lines {
                return (tree.show(subject.target, part), false);
            }
            match plan.look {
                look if look.is_file() => {
                    let size = tokens.sample(rng);
                    return (tree.read(look, subject, size, &planted, rng), false);
                }
                Look::Hits if planted.is_empty() => {
                    return (tree.hits(&[subject.target], "", &[]), false);
                }
                _ => {}
            }
        }
        (output::render(plan.look, subject, size, &planted, rng), false)
    }

    /// The lines of a result that state facts or call for them.
    pub(super) fn stated(&mut self, plan: &CallPlan) -> Vec<String> {
        let (read, played) = (self.outline.shadowed, self.is_played());
        let rng = &mut self.output;
        let facts = plan.plants.iter().map(|&fact| &self.outline.facts[fact]);
        let lines = facts.map(|fact| {
            let (form, about) = (fact.form, fact.cast.get("aspect"));
            if !played {
                return fact.cast.fill(form.saying(read, rng));
            }
            let line = fact.cast.fill(form.naming(rng));
            match form.has_aspect() && !line.contains(about) {
                true => format!("{line} ({about})"),
                false => line,
            }
        });
        // A handbook is prose, the other shapes are what a machine prints.
        let prose = plan.look == Look::Handbook;
        let lines = lines.map(|line| if prose { sentence(&line) } else { line });
        lines.chain(plan.shows.iter().cloned()).collect()
    }

    /// What the repeated call prints: the same, but for a last line now and then.
    fn status(&mut self, size: u32) -> String {
        let world = &self.outline.world;
        let subject = Subject { component: &world.components[0], world, target: "", edit: None };
        let same = output::render(Look::Listing, &subject, size, &[], &mut self.again.clone());
        if self.output.random_bool(0.3) {
            let line = self.output.random_range(2..900);
            return format!("{same}\n({line} lines changed)");
        }
        same
    }
}

/// A JSON object by hand: the order of keys must not depend on how `serde_json` is configured.
pub(super) fn arguments(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(key, value)| (key, serde_json::Value::from(*value)));
    let fields: Vec<String> = pairs.map(|(key, value)| format!("\"{key}\": {value}")).collect();
    format!("{{{}}}", fields.join(", "))
}
