//! The project as the session has left it: what is in its files, what is wrong in them, what was
//! committed and what its services wrote. Commands answer from it.

use super::history::{History, hunks};
use super::logs::ServiceLog;
use super::tree::Tree;
use crate::synth::output::{self, Subject, state};
use crate::synth::prelude::*;

/// Files of a part.
const FILES: usize = 8;
/// Share of edits after which something is wrong that was not before.
const BREAKS: f64 = 0.05;
/// Share of what goes wrong that a build finds; tests find the rest.
const FOUND_BY_BUILD: f64 = 0.35;
/// Lines of a file that call what other files define.
const CALLS: usize = 3;
/// The shortest line that can be wrong.
const TELLING: usize = 20;

/// A command whose answer follows from the state.
#[derive(Clone, Debug)]
pub(super) enum Command {
    /// The tests of a part.
    Tests,
    /// One test, which passes.
    OneTest,
    Build,
    /// So many last lines of a service's log.
    Tail(usize),
    /// Files that hold a name.
    Search,
    List,
    Fetch,
    Health,
    Status,
    Diff,
    /// A commit of all edits, called so.
    Commit(String),
    /// The latest commit.
    Show,
    /// The latest commits, a line each.
    History(usize),
    /// An edit, after which something else may be wrong or nothing.
    Edit {
        breaks: bool,
    },
}

/// A line that is wrong, until an edit takes it away.
#[derive(Debug)]
struct Fault {
    file: String,
    line: String,
    by_build: bool,
    /// Whether the agent was shown it.
    shown: bool,
}

#[derive(Default)]
pub(super) struct Project {
    pub tree: Tree,
    seed: Seed,
    /// The files of each part.
    files: Vec<Vec<String>>,
    tokens: Option<Draw>,
    faults: Vec<Fault>,
    /// What runs of the tests and of the build of a part show until the part is edited.
    told: BTreeMap<(String, bool), Vec<Told>>,
    /// Names of the tests of a part.
    suites: BTreeMap<String, Vec<String>>,
    logs: BTreeMap<String, ServiceLog>,
    answers: BTreeMap<String, String>,
    /// The files in which lines were found that a search was told of.
    held: BTreeMap<String, String>,
    history: History,
}

/// A line that an answer has for what the session tells, not for the state of the project.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub line: String,
    /// Whether it says that something fails.
    pub fails: bool,
    /// The fact that it calls for: it is gone once that was used.
    pub of: Option<usize>,
}

/// What a command is asked with.
pub(super) struct Asked<'a> {
    pub subject: Subject<'a>,
    /// Lines that its answer has besides.
    pub told: &'a [Told],
    /// Its tokens, roughly, where the state leaves that open.
    pub tokens: u32,
    pub now: Millis,
}

impl Project {
    pub fn new(world: &World, tokens: Option<Draw>, seed: Seed) -> Project {
        let files = |component: &Component| {
            let mut rng = seed.derive(&["files", &component.name]).rng();
            let own = format!("{{dir}}/{{verb}}_{{noun}}.{}", world.ending());
            let mut files: Vec<String> =
                (0..FILES).map(|_| component.cast().drawn(&own, &mut rng)).collect();
            if world.domain.domain == Domain::Software {
                let (ending, place) = pick_ref(&mut rng, &RESULTS.neighbours);
                let other = format!("{{dir}}/{place}/{{verb}}_{{noun}}.{ending}");
                files.push(component.cast().drawn(&other, &mut rng));
            }
            files
        };
        let files = world.components.iter().map(files).collect();
        Project { seed, files, tokens, ..Project::default() }
    }

    /// The files of a part, those in the project's own language first.
    pub fn files(&self, world: &World, component: &Component) -> &[String] {
        let place = world.components.iter().position(|one| one.name == component.name);
        place.and_then(|place| self.files.get(place)).map_or(&[], Vec::as_slice)
    }

    /// Writes the files of a part that nobody has read yet.
    fn write(&mut self, world: &World, component: &Component) {
        for file in self.files(world, component).to_vec() {
            self.write_file(world, component, &file);
        }
    }

    /// A file of a part that is not there yet: nobody knows what is in it.
    pub fn unseen(&self, world: &World, component: &Component, rng: &mut ChaCha8Rng) -> String {
        let own = self.files(world, component).iter().take(FILES).find(|file| !self.tree.has(file));
        let other = format!("{{dir}}/{{part}}/{{verb}}_{{noun}}.{}", world.ending());
        own.cloned().unwrap_or_else(|| component.cast().drawn(&other, rng))
    }

    /// The fact was used: nothing calls for it any more.
    pub fn settle(&mut self, fact: usize) {
        self.told.values_mut().for_each(|told| told.retain(|one| one.of != Some(fact)));
    }

    /// Writes a file that nobody has read yet; it calls what others define.
    fn write_file(&mut self, world: &World, component: &Component, file: &str) {
        if self.tree.has(file) {
            return;
        }
        let mut rng = self.seed.derive(&["file", file]).rng();
        let tokens = self.tokens.as_ref().map_or(0, |tokens| tokens.sample(&mut rng));
        let subject = Subject { world, component, target: file, edit: None };
        let text = output::plain(Look::Source, &subject, tokens, &mut rng);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..CALLS {
            let name = self.tree.defined("", &mut rng);
            let dialect = world.dialect_of(file);
            if let Some(call) = name.and_then(|name| state::call_of(&name, dialect, &mut rng)) {
                // At the end of a block.
                let ends = |at: &usize| lines[*at].is_empty() && lines[at - 1].starts_with(' ');
                let ends: Vec<usize> = (1..lines.len()).filter(ends).collect();
                let at = if ends.is_empty() { lines.len() } else { pick(&mut rng, &ends) };
                lines.insert(at, call);
            }
        }
        self.tree.put(file, &lines.join("\n"));
    }

    /// A line that names a place, with a place that is there: `FILE:LINE:TEXT`. A part has no other
    /// files than its own; `holds` puts the text there.
    fn placed(&mut self, asked: &Asked<'_>, line: &str, holds: bool) -> String {
        let mut parts = line.splitn(3, ':');
        let (Some(file), Some(number), Some(text)) = (parts.next(), parts.next(), parts.next())
        else {
            return line.to_owned();
        };
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return line.to_owned();
        }
        let (world, component) = (asked.subject.world, asked.subject.component);
        let mut rng = self.seed.derive(&["place", line]).rng();
        let named = Dialect::of_file(file).is_some();
        let own = &self.files(world, component)[..FILES];
        let file = match (named, holds) {
            (true, _) => file.trim_start_matches("./").to_owned(),
            // What was seen is not changed by a search.
            (false, true) if self.held.contains_key(line) => self.held[line].clone(),
            (false, true) => self.unseen(world, component, &mut rng),
            (false, false) => pick_ref(&mut rng, own).clone(),
        };
        if holds {
            self.held.insert(line.to_owned(), file.clone());
        }
        self.write_file(world, component, &file);
        let at = match holds {
            true => self.tree.hold(&file, text, &mut rng),
            false => rng.random_range(0..self.tree.length(&file).max(1) as u32) as usize,
        };
        format!("{file}:{}:{text}", at + 1)
    }

    /// What a search finds. What it is told to find stands in a file from then on.
    fn search(&mut self, asked: &Asked<'_>, rng: &mut ChaCha8Rng) -> String {
        let mut found: Vec<String> = Vec::new();
        for told in asked.told {
            let line = self.placed(asked, &told.line, true);
            let at = rng.random_range(0..=found.len() as u32) as usize;
            found.insert(at, line);
        }
        let names: Vec<&str> = asked.subject.target.split('|').collect();
        self.tree.hits(&names, &asked.subject.component.dir, &found)
    }

    /// Makes a line of some file of a part wrong.
    pub fn break_some(&mut self, world: &World, component: &Component, rng: &mut ChaCha8Rng) {
        self.write(world, component);
        let file = pick_ref(rng, &self.files(world, component)[..FILES]).clone();
        let text = self.tree.text(&file);
        let lines: Vec<&str> = text.lines().filter(|line| self.can_be_wrong(&file, line)).collect();
        if !lines.is_empty() {
            let line = pick(rng, &lines).to_owned();
            self.faults.push(Fault { file, line, by_build: false, shown: false });
        }
    }

    /// Whether a line does something, and is not there twice.
    fn can_be_wrong(&self, file: &str, line: &str) -> bool {
        let same = self.tree.open_lines(file).filter(|(_, text)| *text == line);
        line.trim().len() >= TELLING && same.count() == 1
    }

    /// Whether the tests of a part fail for a line that is wrong.
    pub fn is_broken(&self, component: &Component) -> bool {
        self.faults_of(component).any(|fault| !fault.by_build)
    }

    fn faults_of<'a>(&'a self, component: &'a Component) -> impl Iterator<Item = &'a Fault> + 'a {
        let is_there = |fault: &&Fault| self.tree.find(&fault.file, &fault.line).is_some();
        self.faults.iter().filter(|fault| is_in(&fault.file, component)).filter(is_there)
    }

    /// A wrong line that the agent was shown: its file and place.
    pub fn shown_fault(&self, component: &Component) -> Option<(String, usize)> {
        let fault = self.faults_of(component).find(|fault| fault.shown)?;
        Some((fault.file.clone(), self.tree.find(&fault.file, &fault.line)?))
    }

    /// Whether runs of a part show what no line of it explains.
    pub fn is_odd(&self, component: &Component) -> bool {
        [false, true].iter().any(|by_build| {
            let told = self.told.get(&(component.module.clone(), *by_build));
            told.is_some_and(|told| !told.is_empty())
        })
    }

    /// A file of a part that was edited since the last commit.
    pub fn edited_of(&self, component: &Component, rng: &mut ChaCha8Rng) -> Option<String> {
        let files = self.tree.edited().map(|(file, _)| file);
        let files: Vec<&str> = files.filter(|file| is_in(file, component)).collect();
        (!files.is_empty()).then(|| pick(rng, &files).to_owned())
    }

    /// Lines of a service's log that fill so much room.
    pub fn lines(&self, world: &World, component: &Component, tokens: u32, now: Millis) -> usize {
        let room = output::room(Look::Log, tokens);
        ServiceLog::new(world.domain, &component.module, self.seed).fitting(room, now)
    }

    /// The version control command that fits a result of this size.
    pub fn version_control(&self, tokens: u32, is_small: bool, rng: &mut ChaCha8Rng) -> Command {
        // What changed much is committed and not looked at whole.
        let fits = History::diff(&self.tree).len() < 3 * output::room(Look::Patch, tokens);
        match (is_small || !fits, self.tree.edited().next().is_some()) {
            (true, true) => Command::Commit(state::subject_of(rng)),
            (false, true) => Command::Diff,
            (false, false) if !self.history.is_empty() => Command::Show,
            (true, false) => Command::History(5),
            (false, false) => Command::History(30),
        }
    }

    /// What a command prints, and whether it failed.
    pub fn run(
        &mut self,
        command: &Command,
        asked: &Asked<'_>,
        rng: &mut ChaCha8Rng,
    ) -> (String, bool) {
        let text = match command {
            Command::Tests => return self.tests(asked, rng),
            Command::Build => return self.build(asked, rng),
            Command::OneTest => {
                let target = asked.subject.target;
                let told = asked.told.first().map(|told| told.line.clone());
                let line = told.unwrap_or_else(|| format!("{target} ... ok"));
                state::one_test(&asked.subject, line, rng)
            }
            Command::Tail(lines) => self.tail(*lines, asked, rng),
            Command::Search => self.search(asked, rng),
            Command::List => self.list(asked),
            Command::Fetch => self.fetch(asked),
            Command::Health => self.health(asked),
            Command::Status => History::status(&self.tree),
            Command::Diff => History::diff(&self.tree),
            Command::Commit(subject) => self.history.commit(subject, &mut self.tree, rng),
            Command::Show => self.history.latest(),
            Command::History(count) => self.history.lines(*count, self.seed),
            Command::Edit { breaks } => return self.edit(*breaks, asked, rng),
        };
        (text, false)
    }

    fn tests(&mut self, asked: &Asked<'_>, rng: &mut ChaCha8Rng) -> (String, bool) {
        let (world, component) = (asked.subject.world, asked.subject.component);
        self.write(world, component);
        let told = self.told_of(component, false, asked.told);
        let names = self.suite(asked);
        let mut causes: BTreeMap<usize, (Seed, Vec<String>)> = BTreeMap::new();
        for fault in self.faults_of(component).filter(|fault| !fault.by_build) {
            let draws = self.seed.derive(&["fault", &fault.file, &fault.line]);
            let case = draws.rng().random_range(0..names.len() as u32) as usize;
            let line = self.tree.find(&fault.file, &fault.line).map_or(0, |at| at + 1);
            let cause = format!("  {}:{line}: {}", fault.file, fault.line.trim());
            causes.entry(case).or_insert((draws, Vec::new())).1.push(cause);
        }
        let failed = !causes.is_empty() || told.iter().any(|told| told.fails);
        let (failing, other): (Vec<Told>, Vec<Told>) =
            told.into_iter().partition(|told| told.fails);
        let lines =
            |told: Vec<Told>| told.into_iter().map(|told| told.line).collect::<Vec<String>>();
        let told = [lines(failing), lines(other)];
        let numbered = names.iter().enumerate();
        let cases: Vec<state::Case<'_>> = numbered
            .map(|(number, name)| state::Case { name, cause: causes.remove(&number) })
            .collect();
        let text = state::test_run(&asked.subject, &cases, &told, rng);
        self.show(component, false);
        (text, failed)
    }

    /// The tests of a part: as many as the first run has room for.
    fn suite(&mut self, asked: &Asked<'_>) -> Vec<String> {
        let module = &asked.subject.component.module;
        if let Some(names) = self.suites.get(module) {
            return names.clone();
        }
        let mut rng = self.seed.derive(&["tests", module]).rng();
        let room = output::room(Look::Tests, asked.tokens) / 60;
        let mut names: Vec<String> = Vec::new();
        while names.len() < room.clamp(5, 200) {
            let name = output::words(&mut rng).fill("{verbs}_{noun}");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        self.suites.insert(module.clone(), names.clone());
        names
    }

    fn build(&mut self, asked: &Asked<'_>, rng: &mut ChaCha8Rng) -> (String, bool) {
        let (world, component) = (asked.subject.world, asked.subject.component);
        self.write(world, component);
        let told = asked.told.iter().map(|told| {
            let line = self.placed(asked, &told.line, false);
            Told { line, ..told.clone() }
        });
        let told: Vec<Told> = told.collect();
        let told = self.told_of(component, true, &told).into_iter().map(|told| told.line);
        let told: Vec<String> = told.collect();
        let texts: Vec<(String, String)> = self.files(world, component)[..FILES]
            .iter()
            .map(|file| (file.clone(), self.tree.text(file)))
            .collect();
        let wrong = self.faults_of(component).filter(|fault| fault.by_build);
        let wrong: Vec<(&str, &str)> = wrong.map(|fault| (&*fault.file, &*fault.line)).collect();
        let mut errors = Vec::new();
        let mut others = Vec::new();
        for (file, text) in &texts {
            let lines: Vec<&str> = text.lines().collect();
            for (at, _) in self.tree.open_lines(file) {
                let draws = self.seed.derive(&["fault", file, lines[at]]);
                let before = at.checked_sub(1).map_or("", |before| lines[before]);
                let place = state::Place { file, line: at + 1, text: lines[at], before, draws };
                let is_wrong = wrong.contains(&(file, lines[at]));
                if is_wrong { &mut errors } else { &mut others }.push(place);
            }
        }
        // The same lines first each time.
        others.sort_by_key(|place| place.draws.0);
        let text = state::build(&asked.subject, &errors, &told, &others, asked.tokens, rng);
        let failed = !errors.is_empty() || !told.is_empty();
        self.show(component, true);
        (text, failed)
    }

    /// What runs of a part show besides: what they showed, and what is new.
    fn told_of(&mut self, component: &Component, by_build: bool, new: &[Told]) -> Vec<Told> {
        let told = self.told.entry((component.module.clone(), by_build)).or_default();
        for one in new {
            if told.iter().all(|other| other.line != one.line) {
                told.push(one.clone());
            }
        }
        told.clone()
    }

    fn show(&mut self, component: &Component, by_build: bool) {
        let faults = self.faults.iter_mut().filter(|fault| is_in(&fault.file, component));
        faults.filter(|fault| fault.by_build == by_build).for_each(|fault| fault.shown = true);
    }

    fn tail(&mut self, lines: usize, asked: &Asked<'_>, rng: &mut ChaCha8Rng) -> String {
        let component = asked.subject.component;
        let fault = self.faults_of(component).find(|fault| !fault.by_build);
        let cause = fault.map(|fault| {
            let line = self.tree.find(&fault.file, &fault.line).map_or(0, |at| at + 1);
            format!("{}:{line}", fault.file)
        });
        let told = asked.told.iter().map(|told| told.line.clone()).collect();
        let domain = asked.subject.world.domain;
        let log = self.logs.entry(component.module.clone());
        let log = log.or_insert_with(|| ServiceLog::new(domain, &component.module, self.seed));
        log.tail(lines, told, cause, asked.now, rng)
    }

    fn list(&mut self, asked: &Asked<'_>) -> String {
        let (world, component) = (asked.subject.world, asked.subject.component);
        self.write(world, component);
        let own = self.files(world, component).iter().map(String::as_str);
        let seen = self.tree.seen().filter(|file| is_in(file, component));
        let name =
            |file: &'_ str| file.strip_prefix(&component.dir).map(|rest| rest[1..].to_owned());
        let files: BTreeMap<String, &str> =
            own.chain(seen).filter_map(|file| Some((name(file)?, file))).collect();
        let entry = |(name, file): (&String, &&str)| {
            state::entry(name, self.tree.text(file).len(), self.seed)
        };
        files.iter().map(entry).collect::<Vec<String>>().join("\n")
    }

    fn fetch(&mut self, asked: &Asked<'_>) -> String {
        let draws = self.seed.derive(&["answer", asked.subject.target]);
        let kept = self.answers.entry(asked.subject.target.to_owned());
        kept.or_insert_with(|| state::answer(asked.tokens, draws)).clone()
    }

    fn health(&self, asked: &Asked<'_>) -> String {
        let component = asked.subject.component;
        let revision = self.history.revision();
        let wrong = self.faults_of(component).filter(|fault| !fault.by_build).count();
        format!(
            "{{\"service\":\"{}\",\"ok\":{},\"failing\":{wrong},\"revision\":\"{revision}\"}}",
            component.module,
            wrong == 0
        )
    }

    /// Edits a file; the answer shows the place.
    fn edit(&mut self, breaks: bool, asked: &Asked<'_>, rng: &mut ChaCha8Rng) -> (String, bool) {
        let (file, Some((old, new))) = (asked.subject.target, asked.subject.edit) else {
            return (String::new(), false);
        };
        let before = self.tree.text(file);
        let Some(_) = self.tree.edit(file, (old, new)) else {
            return (output::failure(Look::Diff, &asked.subject, rng), true);
        };
        self.forget(asked.subject.component);
        if breaks
            && rng.random_bool(BREAKS)
            && let Some(line) = new.lines().find(|line| self.can_be_wrong(file, line))
        {
            let (file, line) = (file.to_owned(), line.to_owned());
            let by_build = rng.random_bool(FOUND_BY_BUILD);
            self.faults.push(Fault { file, line, by_build, shown: false });
        }
        let after = self.tree.text(file);
        (format!("edited {file}\n{}", hunks(&before, &after).trim_end()), false)
    }

    /// After an edit of a part nobody knows what its runs would show besides.
    fn forget(&mut self, component: &Component) {
        self.told.retain(|(module, _), _| *module != component.module);
    }
}

fn is_in(file: &str, component: &Component) -> bool {
    file.strip_prefix(&component.dir).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
