//! A comparison as text, Markdown, CSV or JSON.

use super::{Comparison, Front, Ranking, Row};
use crate::error::{Error, Result};
use crate::measure::MetricId;
use crate::number::{probability, short};
use crate::row::optional;

/// A table: its head and its lines.
pub type Lines = (Vec<&'static str>, Vec<Vec<String>>);

/// The verdicts, one line a row.
pub fn verdicts(rows: &[Row]) -> Lines {
    let head = vec![
        "candidate",
        "baseline",
        "mode",
        "metric",
        "n",
        "mean",
        "baseline mean",
        "difference",
        "95 % interval",
        "d",
        "win/tie/loss",
        "p",
        "p (Holm)",
        "verdict",
    ];
    let text = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), short);
    let chance = |p: Option<f64>| p.map_or_else(|| "–".to_owned(), probability);
    let line = |row: &Row| {
        let interval = match (row.low, row.high) {
            (Some(low), Some(high)) => format!("{} … {}", short(low), short(high)),
            _ => "–".to_owned(),
        };
        vec![
            row.candidate.clone(),
            row.baseline.clone(),
            row.mode.clone(),
            row.metric.to_string(),
            row.n.to_string(),
            text(row.candidate_mean),
            text(row.baseline_mean),
            text(row.difference),
            interval,
            text(row.effect),
            format!("{}/{}/{}", row.wins, row.ties, row.losses),
            chance(row.p),
            chance(row.p_holm),
            row.verdict.to_string(),
        ]
    };
    (head, rows.iter().map(line).collect())
}

/// How the differences lie, one line a row.
pub fn distributions(rows: &[Row]) -> Lines {
    let head = vec![
        "candidate",
        "metric",
        "least",
        "10 %",
        "25 %",
        "median",
        "75 %",
        "90 %",
        "most",
        "differences",
        "lost entirely",
        "baseline lost",
        "detectable",
    ];
    let share = |value: Option<f64>| {
        value.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share))
    };
    let line = |row: &Row| {
        let mut line = vec![row.candidate.clone(), row.metric.to_string()];
        match row.quantiles {
            Some(quantiles) => line.extend(quantiles.map(short)),
            None => line.extend(std::iter::repeat_n("–".to_owned(), 7)),
        }
        line.push(row.histogram.clone());
        line.extend([share(row.candidate_lost), share(row.baseline_lost)]);
        line.push(row.detectable.map_or_else(|| "–".to_owned(), short));
        line
    };
    (head, rows.iter().map(line).collect())
}

/// A front, one line a configuration.
pub fn front(front: &Front) -> Lines {
    let head = vec![
        "configuration",
        front.cost.name(),
        MetricId::RecallAtNeed.name(),
        "on the front",
        "in resamples",
    ];
    let line = |point: &super::FrontPoint| {
        let place = match (point.completed, point.on_front) {
            (false, _) => "ended early",
            (true, true) => "yes",
            (true, false) => "no",
        };
        let share = point.membership.map(|share| format!("{:.0} %", 100.0 * share));
        vec![
            point.name.clone(),
            short(point.cost),
            short(point.recall),
            place.to_owned(),
            share.unwrap_or_else(|| "–".to_owned()),
        ]
    };
    (head, front.points.iter().map(line).collect())
}

/// Mean ranks; configurations that share a letter cannot be told apart.
pub fn ranking(ranking: &Ranking) -> Lines {
    let line = |(place, (name, rank)): (usize, &(String, f64))| {
        let groups = ranking.undecided.iter().zip('a'..='z');
        let letters: String =
            groups.filter(|(group, _)| group.contains(&place)).map(|(_, letter)| letter).collect();
        vec![name.clone(), format!("{rank:.2}"), letters]
    };
    let lines = ranking.ranks.iter().enumerate().map(line).collect();
    (vec!["configuration", "mean rank", "not told apart"], lines)
}

/// What a ranking rests on.
pub fn ranking_title(ranking: &Ranking) -> String {
    format!(
        "{} ({}): {} configurations ranked in {} sessions ({} with ties), Friedman p: {}, \
         critical difference {:.2}",
        ranking.metric,
        ranking.mode,
        ranking.ranks.len(),
        ranking.sessions,
        ranking.tied,
        probability(ranking.p),
        ranking.critical
    )
}

/// What a front rests on.
pub fn front_title(front: &Front) -> String {
    format!("front of {} against recall_at_need ({}), {} sessions", front.cost, front.mode, front.n)
}

/// All of it, with tables as the given function draws them.
pub fn text(comparison: &Comparison, table: impl Fn(&Lines) -> String) -> String {
    let mut parts = Vec::new();
    if !comparison.rows.is_empty() {
        parts.push(table(&verdicts(&comparison.rows)));
        parts.push(table(&distributions(&comparison.rows)));
    }
    for one in &comparison.fronts {
        parts.push(format!("{}\n\n{}", front_title(one), table(&front(one))));
    }
    for one in &comparison.rankings {
        parts.push(format!("{}\n\n{}", ranking_title(one), table(&ranking(one))));
    }
    parts.extend(comparison.notes.iter().map(|note| format!("note: {note}")));
    parts.join("\n\n")
}

/// A table in Markdown.
pub fn markdown_table((head, lines): &Lines) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |", cells.join(" | "))
    };
    let head: Vec<String> = head.iter().map(|title| (*title).to_owned()).collect();
    let rule = format!("|{}", "---|".repeat(head.len()));
    let all = [line(&head), rule].into_iter().chain(lines.iter().map(|cells| line(cells)));
    all.collect::<Vec<String>>().join("\n")
}

/// Everything as JSON.
///
/// # Errors
///
/// [`Error::Invalid`] where a figure has no JSON form.
pub fn json(comparison: &Comparison) -> Result<String> {
    serde_json::to_string_pretty(comparison)
        .map_err(|error| Error::invalid("compare", error.to_string()))
}

const COLUMNS: [&str; 32] = [
    "baseline",
    "candidate",
    "mode",
    "summarizer",
    "metric",
    "unit",
    "better",
    "n",
    "unpaired",
    "baseline_mean",
    "candidate_mean",
    "difference",
    "low",
    "high",
    "interval",
    "effect",
    "rank_biserial",
    "cliffs_delta",
    "wins",
    "ties",
    "losses",
    "test",
    "p",
    "p_signed_rank",
    "p_holm",
    "margin",
    "detectable",
    "baseline_lost",
    "candidate_lost",
    "candidate_earlier",
    "baseline_earlier",
    "verdict",
];

/// The rows as CSV, floats in nine digits, what is undefined empty.
///
/// # Errors
///
/// [`Error::Invalid`] where a row cannot be written.
pub fn csv(comparison: &Comparison) -> Result<String> {
    let broken = |error: &dyn std::fmt::Display| Error::invalid("compare", error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS).map_err(|error| broken(&error))?;
    for row in &comparison.rows {
        writer.write_record(record(row)).map_err(|error| broken(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| broken(&error))?;
    String::from_utf8(bytes).map_err(|error| broken(&error))
}

fn record(row: &Row) -> [String; 32] {
    [
        row.baseline.clone(),
        row.candidate.clone(),
        row.mode.clone(),
        row.summarizer.clone(),
        row.metric.to_string(),
        row.unit.to_owned(),
        row.better.to_owned(),
        row.n.to_string(),
        row.unpaired.to_string(),
        optional(row.baseline_mean),
        optional(row.candidate_mean),
        optional(row.difference),
        optional(row.low),
        optional(row.high),
        row.interval.to_owned(),
        optional(row.effect),
        optional(row.rank_biserial),
        optional(row.cliffs_delta),
        row.wins.to_string(),
        row.ties.to_string(),
        row.losses.to_string(),
        row.test.to_owned(),
        optional(row.p),
        optional(row.p_signed_rank),
        optional(row.p_holm),
        optional(Some(row.margin)),
        optional(row.detectable),
        optional(row.baseline_lost),
        optional(row.candidate_lost),
        row.candidate_earlier.to_string(),
        row.baseline_earlier.to_string(),
        row.verdict.to_string(),
    ]
}
