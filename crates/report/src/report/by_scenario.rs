//! Each configuration on each scenario: what a mean over all sessions hides.

use super::prelude::*;

const COLUMNS: usize = 6;
/// Scenarios that are shown; the table of all cells has every one.
const SHOWN: usize = 24;
/// With fewer needs a session, one more or less moves its recall by a tenth.
const FEW: f64 = 10.0;

struct Scenario<'a> {
    name: &'a str,
    sessions: usize,
    /// Needs a window away, mean over its sessions; none where they were not counted.
    needs: Option<f64>,
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
        format!("{} (n {}{needs}{few})", self.name, self.sessions)
    }
}

/// Recall, completion and mean prompt by scenario; none where there is one scenario.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let mut scenarios = scenarios(figures);
    if scenarios.len() < 2 {
        return Ok(None);
    }
    let left_out = scenarios.split_off(scenarios.len().min(SHOWN)).len();
    let mut parts = Parts::default();
    let tables = scenarios.chunks(COLUMNS).map(|columns| parts.place(table(figures, columns)));
    let tables: Vec<Value> = tables.collect();
    let few = scenarios.iter().any(Scenario::has_few).then_some(FEW as u32);
    Ok(Some(parts.value("tables", tables).value("few", few).value("left_out", left_out)))
}

/// The scenarios with sessions, in the order of the run.
fn scenarios<'a>(figures: &Figures<'a>) -> Vec<Scenario<'a>> {
    let names = figures.run.manifest.sessions.iter().map(|session| session.scenario.as_str());
    let groups = grouped(names.filter(|name| twin_of(name).is_none()).map(|name| (name, ())));
    let scenarios = groups.into_iter().map(|(name, sessions)| {
        // All cells of a session need the same.
        let of = |config: &Config| -> Vec<f64> {
            let cells = figures.cells_where(config, |key| key.scenario == name);
            cells.iter().filter_map(|row| row.number(MetricId::DemandsAtNeed)).collect()
        };
        let needs = figures.unswept().map(of).find(|values| !values.is_empty()).unwrap_or_default();
        let needing = needs.iter().filter(|needs| **needs > 0.0).count();
        Scenario { name, sessions: sessions.len(), needs: stats::mean(&needs), needing }
    });
    scenarios.collect()
}

fn table(figures: &Figures, scenarios: &[Scenario]) -> Table {
    let ends = scenarios.first().zip(scenarios.last());
    let (first, last) = ends.map_or(("", ""), |(first, last)| (first.name, last.name));
    let titles = scenarios.iter().map(|scenario| format!("#{}", scenario.title()));
    let titles = ["Configuration".to_owned()].into_iter().chain(titles);
    let rows = figures.shown_but_control().map(|config| {
        let cells = scenarios.iter().map(|scenario| cell(figures, config, scenario.name));
        [Cell::code(config.name())].into_iter().chain(cells).collect()
    });
    Table::of(format!("By scenario: {first} to {last}"), titles, rows)
}

fn cell(figures: &Figures, config: &Config, scenario: &str) -> Cell {
    let cells = figures.cells_where(config, |key| key.scenario == scenario);
    if cells.is_empty() {
        return Cell::undefined("no cell of it is done");
    }
    let mean = |metric| figures.mean(&cells, metric).value;
    let complete = cells.iter().filter(|row| row.completed()).count();
    let recall = mean(MetricId::RecallAtNeed);
    let cell = Cell::number(recall, number::share, "no need from a window back");
    match complete == cells.len() {
        true => cell,
        false => cell.followed_by(&format!("({complete}/{})", cells.len())).toned(Tone::Bad),
    }
}

/// Sessions without needs, which are in no mean of recall; `None` where there is none.
pub fn without_needs(figures: &Figures) -> Option<Value> {
    let config = figures.unswept().find(|config| config.is_windowless())?;
    let cells = figures.cells(config);
    let without = cells.iter().filter(|row| row.number(MetricId::DemandsAtNeed) == Some(0.0));
    let sessions: Vec<Value> = without
        .map(|row| context! { scenario => row.key.scenario.as_str(), seed => row.key.seed })
        .collect();
    (!sessions.is_empty()).then(|| context! { sessions, all => cells.len() })
}
