//! Verdicts on the floor, worded so that they say what the floor does.

use super::super::prelude::*;
use crate::measure::floor::{FloorSeries, LinearGrowth};

/// What a floor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloorSign {
    /// In some family of sessions.
    Rises,
    /// In every family, with linear growth excluded.
    Stays,
    /// Sessions ended before it could be told.
    Ended,
    /// Neither is shown.
    Open,
}

impl FloorSign {
    /// One sign for a table.
    pub fn sign(self) -> &'static str {
        match self {
            FloorSign::Rises => "↗",
            FloorSign::Stays => "→",
            FloorSign::Ended | FloorSign::Open => "?",
        }
    }
}

/// The verdict on a configuration's floor in one family of sessions.
pub struct FloorVerdict {
    pub text: String,
    /// Tokens a turn under which a line would have been missed, where it is not settled.
    pub missed: Option<f64>,
    /// What it rests on.
    basis: Basis,
    /// Whether it rests on too few sessions to be a firm one.
    pub small: bool,
    pub sign: FloorSign,
}

impl FloorVerdict {
    pub fn of(figures: &Figures, family: &str, config: &Config) -> Option<FloorVerdict> {
        let found = figures.in_family(family, config, MetricId::FloorVerdict);
        let verdict = found.verdict()?;
        let rises =
            FloorSeries::ALL.into_iter().any(|series| is_rising(figures, family, config, series));
        let fills_up = FloorSeries::ALL.iter().any(|series| {
            figures.in_family(family, config, series.growth()).model() == Some(Model::Saturating)
        });
        let difference = figures.in_family(family, config, FloorSeries::OnePass.slope_difference());
        let reference = difference.value.and_then(|_| difference.basis.reference());
        Some(FloorVerdict {
            text: worded(verdict, reference, rises, fills_up),
            missed: missed(figures, family, config),
            small: found.basis.is_too_few(),
            sign: sign(verdict, rises),
            basis: found.basis,
        })
    }
}

impl FloorVerdict {
    /// Sessions and lengths of session.
    pub fn rests_on(&self) -> (usize, usize) {
        match self.basis {
            Basis::FloorVerdict { sessions, lengths, .. } => (sessions, lengths),
            _ => (0, 0),
        }
    }
}

fn sign(verdict: Verdict, rises: bool) -> FloorSign {
    match verdict {
        _ if rises => FloorSign::Rises,
        Verdict::Eliminated | Verdict::EliminatedByForgetting => FloorSign::Stays,
        Verdict::NotReached => FloorSign::Ended,
        _ => FloorSign::Open,
    }
}

/// The verdict so that it cannot be misread: as good news, a small slope or an end of rising.
fn worded(verdict: Verdict, reference: Option<&str>, rises: bool, fills_up: bool) -> String {
    let word = verdict.name();
    match (verdict, reference) {
        (Verdict::NotReached, _) => "session ended early".to_owned(),
        (Verdict::Eliminated, _) if rises => "rises ever more slowly".to_owned(),
        (Verdict::Eliminated, _) if fills_up => "bounded".to_owned(),
        (Verdict::Lowered, Some(name)) if rises => format!("lowered against {name}, but rising"),
        (Verdict::Lowered | Verdict::Grown, Some(name)) => format!("{word} against {name}"),
        (Verdict::Unchanged, Some(name)) if rises => format!("rising as {name} does"),
        (Verdict::Unchanged, Some(name)) => format!("as {name}"),
        (Verdict::Lowered | Verdict::Unchanged | Verdict::Inconclusive, _) if rises => {
            format!("{word}, but rising")
        }
        _ => word.to_owned(),
    }
}

/// The least line that is found beside the law of every series that is not settled.
fn missed(figures: &Figures, family: &str, config: &Config) -> Option<f64> {
    let figure = |metric| figures.in_family(family, config, metric);
    let open = FloorSeries::ALL
        .into_iter()
        .filter(|series| figure(series.growth()).basis.linear_growth() == Some(LinearGrowth::Open));
    open.filter_map(|series| figure(series.growth_missed()).value).reduce(f64::max)
}

/// Whether the slope of a series lies above zero and its law is not that it stays: neither a
/// constant nor one that fills up, with linear growth excluded.
fn is_rising(figures: &Figures, family: &str, config: &Config, series: FloorSeries) -> bool {
    let growth = figures.in_family(family, config, series.growth());
    let excluded = growth.basis.linear_growth() == Some(LinearGrowth::Excluded);
    let stays = match growth.model() {
        None | Some(Model::Constant) => true,
        Some(Model::Saturating) => excluded,
        Some(Model::Logarithmic | Model::Linear) => false,
    };
    let slope = figures.in_family(family, config, series.slope());
    !stays && slope.interval.is_some_and(|(low, _)| low > 0.0)
}

/// Verdicts of a configuration, one for each family of sessions that has one.
pub struct Tally {
    pub verdicts: Vec<FloorVerdict>,
}

impl Tally {
    pub fn of(figures: &Figures, config: &Config) -> Tally {
        let families = figures.families().into_iter();
        let verdicts = families.filter_map(|family| FloorVerdict::of(figures, family, config));
        Tally { verdicts: verdicts.collect() }
    }

    /// The worst of its families; `None` where none has a verdict.
    pub fn sign(&self) -> Option<FloorSign> {
        let has = |sign: &FloorSign| self.verdicts.iter().any(|verdict| verdict.sign == *sign);
        let worst_first = [FloorSign::Rises, FloorSign::Ended, FloorSign::Open, FloorSign::Stays];
        worst_first.into_iter().find(has)
    }
}
