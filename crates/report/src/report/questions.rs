//! What a reader knew from the compacted views, where a run was asked.

use super::prelude::*;
use crate::question::{Figure, Header, Line, load, summarize};

const NOT_ASKED: &str = "no question of this sort was answered";

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let Some((header, rows)) = load(figures.dir)? else { return Ok(None) };
    let keys: Vec<&CellKey> = figures.run.measurements.iter().map(|row| &row.key).collect();
    let summary = summarize(&keys, &rows);
    let drawn = |count: fn(&crate::question::SheetCounts) -> usize| -> usize {
        header.sessions.iter().map(|(_, drawn)| count(drawn)).sum()
    };
    let unanswered: usize = summary.configurations.iter().map(|line| line.unanswered).sum();
    let configurations = accuracy("Configuration", true, &summary.configurations, &header);
    let kinds = accuracy("Kind of question", false, &summary.kinds, &header);
    Ok(Some(
        Parts::default()
            .value("reader", &header.reader)
            .value("is_model", header.is_model)
            .value("judged", header.judged)
            .value("answerable", drawn(|drawn| drawn.fair))
            .value("needs", drawn(|drawn| drawn.needs))
            .value("distant", header.windows > 0.0)
            .value("questions", summary.questions)
            .value("sessions", summary.sessions)
            .value("unanswered", unanswered)
            .value("differing", header.differing.len())
            .table("configurations", configurations)
            .table("agreement", agreement(&summary.configurations))
            .table("kinds", kinds),
    ))
}

fn accuracy(of: &str, code: bool, lines: &[Line], header: &Header) -> Table {
    let right = |found: &Figure| {
        let interval = found.interval.map(|interval| (interval.low, interval.high));
        Cell::number(found.mean, number::share, NOT_ASKED).within(interval, number::share)
    };
    let rows = lines.iter().map(|line| {
        let asked = [Cell { code, ..Cell::text(&line.name) }, Cell::count(line.strict[0].answers)];
        let of_the_view = [&line.lexical, &line.strict[0], &line.lenient].into_iter();
        let figures = of_the_view.chain(header.judged.then_some(&line.judge));
        asked.into_iter().chain(figures.chain(&line.strict[1..]).map(right)).collect()
    });
    let judged = if header.judged { "|#Right, judged" } else { "" };
    let titles = format!(
        "{of}|#Asked|#In the words|#Right|#Right, leniently{judged}|#Full|#None|#Restated|\
         #Decoys accepted"
    );
    Table::of("Questions answered from the compacted view", titles.split('|'), rows)
}

fn agreement(lines: &[Line]) -> Table {
    let compared = lines.iter().filter(|line| line.agreement[0].count > 0);
    let rows = compared.map(|line| {
        let figures = line.agreement.iter().flat_map(|agreement| {
            let kappa = match agreement.written() {
                Some(written) => Cell { value: agreement.kappa, ..Cell::text(written) },
                None => Cell::undefined("one of the two verdicts never varies"),
            };
            [Cell::number(agreement.equal, number::share, NOT_ASKED), kappa]
        });
        let n = Cell::count(line.agreement[0].count);
        [Cell::code(&line.name)].into_iter().chain(figures).chain([n]).collect()
    });
    let titles = "Configuration|#Equal|#Kappa|#Equal, leniently|#Kappa, leniently|#n".split('|');
    Table::of("Agreement of presence by words with the reader's answers", titles, rows)
}
