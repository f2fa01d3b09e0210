//! The strategy `external`: a program that is asked for each plan, or the record of its answers.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::bounds::Bound;
use crate::exchange::{self, Calls, Exchange};
use crate::ident::Digest;
use crate::plan::Decision;
use crate::prelude::*;
use crate::process::{Allowance, Broken, Start};
use crate::protocol::Hello;
use crate::seat::{Asking, NoAnswer, Patience, Seat};
use crate::strategy::{Desk, Exchanges, Parameter, PlanContext, Strategy};
use crate::summarize::Stopped;

/// One question in so many is asked twice, to see whether the answer is the same.
const ASKED_TWICE: u128 = 16;

/// A program as a strategy. Keep-rules and pressure are the program's own affair: it is told where
/// it is to compact whatever its threshold says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct External {
    /// The program and its words. Those that name a file beside the pipeline file are read there.
    pub command: Vec<String>,
    /// Files of the directory whose contents are part of what the program is, beside those that
    /// `command` names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Sent to the program with `hello`.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub parameters: serde_json::Map<String, Value>,
    /// Variables of the environment that it may see.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// For an answer; calls of the model are not counted.
    pub seconds: u64,
    /// To start and say hello.
    pub start_seconds: u64,
    /// In one run, all processes together.
    pub run_seconds: u64,
    /// Of one answer.
    pub answer_mib: u64,
    /// Of the model, in one evaluation.
    pub calls: usize,
    /// Of a process, and of all together.
    pub memory_mib: u64,
    /// That it may have at once.
    pub processes: u64,
    /// Digest of its files, taken where the pipeline file is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Digest>,
    #[serde(skip)]
    directory: PathBuf,
    #[serde(skip)]
    crew: Crew,
}

/// The processes of a program, and the time that they took.
#[derive(Debug, Default)]
struct Crew {
    seats: Mutex<Vec<Seat>>,
    spent_us: AtomicU64,
    digest: OnceLock<Digest>,
}

impl Default for External {
    fn default() -> External {
        External {
            command: Vec::new(),
            files: Vec::new(),
            parameters: serde_json::Map::new(),
            env: Vec::new(),
            seconds: 60,
            start_seconds: 60,
            run_seconds: 3600,
            answer_mib: 64,
            calls: 64,
            memory_mib: 4096,
            processes: 64,
            code: None,
            directory: PathBuf::new(),
            crew: Crew::default(),
        }
    }
}

impl External {
    /// The name that pipeline files use.
    pub const NAME: &'static str = "external";

    /// Its parameters, every one.
    pub const PARAMETERS: &'static [Parameter] = &[
        Parameter::eligibility("command", "the program and its words"),
        Parameter::eligibility("files", "further files that are part of the program"),
        Parameter::eligibility("parameters", "a table that is sent to the program"),
        Parameter::eligibility("env", "variables of the environment that it may see"),
        Parameter::request("seconds", "for an answer, calls of the model apart"),
        Parameter::request("start-seconds", "to start and say hello"),
        Parameter::request("run-seconds", "in one run, all processes together"),
        Parameter::request("answer-mib", "MiB of one answer"),
        Parameter::request("calls", "of the model in one evaluation"),
        Parameter::request("memory-mib", "MiB of a process, and of all together"),
        Parameter::request("processes", "that it may have at once"),
        Parameter::eligibility("code", "digest of its files; set where they are read"),
    ];

    /// A program by its words, whose files are in this directory.
    pub fn new(command: Vec<String>, directory: &Path) -> Result<External, String> {
        External { command, ..External::default() }.beside(directory)
    }

    /// What is recorded of it: everything that may decide its answers.
    fn digest(&self) -> &Digest {
        let made = || Digest::of_json(&(&self.command, &self.parameters, &self.env, &self.code));
        self.crew.digest.get_or_init(made)
    }

    /// What a complaint calls it.
    fn name(&self) -> String {
        self.command.join(" ")
    }

    /// Starts the program and has it say what it is.
    pub fn greet(&self) -> Result<Hello, String> {
        let mut seat = Seat::default();
        let start = || self.start();
        let told = |Broken { reason, said }: Broken| match said.as_str() {
            "" => format!("`{}` {reason}", self.name()),
            said => format!("`{}` {reason}; it said: {said}", self.name()),
        };
        let hello = seat.greet(&start, &self.parameters, self.patience()).map_err(told)?;
        self.put_back(seat);
        Ok(hello)
    }

    fn start(&self) -> Start<'_> {
        Start {
            words: self.command.iter().map(|word| located(&self.directory, word)).collect(),
            environment: self.env.iter().filter_map(of_environment).collect(),
            allowance: Allowance {
                answer_bytes: (self.answer_mib << 20) as usize,
                memory_bytes: self.memory_mib << 20,
                processes: self.processes,
                run_seconds: self.run_seconds,
            },
        }
    }

    fn patience(&self) -> Patience {
        Patience {
            start: Duration::from_secs(self.start_seconds),
            answer: Duration::from_secs(self.seconds),
            calls: self.calls,
        }
    }

    /// A free seat, that of the same session and view before any other.
    fn take_seat(&self, view: &View, session: u64) -> Seat {
        let mut seats = self.crew.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let rank = |seat: &Seat| (seat.session == session, seat.mirror.is_of(view));
        let best = (0..seats.len()).max_by_key(|place| rank(&seats[*place]));
        best.map(|place| seats.swap_remove(place)).unwrap_or_default()
    }

    fn put_back(&self, seat: Seat) {
        self.crew.seats.lock().unwrap_or_else(PoisonError::into_inner).push(seat);
    }

    /// The recorded answer, or that of the program.
    fn exchange(
        &self,
        seat: &mut Seat,
        view: &View,
        context: &PlanContext,
        desk: &Desk,
    ) -> Result<Exchange, Stopped> {
        let memory = desk.memory();
        seat.mirror.follow(view, seat.shape());
        let (digest, counted) = (self.digest(), view.counted());
        let key = exchange::key(digest, seat.mirror.digest(), counted, context, memory.as_deref());
        let mut calls = Calls::new(desk);
        let exchanges = desk.exchanges();
        let kept = exchanges.map(|all| all.kept(key)).unwrap_or_default();
        let kept = kept.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
        if let Some(known) = exchange::replay(kept, &mut calls)? {
            return Ok(known);
        }
        if exchanges.is_some_and(|all| !all.asks()) {
            let rule = format!("the record holds no answer of `{}` to this question", self.name());
            let remedy = Some("run it again with the program at hand".to_owned());
            return Err(Stopped { reason: rule, remedy });
        }
        let start = || self.start();
        let (parameters, patience, session) = (&self.parameters, self.patience(), desk.session());
        let asking = Asking { start: &start, parameters, patience, view, context, memory, session };
        calls.again(true);
        let answered = self.ask(seat, &asking, &mut calls, exchanges)?;
        if let Some(exchanges) = exchanges {
            if key.is_multiple_of(ASKED_TWICE) && seat.runs() {
                calls.again(false);
                let second = self.ask(seat, &asking, &mut calls, Some(exchanges))?;
                if let Some(difference) = difference(&answered, &second) {
                    exchanges.differs(&self.name(), &difference);
                }
            }
            // OK because an exchange is made of texts, numbers and lists.
            let text =
                serde_json::to_string(&answered).expect("an exchange can be written as JSON");
            exchanges.keep(key, &text);
        }
        Ok(answered)
    }

    /// Asks the program. One that breaks a rule ends the session.
    fn ask(
        &self,
        seat: &mut Seat,
        asking: &Asking,
        calls: &mut Calls,
        exchanges: Option<&dyn Exchanges>,
    ) -> Result<Exchange, Stopped> {
        let spent = &self.crew.spent_us;
        let raised = |reason: String, calls: &Calls| Exchange {
            calls: calls.recorded(),
            decision: Decision::Raise(reason),
            memory: None,
        };
        if spent.load(Ordering::Relaxed) >= self.run_seconds * 1_000_000 {
            let reason = format!("the program used up its {} seconds of the run", self.run_seconds);
            return Ok(raised(reason, calls));
        }
        let begun = Instant::now();
        let answered = seat.ask(asking, calls);
        spent.fetch_add(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
        match answered {
            Ok(exchange) => Ok(exchange),
            Err(NoAnswer::Stopped(stopped)) => Err(stopped),
            Err(NoAnswer::Broken(Broken { reason, said })) => {
                if let Some(exchanges) = exchanges {
                    exchanges.broke(&self.name(), &reason, &said);
                }
                Ok(raised(format!("the program {reason}"), calls))
            }
        }
    }
}

/// The first key in which two answers to one question differ.
fn difference(one: &Exchange, other: &Exchange) -> Option<String> {
    let json = |exchange: &Exchange| serde_json::to_value(exchange).unwrap_or_default();
    differing(&json(one), &json(other), "")
}

fn differing(one: &Value, other: &Value, path: &str) -> Option<String> {
    if one == other {
        return None;
    }
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let keys: std::collections::BTreeSet<&String> =
                one.keys().chain(other.keys()).collect();
            let value = |table: &serde_json::Map<String, Value>, key: &str| {
                table.get(key).cloned().unwrap_or_default()
            };
            keys.into_iter().find_map(|key| {
                differing(&value(one, key), &value(other, key), &format!("{path}.{key}"))
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).enumerate().find_map(|(place, (one, other))| {
                differing(one, other, &format!("{path}[{place}]"))
            })
        }
        _ => {
            let short = |value: &Value| -> String { value.to_string().chars().take(80).collect() };
            let path = path.trim_start_matches('.');
            Some(format!("`{path}` is {} and then {}", short(one), short(other)))
        }
    }
}

fn of_environment(name: &String) -> Option<(&str, String)> {
    Some((name, std::env::var(name).ok()?))
}

/// A word that names a file of the directory, as its path.
fn located(directory: &Path, word: &str) -> PathBuf {
    let path = directory.join(word);
    match path.exists() && !word.is_empty() {
        true => std::path::absolute(&path).unwrap_or(path),
        false => PathBuf::from(word),
    }
}

/// Whether a word names a file of the directory itself or below it.
fn is_within(word: &str) -> bool {
    let mut parts = Path::new(word).components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

impl Strategy for External {
    fn check(&self) -> Result<(), String> {
        let numbers = [
            ("seconds", self.seconds),
            ("start-seconds", self.start_seconds),
            ("run-seconds", self.run_seconds),
            ("answer-mib", self.answer_mib),
            ("memory-mib", self.memory_mib),
            ("processes", self.processes),
        ];
        if self.command.is_empty() {
            return Err("`command` names no program".to_owned());
        }
        match numbers.iter().find(|(_, number)| *number == 0 || *number > 1 << 20) {
            Some((name, _)) => Err(format!("`{name}` is from 1 to 1048576")),
            None => Ok(()),
        }
    }

    fn beside(self, directory: &Path) -> Result<External, String> {
        let named =
            self.command.iter().filter(|word| is_within(word) && directory.join(word).is_file());
        let mut contents: BTreeMap<&String, Vec<u8>> = BTreeMap::new();
        for file in named.chain(&self.files) {
            let read = Bound::Session.bytes(&directory.join(file));
            let read = read.map_err(|error| format!("`{file}` cannot be read: {error}"))?;
            contents.insert(file, read);
        }
        let code = (!contents.is_empty()).then(|| Digest::of_json(&contents));
        let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
        Ok(External { code, directory, ..self })
    }

    fn ready(&self) -> Result<(), String> {
        self.greet().map(drop)
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let Some(desk) = context.desk else {
            return Decision::Raise("a program can be asked by the driver alone".to_owned());
        };
        let mut seat = self.take_seat(view, desk.session());
        let answered = self.exchange(&mut seat, view, context, desk);
        self.put_back(seat);
        match answered {
            Ok(Exchange { decision, memory, .. }) => {
                if let Some(memory) = memory {
                    desk.remember(memory);
                }
                decision
            }
            Err(stopped) => {
                desk.stop(stopped);
                Decision::decline("the run stops")
            }
        }
    }
}
