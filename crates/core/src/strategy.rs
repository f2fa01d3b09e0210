//! Strategies: pure functions from a view to a plan, without I/O and truth. Each says in its docs
//! what its source does, and which parameters are keep-rules (they hold under the floor probe).

mod desk;
mod registry;

pub use desk::{Called, Desk, Exchanges};
pub use registry::{Known, Misread, Registry, StrategySpec};

use std::fmt;
use std::path::Path;

use crate::log::{Past, Role};
use crate::plan::Decision;
use crate::pressure::{Budget, Occasion, Reading};
use crate::view::View;
use crate::words;

/// What a strategy may know beside the view.
#[derive(Clone, Copy, Debug)]
pub struct PlanContext<'a> {
    /// Why it is asked now.
    pub occasion: Occasion,
    /// What there is room for.
    pub budget: &'a Budget,
    /// The stage's pressure, where it has one.
    pub reading: Option<Reading>,
    /// The log so far, with the recorded boundaries behind us.
    pub past: Past<'a>,
    /// Ordinal of the latest user-role message (Forge's `TurnCount`).
    pub turn: u32,
    /// What a strategy outside this program may use; absent where there is no model.
    pub desk: Option<&'a Desk<'a>>,
}

/// What a plan changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The view, from now on.
    History,
    /// Only what is sent.
    Request,
}

words! {
    /// What a parameter of a strategy decides.
    pub enum Rule {
        /// What may be touched at all: ages, counts, what is kept. Holds under the floor probe.
        Eligibility = "eligibility",
        /// How far to go when room is short; the floor probe takes it as met, with no target.
        Pressure = "pressure",
        /// How a summary is asked for: limits, wording, failures. Decides neither.
        Request = "request",
    }
}

/// A parameter of a strategy as pipeline files write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// What it decides.
    pub rule: Rule,
    /// What it means, with its unit.
    pub meaning: &'static str,
}

impl Parameter {
    /// A parameter that decides what may be touched.
    pub const fn eligibility(name: &'static str, meaning: &'static str) -> Parameter {
        Parameter { name, rule: Rule::Eligibility, meaning }
    }

    /// A parameter that decides how far to go.
    pub const fn pressure(name: &'static str, meaning: &'static str) -> Parameter {
        Parameter { name, rule: Rule::Pressure, meaning }
    }

    /// A parameter of the request.
    pub const fn request(name: &'static str, meaning: &'static str) -> Parameter {
        Parameter { name, rule: Rule::Request, meaning }
    }
}

/// What a profile that goes by role and text takes an entry for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Words of the person at the keyboard.
    Human,
    /// A summary of its own making.
    Summary,
    /// Anything else.
    Other,
}

/// Proposes the next view.
pub trait Strategy: fmt::Debug + Send + Sync {
    /// What its plans change.
    fn scope(&self) -> Scope {
        Scope::History
    }

    /// Whether the profile claims never to split a closed turn (ADR-0041's atomicity).
    fn claims_whole_turns(&self) -> bool {
        false
    }

    /// Whether its plans ever hold a summary request.
    fn asks(&self) -> bool {
        true
    }

    /// What it takes an entry for, where it goes by role and text as its source does; `None` where
    /// it goes by [`Kind`](crate::view::Kind). Sees neither kind nor author.
    fn takes_for(&self, _role: Role, _content: &str, _calls: bool) -> Option<Taken> {
        None
    }

    /// It, with what it reads of the directory of the pipeline file that names it. A strategy that
    /// a run embeds was read already.
    fn beside(self, _directory: &Path) -> Result<Self, String>
    where
        Self: Sized,
    {
        Ok(self)
    }

    /// Whether it could be asked now: a program of its own has to start.
    fn ready(&self) -> Result<(), String> {
        Ok(())
    }

    /// What is wrong with its parameters, if anything.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Its proposal for this view.
    fn plan(&self, view: &View, context: &PlanContext) -> Decision;
}
