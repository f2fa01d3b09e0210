//! Calls of a session that is played in its project: the state of the project answers them.

use super::Writer;
use super::calls::{CallPlan, SMALL, arguments};
use super::project::{Asked, Command, Told};
use crate::synth::outline::{Act, Duty};
use crate::synth::output::Subject;
use crate::synth::prelude::*;

/// How often an edit goes to what the agent was shown to be wrong.
const MENDS: f64 = 0.9;
/// How often a call that nothing is planned for does.
const TURNS_TO: f64 = 0.7;

impl Writer<'_> {
    /// Whether commands answer from the state of the project.
    pub(super) fn is_played(&self) -> bool {
        self.outline.played
    }

    /// An ordinary call.
    pub(super) fn played_call(&mut self, look: Look, size: u32) -> CallPlan {
        let component = self.component(self.script.arcs.len() - 1);
        match look {
            Look::Diff => self.work_on(component),
            Look::Hits => CallPlan { command: Some(Command::Search), ..self.bare_call(look) },
            look if look.is_file() => self.bare_call(look),
            look => self.command(look, component, size),
        }
    }

    /// A call whose result states facts: of a file that nobody has seen, or a search for what the
    /// facts are about.
    pub(super) fn planting_call(&mut self, look: Look, plants: Vec<usize>, size: u32) -> CallPlan {
        let component = self.component(self.script.arcs.len() - 1);
        let call = match look {
            Look::Hits => {
                let about = plants.iter().map(|&fact| self.outline.facts[fact].cast.get("aspect"));
                let query = about.collect::<Vec<&str>>().join("|");
                let args = arguments(&[("query", &query), ("path", &component.dir)]);
                let command = Some(Command::Search);
                CallPlan { args, command, ..CallPlan::about(look, query) }
            }
            Look::Source => {
                let file = self.project.unseen(&self.outline.world, component, &mut self.text);
                CallPlan::about(look, file)
            }
            Look::Settings | Look::Handbook => {
                let first = component.cast().fill(self.outline.world.domain.target(look));
                let (stem, ending) = first.rsplit_once('.').unwrap_or((&first, ""));
                let other = format!("{stem}/{{noun}}_{{thing}}.{ending}");
                let other = Cast::default().drawn(&other, &mut self.text);
                CallPlan::about(look, if self.project.tree.has(&first) { other } else { first })
            }
            look => self.command(look, component, size),
        };
        CallPlan { plants, ..call }
    }

    /// Now and then a call that fails: about a part that the project does not have, or an edit of a
    /// text that its file does not hold. None of searches and test runs.
    pub(super) fn missing_call(&mut self, look: Look, size: u32) -> Option<CallPlan> {
        if !self.is_played() || !self.plan.work.tool_errors.happens(&mut self.text) {
            return None;
        }
        let world = &self.outline.world;
        let stranger = world.stranger(&mut self.text);
        let call = match look {
            Look::Hits | Look::Tests => return None,
            Look::Diff => {
                let file = self.project.tree.recent(&self.files, &mut self.text)?;
                let (old, new) = (self.passage(&file), self.passage(&file));
                CallPlan::editing(file, old, new)
            }
            Look::Source => {
                let file = format!("{{dir}}/{{verb}}_{{noun}}.{}", world.ending());
                CallPlan::about(look, stranger.cast().drawn(&file, &mut self.text))
            }
            look => self.command(look, &stranger, size),
        };
        Some(CallPlan { misses: true, command: None, ..call })
    }

    /// A command of this look about a part of the project.
    pub(super) fn command(&mut self, look: Look, component: &Component, size: u32) -> CallPlan {
        let mut cast = component.cast();
        let form = self.outline.world.domain.target(look);
        let (target, command) = match look {
            Look::Tests => return self.test_run(component),
            Look::Compiler => (cast.drawn(form, &mut self.text), Command::Build),
            Look::Log => {
                let lines = self.project.lines(&self.outline.world, component, size, self.now);
                cast.set("n", lines.to_string());
                (cast.drawn(form, &mut self.text), Command::Tail(lines))
            }
            Look::Json if size <= SMALL => {
                (cast.fill(self.outline.world.domain.health()), Command::Health)
            }
            Look::Json => (cast.drawn(form, &mut self.text), Command::Fetch),
            Look::Patch => {
                let command = self.project.version_control(size, size <= SMALL, &mut self.text);
                let commands = &RESULTS.commands;
                let form = match &command {
                    Command::Commit(_) => &commands.commit,
                    Command::Diff => &commands.diff,
                    Command::Show => &commands.show,
                    _ => &commands.history,
                };
                match &command {
                    Command::History(count) => cast.set("n", count.to_string()),
                    Command::Commit(subject) => cast.set("subject", subject.as_str()),
                    _ => {}
                }
                (cast.drawn(form, &mut self.text), command)
            }
            Look::Listing => (cast.drawn(form, &mut self.text), Command::List),
            look => return CallPlan::about(look, cast.drawn(form, &mut self.text)),
        };
        CallPlan { command: Some(command), ..CallPlan::about(look, target) }
    }

    fn test_run(&self, component: &Component) -> CallPlan {
        let command = Some(Command::Tests);
        CallPlan { command, ..CallPlan::about(Look::Tests, component.module.clone()) }
    }

    /// An edit of a file of the part, often of what was shown to be wrong; a look at the file where
    /// it was not read.
    fn work_on(&mut self, component: &Component) -> CallPlan {
        let wrong = self.project.shown_fault(component);
        match wrong.filter(|_| self.text.random_bool(MENDS)) {
            Some((file, line)) => self.mend(file, line),
            None => {
                let call = self.bare_call(Look::Diff);
                as_command(call, true)
            }
        }
    }

    fn mend(&mut self, file: String, line: usize) -> CallPlan {
        if !self.project.tree.was_seen(&file) {
            return CallPlan::about(Look::Source, file);
        }
        let tokens = self.plan.work.habits.edit_tokens.sample(&mut self.text);
        let Some(old) = self.project.tree.passage_at(&file, line, tokens) else {
            return CallPlan::about(Look::Source, file);
        };
        let new = self.passage(&file);
        as_command(CallPlan::editing(file, old, new), false)
    }

    /// The call of a loop or a repetition. Something is wrong when a loop begins, edits go beside
    /// it, and the last one mends it.
    pub(super) fn played(&mut self, step: usize) -> Option<CallPlan> {
        let plan = &self.outline.steps[step];
        let component = self.component(self.script.arcs.len() - 1);
        let call = match plan.act {
            Act::Failing => {
                if !self.project.is_broken(component) {
                    self.project.break_some(&self.outline.world, component, &mut self.text);
                }
                self.test_run(component)
            }
            Act::Passing => self.test_run(component),
            Act::Mending => match self.project.shown_fault(component) {
                Some((file, line)) if self.is_last_round(step) => self.mend(file, line),
                _ => as_command(self.bare_call(Look::Diff), false),
            },
            Act::Repeated => CallPlan {
                command: Some(Command::Status),
                ..CallPlan::about(Look::Listing, "git status --short".to_owned())
            },
            Act::Ordinary | Act::Closing(_) => return None,
        };
        Some(CallPlan { act: plan.act, ..call })
    }

    fn is_last_round(&self, step: usize) -> bool {
        let turn = self.outline.steps[step].turn;
        let later = &self.outline.steps[step + 1..self.outline.turns[turn].steps.end];
        let mut rounds = later.iter().filter(|step| step.duties.is_empty());
        rounds.find(|step| step.act != Act::Mending).is_none_or(|step| step.act != Act::Failing)
    }

    /// A call before a step in which the agent says what failed: its result has the cause.
    pub(super) fn telling_call(&mut self, step: usize, size: u32) -> CallPlan {
        let next = self
            .outline
            .steps
            .get(step + 1)
            .filter(|next| self.is_played() && next.turn == self.outline.steps[step].turn);
        let born = next.into_iter().flat_map(|next| &next.duties).find_map(|duty| match duty {
            Duty::Birth(fact) if self.outline.facts[*fact].form.birth == Birth::Agent => {
                Some((*fact, self.outline.facts[*fact].form.cause.as_ref()?))
            }
            _ => None,
        });
        let Some((fact, (look, line))) = born else {
            let component = self.component(self.script.arcs.len() - 1);
            let shown = self.project.shown_fault(component).is_some();
            let wrong = self.is_played() && (shown || self.project.is_odd(component));
            return match wrong && self.text.random_bool(TURNS_TO) {
                true => self.work_on(component),
                false => self.free_call(size),
            };
        };
        let line = self.outline.used(fact, step + 1).fill(line);
        self.showing(*look, fact, vec![line], size)
    }

    /// What the state of the project answers, and whether the call failed.
    pub(super) fn answer(
        &mut self,
        plan: &CallPlan,
        component: &Component,
        size: u32,
    ) -> Option<(String, bool)> {
        let world = &self.outline.world;
        let edit = plan.edit.as_ref().map(|(old, new)| (old.as_str(), new.as_str()));
        if plan.misses && edit.is_some() {
            let lines = self.project.tree.length(&plan.target).to_string();
            let cast = Cast::from([("target", &*plan.target), ("number", &*lines)]);
            return Some((cast.fill(&plan.look.form().failure), true));
        }
        if let Some((file, line)) = &plan.writes {
            self.project.tree.edit(file, ("", line));
        }
        let Some(command) = &plan.command else {
            let (old, new) = edit.filter(|_| !plan.misses)?;
            if !old.is_empty() {
                self.project.tree.hold(&plan.target, old, &mut self.output);
            }
            let at = self.project.tree.edit(&plan.target, (old, new))?;
            return Some((format!("edited {} at line {}", plan.target, at + 1), false));
        };
        // A drill or a run that is still to come fails nothing.
        let kind = plan.sign.map(|fact| self.outline.facts[fact].form.kind);
        let told =
            |line: String| Told { line, fails: kind != Some(FactKind::Command), of: plan.sign };
        let told: Vec<Told> = self.stated(plan).into_iter().map(told).collect();
        let subject = Subject { world, component, target: &plan.target, edit };
        let asked = Asked { subject, told: &told, tokens: size, now: self.now };
        Some(self.project.run(command, &asked, &mut self.output))
    }

    /// A file that an account of the work names: one that was edited, as far as there is any.
    pub(super) fn accounted(&mut self) -> String {
        let component = self.component(self.script.arcs.len() - 1);
        let edited = match self.is_played() {
            true => self.project.edited_of(component, &mut self.text),
            false => None,
        };
        edited.unwrap_or_else(|| self.file())
    }

    /// What the user copied from a terminal.
    pub(super) fn copied(&mut self, look: Look, component: &Component, tokens: u32) -> String {
        let call = self.command(look, component, tokens);
        self.answer(&call, component, tokens).map(|answer| answer.0).unwrap_or_default()
    }
}

fn as_command(call: CallPlan, breaks: bool) -> CallPlan {
    let command = call.edit.is_some().then_some(Command::Edit { breaks });
    CallPlan { command, ..call }
}
