//! Each configuration on each scenario: what a mean over all sessions hides.

use super::completion::is_complete;
use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figures, Subject};
use super::number;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::scenario::twin_of;
use crate::stats;

/// Scenarios that one table has room for.
const COLUMNS: usize = 6;
/// Scenarios that are shown; the table of all cells has every one.
const SHOWN: usize = 24;
/// Under so many needs a session, one more or less moves its recall by a tenth.
const FEW: f64 = 10.0;
/// Sessions without a need that are named.
const NAMED: usize = 8;

/// A scenario with what its sessions need.
struct Scenario<'a> {
    name: &'a str,
    sessions: usize,
    /// Needs a window away, mean over its sessions; none where they were not counted.
    needs: Option<f64>,
    /// Sessions with such a need.
    needing: usize,
}

impl Scenario<'_> {
    fn has_few(&self) -> bool {
        self.needs.is_some_and(|needs| needs < FEW)
    }

    fn title(&self) -> String {
        let needs = match self.needs {
            Some(needs) if self.needing < self.sessions => {
                format!(", needs {} in {} of them", number::count(needs), self.needing)
            }
            Some(needs) => format!(", needs {}", number::count(needs)),
            None => String::new(),
        };
        let few = if self.has_few() { ": few" } else { "" };
        format!("#{} (n {}{needs}{few})", self.name, self.sessions)
    }
}

/// Recall, completion and mean prompt by scenario; none where there is one scenario.
pub fn section(figures: &Figures) -> Option<Section> {
    let mut scenarios = scenarios(figures);
    if scenarios.len() < 2 {
        return None;
    }
    let left_out = scenarios.split_off(scenarios.len().min(SHOWN));
    let mut blocks = vec![Block::Prose(intro(&scenarios))];
    for columns in scenarios.chunks(COLUMNS) {
        blocks.push(Block::Table(table(figures, columns)));
    }
    if !left_out.is_empty() {
        let says = format!(
            "{} further scenarios are left out for want of room: measurements.csv has their cells, \
             and so has the table of all cells of the page.",
            left_out.len()
        );
        blocks.push(Block::Prose(Prose::new(says)));
    }
    Some(Section { id: "scenarios", title: "By scenario", blocks })
}

fn intro(scenarios: &[Scenario]) -> Prose {
    let says = Prose::new(
        "A mean over all sessions can hide that a configuration does well on some and fails on \
         others. Each field: recall at need; sessions completed of those driven (red where some \
         ended early); mean prompt in tokens. n counts sessions, needs are those a whole window \
         away, mean a session; recall is over the sessions with such needs, where the heading \
         tells how many they are.",
    );
    match scenarios.iter().any(Scenario::has_few) {
        true => says.then(format!(
            " Where needs are few (under {FEW:.0} a session), one fact more or less moves recall \
             by a tenth and more, and yet such a session weighs as much in every mean as one of \
             many needs."
        )),
        false => says,
    }
}

/// The scenarios with cells, in the order of the run.
fn scenarios<'a>(figures: &Figures<'a>) -> Vec<Scenario<'a>> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    let told_once = figures.run.manifest.sessions.iter();
    for session in told_once.filter(|session| twin_of(&session.scenario).is_none()) {
        match scenarios.iter_mut().find(|known| known.name == session.scenario) {
            Some(known) => known.sessions += 1,
            None => {
                let needs = needs(figures, &session.scenario);
                let needing = needs.iter().filter(|needs| **needs > 0.0).count();
                let name = &session.scenario;
                scenarios.push(Scenario { name, sessions: 1, needs: stats::mean(&needs), needing });
            }
        }
    }
    scenarios
}

/// Needs a window away in each session of a scenario: all cells of a session have the
/// same.
fn needs(figures: &Figures, scenario: &str) -> Vec<f64> {
    let of = |subject: &Subject| -> Vec<f64> {
        let cells = figures.cells(subject, figures.main).into_iter();
        let own = cells.filter(|row| row.key.scenario == scenario);
        own.filter_map(|row| row.number(MetricId::DemandsAtNeed)).collect()
    };
    let mut known = figures.every_unswept().map(of);
    known.find(|values| !values.is_empty()).unwrap_or_default()
}

fn table(figures: &Figures, scenarios: &[Scenario]) -> Table {
    let titles: Vec<String> = scenarios.iter().map(Scenario::title).collect();
    let mut columns = vec!["Configuration"];
    columns.extend(titles.iter().map(String::as_str));
    let ends = scenarios.first().zip(scenarios.last());
    let ends = ends.map_or(("", ""), |(first, last)| (first.name, last.name));
    let caption = format!("By scenario: {} to {}", ends.0, ends.1);
    let mut table = Table::new(caption, &columns);
    for subject in figures.unswept().filter(|subject| !subject.is_control()) {
        let mut row = vec![Cell::code(subject.name())];
        for scenario in scenarios {
            row.push(field(figures, &mut table, subject, scenario.name));
        }
        table.rows.push(row);
    }
    table
}

fn field(figures: &Figures, table: &mut Table, subject: &Subject, scenario: &str) -> Cell {
    let mut cells = figures.cells(subject, figures.main);
    cells.retain(|row| row.key.scenario == scenario);
    if cells.is_empty() {
        return table.undefined("no cell of it is done");
    }
    let mean = |metric: MetricId| {
        let own = |row: &&MeasuredCell| row.number(metric);
        stats::mean(&cells.iter().filter_map(own).collect::<Vec<f64>>())
    };
    let complete = cells.iter().filter(|row| is_complete(row)).count();
    let recall = mean(MetricId::RecallAtNeed).map_or_else(|| "no need".to_owned(), number::share);
    let prompt = mean(MetricId::TokensMeanPrompt).map(number::tokens);
    let prompt = prompt.map_or(String::new(), |prompt| format!("; {prompt}"));
    let tone = if complete == cells.len() { Tone::Plain } else { Tone::Bad };
    Cell::text(format!("{recall}; {complete}/{}{prompt}", cells.len())).toned(tone)
}

/// Which sessions have no needs that recall is over, and so are in no mean of it.
pub fn without_needs(figures: &Figures) -> Option<Prose> {
    let subject = figures.every_unswept().find(|subject| subject.is_windowless())?;
    let cells = figures.cells(subject, figures.main);
    let without: Vec<&&MeasuredCell> =
        cells.iter().filter(|row| row.number(MetricId::DemandsAtNeed) == Some(0.0)).collect();
    if without.is_empty() {
        return None;
    }
    let named = without.iter().take(NAMED);
    let mut names: Vec<String> =
        named.map(|row| format!("{}, seed {}", row.key.scenario, row.key.seed)).collect();
    if without.len() > NAMED {
        names.push(format!("and {} more", without.len() - NAMED));
    }
    let all = cells.len();
    Some(Prose::new(format!(
        "Recall is over {} of {all} sessions; every other mean of the table is over all {all}. The \
         rest ({}) need no fact that was last mentioned a whole window before.",
        all - without.len(),
        names.join("; ")
    )))
}
