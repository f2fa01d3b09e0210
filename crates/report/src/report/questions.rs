//! What a reader knew from the compacted views, where a run was asked.

use std::path::Path;

use super::document::{Block, Cell, Prose, Section, Table};
use super::figures::Figures;
use super::number;
use crate::error::Result;
use crate::question::{Figure, Header, Line, Summary, load, summarize};
use crate::row::CellKey;

const NOT_ASKED: &str = "no question of this sort was answered";

/// The section; none where the run holds no answers.
pub fn section(figures: &Figures, dir: &Path) -> Result<Option<Section>> {
    let Some((header, rows)) = load(dir)? else { return Ok(None) };
    let keys: Vec<&CellKey> = figures.run.measurements.iter().map(|row| &row.key).collect();
    let summary = summarize(&keys, &rows);
    let blocks = vec![
        Block::Prose(introduction(&header, &summary)),
        Block::Table(accuracy("Configuration", &summary.configurations, &header)),
        Block::Table(agreement(&summary.configurations)),
        Block::Table(accuracy("Kind of question", &summary.kinds, &header)),
    ];
    let title = "Questions: what a reader knows from the compacted view";
    Ok(Some(Section { id: "questions", title, blocks }))
}

fn introduction(header: &Header, summary: &Summary) -> Prose {
    let what = match header.is_model {
        true => ", a language model",
        false => {
            ", which is no language model: it quotes the sentence that shares most rare words with \
             the question, and its figures show that the path works, not what a model would know"
        }
    };
    let fair: usize = header.sessions.iter().map(|(_, told)| told.fair).sum();
    let needs: usize = header.sessions.iter().map(|(_, told)| told.needs).sum();
    let distance = match header.windows > 0.0 {
        true => "whose last mention lay a window back or more",
        false => "at any distance",
    };
    let mut prose = Prose::new("The reader was ").code(header.reader.clone()).then(format!(
        "{what}. It was asked {} questions about facts in {} sessions, drawn by lot from {fair} of \
         {needs} needs {distance}: those whose description the log ties to the fact and to no \
         other. Every configuration faces the same questions at the same steps. The reader sees \
         what was sent there, less what came with the need; beside it the whole log up to the step \
         (full), nothing at all (none), and the view with the fact's statement added (restated), \
         the most that any view could give this reader. Decoys are questions of the same wording \
         about what was never stated: the share that was answered all the same is shown. A need \
         behind the end of a session counts as not known. Means over sessions with 95 % \
         intervals. A reader's mistakes are its own: read the view beside full and restated, and \
         compare configurations only under the same reader.",
        summary.questions, summary.sessions
    ));
    if header.judged {
        prose = prose.then(" The judge is the same model; its word stands beside the grades.");
    }
    let unanswered: usize = summary.configurations.iter().map(|line| line.unanswered).sum();
    if unanswered > 0 {
        prose = prose.then(format!(
            " {unanswered} prompts were longer than the reader's window or failed; they are left \
             out of the shares and stand as rows in questions.csv."
        ));
    }
    if !header.differing.is_empty() {
        prose = prose.strong(format!(
            " {} cells did not repeat what the run recorded when they were driven again.",
            header.differing.len()
        ));
    }
    prose
}

fn accuracy(first: &str, lines: &[Line], header: &Header) -> Table {
    let mut columns = vec![first, "#Asked", "#In the words", "#Right", "#Right, leniently"];
    if header.judged {
        columns.push("#Right, judged");
    }
    columns.extend(["#Full", "#None", "#Restated", "#Decoys accepted"]);
    let mut table = Table::new("Questions answered from the compacted view", &columns);
    for line in lines {
        let [view, full, none, restated, decoy] = &line.strict;
        let mut row = vec![name(first, line), Cell::text(view.answers.to_string())];
        row.push(field(&mut table, &line.lexical));
        row.push(field(&mut table, view));
        row.push(field(&mut table, &line.lenient));
        if header.judged {
            row.push(field(&mut table, &line.judge));
        }
        row.extend([full, none, restated, decoy].map(|figure| field(&mut table, figure)));
        table.rows.push(row);
    }
    table
}

fn agreement(lines: &[Line]) -> Table {
    let columns =
        ["Configuration", "#Equal", "#Kappa", "#Equal, leniently", "#Kappa, leniently", "#n"];
    let caption = "Agreement of presence by words with the reader's answers";
    let mut table = Table::new(caption, &columns);
    let why = "one of the two verdicts never varies";
    for line in lines.iter().filter(|line| line.agreement[0].count > 0) {
        let mut row = vec![Cell::code(line.name.clone())];
        for agreement in line.agreement {
            row.push(table.figure(agreement.equal.map(number::share).ok_or(NOT_ASKED)));
            row.push(table.figure(agreement.written().ok_or(why)));
        }
        row.push(Cell::text(line.agreement[0].count.to_string()));
        table.rows.push(row);
    }
    table
}

fn name(first: &str, line: &Line) -> Cell {
    match first {
        "Configuration" => Cell::code(line.name.clone()),
        _ => Cell::text(line.name.clone()),
    }
}

fn field(table: &mut Table, figure: &Figure) -> Cell {
    let written = figure.mean.map(|mean| match figure.interval {
        None => number::share(mean),
        Some(interval) => {
            let ends = number::interval((interval.low, interval.high), number::share);
            format!("{} {ends}", number::share(mean))
        }
    });
    table.figure(written.ok_or(NOT_ASKED))
}
