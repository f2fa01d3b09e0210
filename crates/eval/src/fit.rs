//! Fits the simulated summarizer: to recorded compactions as they ship, and to those of one's own
//! sessions and runs (`proctor fit`).

mod observed;
mod regression;
mod watched;

pub use observed::{Observed, observed};
pub use regression::{Prior, Row, fitted, shift};
pub use watched::of_run;

use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use crate::prelude::*;
use crate::simulated::{Length, Parameters, Sort, Weights};
use crate::stats::chances::{Foretold, area, brier, calibration};
use crate::stats::resample::{Interval, Resampling, bootstrap};

/// Fewer facts than these are not fitted to.
pub const LEAST: usize = 30;
/// Fewer compactions than these give no interval.
const COMPACTIONS: usize = 5;
/// How far summarizers may lie from the recorded one, as standard deviations: all sorts together as
/// far as `simulated-poor` and `simulated-good`, each sort beside that, each slope.
const SPREADS: (f64, f64, f64) = (2.0, 1.0, 0.25);

/// For each row the chance that a fit without its session gives it.
pub fn held_out(rows: &[Row], prior: &Prior) -> Vec<f64> {
    let mut sessions: Vec<&str> = rows.iter().map(|row| &*row.session).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let without = |session: &&str| {
        let others: Vec<Row> =
            rows.iter().filter(|row| *row.session != **session).cloned().collect();
        fitted(&others, prior)
    };
    let fits: Vec<Weights> = sessions.par_iter().map(without).collect();
    let chance = |row: &Row| {
        let place = sessions.binary_search(&&*row.session).unwrap_or(0);
        row.chance(&fits[place])
    };
    rows.iter().map(chance).collect()
}

/// How well chances foretell what was kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Foresight {
    /// The area under the ROC curve; none where all was kept, or nothing.
    pub area: Option<f64>,
    /// The mean distance of chance and rate over ten equal groups.
    pub calibration: Option<f64>,
    /// The mean square of what was kept less its chance.
    pub brier: Option<f64>,
}

impl Foresight {
    /// Of these chances.
    pub fn of(rows: &[Foretold]) -> Foresight {
        Foresight { area: area(rows), calibration: calibration(rows), brier: brier(rows) }
    }
}

/// Facts of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OfSort {
    /// The sort.
    pub sort: Sort,
    /// How many the compactions met.
    pub facts: usize,
    /// The share that was kept.
    pub kept: f64,
    /// The share by the fit.
    pub fitted: f64,
    /// The share by the recorded parameters.
    pub recorded: f64,
}

/// A fit to compactions of one's own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Own {
    /// What was fitted.
    pub parameters: Parameters,
    /// Facts that the compactions met.
    pub facts: usize,
    /// Compactions.
    pub compactions: usize,
    /// Sessions.
    pub sessions: usize,
    /// By sort, those that were met.
    pub sorts: Vec<OfSort>,
    /// By how many units of log-odds more is kept than by the recorded parameters.
    pub skill: f64,
    /// Its interval at 95 % over compactions; none below five.
    pub interval: Option<Interval>,
    /// How well a fit to the other sessions foretells each; none where there is one.
    pub held_out: Option<Foresight>,
    /// How well the recorded parameters do.
    pub recorded: Foresight,
}

/// Fits to the compactions of sessions, near the recorded parameters. [`Error::Invalid`] below
/// [`LEAST`] facts.
pub fn own(compactions: &[Observed]) -> Result<Own> {
    let rows: Vec<Row> =
        compactions.iter().flat_map(|one| one.facts.iter().map(|(_, row)| row.clone())).collect();
    if rows.len() < LEAST {
        let rule =
            format!("{} facts are fewer than {LEAST}: nothing is fitted to them", rows.len());
        let hint = "give more sessions whose files hold the text of their summaries";
        return Err(Error::refused(
            format!("{} recorded compactions", compactions.len()),
            rule,
            hint,
        ));
    }
    let recorded = Parameters::recorded();
    let (all, sort, slope) = SPREADS;
    let prior = Prior::near(recorded, all, sort, slope);
    let (before, weights) = (recorded.weights(), fitted(&rows, &prior));
    let sessions: BTreeSet<Arc<str>> = rows.iter().map(|row| Arc::clone(&row.session)).collect();
    let foresight = |chances: &[f64]| {
        let rows = chances.iter().copied().zip(rows.iter().map(|row| row.survived));
        Foresight::of(&rows.collect::<Vec<Foretold>>())
    };
    let as_recorded: Vec<f64> = rows.iter().map(|row| row.chance(&before)).collect();
    let (skill, interval) = skill(&rows, &before);
    Ok(Own {
        parameters: Parameters {
            length: length(compactions, &recorded.length),
            ..recorded.with(&weights.map(rounded))
        },
        facts: rows.len(),
        compactions: compactions.len(),
        sessions: sessions.len(),
        sorts: Sort::ALL.iter().filter_map(|sort| of_sort(*sort, &rows, &weights)).collect(),
        skill,
        interval,
        held_out: (sessions.len() > 1).then(|| foresight(&held_out(&rows, &prior))),
        recorded: foresight(&as_recorded),
    })
}

fn of_sort(sort: Sort, rows: &[Row], weights: &Weights) -> Option<OfSort> {
    let before = Parameters::recorded().weights();
    let of: Vec<&Row> = rows.iter().filter(|row| row.sort == sort).collect();
    let mean = |value: &dyn Fn(&Row) -> f64| {
        of.iter().map(|row| value(row)).sum::<f64>() / of.len() as f64
    };
    (!of.is_empty()).then(|| OfSort {
        sort,
        facts: of.len(),
        kept: mean(&|row| f64::from(u8::from(row.survived))),
        fitted: mean(&|row| row.chance(weights)),
        recorded: mean(&|row| row.chance(&before)),
    })
}

/// Facts of one compaction have one summary: whole compactions are drawn.
fn skill(rows: &[Row], recorded: &Weights) -> (f64, Option<Interval>) {
    let mut by: BTreeMap<(&str, usize), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        by.entry((&row.session, row.compaction)).or_default().push(row);
    }
    let clusters: Vec<Vec<&Row>> = by.into_values().collect();
    let interval = (clusters.len() >= COMPACTIONS).then(|| {
        bootstrap(clusters.len(), Resampling::standard(Seed(0)), |drawn| {
            let rows = drawn.iter().flat_map(|place| clusters[*place].iter().copied());
            Some(shift(&rows.collect::<Vec<&Row>>(), recorded))
        })
    });
    (rounded(shift(&rows.iter().collect::<Vec<&Row>>(), recorded)), interval.flatten())
}

/// The recorded length moved to that of these summaries, which count as one more each: how it grows
/// and spreads takes more of them than anyone has.
fn length(compactions: &[Observed], recorded: &Length) -> Length {
    let rest = |one: &Observed| {
        let expected = recorded.intercept + recorded.slope * one.tokens.ln();
        (one.summary.len() as f64).ln() - expected
    };
    let moved = compactions.iter().map(rest).sum::<f64>() / (compactions.len() as f64 + 1.0);
    Length { intercept: rounded(recorded.intercept + moved), ..recorded.clone() }
}

/// As files have it.
pub fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::FactId;

    /// A compaction of a session that met twenty files, and kept some.
    fn compaction(session: &str, number: usize, kept: u32) -> Observed {
        let row = |place: u32| Row {
            session: session.into(),
            compaction: number,
            sort: Sort::Path,
            features: [0.0, 5.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            survived: place < kept,
        };
        let facts = (0..20).map(|place| (FactId(place), row(place))).collect();
        let summary = "x".repeat(4_000).into();
        Observed { previous: None, messages: Vec::new(), summary, tokens: 30_000.0, facts }
    }

    #[test]
    fn too_few_facts_are_refused() {
        let error = own(&[compaction("a", 0, 5)]).unwrap_err().to_string();
        assert!(error.contains("1 recorded compactions: 20 facts are fewer than 30"), "{error}");
    }

    #[test]
    fn a_summarizer_that_keeps_more_has_skill_and_its_fit_says_so() {
        let all: Vec<Observed> = (0..3)
            .flat_map(|place| [compaction("a", place, 17), compaction("b", place, 18)])
            .collect();
        let own = own(&all).expect("there are enough");
        assert_eq!((own.facts, own.compactions, own.sessions), (120, 6, 2));
        let [of] = own.sorts[..] else { panic!("files alone: {:?}", own.sorts) };
        assert!(
            of.recorded < 0.4 && of.kept == 0.875 && (of.fitted - 0.875).abs() < 0.05,
            "{of:?}"
        );
        let interval = own.interval.expect("six compactions");
        assert!(own.skill > 2.0 && interval.is_above(1.5), "{} {interval:?}", own.skill);
        assert!(own.parameters.intercepts.error > Parameters::recorded().intercepts.error + 1.0);
        assert!(own.held_out.is_some_and(|out| out.brier < own.recorded.brier));
        let one: Vec<Observed> = (0..2).map(|place| compaction("a", place, 17)).collect();
        let alone = super::own(&one).expect("there are enough");
        assert!(alone.interval.is_none() && alone.held_out.is_none());
    }

    #[test]
    fn the_length_of_summaries_moves_with_those_that_were_seen() {
        let recorded = &Parameters::recorded().length;
        let expected = |tokens: f64| (recorded.intercept + recorded.slope * tokens.ln()).exp();
        let short = length(&[compaction("a", 0, 5), compaction("a", 1, 5)], recorded);
        assert!(expected(30_000.0) > 4_000.0 && short.intercept < recorded.intercept);
        assert_eq!(short.deviation, recorded.deviation);
    }
}
