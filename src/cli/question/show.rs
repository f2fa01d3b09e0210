//! The answers on a terminal.

use crate::cli::table;
use crate::question::{Agreement, Figure, Header, Line, Summary};

/// Two tables and what to know of them.
pub(super) fn tables(header: &Header, summary: &Summary) -> String {
    let by = |name: &str, lines: &[Line]| {
        let mut head = vec![name, "asked", "lexical", "strict", "lenient"];
        if header.judged {
            head.push("judge");
        }
        head.extend([
            "full",
            "none",
            "restated",
            "decoys accepted",
            "equal",
            "kappa",
            "equal (lenient)",
            "kappa (lenient)",
        ]);
        let mut table = table::plain(&head);
        for line in lines {
            table.add_row(cells(header, line));
        }
        table.to_string()
    };
    let unanswered: usize = summary.configurations.iter().map(|line| line.unanswered).sum();
    let reader = match header.is_model {
        true => format!("reader `{}`", header.reader),
        false => format!("reader `{}` (no language model)", header.reader),
    };
    let (asked, fair, needs) = header.sessions.iter().fold((0, 0, 0), |sum, (_, told)| {
        (sum.0 + told.drawn, sum.1 + told.fair, sum.2 + told.needs)
    });
    format!(
        "{}\n\n{}\n\n{reader}: {asked} questions about facts, drawn from {fair} fair ones of {needs} \
         needs in {} sessions; {} calls; {unanswered} rows without an answer\nmeans over sessions \
         with 95 % intervals; lexical, strict and lenient are of the view",
        by("configuration", &summary.configurations),
        by("kind", &summary.kinds),
        summary.sessions,
        header.calls,
    )
}

fn cells(header: &Header, line: &Line) -> Vec<String> {
    let [view, full, none, restated, decoy] = &line.strict;
    let mut cells = vec![
        line.name.clone(),
        view.answers.to_string(),
        share(&line.lexical),
        with_interval(view),
        with_interval(&line.lenient),
    ];
    if header.judged {
        cells.push(with_interval(&line.judge));
    }
    cells.extend([full, none, restated, decoy].map(share));
    cells.extend(line.agreement.iter().flat_map(agreement));
    cells
}

fn agreement(agreement: &Agreement) -> [String; 2] {
    let percent = |value: f64| format!("{:.0} %", value * 100.0);
    [agreement.equal.map_or_else(undefined, percent), agreement.written().unwrap_or_else(undefined)]
}

fn share(figure: &Figure) -> String {
    figure.mean.map_or_else(undefined, |mean| format!("{:.0} %", mean * 100.0))
}

fn with_interval(figure: &Figure) -> String {
    match (figure.mean, figure.interval) {
        (Some(mean), Some(interval)) => format!(
            "{:.0} % ({:.0}-{:.0})",
            mean * 100.0,
            interval.low * 100.0,
            interval.high * 100.0
        ),
        _ => share(figure),
    }
}

fn undefined() -> String {
    "–".to_owned()
}
