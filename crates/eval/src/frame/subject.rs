//! What a derived figure is about.

use std::fmt;

use crate::matrix::CellKey;
use crate::record::{BadValue, Column, Field, Line, Value, Values};
use crate::{record, words};

words! {
    /// What kind of subject a derived figure is about.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Scope {
        #[default]
        Cell = "cell",
        /// A session of which no control was driven.
        Session = "session",
        Scenario = "scenario",
        /// A setting over the sessions of one family of scenarios.
        Group = "group",
        /// A setting over all sessions.
        Configuration = "configuration",
        /// A setting over the sessions that were told in both phrase banks.
        Bank = "bank",
        /// A configuration and mode on one scenario, under one summarizer after the other.
        Bracket = "bracket",
        /// Two configurations on one scenario.
        Pair = "pair",
        /// A stage of a setting.
        Stage = "stage",
        /// A stage of a setting on one occasion.
        Trigger = "trigger",
    }
}

record! {
    /// A pipeline under its limits, with mode and summarizer.
    #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Setting {
        /// Pipeline, with its variant where that is not `windowed`.
        pub configuration: String,
        /// Mode, such as `deployed`.
        pub mode: String,
        /// Summarizer.
        pub summarizer: String,
    }
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

impl Field for Stage {
    fn columns(name: &'static str, meaning: &str) -> Vec<Column> {
        String::columns(name, meaning)
    }

    fn write(&self, line: &mut Line) {
        line.push(Value::Text(&self.to_string()));
    }

    fn read(values: &mut Values) -> Result<Stage, BadValue> {
        let text = values.text();
        let stage = text.split_once(' ').and_then(|(number, strategy)| {
            Some(Stage { number: number.parse().ok()?, strategy: strategy.to_owned() })
        });
        stage.ok_or_else(|| values.bad(format!("`{text}` is not a number and a strategy")))
    }
}

record! {
    /// What a derived figure is about. The scope says which of the other parts it has.
    #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Subject {
        /// What kind of subject it is about: `cell`, `session`, `scenario`, `group` (one
        /// setting over a family of scenarios), `configuration` (one setting over all),
        /// `bank`, `bracket`, `pair`, `stage` or `trigger`.
        pub scope: Scope,
        /// Cell id.
        pub cell: String,
        /// Scenario; the family of scenarios where the scope is `group`.
        pub scenario: String,
        /// Seed of the session.
        pub seed: Option<u64>,
        /// Pipeline, mode and summarizer; no summarizer where the scope is over several.
        pub setting: Setting,
        /// The configuration whose figure is taken off, where the scope is `pair`.
        pub beside: String,
        /// Place and strategy of a stage.
        pub stage: Option<Stage>,
        /// Occasion.
        pub occasion: String,
    }
}

impl Subject {
    /// A setting within this scope, without any other part.
    pub fn new(scope: Scope, setting: Setting) -> Subject {
        Subject { scope, setting, ..Subject::default() }
    }

    /// The subject of a cell's own figures.
    pub fn cell(key: &CellKey) -> Subject {
        Subject {
            cell: key.cell.clone(),
            scenario: key.scenario.clone(),
            seed: Some(key.seed),
            ..Subject::new(Scope::Cell, Setting::of(key))
        }
    }

    /// A scenario, or a family of them, within this scope.
    pub fn on(scenario: &str, scope: Scope, setting: Setting) -> Subject {
        Subject { scenario: scenario.to_owned(), ..Subject::new(scope, setting) }
    }

    /// The id of the cell that it is.
    pub fn cell_id(&self) -> Option<&str> {
        (self.scope == Scope::Cell).then_some(self.cell.as_str())
    }
}

/// As messages name it. The draws of an interval come from this name too.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject { scenario, setting, beside, stage, occasion, .. } = self;
        let Setting { configuration, mode, .. } = setting;
        let stage = stage.iter().map(ToString::to_string).collect::<String>();
        match self.scope {
            Scope::Cell => f.write_str(&self.cell),
            Scope::Session => write!(f, "{scenario}/{}", self.seed.unwrap_or_default()),
            Scope::Scenario => f.write_str(scenario),
            Scope::Group => write!(f, "{scenario}/{setting}"),
            Scope::Configuration | Scope::Bank => setting.fmt(f),
            Scope::Bracket => write!(f, "{scenario}/{configuration}/{mode}"),
            Scope::Pair => write!(f, "{scenario}/{configuration} - {beside}/{mode}"),
            Scope::Stage => write!(f, "{setting}/{stage}"),
            Scope::Trigger => write!(f, "{setting}/{stage}/{occasion}"),
        }
    }
}
