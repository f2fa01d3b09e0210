//! The floor by family of sessions.

use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figure, Figures, Subject};
use super::number;
use super::verdicts::verdict;
use crate::row::CellKey;
use crate::trace::Share;

/// One table per family in which the floor was probed.
pub fn section(figures: &Figures, charts: Vec<Block>) -> Section {
    let mut blocks = vec![Block::Prose(Prose::new(
        "Twelve times in a session the context is copied and compaction forced on the copy. One \
         pass is what the first round leaves, low water what the run's own compactions left. The \
         slope (Theil-Sen) is in tokens a turn; growth names the law that fits best. What remains \
         at the end of the longest sessions, as the run had it: goal batches, user messages, \
         summaries that follow no user message (ownerless). A live goal is absorbed where a \
         compaction takes the request being worked on.",
    ))];
    blocks.extend(charts);
    let mut any = false;
    for family in figures.families() {
        if let Some(table) = table(figures, family) {
            any = true;
            blocks.push(Block::Heading(heading(figures, family)));
            blocks.push(Block::Table(table));
        }
    }
    if !any {
        blocks = vec![Block::Prose(Prose::new("The floor was not probed in this run."))];
    }
    Section { id: "floor", title: "Floor", blocks }
}

fn heading(figures: &Figures, family: &str) -> String {
    let keys = keys(figures, family);
    let mut turns: Vec<u32> = keys.map(|key| key.turns).collect();
    turns.sort_unstable();
    turns.dedup();
    let turns: Vec<String> = turns.iter().map(u32::to_string).collect();
    let turns = match turns.len() {
        0..=4 => turns.join(", "),
        _ => format!("{} to {}", turns[0], turns[turns.len() - 1]),
    };
    format!("{family} ({turns} turns)")
}

fn keys<'a>(figures: &Figures<'a>, family: &str) -> impl Iterator<Item = &'a CellKey> {
    let cells = figures.run.manifest.cells.iter().map(|cell| &cell.key);
    cells.filter(move |key| key.family == family)
}

fn table(figures: &Figures, family: &str) -> Option<Table> {
    let probed = |subject: &&Subject| {
        figures.in_family(family, subject, "floor.one_pass").value.is_some()
            || !figures.in_family(family, subject, "floor.verdict").word.is_empty()
    };
    let subjects: Vec<&Subject> =
        figures.unswept().filter(|subject| !subject.is_windowless()).filter(probed).collect();
    if subjects.is_empty() {
        return None;
    }
    let mut table = Table::new(
        format!("Floor in sessions of family {family}"),
        &[
            "Configuration",
            "Verdict",
            "#One pass (tokens)",
            "#Low water (tokens)",
            "#Slope (tokens a turn) [95 %]",
            "Growth",
            "#Goal batches",
            "#Users left",
            "#Ownerless summaries",
            "#Live goals absorbed",
        ],
    );
    for subject in subjects {
        let row = row(figures, &mut table, family, subject);
        table.rows.push(row);
    }
    Some(table)
}

fn row(figures: &Figures, table: &mut Table, family: &str, subject: &Subject) -> Vec<Cell> {
    let figure = |metric| figures.in_family(family, subject, metric);
    let judged = figure("floor.verdict");
    let judged = match judged.word.as_str() {
        "" => table.undefined(why(&judged.reason, "the family has one length only")),
        word => {
            let note = (!judged.reason.is_empty()).then(|| table.note(&judged.reason));
            Cell { note, ..verdict(word) }
        }
    };
    let longest = Longest::of(figures, family, subject);
    let ownerless = longest.mean_of_metric(figures, "floor.ownerless");
    let absorbed = longest.absorbed(figures);
    vec![
        Cell::code(subject.name()),
        judged,
        table.figure(figure("floor.one_pass").write(number::tokens)),
        table.figure(low_water(&figure("floor.low_water"))),
        table.figure(figure("floor.slope").write_with_interval(number::change)),
        growth(table, &figure("floor.growth")),
        longest.entries(figures, table, Share::GoalBatch),
        longest.entries(figures, table, Share::User),
        table.figure(ownerless.map(number::count).ok_or("not counted in this run")),
        match absorbed {
            Some(times) if times > 0.0 => Cell::text(number::count(times)).toned(Tone::Bad),
            Some(times) => Cell::text(number::count(times)),
            None => table.undefined("no cell of it is done"),
        },
    ]
}

fn growth(table: &mut Table, figure: &Figure) -> Cell {
    match figure.word.as_str() {
        "" => table.undefined(why(&figure.reason, "too few checkpoints for a fit")),
        word => Cell::text(word),
    }
}

fn why<'a>(reason: &'a str, otherwise: &'a str) -> &'a str {
    if reason.is_empty() { otherwise } else { reason }
}

fn low_water(figure: &Figure) -> Result<String, &str> {
    match figure.write(number::tokens) {
        Err(_) if figure.reason.is_empty() => Err("nothing fired in the run as deployed"),
        other => other,
    }
}

/// The cells of a family's longest sessions.
struct Longest<'a> {
    cells: Vec<&'a str>,
}

impl<'a> Longest<'a> {
    fn of(figures: &Figures<'a>, family: &str, subject: &Subject) -> Longest<'a> {
        let mut rows = figures.cells(subject, figures.main);
        rows.retain(|row| row.key.family == family);
        let most = rows.iter().map(|row| row.key.turns).max();
        rows.retain(|row| Some(row.key.turns) == most);
        Longest { cells: rows.iter().map(|row| row.key.cell.as_str()).collect() }
    }

    /// Mean over cells; `None` where there is none.
    fn mean(&self, sum: f64) -> Option<f64> {
        (!self.cells.is_empty()).then(|| sum / self.cells.len() as f64)
    }

    fn mean_of_metric(&self, figures: &Figures, metric: &str) -> Option<f64> {
        let rows = self.cells.iter().filter_map(|cell| figures.cell(cell));
        let values: Vec<f64> = rows.filter_map(|row| row.number(metric)).collect();
        crate::stats::mean(&values)
    }

    /// Entries of a share in the last view, mean over cells.
    fn entries(&self, figures: &Figures, table: &mut Table, share: Share) -> Cell {
        let last = figures.run.compositions.iter().filter(|row| {
            row.checkpoint == 0
                && row.state == "deployed"
                && self.cells.contains(&row.cell.as_str())
        });
        let last: Vec<_> = last.collect();
        if last.is_empty() {
            return table.undefined("the run does not say what its last views were made of");
        }
        let of_share = last.iter().filter(|row| row.share == share.name());
        let sum: f64 = of_share.map(|row| f64::from(row.entries)).sum();
        table.figure(self.mean(sum).map(number::count).ok_or("no cell of it is done"))
    }

    /// Compactions that took the live goal, mean over cells.
    fn absorbed(&self, figures: &Figures) -> Option<f64> {
        let plans = figures.run.compactions.iter();
        let taken = plans
            .filter(|row| row.took_live_goal > 0 && self.cells.contains(&row.cell.as_str()))
            .count();
        self.mean(taken as f64)
    }
}
