//! Scenarios: a session source, the model's window, and what the scenario is for.

mod forced;
mod transcripts;
mod wire;

pub(crate) use crate::config::is_default as is_zero;
pub use forced::ForcedAt;
pub use proctor_core::drive::{Admits, Wire};
pub use transcripts::session_name;

use crate::config;
use crate::extract;
use crate::ident::did_you_mean;
use crate::import;
use crate::log::Log;
use crate::prelude::*;
use crate::synth::{BankName, SynthPlan, estimated_tokens, synthesize};
use crate::token::{MessageTokens, TokenTable, Tokenizer};
use crate::truth::Truth;

/// A session source with a window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// Name in cell ids.
    pub name: String,
    /// The question it is there for.
    pub purpose: String,
    /// What its figures show.
    pub shows: String,
    /// What they cannot show.
    pub cannot_show: String,
    /// What its author expects to see, written before any run.
    pub expects: String,
    /// Scenarios that differ only in their number of turns share it.
    pub family: Option<String>,
    /// What the model admits at most, before `max_output` is counted as `admits` says.
    pub window: Tokens,
    /// Most tokens of one answer.
    pub max_output: Tokens,
    /// What must fit into the window.
    pub admits: Admits,
    /// How strictly the provider reads the messages.
    pub wire: Wire,
    /// Every so many steps the answer runs into its output limit on the first send; 0 for never.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cut_off_every: u32,
    /// Where mode `forced` compacts a synthesized session; nowhere where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced_at: Option<ForcedAt>,
    /// The scenario whose draws it has: its sessions differ from that one's in what its plan says
    /// otherwise, and in nothing else. Its own where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions_of: Option<String>,
    /// Tokens of the provider by token of the reference count, in place of what the usage that a
    /// transcript records shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<f64>,
    /// Where the session comes from.
    pub source: SessionSource,
}

/// Whether tokens may be counted by such a factor.
pub fn check_counter(factor: f64) -> std::result::Result<f64, String> {
    match (0.1..=10.0).contains(&factor) {
        true => Ok(factor),
        false => Err(format!("{factor} is out of range: expected 0.1 to 10, or 1 for no factor")),
    }
}

/// The scenario files of the binary, name and text; their scenarios' names begin with the file's.
pub static EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// The scenario files that a frozen suite keeps, by its name: as they were when it was frozen.
static FROZEN: &[(&str, &[(&str, &str)])] =
    &[("proctor-1", include!(concat!(env!("OUT_DIR"), "/frozen.rs")))];

const BARE: &str = include_str!("../data/transcript.toml");

const TWIN: &str = "-bank-b";

/// What the name of a scenario ends in that is told again in bank C.
const RETOLD: &str = "-bank-c";

/// The scenario whose twin has this name; `None` where it is no twin's.
pub fn twin_of(name: &str) -> Option<&str> {
    name.strip_suffix(TWIN)
}

/// Where a session comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionSource {
    /// Synthesized from a plan and a seed.
    Synth(Box<SynthPlan>),
    /// Loaded from a recorded transcript; the seed changes nothing.
    Transcript(PathBuf),
}

/// A log and its truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// What was said and done.
    pub log: Log,
    /// What it knows and will need.
    pub truth: Truth,
}

fn find(files: &[(&str, &str)], name: &str) -> Result<Option<Scenario>> {
    for (file, text) in files.iter().filter(|(file, _)| name.starts_with(file)) {
        let all = Scenario::parse_all(&format!("embedded:{file}.toml"), text)?;
        if let Some(found) = all.into_iter().find(|scenario| scenario.name == name) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

impl Scenario {
    /// A scenario of the binary; [`Error::Unknown`] with the nearest name where there is none.
    pub fn embedded(name: &str) -> Result<Scenario> {
        if let Some(twin) = twin_of(name).map(Scenario::embedded).transpose()? {
            let hint = "only synthesized scenarios are told in two phrase banks".to_owned();
            return twin.twin().ok_or_else(|| Error::unknown("scenario", name, Some(hint)));
        }
        if let Some(told) = name.strip_suffix(RETOLD).map(Scenario::embedded).transpose()? {
            let hint = "only synthesized scenarios in bank A are told again".to_owned();
            return told.retold().ok_or_else(|| Error::unknown("scenario", name, Some(hint)));
        }
        if let Some(found) = find(EMBEDDED, name)? {
            return Ok(found);
        }
        let known = Scenario::embedded_names();
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        Err(Error::unknown("scenario", name, hint))
    }

    /// The scenario that an embedded suite means by a name: its own where it is frozen, else as
    /// [`Scenario::embedded`].
    pub fn of_suite(suite: &str, name: &str) -> Result<Scenario> {
        let own = FROZEN.iter().find(|(frozen, _)| *frozen == suite);
        match own.map(|(_, files)| find(files, name)).transpose()?.flatten() {
            Some(found) => Ok(found),
            None => Scenario::embedded(name),
        }
    }

    /// Names of all scenarios that come with the binary, in the order of the files.
    pub fn embedded_names() -> Vec<String> {
        let parsed = EMBEDDED.iter().flat_map(|(file, text)| {
            // OK to skip what does not parse: a test parses every embedded file.
            Scenario::parse_all(&format!("embedded:{file}.toml"), text).unwrap_or_default()
        });
        parsed.map(|scenario| scenario.name).collect()
    }

    /// The one scenario of a file; [`Error::Invalid`] also where the file stands for several.
    pub fn load(path: &Path) -> Result<Scenario> {
        let mut all = Scenario::load_all(path)?;
        if all.len() == 1 {
            return Ok(all.remove(0));
        }
        let rule = format!("the file stands for {} scenarios where one is wanted", all.len());
        Err(Error::invalid(format!("{}: vary", path.display()), rule))
    }

    /// All scenarios of a file: one for each session that it names. Paths are relative to it.
    pub fn load_all(path: &Path) -> Result<Vec<Scenario>> {
        let parsed = Scenario::parsed(&path.display().to_string(), &config::text(path)?)?;
        let of = |(scenario, transcripts): (Scenario, Option<transcripts::Transcripts>)| {
            match transcripts {
                Some(transcripts) => transcripts.scenarios(&scenario, path),
                None => Ok(vec![scenario]),
            }
        };
        let all: Result<Vec<Vec<Scenario>>> = parsed.into_iter().map(of).collect();
        Ok(all?.concat())
    }

    /// The scenario of a bare transcript: a lenient wire and 100,000 tokens for prompt and answer.
    pub fn for_transcript(path: &Path, name: &str) -> Scenario {
        let mut bare =
            Scenario::parse_all("data/transcript.toml", BARE).expect("OK because a test reads it");
        let source = SessionSource::Transcript(path.to_owned());
        Scenario { name: name.to_owned(), source, ..bare.remove(0) }
    }

    /// The scenario of a transcript that was loaded: in the window that it shows, with room for its
    /// longest answer.
    pub fn of_session(path: &Path, name: &str, log: &Log) -> Scenario {
        let bare = Scenario::for_transcript(path, name);
        let table = TokenTable::new(log, Tokenizer::O200k);
        let steps = log.steps();
        let answers = steps.iter().filter_map(|step| table.messages.get(step.answer.index()));
        let longest = answers.map(MessageTokens::total).max().unwrap_or(Tokens::ZERO);
        let max_output = bare.max_output.max(longest);
        let window = log.window.unwrap_or(bare.window);
        // What really happened fitted: a count that is a little off must not end it.
        let least = import::largest_counted(log) + max_output;
        let window = if log.was_compacted() { window.max(least) } else { window };
        Scenario { window, max_output, ..bare }
    }

    /// The same scenario in phrase bank B: turns, steps, sizes and goals are the same, the words
    /// differ. `None` for transcripts and for scenarios in another bank than A.
    pub fn twin(&self) -> Option<Scenario> {
        let SessionSource::Synth(plan) = &self.source else { return None };
        let mut plan = plan.clone();
        if plan.work.bank != BankName::A {
            return None;
        }
        plan.work.bank = BankName::B;
        let named = |name: &String| format!("{name}{TWIN}");
        Some(Scenario {
            name: named(&self.name),
            family: self.family.as_ref().map(named),
            source: SessionSource::Synth(plan),
            ..self.clone()
        })
    }

    /// The same scenario in phrase bank C, likewise. It is no twin: no suite asks for it but by its
    /// name, and its figures are pooled as those of any other scenario.
    pub fn retold(&self) -> Option<Scenario> {
        let twin = self.twin()?;
        let SessionSource::Synth(mut plan) = twin.source else { return None };
        plan.work.bank = BankName::C;
        let named = |name: &String| format!("{name}{RETOLD}");
        Some(Scenario {
            name: named(&self.name),
            family: self.family.as_ref().map(named),
            sessions_of: Some(self.sessions_of.clone().unwrap_or_else(|| self.name.clone())),
            source: SessionSource::Synth(plan),
            ..self.clone()
        })
    }

    /// Digest of everything the file says, but not of where a transcript lies.
    pub fn digest(&self) -> Digest {
        Digest::of_json(&self.at(PathBuf::new()))
    }

    /// The same scenario with its transcript, where it has one, in another place.
    #[must_use]
    pub fn at(&self, path: PathBuf) -> Scenario {
        let mut moved = self.clone();
        if let SessionSource::Transcript(place) = &mut moved.source {
            *place = path;
        }
        moved
    }

    /// What the file plans of a session without a word of it written: turns and, roughly, tokens;
    /// `None` of a transcript.
    pub fn planned(&self, seed: Seed) -> Option<(u32, Tokens)> {
        let SessionSource::Synth(plan) = &self.source else { return None };
        Some((plan.turns, estimated_tokens(plan, self.draws(seed))))
    }

    /// The seed of its draws. A twin shares those of its scenario.
    fn draws(&self, seed: Seed) -> Seed {
        let own = twin_of(&self.name).unwrap_or(&self.name);
        seed.derive(&["session", self.sessions_of.as_deref().unwrap_or(own)])
    }

    /// The session for a seed; [`Error::Invalid`] where the plan yields no sound one.
    pub fn session(&self, seed: Seed) -> Result<Session> {
        match &self.source {
            SessionSource::Synth(plan) => {
                let id = format!("{}/{seed}", self.name);
                let (mut log, truth) = synthesize(plan, &id, self.draws(seed))?;
                log.source = format!("scenario {}", self.digest());
                if let Some(forced_at) = self.forced_at {
                    forced_at.mark(&mut log);
                }
                Ok(Session { log, truth })
            }
            SessionSource::Transcript(path) => {
                let mut imported = import::load(path)?;
                imported.log.ratio = self.counter.or(imported.log.ratio);
                let truth = imported.truth.unwrap_or_else(|| extract::extract(&imported.log));
                Ok(Session { log: imported.log, truth })
            }
        }
    }
}
