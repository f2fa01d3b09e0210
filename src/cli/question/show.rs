//! The answers on a terminal.

use crate::cli::table;
use crate::compare::render::{self, Column, written};
use crate::number::UNDEFINED;
use crate::question::{Figure, Header, Line, Summary};

pub(super) fn tables(header: &Header, summary: &Summary) -> String {
    let by = |name: &'static str, lines: &[Line]| {
        let judge: Column<Line> = ("judge", |line| with_interval(&line.judge));
        let mut columns: Vec<Column<Line>> = vec![(name, |line| line.name.clone())];
        columns.extend(OF_THE_VIEW);
        columns.extend(header.judged.then_some(judge));
        columns.extend(BESIDE_IT);
        table::drawn(&render::table(&columns, lines))
    };
    let unanswered: usize = summary.configurations.iter().map(|line| line.unanswered).sum();
    let what = if header.is_model { "" } else { " (no language model)" };
    let (asked, fair, needs) = header.sessions.iter().fold((0, 0, 0), |sum, (_, drawn)| {
        (sum.0 + drawn.drawn, sum.1 + drawn.fair, sum.2 + drawn.needs)
    });
    format!(
        "{}\n\n{}\n\nreader `{}`{what}: {asked} questions about facts, drawn from {fair} fair ones \
         of {needs} needs in {} sessions; {} calls; {unanswered} rows without an answer\nmeans over \
         sessions with 95 % intervals; lexical, strict and lenient are of the view",
        by("configuration", &summary.configurations),
        by("kind", &summary.kinds),
        header.reader,
        summary.sessions,
        header.calls,
    )
}

const OF_THE_VIEW: [Column<Line>; 4] = [
    ("asked", |line| line.strict[0].answers.to_string()),
    ("lexical", |line| share(&line.lexical)),
    ("strict", |line| with_interval(&line.strict[0])),
    ("lenient", |line| with_interval(&line.lenient)),
];

const BESIDE_IT: [Column<Line>; 8] = [
    ("full", |line| share(&line.strict[1])),
    ("none", |line| share(&line.strict[2])),
    ("restated", |line| share(&line.strict[3])),
    ("decoys accepted", |line| share(&line.strict[4])),
    ("equal", |line| written(line.agreement[0].equal, percent)),
    ("kappa", |line| line.agreement[0].written().unwrap_or_else(|| UNDEFINED.to_owned())),
    ("equal (lenient)", |line| written(line.agreement[1].equal, percent)),
    ("kappa (lenient)", |line| line.agreement[1].written().unwrap_or_else(|| UNDEFINED.to_owned())),
];

fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

fn share(figure: &Figure) -> String {
    written(figure.mean, percent)
}

fn with_interval(figure: &Figure) -> String {
    let interval = figure.interval.filter(|_| figure.mean.is_some());
    let interval = interval
        .map(|one| format!(" ({:.0}-{:.0})", one.low * 100.0, one.high * 100.0))
        .unwrap_or_default();
    format!("{}{interval}", share(figure))
}
