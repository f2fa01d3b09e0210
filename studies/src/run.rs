//! A recorded run as the studies read it: the one place that knows the run directory.

use std::collections::BTreeMap;
use std::path::Path;

use proctor_core::error::Result;
use proctor_core::ident::Seed;
use proctor_eval::frame::{Derived, Scope};
pub use proctor_eval::frame::{MeasuredCell as Cell, Session};
use proctor_eval::measure::MetricId;
use proctor_eval::run_dir::read::RunData;
use proctor_eval::stats::mean;

pub struct Run {
    pub data: RunData,
}

impl Run {
    /// Reads a run directory. Cells that were not measured are left out.
    pub fn open(dir: &Path) -> Result<Run> {
        let mut data = RunData::load(dir)?;
        data.measurements.retain(Cell::is_done);
        data.measurements.sort_by(|one, other| one.key.cell.cmp(&other.key.cell));
        Ok(Run { data })
    }

    /// The beginning of a page on the run: its title, how it was made and the method.
    pub fn page(&self, title: &str, verb: &str, method: &str) -> String {
        let suite = &self.data.manifest.suite;
        // Without the digest that is recorded with it.
        let suite = suite.split_once(" (").map_or(suite.as_str(), |(name, _)| name);
        let summarizer = self.main_summarizer();
        format!(
            "# {title}\n\nMade by `proctor-studies {verb} RUN` from a run of the suite `{suite}` \
             under `{summarizer}`.\n\n{method}\n"
        )
    }

    /// The summarizer that most figures of the run rest on.
    pub fn main_summarizer(&self) -> &str {
        self.data.manifest.summarizers.first().map_or("", String::as_str)
    }

    pub fn derived(&self, scope: Scope, subject: &str, metric: MetricId) -> Option<&Derived> {
        let mut rows = self.data.derived.iter();
        rows.find(|row| {
            (row.subject.scope, row.metric) == (scope, metric) && row.subject.to_string() == subject
        })
    }
}

/// The scenario and a value of each session: replicates of one are no sessions of their own.
pub fn by_session<'a>(
    cells: &[&'a Cell],
    figure: impl Fn(&Cell) -> Option<f64>,
) -> Vec<(&'a str, f64)> {
    let mut sessions: BTreeMap<Session, (&str, Vec<f64>)> = BTreeMap::new();
    for cell in cells {
        let session = sessions.entry(cell.session()).or_insert((&cell.key.scenario, Vec::new()));
        session.1.extend(figure(cell));
    }
    let values = sessions.into_values();
    values.filter_map(|(scenario, replicates)| Some((scenario, mean(&replicates)?))).collect()
}

/// The seed of a resampling, of names alone: another figure never shifts this one.
pub fn seed(subject: &str, figure: &str, purpose: &str) -> Seed {
    Seed(0).derive(&["derive", subject, figure, purpose])
}
