//! A recorded run as a plan again: from the inputs that its directory embeds.

use std::sync::{Arc, OnceLock};

use crate::answer::Memo;
use crate::drive::{Cell, Session, drive_observed};
use crate::matrix::{CellSpec, SummarizerName};
use crate::prelude::*;
use crate::row::CellKey;
use crate::run::prepare::digested;
use crate::run::story::{CellStory, Length, Recorder};
use crate::run::{Options, Plan, Prepared, cell_of, prepare, programs};
use crate::run_dir::host::Host;
use crate::run_dir::inputs::Inputs;
use crate::run_dir::read::load_manifest;
use crate::run_dir::{Manifest, ManifestSession};
use crate::scenario::{Scenario, SessionSource};
use crate::strategy::{Exchanges, Registry};
use crate::summarize::cassette::Cassette;
use crate::summarize::live::{Endpoint, Live};
use crate::summarize::{Ask, Stopped};
use crate::trace::Trace;
use crate::words;
use proctor_external::record::Record;

/// The recording of a model's answers, in a run directory.
const CASSETTE: &str = "cassette.jsonl";

/// A run as it was recorded.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its directory.
    pub dir: PathBuf,
    /// What was run.
    pub manifest: Manifest,
    /// How to drive it again.
    pub plan: Plan,
    /// By name of a scenario whose transcript is not at hand: why.
    pub absent: BTreeMap<String, String>,
    /// Files that were given and are no session of the run.
    pub strangers: Vec<PathBuf>,
    /// What programs answered in it, once somebody asked.
    exchanges: OnceLock<Option<Arc<Record>>>,
}

impl Recorded {
    /// Reads a run directory and finds its transcripts; `given` are those that lie elsewhere.
    pub fn open(registry: &Registry, dir: &Path, given: &[PathBuf]) -> Result<Recorded> {
        let mut recorded = Recorded::read(registry, dir)?;
        recorded.find_transcripts(given)?;
        Ok(recorded)
    }

    /// Reads a run directory.
    pub fn read(registry: &Registry, dir: &Path) -> Result<Recorded> {
        let (manifest, _) = load_manifest(&dir.join("manifest.json"))?;
        let inputs = Inputs::load(registry, dir, &manifest)?;
        let plan = Plan::of_inputs(inputs, manifest.command.clone())?;
        let (absent, strangers) = (BTreeMap::new(), Vec::new());
        let dir = dir.to_owned();
        Ok(Recorded { dir, manifest, plan, absent, strangers, exchanges: OnceLock::new() })
    }

    /// Looks for the run's transcripts, among those given and where it read them.
    pub fn find_transcripts(&mut self, given: &[PathBuf]) -> Result<()> {
        let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
        for path in given {
            let scenario = Scenario::for_transcript(path, "transcript");
            let (.., [log, truth]) = digested(scenario.session(Seed(0))?)?;
            let own = |one: &&ManifestSession| one.log == log && one.truth == truth;
            let mut sessions = self.manifest.sessions.iter().filter(own).peekable();
            if sessions.peek().is_none() {
                self.strangers.push(path.clone());
            }
            found.extend(sessions.map(|one| (one.scenario.clone(), path.clone())));
        }
        let mut before = Host::load(&self.dir).transcripts;
        for scenario in &mut self.plan.scenarios {
            if matches!(scenario.source, SessionSource::Synth(_)) {
                continue;
            }
            let name = scenario.name.clone();
            let why = match found.remove(&name).or_else(|| before.remove(&name)) {
                Some(path) if crate::import::exists(&path) => {
                    *scenario = scenario.at(path);
                    continue;
                }
                Some(path) => format!("`{}` is not there any more", path.display()),
                None => "its transcript is not part of the run directory".to_owned(),
            };
            self.absent.insert(name, why);
        }
        Ok(())
    }

    /// A cell as it is driven, with its scenario. [`Error::Invalid`] where its transcript is not at
    /// hand, [`Error::Unknown`] where there is no such cell.
    pub fn cell(&self, key: &CellKey) -> Result<(&Scenario, CellSpec)> {
        let unknown = || Error::unknown("cell", &*key.cell, None);
        let scenario = self.plan.scenarios.iter().find(|one| one.name == key.scenario);
        let scenario = scenario.ok_or_else(unknown)?;
        self.at_hand(&scenario.name)?;
        let mut cells = self.plan.cells(scenario, key.turns, key.seed).into_iter();
        let spec = cells.find(|spec| spec.key.cell == key.cell).ok_or_else(unknown)?;
        Ok((scenario, spec))
    }

    /// Whether the session of a scenario can be had; else [`Error::Invalid`].
    pub fn at_hand(&self, scenario: &str) -> Result<()> {
        let Some(why) = self.absent.get(scenario) else { return Ok(()) };
        let place = format!("session `{scenario}`");
        Err(Error::refused(place, why, "say where its transcript lies"))
    }

    /// Whether a cell's answers come from a model or from another program's summarizer.
    fn asks_elsewhere(&self, spec: &CellSpec) -> bool {
        let is_elsewhere =
            matches!(spec.summarizer.name, SummarizerName::Http | SummarizerName::Own(_));
        is_elsewhere && self.plan.configurations[spec.configuration].pipeline.asks()
    }

    /// The summarizer of a cell; a model's answers come from the run's recording, or an error.
    pub fn summarizer(&self, spec: &CellSpec, session: &Session) -> Result<Box<dyn Ask + Send>> {
        let (summarizer, seed) = (spec.summarizer, Seed(spec.key.seed));
        let fitted = &self.plan.suite.fitted;
        if summarizer.name != SummarizerName::Http || self.manifest.live.is_none() {
            return Ok(summarizer.build(session, seed, fitted));
        }
        match self.replay(None)? {
            Some(live) => Ok(summarizer.around(Box::new(live.ask_handle()), seed)),
            None if self.asks_elsewhere(spec) => {
                let place = self.dir.join(CASSETTE).display().to_string();
                Err(Error::invalid(place, "the model's recorded answers are not there"))
            }
            None => Ok(summarizer.build(session, seed, fitted)),
        }
    }

    /// Drives a cell again and tells its story. [`Error::Invalid`] where its session or the answers
    /// of its summarizer are not at hand.
    pub fn again(&self, key: &CellKey, length: Length) -> Result<Again> {
        let (scenario, spec) = self.cell(key)?;
        let prepared = prepare(&self.plan, scenario, key.seed)?;
        let ask = self.summarizer(&spec, &prepared.session)?;
        let memo = Memo::default();
        let cell = cell_of(&self.plan, scenario, &prepared, &spec, (&*ask, &memo));
        let record = self.exchanges()?;
        let exchanges = record.as_deref().map(|record| record as &dyn Exchanges);
        let cell = Cell { exchanges, ..cell };
        let mut recorder = Recorder::new(&prepared.session, cell.pipeline, length);
        let limits = cell.limits;
        let trace = drive_observed(cell, &mut recorder)
            .map_err(|stopped| not_repeatable(&key.cell, stopped))?;
        let told = recorder.finish(key, limits, &trace);
        let recorded = self.manifest.session(key);
        let same_session = recorded.is_none_or(|one| one.log == prepared.manifest.log);
        let same = self.did_the_same(key, &trace);
        Ok(Again { prepared, told, same_session, same })
    }

    /// Whether a cell that was driven again did what the run recorded.
    pub fn did_the_same(&self, key: &CellKey, trace: &Trace) -> bool {
        let recorded = self.manifest.cells.iter().find(|cell| cell.key.cell == key.cell);
        recorded.is_some_and(|cell| cell.digest.as_ref() == Some(&trace.digest()))
    }

    /// The recorded answers of the run's model, from this file or its own; `None` without any.
    pub fn replay(&self, cassette: Option<&Path>) -> Result<Option<Arc<Live>>> {
        let Some(terms) = &self.manifest.live else { return Ok(None) };
        let own = Some(self.dir.join(CASSETTE)).filter(|path| path.exists());
        let elsewhere = || Host::load(&self.dir).live.map(|calls| calls.cassette);
        let path = cassette.map(Path::to_owned).or(own);
        let path = path.or_else(|| elsewhere().filter(|path| path.exists()));
        let live = |path: PathBuf| Live::replay(Endpoint::from(terms), Cassette::replay(&path)?);
        path.map(|path| Ok(Arc::new(live(path)?))).transpose()
    }

    /// What the strategies that are programs answered in the run; `None` where there are none.
    pub fn exchanges(&self) -> Result<Option<Arc<Record>>> {
        if let Some(known) = self.exchanges.get() {
            return Ok(known.clone());
        }
        let read = programs::of_runs([self.dir.as_path()])?.map(Arc::new);
        Ok(self.exchanges.get_or_init(|| read).clone())
    }

    /// How to drive the run again into a directory.
    pub fn options(&self, out: PathBuf, cassette: Option<&Path>) -> Result<Options> {
        Ok(Options {
            stories: self.manifest.stories,
            redact: self.manifest.redacted,
            partition: self.manifest.part.as_ref().map(|part| part.partition),
            live: self.replay(cassette)?,
            exchanges: self.exchanges()?,
            ..Options::new(out)
        })
    }

    /// The cells of the run that can be driven again; with the reason, those that cannot.
    pub fn drivable(&self, has_answers: bool) -> (BTreeSet<String>, BTreeMap<String, NotDriven>) {
        let (mut cells, mut absent) = (BTreeSet::new(), BTreeMap::new());
        for (scenario, seed) in self.plan.sessions() {
            for spec in self.plan.cells(scenario, 0, seed) {
                let is_answered = has_answers && spec.summarizer.name == SummarizerName::Http;
                if self.absent.contains_key(&scenario.name) {
                    absent.insert(spec.key.cell, NotDriven::SessionAbsent);
                } else if !is_answered && self.asks_elsewhere(&spec) {
                    absent.insert(spec.key.cell, NotDriven::SummarizerAbsent);
                } else {
                    cells.insert(spec.key.cell);
                }
            }
        }
        (cells, absent)
    }
}

/// A cell that was driven again.
#[derive(Debug)]
pub struct Again {
    /// Its session.
    pub prepared: Prepared,
    /// What it did.
    pub told: CellStory,
    /// Whether the session is the one that was run.
    pub same_session: bool,
    /// Whether the cell did what the run recorded.
    pub same: bool,
}

/// The error of a cell whose summarizer gives no answer any more.
pub fn not_repeatable(cell: &str, stopped: Stopped) -> Error {
    let rule = format!("the cell cannot be driven again: {}", stopped.reason);
    Error::Invalid { place: cell.to_owned(), rule, hint: stopped.remedy }
}

words! {
    /// Why a recorded cell is not driven again.
    pub enum NotDriven {
        SessionAbsent = "session absent",
        /// The model's answers, or the summarizer from outside, are not at hand.
        SummarizerAbsent = "summarizer not at hand",
        /// It was not asked for.
        NotChosen = "not chosen",
    }
}
