//! A summarizer with a fault around it. Draws depend on the seed and on where in the session a call
//! is made, never on what it says: the third call of step 40 fails for every strategy or for none.
//! All faults of a seed share their draws.

mod kind;
mod schedule;

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

pub use kind::{FaultKind, TAGS};
pub use schedule::{PerMille, Schedule};

use crate::error::Broken;
use crate::ident::Seed;
use crate::summarize::{Ask, AskError, Limits, Prompt, Reply, Stopped};

/// Where in a session a summarizer is called; calls that the driver refuses itself are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallIndex {
    /// Step from 1; 0 before the first.
    pub step: u32,
    /// Calls of the step before this one, retries and other stages' among them.
    pub in_step: u32,
    /// Calls of the cell before this one.
    pub in_cell: u32,
}

impl CallIndex {
    /// So many calls later in the same step.
    pub fn later(self, calls: u32) -> CallIndex {
        CallIndex { in_step: self.in_step + calls, in_cell: self.in_cell + calls, ..self }
    }

    /// The next call, if it is made at this step.
    pub fn at(self, step: u32) -> CallIndex {
        let in_step = if step == self.step { self.in_step } else { 0 };
        CallIndex { step, in_step, ..self }
    }

    /// Words for draws that are common to all strategies.
    fn purpose(self) -> [String; 2] {
        [self.step.to_string(), self.in_step.to_string()]
    }
}

/// What goes wrong, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fault {
    /// What is wrong with the answers that it strikes.
    pub kind: FaultKind,
    /// Which calls it strikes.
    pub schedule: Schedule,
}

/// As cell ids write it: `error`, `error-0.3`, `empty-first-3`, `refusal-burst-20-of-100`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind.name(), self.schedule)
    }
}

fn unknown(kind: &str) -> Broken {
    let known = FaultKind::ALL.map(|kind| format!("`{}`", kind.name())).join(", ");
    Broken(format!("unknown kind of fault `{kind}` in faults, expected one of {known}"))
}

impl FromStr for Fault {
    type Err = Broken;

    fn from_str(text: &str) -> Result<Fault, Broken> {
        let split = |kind: FaultKind| {
            let rest = text.strip_prefix(kind.name())?;
            (rest.is_empty() || rest.starts_with('-')).then_some((kind, rest))
        };
        let known = FaultKind::ALL.into_iter().find_map(split);
        let (kind, rest) = known.ok_or_else(|| unknown(text))?;
        Ok(Fault { kind, schedule: rest.parse()? })
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A name as cell ids write it, or a table of `kind` and `schedule`.
impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fault, D::Error> {
        deserializer.deserialize_any(NameOrTable)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = Fault;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a kind of fault, or a table { kind, schedule }")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Fault, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Fault, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Table {
            kind: String,
            #[serde(default, deserialize_with = "schedule::checked")]
            schedule: Schedule,
        }
        let table = Table::deserialize(de::value::MapAccessDeserializer::new(map))?;
        let kind = FaultKind::named(&table.kind);
        let kind = kind.ok_or_else(|| de::Error::custom(unknown(&table.kind)))?;
        Ok(Fault { kind, schedule: table.schedule })
    }
}

/// A summarizer with a fault around it.
pub struct Faulty {
    inner: Box<dyn Ask + Send>,
    fault: Fault,
    seed: Seed,
}

impl Faulty {
    /// Puts the fault around a summarizer; the seed is the session's.
    pub fn new(inner: Box<dyn Ask + Send>, fault: Fault, seed: Seed) -> Faulty {
        Faulty { inner, fault, seed: seed.derive(&["fault"]) }
    }

    fn strikes(&self, moment: CallIndex) -> bool {
        self.fault.schedule.strikes(self.seed, moment)
    }
}

impl Ask for Faulty {
    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        self.ask_at(batch, CallIndex::default())
    }

    fn ask_at(&self, batch: &[Prompt], first: CallIndex) -> Result<Vec<Reply>, Stopped> {
        let kind = self.fault.kind;
        let moments = || (0..).map(|calls| first.later(calls));
        let answered = |moment: CallIndex| !self.strikes(moment) || kind.spoils_an_answer();
        let wanted = batch.iter().zip(moments()).filter(|(_, moment)| answered(*moment));
        let wanted: Vec<Prompt> = wanted.map(|(prompt, _)| prompt.clone()).collect();
        let mut replies =
            if wanted.is_empty() { Vec::new() } else { self.inner.ask(&wanted)? }.into_iter();
        let spoilt = batch.iter().zip(moments()).map(|(prompt, moment)| {
            let reply = if answered(moment) { replies.next() } else { None };
            if !self.strikes(moment) {
                return reply.unwrap_or_else(|| Err(AskError::unanswered()));
            }
            let [step, call] = moment.purpose();
            let draws = self.seed.derive(&["answer", &step, &call]);
            kind.spoil(prompt, reply, self.limits().allowed(prompt), draws)
        });
        Ok(spoilt.collect())
    }

    /// Remembered by its words alone, an answer would stand where the fault strikes.
    fn memoizes(&self) -> bool {
        false
    }

    fn fault_at(&self, moment: CallIndex) -> Option<FaultKind> {
        self.strikes(moment).then_some(self.fault.kind)
    }
}
