//! A comparison as text, Markdown, LaTeX, CSV or JSON.

use serde_json::Value;

use super::Comparison;
use super::pair::Row;
use crate::error::Result;
use crate::number::{UNDEFINED, probability, short};
use crate::run_dir::write::{invalid_at, lines as csv_lines};
use crate::sanitize::{self, Shown};
use crate::unit::float;

/// A table: its head and its lines.
pub type Lines = (Vec<&'static str>, Vec<Vec<String>>);

/// A column: its title, and what it says of a row.
pub type Column<T> = (&'static str, fn(&T) -> String);

/// The rows under these columns.
pub fn table<'a, T: 'a>(columns: &[Column<T>], rows: impl IntoIterator<Item = &'a T>) -> Lines {
    let line = |row| columns.iter().map(|(_, says)| says(row)).collect();
    (columns.iter().map(|(title, _)| *title).collect(), rows.into_iter().map(line).collect())
}

/// A figure that may be undefined.
pub fn written(value: Option<f64>, write: fn(f64) -> String) -> String {
    value.map_or_else(|| UNDEFINED.to_owned(), write)
}

const VERDICTS: [Column<Row>; 15] = [
    ("candidate", |row| row.candidate.clone()),
    ("baseline", |row| row.baseline.clone()),
    ("mode", |row| row.mode.clone()),
    ("metric", |row| row.metric.to_string()),
    ("n", |row| row.n.to_string()),
    ("unit", |row| format!("{} {}", row.units, row.drawn)),
    ("mean", |row| written(row.candidate_mean, short)),
    ("baseline mean", |row| written(row.baseline_mean, short)),
    ("difference", |row| written(row.difference, short)),
    ("95 % interval", |row| match (row.low, row.high) {
        (Some(low), Some(high)) => format!("{} … {}", short(low), short(high)),
        (None, _) | (_, None) => UNDEFINED.to_owned(),
    }),
    ("d", |row| written(row.effect, short)),
    ("win/tie/loss", |row| format!("{}/{}/{}", row.wins, row.ties, row.losses)),
    ("p", |row| written(row.p, probability)),
    ("p (Holm)", |row| written(row.p_holm, probability)),
    ("verdict", |row| row.verdict.to_string()),
];

/// Where the order of recall holds; a column of its own, where some row has one.
const STRETCH: Column<Row> = ("stretch", |row| told(row).unwrap_or_default().to_owned());

fn told(row: &Row) -> Option<&str> {
    row.stretch.as_ref().map(|stretch| stretch.told.as_str())
}

impl Comparison {
    fn has_stretch(&self) -> bool {
        self.rows.iter().any(|row| row.stretch.is_some())
    }
}

/// All of it, with tables as the given function draws them.
pub fn text(comparison: &Comparison, table: impl Fn(&Lines) -> String) -> String {
    let mut parts = vec![table(&self::table(&VERDICTS, &comparison.rows))];
    if comparison.has_stretch() {
        let head = "recall at need, from summaries that know nothing (`empty`) over recorded ones \
                    (`simulated`) to those that know everything (`perfect`), each tested by itself:";
        let lines = comparison.rows.iter().filter_map(|row| {
            // Run against run, the words name the sides and not the configuration.
            let same = row.candidate == row.baseline;
            let who = if same { format!("{}: ", row.candidate) } else { String::new() };
            Some(format!("  {who}{}", told(row)?))
        });
        let lines: Vec<String> = [head.to_owned()].into_iter().chain(lines).collect();
        parts.push(lines.join("\n"));
    }
    parts.extend(comparison.notes.iter().map(|note| format!("note: {note}")));
    parts.extend(comparison.hint.iter().map(|hint| format!("hint: {hint}")));
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

/// The verdicts as a table of LaTeX's `booktabs`, without the columns that are one value.
pub fn latex(comparison: &Comparison) -> String {
    let mut columns = VERDICTS.to_vec();
    columns.extend(comparison.has_stretch().then_some(STRETCH));
    let (head, lines) = table(&columns, &comparison.rows);
    // A single row has every column.
    let varies = |place: &usize| {
        lines.len() < 2 || lines.iter().any(|cells| cells[*place] != lines[0][*place])
    };
    let places: Vec<usize> = (0..head.len()).filter(varies).collect();
    let row = |text: &dyn Fn(usize) -> String| {
        let cells: Vec<String> =
            places.iter().map(|place| sanitize::latex(&text(*place))).collect();
        format!("  {} \\\\\n", cells.join(" & "))
    };
    let one_value = (0..head.len()).filter(|place| !lines.is_empty() && !varies(place));
    let one_value =
        one_value.map(|place| format!("% {}: {}\n", head[place], sanitize::line(&lines[0][place])));
    let body: String = lines.iter().map(|cells| row(&|place| cells[place].clone())).collect();
    format!(
        "{}\\begin{{tabular}}{{{}}}\n  \\toprule\n{}  \\midrule\n{body}  \\bottomrule\n\\end{{tabular}}",
        one_value.collect::<String>(),
        "l".repeat(places.len()),
        row(&|place| head[place].to_owned()),
    )
}

/// Everything as JSON.
pub fn json(comparison: &Comparison) -> Result<Shown> {
    Shown::json(comparison).map_err(invalid_at("compare"))
}

/// The columns: the fields of a [`Row`] that are one value.
const COLUMNS: &str = "baseline,candidate,mode,summarizer,metric,unit,better,n,unpaired,\
    baseline_mean,candidate_mean,difference,low,high,drawn,units,effect,wins,ties,\
    losses,p,p_holm,margin,detectable,candidate_earlier,baseline_earlier,left_out,verdict";

/// The rows as CSV, floats in nine digits, what is undefined empty.
pub fn csv(comparison: &Comparison) -> Result<String> {
    let stretch = comparison.has_stretch();
    let mut lines = Vec::new();
    for row in &comparison.rows {
        let value = serde_json::to_value(row).map_err(invalid_at("compare"))?;
        let fields = COLUMNS.split(',').map(|name| field(&value[name]));
        lines.push(fields.chain(stretch.then(|| STRETCH.1(row))).collect::<Vec<String>>());
    }
    let more = if stretch { ",stretch" } else { "" };
    Ok(format!("{COLUMNS}{more}\n{}", csv_lines(&lines)?))
}

fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Number(number) if number.is_f64() => number.as_f64().map_or_else(String::new, float),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
