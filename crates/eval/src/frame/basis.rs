//! What a derived figure rests on, or why there is none, as data: code, parameters, English.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use thiserror::Error;

use crate::measure::floor::LinearGrowth;
use crate::measure::floor::verdict::Support;
use crate::number;
use crate::unit::{float, nine};
use crate::words;

words! {
    /// In what an adversary loses to chance, the first that holds.
    pub enum Defeat {
        /// None of its sessions came to its end.
        Died = "died",
        /// It sent requests that a provider refuses.
        Refused = "refused",
        /// It recalls no more than chance.
        Chance = "chance",
        /// It keeps less than chance of what must last.
        Lasting = "lasting",
        /// Of what it claims, clearly less is so than of what chance does.
        Precision = "precision",
    }
}

impl Defeat {
    /// It in English.
    pub fn told(self) -> &'static str {
        match self {
            Defeat::Died => "its sessions end early",
            Defeat::Refused => "a provider refuses its requests",
            Defeat::Chance => "it recalls no more than chance",
            Defeat::Precision => "less of what it claims is so than of what chance claims",
            Defeat::Lasting => "it keeps less of what must last than chance",
        }
    }
}

/// What a derived figure rests on, or why there is none. Its `Display` is its English.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case")]
#[expect(missing_docs, reason = "the English of each says what it is")]
#[non_exhaustive]
pub enum Basis {
    /// The figures that its definition names, and nothing else to say.
    #[default]
    #[error("")]
    Direct,
    #[error("ended early: not ranked")]
    EndedEarly,
    /// With an interval, as they are at least two.
    #[error("mean over sessions")]
    MeanOverSessions,
    #[error("one session: no interval")]
    OneSession,
    #[error("sums over sessions")]
    RatioOverSessions,
    #[error("no goal was finished")]
    NoGoalFinished,
    #[error("mean over sessions told in both banks")]
    MeanOverTwins,
    #[error("beside `{reference}`")]
    Beside { reference: String },
    /// At the checkpoints that both reached.
    #[error("against `{reference}`")]
    AgainstFloor { reference: String },
    #[error("median over {firings} firings of all sessions")]
    MedianOverFirings { firings: usize },
    /// How often a stage declined: the most frequent reasons, and how many more there are.
    #[error("{}", declined(.reasons, *.more))]
    Declined { reasons: Vec<(String, u64)>, more: usize },
    /// Means or differences by summarizer.
    #[error("{}", by_summarizer(.figures))]
    BySummarizer { figures: Vec<(String, f64)> },
    /// The law of growth that fits best: its value at the start and its growth.
    #[error("{}; level {}, rate {}", linear_growth(*.linear), float(*.level), float(*.rate))]
    Growth { linear: LinearGrowth, level: f64, rate: f64 },
    /// The sessions behind a verdict on a floor, and how many are enough for a claim.
    #[error("{}", floor_verdict((*.sessions, *.enough), *.lengths, *.support))]
    FloorVerdict { sessions: usize, enough: usize, lengths: usize, support: Option<Support> },

    /// An adversary beside chance: in what it loses, recall at need of both, and the share of
    /// constraints, safety rules, dead ends and directions that is left of both.
    #[error("{}", beside_chance(*.lost, (*.recall, *.chance), (*.lasting, *.chance_lasting)))]
    BesideChance {
        lost: Option<Defeat>,
        recall: Option<f64>,
        chance: Option<f64>,
        lasting: Option<f64>,
        chance_lasting: Option<f64>,
    },

    #[error("chance was not driven beside it")]
    WithoutChance,
    #[error("no windowless control was driven")]
    NoControl,
    #[error("the session has no ranked demands")]
    NoDemands,
    /// No demand is a base window away from the last mention of its fact.
    #[error("no demand at need")]
    NoDemandAtNeed,
    /// Recall is not told of sessions of one's own where one need more or less decides it.
    #[error("{needs} needs are too few")]
    FewNeeds { needs: u32 },
    #[error("no step was reached")]
    NoStep,
    #[error("the control has fewer steps")]
    ControlShorter,
    #[error("the control's prompts are empty")]
    ControlEmpty,
    #[error("a figure is missing")]
    FigureMissing,
    #[error("never cheaper to the end")]
    NeverCheaper,
    #[error("no completed truncate at a fixed limit")]
    NoSweep,
    #[error("mean prompt outside the sweep")]
    OutsideSweep,
    #[error("the pipeline names no reference")]
    NoReference,
    #[error("its reference `{reference}` was not driven")]
    ReferenceNotDriven { reference: String },
    #[error("no session has a slope beside `{reference}`")]
    NoPair { reference: String },
    #[error("no cell of the reference `{reference}`")]
    NoReferenceCell { reference: String },
    #[error("no common checkpoint with a floor")]
    NoCommonCheckpoint,
    #[error("the floor was not probed")]
    NotProbed,
    #[error("no checkpoint lies behind the first compaction or, without one, a whole window")]
    WarmingUp,
    #[error("no compaction behind a checkpoint took entries out of the view")]
    NothingTaken,
    #[error("too few points")]
    TooFewPoints,
    #[error("never, or no window")]
    NeverFull,
    #[error("the law of growth is not settled")]
    LawNotSettled,
    /// Beside it no other law is fitted.
    #[error("the law is the line, or one session alone tells no error")]
    NoOtherLaw,
    #[error("not within {times} times the turns driven, as far as its interval tells")]
    OutOfReach { times: f64 },
    #[error("no session has the figure")]
    NoSession,
    #[error("not driven under it")]
    NotDrivenUnder,
    #[error("not driven in common under empty, extractive and perfect")]
    NotDrivenInCommon,
    #[error("the same cell without the fault was not driven")]
    NoSoundPartner,
    #[error("one of the two ended early: not compared")]
    CutShort,
    #[error("nothing was spent without it")]
    NothingSpent,
}

impl Basis {
    /// Figures by summarizer, rounded as files carry them.
    pub fn by_summarizer<'a>(figures: impl IntoIterator<Item = (&'a str, f64)>) -> Basis {
        let figures = figures.into_iter().map(|(name, figure)| (name.to_owned(), nine(figure)));
        Basis::BySummarizer { figures: figures.collect() }
    }

    /// Its code and its parameters as JSON, which is empty where it has none.
    pub fn code(&self) -> (String, String) {
        match serde_json::to_value(self) {
            Ok(Json::Object(object)) => {
                let tagged = object.into_iter().next();
                tagged.map(|(code, parameters)| (code, parameters.to_string())).unwrap_or_default()
            }
            Ok(Json::String(code)) => (code, String::new()),
            // A basis is an externally tagged enum: it has no other form.
            _ => (String::new(), String::new()),
        }
    }

    /// The basis of this code and these parameters; an error where they do not fit.
    pub fn parse(code: &str, parameters: &str) -> Result<Basis, serde_json::Error> {
        if parameters.is_empty() {
            return serde_json::from_value(Json::String(code.to_owned()));
        }
        let parameters: Json = serde_json::from_str(parameters)?;
        let mut tagged = serde_json::Map::new();
        tagged.insert(code.to_owned(), parameters);
        serde_json::from_value(Json::Object(tagged))
    }

    /// Whether a verdict rests on too few sessions to be a firm one.
    pub fn is_too_few(&self) -> bool {
        matches!(self, Basis::FloorVerdict { sessions, enough, .. } if sessions < enough)
    }

    /// What follows for linear growth, of a figure of growth.
    pub fn linear_growth(&self) -> Option<LinearGrowth> {
        match self {
            Basis::Growth { linear, .. } => Some(*linear),
            _ => None,
        }
    }

    /// The pipeline that the figure was compared with.
    pub fn reference(&self) -> Option<&str> {
        match self {
            Basis::Beside { reference } | Basis::AgainstFloor { reference } => Some(reference),
            _ => None,
        }
    }
}

fn declined(reasons: &[(String, u64)], more: usize) -> String {
    let mut parts: Vec<String> =
        reasons.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    parts.join("; ")
}

fn by_summarizer(figures: &[(String, f64)]) -> String {
    let figure = |(name, value): &(String, f64)| format!("{name} {}", float(*value));
    figures.iter().map(figure).collect::<Vec<_>>().join(", ")
}

fn beside_chance(
    lost: Option<Defeat>,
    recall: (Option<f64>, Option<f64>),
    lasting: (Option<f64>, Option<f64>),
) -> String {
    let told =
        |value: Option<f64>| value.map_or_else(|| "nothing defined".to_owned(), number::share);
    let what = lost.map_or("it does not lose", Defeat::told);
    format!(
        "{what}; it recalls {} of what is needed, chance {}; it keeps {} of what must last, \
         chance {}",
        told(recall.0),
        told(recall.1),
        told(lasting.0),
        told(lasting.1)
    )
}

fn linear_growth(linear: LinearGrowth) -> &'static str {
    match linear {
        LinearGrowth::Excluded => "linear growth excluded",
        LinearGrowth::Open => "linear growth neither excluded nor shown",
        LinearGrowth::Established => "linear growth shown",
    }
}

fn floor_verdict(
    (sessions, enough): (usize, usize),
    lengths: usize,
    support: Option<Support>,
) -> String {
    let few = (sessions < enough).then(|| format!("n too small: {sessions} of {enough} sessions"));
    let alike = (lengths < 2).then(|| "one session length only".to_owned());
    let rests = match support {
        None => "no fit of one_pass",
        Some(Support::OnePassAndLowWater) => "rests on one_pass and low_water",
        Some(Support::OnePassAlone) => "rests on one_pass alone",
    };
    let parts: Vec<String> = few.into_iter().chain(alike).chain([rests.to_owned()]).collect();
    parts.join("; ")
}
