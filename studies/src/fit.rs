//! Fits the simulated summarizer to recorded compactions, checks it on sessions left out, and sets
//! `extractive` beside it where the texts are at hand.

mod beside;
mod rows;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proctor_core::error::{Error, Result};
use proctor_core::ident::Seed;
use proctor_eval::fit::{Foresight, Prior, Row, fitted, held_out, rounded};
use proctor_eval::simulated::{FEATURES, Length, Parameters, Sort, Weights};
use proctor_eval::stats::chances::Foretold;
use proctor_eval::stats::resample::{Resampling, bootstrap};
use proctor_report::chart::{Chart, DotChart, DotRow, Estimate};

use self::rows::Boundary;
use crate::table::{Table, line};

/// Half of this times the squared weights is added to the loss.
const RIDGE: f64 = 0.1;

/// What is read, and what is written beside the page.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// The directory of the tables.
    pub tables: &'a Path,
    /// Transcripts with recorded compactions.
    pub sessions: &'a [PathBuf],
    pub parameters: Option<&'a Path>,
    pub chart: Option<&'a Path>,
}

/// Fits the parameters to the tables of a directory, writes parameters and chart where they are named,
/// and gives the page.
pub fn page(files: Files) -> Result<String> {
    let boundaries = rows::boundaries(&files.tables.join("boundaries.csv"))?;
    let rows = rows::rows(&files.tables.join("artifacts.csv.gz"), &boundaries)?;
    let prior = Prior::ridge(RIDGE);
    let weights = fitted(&rows, &prior);
    let chances = held_out(&rows, &prior);
    if let Some(path) = files.parameters {
        let about = "Fitted by `proctor-studies fit`, but for `assumed`, which is set by hand.";
        write(path, &parameters(&weights, length(&boundaries), path)?.written(about)?)?;
    }
    let mut page = written(&rows, &boundaries, &chances);
    if let Some(path) = files.chart {
        let drawn = chart(&rows, &chances).draw(TITLE)?;
        write(path, &drawn.map(|drawn| drawn.svg).unwrap_or_default())?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        line(&mut page, &format!("![{TITLE}]({name})\n"));
    }
    page.push_str(&model(&weights, &length(&boundaries)));
    page.push_str(&beside::section(files.sessions, &rows, &prior)?);
    Ok(page)
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|source| Error::io("write", path, source))
}

/// Intercept, slope and deviation of the logarithm of a summary's bytes by that of its segment's tokens.
fn length(boundaries: &[Boundary]) -> Length {
    let points: Vec<(f64, f64)> =
        boundaries.iter().map(|one| (one.tokens.ln(), one.summary.ln())).collect();
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let both: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let slope = both / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>();
    let intercept = y - slope * x;
    let rest = points.iter().map(|point| (point.1 - intercept - slope * point.0).powi(2));
    let deviation = (rest.sum::<f64>() / n).sqrt();
    Length { intercept: rounded(intercept), slope: rounded(slope), deviation: rounded(deviation) }
}

/// What was fitted, with what the file assumes already.
fn parameters(weights: &Weights, length: Length, path: &Path) -> Result<Parameters> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
    let before = Parameters::parse(&path.display().to_string(), &text)?;
    let mut weights = weights.map(rounded);
    // The tables have no sentence of the agent.
    weights[Sort::Agent as usize] = before.assumed.agent;
    Ok(Parameters { length, ..before.with(&weights) })
}

fn written(rows: &[Row], boundaries: &[Boundary], chances: &[f64]) -> String {
    let mut page = String::from("# The simulated summarizer\n\n");
    let mut sessions: Vec<&str> = rows.iter().map(|row| &*row.session).collect();
    sessions.sort_unstable();
    sessions.dedup();
    line(
        &mut page,
        &format!(
            "Fitted to {} names and typed sentences of {} recorded compactions of {} sessions, one \
             vendor's summarizer and nearly all of one project. Survival is predicted for each \
             session by a fit to the others.\n",
            rows.len(),
            boundaries.len(),
            sessions.len()
        ),
    );
    let head = ["kind", "#rows", "#recorded", "#simulated", "#difference", "#area", "#Brier score"];
    let mut table = Table::new("Survival in percent, sessions left out", &head);
    let told: Vec<(Sort, Foretold)> =
        rows.iter().zip(chances).map(|(row, chance)| (row.sort, (*chance, row.survived))).collect();
    let of = |sort: Option<Sort>| -> Vec<Foretold> {
        let of = told.iter().filter(|(own, _)| sort.is_none_or(|sort| sort == *own));
        of.map(|(_, one)| *one).collect()
    };
    for sort in met(rows) {
        table.push(rates(Some(sort), &of(Some(sort))));
    }
    let all = of(None);
    table.push(rates(None, &all));
    page.push_str(&table.markdown());
    let cells = cells(rows, chances);
    line(
        &mut page,
        &format!(
            "The area is that under the ROC curve. The calibration error over ten equal groups \
             is {:.1} points. Over {} kinds of name by where they stood, the rank correlation of \
             recorded and simulated survival is {:.2}.\n",
            100.0 * Foresight::of(&all).calibration.unwrap_or(f64::NAN),
            cells.len(),
            rank_correlation(&cells),
        ),
    );
    page
}

/// The sorts that rows are of.
fn met(rows: &[Row]) -> impl Iterator<Item = Sort> {
    Sort::ALL.into_iter().filter(|sort| rows.iter().any(|row| row.sort == *sort))
}

fn rates(sort: Option<Sort>, of: &[Foretold]) -> [String; 7] {
    let (recorded, simulated) = (100.0 * share(of, came), 100.0 * share(of, |one| one.0));
    let foresight = Foresight::of(of);
    let two = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |one| format!("{one:.2}"));
    [
        sort.map_or("all", Sort::name).to_owned(),
        of.len().to_string(),
        format!("{recorded:.1}"),
        format!("{simulated:.1}"),
        format!("{:+.1}", simulated - recorded).replace("-0.0", "+0.0"),
        // Sentences all have one chance.
        two(foresight.area.filter(|_| sort.is_none_or(|sort| !sort.is_sentence()))),
        foresight.brier.map_or_else(|| "–".to_owned(), |one| format!("{one:.3}")),
    ]
}

fn came(one: &Foretold) -> f64 {
    f64::from(u8::from(one.1))
}

fn share(of: &[Foretold], value: fn(&Foretold) -> f64) -> f64 {
    of.iter().map(value).sum::<f64>() / of.len().max(1) as f64
}

/// The weights, and the length of summaries.
fn model(weights: &Weights, length: &Length) -> String {
    let mut page = String::new();
    let mut table = Table::new("Log-odds of survival", &["of", "#weight"]);
    let names = Sort::ALL.map(Sort::name);
    for (name, weight) in names.iter().chain(&FEATURES).zip(weights) {
        if *name != Sort::Agent.name() {
            table.push([(*name).to_owned(), format!("{weight:.2}")]);
        }
    }
    page.push_str(&table.markdown());
    line(
        &mut page,
        &format!(
            "The logarithm of a summary's bytes is {:.2} and {:.2} times that of the segment's tokens, \
             with a standard deviation of {:.2}.\n",
            length.intercept, length.slope, length.deviation
        ),
    );
    page
}

const TITLE: &str =
    "Recorded and simulated survival by kind and by who named it, sessions left out of the fit";
/// Strongest roles that a name can have.
const PLACES: [&str; 4] = ["user", "prose", "call", "result"];
/// Fewer names than this are no group of their own.
const LEAST: usize = 10;

/// Names of a sort, all or those of a place, each with its session.
type Group<'a> = Vec<(&'a str, Foretold)>;

fn group<'a>(rows: &'a [Row], chances: &[f64], sort: Sort, at: Option<usize>) -> Group<'a> {
    let own = rows.iter().zip(chances).filter(|(row, _)| row.sort == sort);
    let own = own.filter(|(row, _)| at.is_none_or(|at| place(row) == at));
    own.map(|(row, chance)| (&*row.session, (*chance, row.survived))).collect()
}

/// Survival by sort and by place, with intervals over sessions.
fn chart(rows: &[Row], chances: &[f64]) -> DotChart {
    let row = |name: String, group: &Group| {
        let mut sessions: BTreeMap<&str, Vec<Foretold>> = BTreeMap::new();
        group.iter().for_each(|(session, one)| sessions.entry(session).or_default().push(*one));
        let sessions: Vec<Vec<Foretold>> = sessions.into_values().collect();
        DotRow {
            name: format!("{name} ({})", group.len()),
            dots: [estimate(&sessions, came), estimate(&sessions, |one| one.0)],
        }
    };
    let of_sort = |sort: Sort| {
        let all = group(rows, chances, sort, None);
        let mut own = vec![row(sort.name().to_owned(), &all)];
        for (at, named) in PLACES.iter().enumerate().filter(|_| !sort.is_sentence()) {
            let group = group(rows, chances, sort, Some(at));
            if (LEAST..all.len()).contains(&group.len()) {
                own.push(row(format!("{}: {named}", sort.name()), &group));
            }
        }
        own
    };
    DotChart {
        across: "kept by the summary (share of names or sentences)",
        series: ["recorded", "simulated", "95 % interval over sessions"],
        rows: met(rows).flat_map(of_sort).collect(),
    }
}

/// A share over all facts; whole sessions are drawn.
fn estimate(sessions: &[Vec<Foretold>], value: fn(&Foretold) -> f64) -> Option<Estimate> {
    let interval = bootstrap(sessions.len(), Resampling::standard(Seed(0)), |drawn| {
        let all: Vec<Foretold> = drawn.iter().flat_map(|at| sessions[*at].clone()).collect();
        Some(share(&all, value))
    });
    let all: Vec<Foretold> = sessions.iter().flatten().copied().collect();
    (!all.is_empty()).then(|| (share(&all, value), interval.map(|ends| (ends.low, ends.high))))
}

/// The strongest role of a name.
fn place(row: &Row) -> usize {
    row.features[2..5].iter().position(|has| *has > 0.0).unwrap_or(PLACES.len() - 1)
}

/// Recorded and simulated survival of names by kind and strongest role.
fn cells(rows: &[Row], chances: &[f64]) -> Vec<(f64, f64)> {
    let places = Sort::ALL.into_iter().flat_map(|sort| (0..PLACES.len()).map(move |at| (sort, at)));
    let groups = places.map(|(sort, at)| group(rows, chances, sort, Some(at)));
    let known = groups.filter(|group| group.len() >= LEAST);
    let both = |group: Group| {
        let of: Vec<Foretold> = group.into_iter().map(|(_, one)| one).collect();
        (share(&of, came), share(&of, |one| one.0))
    };
    known.map(both).collect()
}

/// Spearman's, with mean ranks for ties.
fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
    let ranks = |of: &dyn Fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let rank = |one: &(f64, f64)| {
            let count = |wanted: Ordering| {
                pairs.iter().filter(|other| of(other).total_cmp(&of(one)) == wanted).count() as f64
            };
            count(Ordering::Less) + (count(Ordering::Equal) - 1.0) / 2.0
        };
        pairs.iter().map(rank).collect()
    };
    let (one, other) = (ranks(&|pair| pair.0), ranks(&|pair| pair.1));
    let mean = (pairs.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    product(&one, &other) / (product(&one, &one) * product(&other, &other)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correlation_is_what_it_is_by_hand() {
        assert_eq!(rank_correlation(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), -1.0);
    }
}
