//! What a reader knew from the compacted views, where a run was asked.

use super::prelude::*;
use crate::question::{Figure, Header, Line, load, summarize};
use crate::row::CellKey;

const NOT_ASKED: &str = "no question of this sort was answered";

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let Some((header, rows)) = load(figures.dir)? else { return Ok(None) };
    let keys: Vec<&CellKey> = figures.run.measurements.iter().map(|row| &row.key).collect();
    let summary = summarize(&keys, &rows);
    let drawn = |count: fn(&crate::question::SheetCounts) -> usize| -> usize {
        header.sessions.iter().map(|(_, drawn)| count(drawn)).sum()
    };
    let unanswered: usize = summary.configurations.iter().map(|line| line.unanswered).sum();
    let by_kind = text("Kind of question", |line: &Line| Cell::text(&line.name));
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
            .table("configurations", accuracy(by_configuration(), &summary.configurations, &header))
            .table("agreement", agreement(&summary.configurations))
            .table("kinds", accuracy(by_kind, &summary.kinds, &header)),
    ))
}

fn by_configuration<'a>() -> Field<'a, Line> {
    text("Configuration", |line: &Line| Cell::code(&line.name))
}

fn accuracy(name: Field<Line>, lines: &[Line], header: &Header) -> Table {
    fn right<'a>(
        title: &'static str,
        figure_of: impl Fn(&Line) -> &Figure + 'a,
    ) -> Field<'a, Line> {
        figure(title, move |line| {
            let found = figure_of(line);
            let interval = found.interval.map(|interval| (interval.low, interval.high));
            let cell = Cell::number(found.mean, number::share, NOT_ASKED);
            cell.within(interval, number::share)
        })
    }
    let condition = |title, place: usize| right(title, move |line| &line.strict[place]);
    let asked = [
        name,
        figure("Asked", |line: &Line| Cell::count(line.strict[0].answers)),
        right("In the words", |line| &line.lexical),
        condition("Right", 0),
        right("Right, leniently", |line| &line.lenient),
    ];
    let judged = header.judged.then(|| right("Right, judged", |line| &line.judge));
    let beside = ["Full", "None", "Restated", "Decoys accepted"].into_iter().zip(1..);
    let beside = beside.map(|(title, place)| condition(title, place));
    let fields = asked.into_iter().chain(judged).chain(beside);
    Table::of("Questions answered from the compacted view", lines, fields)
}

fn agreement(lines: &[Line]) -> Table {
    let equal = |title, place: usize| {
        figure(title, move |line: &Line| {
            Cell::number(line.agreement[place].equal, number::share, NOT_ASKED)
        })
    };
    let kappa = |title, place: usize| {
        figure(title, move |line: &Line| {
            let agreement = line.agreement[place];
            match agreement.written() {
                Some(written) => Cell { value: agreement.kappa, ..Cell::text(written) },
                None => Cell::undefined("one of the two verdicts never varies"),
            }
        })
    };
    let fields = [
        by_configuration(),
        equal("Equal", 0),
        kappa("Kappa", 0),
        equal("Equal, leniently", 1),
        kappa("Kappa, leniently", 1),
        figure("n", |line: &Line| Cell::count(line.agreement[0].count)),
    ];
    let compared = lines.iter().filter(|line| line.agreement[0].count > 0);
    Table::of("Agreement of presence by words with the reader's answers", compared, fields)
}
