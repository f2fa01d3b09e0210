//! Fits the simulated summarizer to recorded compactions, and checks it on sessions left out.

mod model;
mod rows;

use proctor_core::error::{Error, Result};
use proctor_eval::simulated::{Assumed, Intercepts, Length, Parameters, Slopes};
use rayon::prelude::*;
use std::path::Path;

use self::model::{area, calibration, fitted, predicted, rank_correlation};
use self::rows::{Boundary, FEATURES, PLACES, Row, SORTS};
use crate::table::{Table, line};

/// Fits the parameters to the tables of a directory, writes them into a file where one is named, and
/// gives the page.
pub fn page(directory: &Path, into: Option<&Path>) -> Result<String> {
    let boundaries = rows::boundaries(&directory.join("boundaries.csv"))?;
    let rows = rows::rows(&directory.join("artifacts.csv.gz"), &boundaries)?;
    let weights = fitted(&rows);
    let left_out = left_out(&rows);
    if let Some(path) = into {
        let parameters = parameters(&weights, length(&boundaries), path)?;
        let text = toml::to_string(&parameters)
            .map_err(|error| Error::invalid("parameters", error.to_string()))?;
        let about =
            "# Fitted by `proctor-studies fit`, but for `assumed`, which is set by hand.\n\n";
        std::fs::write(path, about.to_owned() + &text)
            .map_err(|source| Error::io("write", path, source))?;
    }
    Ok(written(&rows, &boundaries, &weights, &left_out))
}

/// For each row the chance that a fit without its session gives it.
fn left_out(rows: &[Row]) -> Vec<f64> {
    let mut sessions: Vec<&str> = rows.iter().map(|row| &*row.session).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let fits: Vec<Vec<f64>> = sessions
        .par_iter()
        .map(|session| {
            let others: Vec<Row> =
                rows.iter().filter(|row| *row.session != **session).cloned().collect();
            fitted(&others)
        })
        .collect();
    let chance = |row: &Row| {
        let place = sessions.binary_search(&&*row.session).unwrap_or(0);
        predicted(&fits[place], row)
    };
    rows.iter().map(chance).collect()
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

fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

/// What was fitted, with what the file assumes already.
fn parameters(weights: &[f64], length: Length, path: &Path) -> Result<Parameters> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
    let name = path.display().to_string();
    let Parameters { assumed, .. } =
        proctor_core::config::parse::<Parameters>("parameters", &name, &text)?;
    let of: Vec<f64> = weights.iter().map(|weight| rounded(*weight)).collect();
    let [path, symbol, test, command, value, error, typed, rest @ ..] = &of[..] else {
        return Err(Error::invalid("parameters", "too few were fitted"));
    };
    let [messages, last, user, text, call, edited, read, previous] = rest else {
        return Err(Error::invalid("parameters", "too few were fitted"));
    };
    let intercepts = Intercepts {
        path: *path,
        symbol: *symbol,
        test: *test,
        command: *command,
        value: *value,
        error: *error,
        typed: *typed,
    };
    let slopes = Slopes {
        messages: *messages,
        last: *last,
        user: *user,
        text: *text,
        call: *call,
        edited: *edited,
        read: *read,
        previous: *previous,
    };
    Ok(Parameters { intercepts, slopes, length, assumed: Assumed { ..assumed } })
}

fn written(rows: &[Row], boundaries: &[Boundary], weights: &[f64], left_out: &[f64]) -> String {
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
    let head = ["kind", "#rows", "#recorded", "#simulated", "#difference", "#area"];
    let mut table = Table::new("Survival in percent, sessions left out", &head);
    let outcomes: Vec<bool> = rows.iter().map(|row| row.survived).collect();
    for (sort, name) in SORTS.iter().enumerate() {
        let of: Vec<usize> = (0..rows.len()).filter(|place| rows[*place].sort == sort).collect();
        table.push(rates(name, &of, &outcomes, left_out));
    }
    let all: Vec<usize> = (0..rows.len()).collect();
    table.push(rates("all", &all, &outcomes, left_out));
    page.push_str(&table.markdown());
    let cells: Vec<(f64, f64)> = cells(rows, left_out);
    line(
        &mut page,
        &format!(
            "The area is that under the ROC curve. The calibration error over ten equal groups \
             is {:.1} points. Over {} kinds of name by where they stood, the rank correlation of \
             recorded and simulated survival is {:.2}.\n",
            100.0 * calibration(&outcomes, left_out),
            cells.len(),
            rank_correlation(&cells),
        ),
    );
    let mut table = Table::new("Log-odds of survival", &["of", "#weight"]);
    for (name, weight) in SORTS.iter().chain(&FEATURES).zip(weights) {
        table.push([(*name).to_owned(), format!("{weight:.2}")]);
    }
    page.push_str(&table.markdown());
    let length = length(boundaries);
    line(
        &mut page,
        &format!(
            "The logarithm of a summary's bytes is {:.2} and {:.2} times that of the segment's tokens, \
             with a standard deviation of {:.2}.",
            length.intercept, length.slope, length.deviation
        ),
    );
    page
}

fn rates(name: &str, of: &[usize], outcomes: &[bool], chances: &[f64]) -> [String; 6] {
    let n = of.len().max(1) as f64;
    let recorded = 100.0 * of.iter().filter(|place| outcomes[**place]).count() as f64 / n;
    let simulated = 100.0 * of.iter().map(|place| chances[*place]).sum::<f64>() / n;
    let own: Vec<(f64, bool)> = of.iter().map(|at| (chances[*at], outcomes[*at])).collect();
    [
        name.to_owned(),
        of.len().to_string(),
        format!("{recorded:.1}"),
        format!("{simulated:.1}"),
        format!("{:+.1}", simulated - recorded).replace("-0.0", "+0.0"),
        // Sentences all have one chance.
        if name == "typed" { "–".to_owned() } else { format!("{:.2}", area(&own)) },
    ]
}

/// Recorded and simulated survival of names by kind and strongest role.
fn cells(rows: &[Row], chances: &[f64]) -> Vec<(f64, f64)> {
    const LEAST: usize = 10;
    let mut cells = Vec::new();
    for sort in 0..SORTS.len() {
        for place in 0..PLACES {
            let of: Vec<usize> = (0..rows.len())
                .filter(|at| rows[*at].sort == sort && rows[*at].place == place)
                .collect();
            if of.len() >= LEAST {
                let n = of.len() as f64;
                let recorded = of.iter().filter(|at| rows[**at].survived).count() as f64 / n;
                cells.push((recorded, of.iter().map(|at| chances[*at]).sum::<f64>() / n));
            }
        }
    }
    cells
}
