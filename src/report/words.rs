//! Words of a run's files as the enums that they are names of.

use super::figures::Figure;
use crate::measure::floor::LinearGrowth;
use crate::measure::floor::verdict::Verdict;
use crate::row::DerivedRow;
use crate::stats::fit::Model;

/// The verdict on a floor.
pub fn verdict(figure: &Figure) -> Option<Verdict> {
    Verdict::ALL.into_iter().find(|verdict| verdict.name() == figure.word)
}

/// Whether a verdict rests on too few sessions to be a firm one.
pub fn is_small(verdict: &Figure) -> bool {
    verdict.reason.contains("n too small")
}

/// The law of growth that fits best.
pub fn model(growth: &Figure) -> Option<Model> {
    Model::ALL.into_iter().find(|model| model.name() == growth.word)
}

/// Whether growth in proportion to the turns is settled.
pub fn linear(growth: &Figure) -> Option<LinearGrowth> {
    match growth.reason.split(';').next().unwrap_or_default() {
        "linear growth excluded" => Some(LinearGrowth::Excluded),
        "linear growth neither excluded nor shown" => Some(LinearGrowth::Open),
        "" => None,
        _ => Some(LinearGrowth::Established),
    }
}

/// The pipeline that a slope is compared with.
pub enum Reference<'a> {
    /// It was driven.
    Driven(&'a str),
    /// The configuration's file names it and the run did not drive it.
    NotDriven(&'a str),
    /// The configuration's file names none.
    NotNamed,
    /// The run does not say.
    Unknown,
}

/// The reference of a difference of slopes.
pub fn reference(difference: &Figure) -> Reference<'_> {
    match difference.reason.split('`').nth(1) {
        Some(name) if difference.value.is_some() => Reference::Driven(name),
        Some(name) => Reference::NotDriven(name),
        None if difference.reason == crate::derive::NO_REFERENCE => Reference::NotNamed,
        None => Reference::Unknown,
    }
}

/// Whether a control says that its session has nothing to recall.
pub fn has_no_demands(row: &DerivedRow) -> bool {
    row.value.is_empty() && row.reason == "the session has no ranked demands"
}
