//! What the model admits, and which occasions of a pipeline count.

use crate::drive::consequences::Sweep;
use crate::prelude::*;
use crate::words;

words! {
    /// Which occasions count, and how.
    #[derive(Default)]
    pub enum Mode {
        /// As the pipeline's own stages say.
        #[default]
        Deployed = "deployed",
        /// As they say, but nothing acts on overflow or a cut-off answer.
        Proactive = "proactive",
        /// Nothing acts until something has gone wrong: then stages act by their rules for that,
        /// and at overflow those that have none act too, their pressure taken as met.
        Reactive = "reactive",
        /// The stages' own occasions plus the reactive rule.
        Both = "both",
        /// Every stage at the given boundaries, pressure taken as met, and nowhere else.
        Forced = "forced",
        /// The same where the session records a compaction; else as deployed.
        AsRecorded = "as-recorded",
        /// As deployed, and the agent acts on what it has lost (see [`closed`](crate::drive)).
        ClosedLoop = "closed-loop",
        /// The same at the low end of what was measured.
        ClosedLoopLow = "closed-loop-low",
        /// The same at the high end.
        ClosedLoopHigh = "closed-loop-high",
    }
}

impl Mode {
    /// The closed loop, over its sweep.
    pub const CLOSED: [Mode; 3] = [Mode::ClosedLoop, Mode::ClosedLoopLow, Mode::ClosedLoopHigh];

    /// Where the agent acts on what it has lost: at which point of the sweep.
    pub fn sweep(self) -> Option<Sweep> {
        match self {
            Mode::ClosedLoop => Some(Sweep::Estimate),
            Mode::ClosedLoopLow => Some(Sweep::Low),
            Mode::ClosedLoopHigh => Some(Sweep::High),
            _ => None,
        }
    }

    /// Whether the mode of this name is the closed loop.
    pub fn is_closed(name: &str) -> bool {
        Mode::CLOSED.iter().any(|mode| mode.name() == name)
    }

    /// Whether tables leave a mode of this name unsaid: it is what one expects of the sessions.
    pub fn is_usual(name: &str) -> bool {
        [Mode::Deployed, Mode::AsRecorded].iter().any(|mode| mode.name() == name)
    }
}

/// What must fit into the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Admits {
    /// The prompt alone.
    Prompt,
    /// The prompt and the reserve for the longest answer.
    PromptPlusOutput,
}

/// How strictly the provider reads the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// As text: broken pairs are recorded, nothing more (Forge).
    Text,
    /// Calls and results must pair: an orphan ends the session with `invalid_request`.
    Strict,
}

/// What the model admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Context window; [`Tokens::UNBOUNDED`] for windowless cells.
    pub window: Tokens,
    /// Most tokens of an answer.
    pub max_output: Tokens,
    /// Whether the output reserve counts against the window.
    pub admits: Admits,
    /// What a broken pair means.
    pub wire: Wire,
    /// Every so many steps an answer is cut off on its first send; 0 for never.
    pub cut_off_every: u32,
}

impl Limits {
    /// A window for prompts alone, on a text wire, where no answer is cut off on purpose.
    pub const fn new(window: Tokens, max_output: Tokens) -> Limits {
        Limits { window, max_output, admits: Admits::Prompt, wire: Wire::Text, cut_off_every: 0 }
    }

    /// The largest prompt: the window, less the output reserve where that counts against it.
    pub fn admitted(&self) -> Tokens {
        match self.admits {
            Admits::Prompt => self.window,
            Admits::PromptPlusOutput => self.window - self.max_output,
        }
    }
}
