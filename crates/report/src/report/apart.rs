//! Synthesized and recorded sessions apart, where a run has both, and where they disagree.

use super::figures::{FEW_NEEDS, needs};
use super::prelude::*;

/// What the first screen says of a run with both.
pub struct Apart {
    pub table: Table,
    /// Of pairs of configurations with a recall on both, those that the two order otherwise, and all.
    pub otherwise: [usize; 2],
    /// The configuration that remembers most of each; where they differ, templates say so.
    pub most: [Option<String>; 2],
}

/// A configuration on one of the two.
struct Half {
    finishes: [usize; 2],
    needs: f64,
    recall: Option<f64>,
    /// Dollars of all its sessions by goals finished in them.
    price: Option<f64>,
}

impl Half {
    fn of(figures: &Figures, config: &Config, recorded: bool) -> Half {
        let cells = figures.cells_where(config, |key| is_recorded(figures, key) == recorded);
        let complete = cells.iter().filter(|row| row.completed()).count();
        let needs = needs(&cells);
        let recall = figures.mean(&cells, MetricId::RecallAtNeed).value;
        Half {
            finishes: [complete, cells.len()],
            needs,
            recall: recall.filter(|_| needs >= FEW_NEEDS),
            price: price(&cells),
        }
    }

    fn cells(&self) -> [Cell; 3] {
        let [complete, all] = self.finishes;
        let few = if self.needs == 0.0 { "no need" } else { "fewer than ten needs" };
        [
            Cell::text(format!("{complete}/{all}")),
            Cell::number(self.recall, number::share, few)
                .followed_by(&format!("of {}", number::count(self.needs))),
            Cell::number(self.price, number::dollars, "no goal was finished"),
        ]
    }
}

fn price(cells: &[&MeasuredCell]) -> Option<f64> {
    let sum = |metric| cells.iter().filter_map(|row| row.number(metric)).sum::<f64>();
    let goals = sum(MetricId::GoalsFinished);
    (goals > 0.0).then(|| sum(MetricId::CostUsd) / goals)
}

/// Whether a cell's session was recorded: only such a session has a file.
fn is_recorded(figures: &Figures, key: &CellKey) -> bool {
    let mut sessions = figures.run.manifest.sessions.iter();
    sessions.any(|session| session.scenario == key.scenario && !session.path.is_empty())
}

/// `None` where all sessions are of one origin.
pub fn apart(figures: &Figures) -> Option<Apart> {
    let recorded =
        figures.run.manifest.sessions.iter().filter(|session| !session.path.is_empty()).count();
    if recorded == 0 || recorded == figures.run.manifest.sessions.len() {
        return None;
    }
    let configs: Vec<&Config> = figures.shown_but_control().collect();
    let halves: Vec<[Half; 2]> = configs
        .iter()
        .map(|config| [false, true].map(|recorded| Half::of(figures, config, recorded)))
        .collect();
    let titles = "Configuration|Synthesized: finishes|#Remembers|#$ a goal|\
                  Recorded: finishes|#Remembers|#$ a goal";
    let rows = configs.iter().zip(&halves).map(|(config, [synthesized, recorded])| {
        let cells = synthesized.cells().into_iter().chain(recorded.cells());
        [Cell::code(config.name())].into_iter().chain(cells).collect()
    });
    let table = Table::of("Synthesized and recorded sessions", titles.split('|'), rows);
    let most = [0, 1].map(|half| {
        let finished = halves.iter().zip(&configs).filter(|(one, _)| {
            let [complete, all] = one[half].finishes;
            complete == all
        });
        let told = finished.filter_map(|(one, config)| Some((one[half].recall?, config)));
        told.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, config)| config.name())
    });
    Some(Apart { table, otherwise: otherwise(&halves), most })
}

fn otherwise(halves: &[[Half; 2]]) -> [usize; 2] {
    let both: Vec<[f64; 2]> =
        halves.iter().filter_map(|[one, other]| Some([one.recall?, other.recall?])).collect();
    let mut counts = [0; 2];
    for (place, one) in both.iter().enumerate() {
        for other in &both[place + 1..] {
            let [synthesized, recorded] = [one[0] - other[0], one[1] - other[1]];
            counts[0] += usize::from(synthesized * recorded < 0.0);
            counts[1] += 1;
        }
    }
    counts
}
