//! What a derived figure is about.

use std::fmt;

use crate::matrix::CellKey;
use crate::words;

/// A pipeline under its limits, with mode and summarizer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Setting {
    /// Pipeline, with its variant where that is not `windowed`.
    pub configuration: String,
    /// Mode.
    pub mode: String,
    /// Summarizer.
    pub summarizer: String,
}

impl Setting {
    /// The setting of a cell.
    pub fn of(key: &CellKey) -> Setting {
        Setting {
            configuration: key.configuration(),
            mode: key.mode.clone(),
            summarizer: key.summarizer.clone(),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.configuration, self.mode, self.summarizer)
    }
}

/// A stage of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stage {
    /// Its place in the pipeline, from 1.
    pub number: u32,
    /// Its strategy.
    pub strategy: String,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number, self.strategy)
    }
}

/// What a derived figure is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// One cell.
    Cell {
        /// Its id.
        cell: String,
        /// Its scenario.
        scenario: String,
        /// Its seed.
        seed: u64,
        /// The rest of its axes.
        setting: Setting,
    },
    /// A session of which no control was driven.
    Session {
        /// Its scenario.
        scenario: String,
        /// Its seed.
        seed: u64,
    },
    /// A scenario.
    Scenario {
        /// Its name.
        scenario: String,
    },
    /// A setting over the sessions of one family of scenarios.
    Group {
        /// The family.
        family: String,
        /// The setting.
        setting: Setting,
    },
    /// A setting over all sessions.
    Configuration {
        /// The setting.
        setting: Setting,
    },
    /// A setting over the sessions that were told in both phrase banks.
    Bank {
        /// The setting.
        setting: Setting,
    },
    /// A configuration and mode on one scenario, under one summarizer after the other.
    Bracket {
        /// The scenario.
        scenario: String,
        /// The configuration.
        configuration: String,
        /// The mode.
        mode: String,
    },
    /// Two configurations on one scenario.
    Pair {
        /// The scenario.
        scenario: String,
        /// The configuration whose figure comes first.
        configuration: String,
        /// The one whose figure is taken off.
        beside: String,
        /// The mode of both.
        mode: String,
    },
    /// A stage of a setting.
    Stage {
        /// The setting.
        setting: Setting,
        /// The stage.
        stage: Stage,
    },
    /// A stage of a setting on one occasion.
    Trigger {
        /// The setting.
        setting: Setting,
        /// The stage.
        stage: Stage,
        /// The occasion.
        occasion: String,
    },
}

words! {
    /// Kinds of [`Subject`].
    #[expect(missing_docs, reason = "documented at Subject")]
    #[non_exhaustive]
    pub enum Scope {
        Cell = "cell",
        Session = "session",
        Scenario = "scenario",
        Group = "group",
        Configuration = "configuration",
        Bank = "bank",
        Bracket = "bracket",
        Pair = "pair",
        Stage = "stage",
        Trigger = "trigger",
    }
}

impl Subject {
    /// The subject of a cell's own figures.
    pub fn cell(key: &CellKey) -> Subject {
        Subject::Cell {
            cell: key.cell.clone(),
            scenario: key.scenario.clone(),
            seed: key.seed,
            setting: Setting::of(key),
        }
    }

    /// What kind of subject it is.
    pub fn scope(&self) -> Scope {
        match self {
            Subject::Cell { .. } => Scope::Cell,
            Subject::Session { .. } => Scope::Session,
            Subject::Scenario { .. } => Scope::Scenario,
            Subject::Group { .. } => Scope::Group,
            Subject::Configuration { .. } => Scope::Configuration,
            Subject::Bank { .. } => Scope::Bank,
            Subject::Bracket { .. } => Scope::Bracket,
            Subject::Pair { .. } => Scope::Pair,
            Subject::Stage { .. } => Scope::Stage,
            Subject::Trigger { .. } => Scope::Trigger,
        }
    }

    /// The id of the cell that it is.
    pub fn cell_id(&self) -> Option<&str> {
        match self {
            Subject::Cell { cell, .. } => Some(cell),
            _ => None,
        }
    }
}

/// As messages name it. The draws of an interval come from this name too.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Cell { cell, .. } => f.write_str(cell),
            Subject::Session { scenario, seed } => write!(f, "{scenario}/{seed}"),
            Subject::Scenario { scenario } => f.write_str(scenario),
            Subject::Group { family, setting } => write!(f, "{family}/{setting}"),
            Subject::Configuration { setting } | Subject::Bank { setting } => {
                write!(f, "{setting}")
            }
            Subject::Bracket { scenario, configuration, mode } => {
                write!(f, "{scenario}/{configuration}/{mode}")
            }
            Subject::Pair { scenario, configuration, beside, mode } => {
                write!(f, "{scenario}/{configuration} - {beside}/{mode}")
            }
            Subject::Stage { setting, stage } => write!(f, "{setting}/{stage}"),
            Subject::Trigger { setting, stage, occasion } => {
                write!(f, "{setting}/{stage}/{occasion}")
            }
        }
    }
}
