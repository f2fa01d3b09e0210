//! What a derived figure rests on, or why there is none.
//!
//! A basis is data. Files carry its code and its parameters, which are read back, and
//! its English, which is not.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::measure::floor::LinearGrowth;
use crate::measure::floor::verdict::Support;
use crate::unit::{float, nine};

/// What a derived figure rests on, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case")]
#[non_exhaustive]
pub enum Basis {
    /// The figures that its definition names, and nothing else to say.
    #[default]
    Direct,
    /// The session ended early; the figure is not ranked.
    EndedEarly,
    /// The mean over sessions, with an interval where they are at least two.
    MeanOverSessions,
    /// The value of the only session: no interval.
    OneSession,
    /// The mean over sessions that were told in both phrase banks.
    MeanOverTwins,
    /// Compared with this pipeline.
    Beside {
        /// The pipeline.
        reference: String,
    },
    /// Checkpoints that both reached, compared with this pipeline's.
    AgainstFloor {
        /// The pipeline.
        reference: String,
    },
    /// The median over the firings of all sessions.
    MedianOverFirings {
        /// How many.
        firings: usize,
    },
    /// How often a stage declined, by reason.
    Declined {
        /// The most frequent reasons, each with its count.
        reasons: Vec<(String, u64)>,
        /// Other reasons.
        more: usize,
    },
    /// Means or differences by summarizer.
    BySummarizer {
        /// Summarizer and figure.
        figures: Vec<(String, f64)>,
    },
    /// The law of growth that fits best.
    Growth {
        /// What follows for linear growth.
        linear: LinearGrowth,
        /// Its value at the start.
        level: f64,
        /// Its growth.
        rate: f64,
    },
    /// The verdict on a floor.
    FloorVerdict {
        /// Sessions behind it.
        sessions: usize,
        /// Fewer sessions than this allow no claim.
        enough: usize,
        /// Different lengths of session behind it.
        lengths: usize,
        /// The series that it rests on; none where one pass has no fit.
        support: Option<Support>,
    },

    /// No windowless control was driven.
    NoControl,
    /// The session has no ranked demands.
    NoDemands,
    /// No demand is a base window away.
    NoDemandAtNeed,
    /// The session reached no step.
    NoStep,
    /// The control has fewer steps than the cell.
    ControlShorter,
    /// The control's prompts are empty.
    ControlEmpty,
    /// A figure that it is made from is undefined.
    FigureMissing,
    /// The run never stays cheaper than its control.
    NeverCheaper,
    /// No `truncate` at a fixed limit completed.
    NoSweep,
    /// The mean prompt lies beyond the sweep.
    OutsideSweep,
    /// The pipeline names no reference.
    NoReference,
    /// The reference was not driven.
    ReferenceNotDriven {
        /// The pipeline.
        reference: String,
    },
    /// No session has the figure for both.
    NoPair {
        /// The reference.
        reference: String,
    },
    /// No cell of the reference for this session.
    NoReferenceCell {
        /// The reference.
        reference: String,
    },
    /// No checkpoint that both reached has a floor.
    NoCommonCheckpoint,
    /// The floor was not probed.
    NotProbed,
    /// No compaction changed the view.
    NothingChanged,
    /// The points are too few for a fit.
    TooFewPoints,
    /// The window is never full, or there is none.
    NeverFull,
    /// No session has the figure.
    NoSession,
    /// Not driven under the summarizer.
    NotDrivenUnder,
    /// Not driven in common under the decisive summarizers.
    NotDrivenInCommon,
    /// The same cell without the fault was not driven.
    NoSoundPartner,
    /// One of two partners ended early.
    CutShort,
    /// The partner cost nothing.
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

    /// The basis of this code and these parameters.
    ///
    /// # Errors
    ///
    /// Where there is no such code, or the parameters are not its own.
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

/// The one place where a basis becomes English; empty where there is nothing to say.
impl fmt::Display for Basis {
    #[expect(clippy::too_many_lines, reason = "one line for each variant")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = match self {
            Basis::Direct => "",
            Basis::EndedEarly => "ended early: not ranked",
            Basis::MeanOverSessions => "mean over sessions",
            Basis::OneSession => "one session: no interval",
            Basis::MeanOverTwins => "mean over sessions told in both banks",
            Basis::Beside { reference } => return write!(f, "beside `{reference}`"),
            Basis::AgainstFloor { reference } => return write!(f, "against `{reference}`"),
            Basis::MedianOverFirings { firings } => {
                return write!(f, "median over {firings} firings of all sessions");
            }
            Basis::Declined { reasons, more } => return declined(f, reasons, *more),
            Basis::BySummarizer { figures } => {
                let figures: Vec<String> = figures
                    .iter()
                    .map(|(name, value)| format!("{name} {}", float(*value)))
                    .collect();
                return f.write_str(&figures.join(", "));
            }
            Basis::Growth { linear, level, rate } => {
                let linear = match linear {
                    LinearGrowth::Excluded => "linear growth excluded",
                    LinearGrowth::Open => "linear growth neither excluded nor shown",
                    LinearGrowth::Established => "linear growth shown",
                };
                return write!(f, "{linear}; level {}, rate {}", float(*level), float(*rate));
            }
            Basis::FloorVerdict { sessions, enough, lengths, support } => {
                return floor_verdict(f, (*sessions, *enough), *lengths, *support);
            }
            Basis::NoControl => "no windowless control was driven",
            Basis::NoDemands => "the session has no ranked demands",
            Basis::NoDemandAtNeed => "no demand at need",
            Basis::NoStep => "no step was reached",
            Basis::ControlShorter => "the control has fewer steps",
            Basis::ControlEmpty => "the control's prompts are empty",
            Basis::FigureMissing => "a figure is missing",
            Basis::NeverCheaper => "never cheaper to the end",
            Basis::NoSweep => "no completed truncate at a fixed limit",
            Basis::OutsideSweep => "mean prompt outside the sweep",
            Basis::NoReference => "the pipeline names no reference",
            Basis::ReferenceNotDriven { reference } => {
                return write!(f, "its reference `{reference}` was not driven");
            }
            Basis::NoPair { reference } => {
                return write!(f, "no session has a slope beside `{reference}`");
            }
            Basis::NoReferenceCell { reference } => {
                return write!(f, "no cell of the reference `{reference}`");
            }
            Basis::NoCommonCheckpoint => "no common checkpoint with a floor",
            Basis::NotProbed => "the floor was not probed",
            Basis::NothingChanged => "no compaction changed the view",
            Basis::TooFewPoints => "too few points",
            Basis::NeverFull => "never, or no window",
            Basis::NoSession => "no session has the figure",
            Basis::NotDrivenUnder => "not driven under it",
            Basis::NotDrivenInCommon => "not driven in common under empty, extractive and perfect",
            Basis::NoSoundPartner => "the same cell without the fault was not driven",
            Basis::CutShort => "one of the two ended early: not compared",
            Basis::NothingSpent => "nothing was spent without it",
        };
        f.write_str(plain)
    }
}

fn declined(f: &mut fmt::Formatter<'_>, reasons: &[(String, u64)], more: usize) -> fmt::Result {
    let mut parts: Vec<String> =
        reasons.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    f.write_str(&parts.join("; "))
}

fn floor_verdict(
    f: &mut fmt::Formatter<'_>,
    (sessions, enough): (usize, usize),
    lengths: usize,
    support: Option<Support>,
) -> fmt::Result {
    if sessions < enough {
        write!(f, "n too small: {sessions} of {enough} sessions; ")?;
    }
    if lengths < 2 {
        f.write_str("one session length only; ")?;
    }
    f.write_str(match support {
        None => "no fit of one_pass",
        Some(Support::OnePassAndLowWater) => "rests on one_pass and low_water",
        Some(Support::OnePassAlone) => "rests on one_pass alone",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basis_is_read_back_from_its_code_and_parameters() {
        let verdict = Basis::FloorVerdict {
            sessions: 3,
            enough: 8,
            lengths: 1,
            support: Some(Support::OnePassAlone),
        };
        let growth = Basis::Growth { linear: LinearGrowth::Open, level: 0.5, rate: -1e-7 };
        let reasons = vec![("no \"batch\", yet".to_owned(), 5)];
        for basis in [
            Basis::Direct,
            Basis::NoDemands,
            Basis::Beside { reference: "forge-adr".to_owned() },
            Basis::Declined { reasons, more: 2 },
            verdict,
            growth,
        ] {
            let (code, parameters) = basis.code();
            assert_eq!(Basis::parse(&code, &parameters).ok(), Some(basis), "{code} {parameters}");
        }
        assert!(Basis::parse("no-such-code", "").is_err());
        assert!(Basis::parse("beside", "").is_err());
        assert!(Basis::parse("beside", "{}").is_err());
    }

    #[test]
    fn a_code_is_plain_and_its_parameters_are_json() {
        let basis = Basis::ReferenceNotDriven { reference: "a".to_owned() };
        let expected = ("reference-not-driven".to_owned(), r#"{"reference":"a"}"#.to_owned());
        assert_eq!(basis.code(), expected);
        assert_eq!(Basis::NoControl.code(), ("no-control".to_owned(), String::new()));
    }

    #[test]
    fn a_verdict_says_first_what_weakens_it() {
        let basis = Basis::FloorVerdict { sessions: 3, enough: 8, lengths: 1, support: None };
        let expected = "n too small: 3 of 8 sessions; one session length only; no fit of one_pass";
        assert_eq!(basis.to_string(), expected);
        assert!(basis.is_too_few());
    }
}
