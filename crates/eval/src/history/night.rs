//! One night: the figures of a run, small enough to keep for years.

use std::fmt;
use std::str::FromStr;

use chrono::{NaiveDate, NaiveTime};

use super::parameters::Parameters;
use crate::error::Broken;
use crate::measure::{Direction, MetricId};
use crate::prelude::*;
use crate::run_dir::layout::Layout;
use crate::run_dir::write::invalid_at;
use crate::unit::nine;

/// Version of a night's layout. Readers take this one and all before it.
pub const SCHEMA: u32 = 2;

const LAYOUT: Layout = Layout {
    key: "schema",
    known: 1..=SCHEMA,
    remedy: "read the history with the version of proctor that wrote it, or a later one",
};

/// Most sessions of a scenario whose single values are kept, the first by seed.
pub(super) const MOST_SESSIONS: usize = 64;

/// A date, `2026-11-22`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Day(String);

impl FromStr for Day {
    type Err = Broken;

    fn from_str(text: &str) -> Result<Day, Broken> {
        // A calendar's own reader takes more forms than the one that it writes.
        match text.parse::<NaiveDate>() {
            Ok(date) if text.len() == 10 && date.to_string() == text => Ok(Day(text.to_owned())),
            _ => Err(Broken(format!("`{text}` is no date: it reads YYYY-MM-DD"))),
        }
    }
}

impl TryFrom<String> for Day {
    type Error = Broken;

    fn try_from(text: String) -> Result<Day, Broken> {
        text.parse()
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Day {
    /// `2026-11-22`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Midnight UTC of that date in seconds since 1970.
    pub fn seconds(&self) -> i64 {
        let date = self.0.parse::<NaiveDate>().unwrap_or_default();
        date.and_time(NaiveTime::MIN).and_utc().timestamp()
    }
}

/// A night's run, condensed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Night {
    /// Version of the layout ([`SCHEMA`]).
    pub schema: u32,
    /// The date that it counts for.
    pub date: Day,
    /// How many nights of this date the history held before: orders runs of one date.
    #[serde(default, skip_serializing_if = "is_default")]
    pub turn: u32,
    /// Digest of the run's manifest: names the run.
    pub run: Digest,
    /// Suite name.
    pub suite: String,
    /// Version of `proctor`.
    pub tool: String,
    /// The main summarizer is no language model: the same inputs give the same bytes.
    pub offline: bool,
    /// Main summarizer.
    pub summarizer: String,
    /// Reference tokenizer.
    pub tokenizer: String,
    /// Digest of the price sheet.
    pub prices: Digest,
    /// Per scenario, the digest of its file and of all its sessions' logs and truths.
    pub inputs: BTreeMap<String, Digest>,
    /// Digest of every pipeline file.
    pub pipelines: BTreeMap<String, Digest>,
    /// What pipelines and scenarios were set to; nothing in nights of the first layout.
    #[serde(default, skip_serializing_if = "is_default")]
    pub parameters: Parameters,
    /// Versions of the metrics that are kept.
    pub metrics: BTreeMap<String, u32>,
    /// Cells that were driven, failed and left out.
    pub cells: Cells,
    /// What the gate said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateNote>,
    /// The figures.
    pub groups: Vec<Group>,
}

/// Cells of a run by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// Driven and measured.
    pub done: u32,
    /// Ended in an internal error.
    pub failed: u32,
    /// Not driven, with a reason.
    pub excluded: u32,
}

/// The figures of one configuration on one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Configuration.
    pub configuration: String,
    /// Mode.
    pub mode: String,
    /// Scenario.
    pub scenario: String,
    /// Seeds of the sessions whose values are kept, ascending.
    pub seeds: Vec<u64>,
    /// Figures by metric.
    pub figures: BTreeMap<String, Figure>,
}

/// A metric over the sessions of a scenario; in the file `[mean, n, [value, ...]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "(f64, u32, Vec<Option<f64>>)")]
pub struct Figure {
    /// Mean over the sessions where it is defined.
    pub mean: f64,
    /// Sessions where it is defined.
    pub n: u32,
    /// Its value in every session of [`Group::seeds`], replicates averaged.
    pub values: Vec<Option<f64>>,
}

impl From<Figure> for (f64, u32, Vec<Option<f64>>) {
    fn from(figure: Figure) -> (f64, u32, Vec<Option<f64>>) {
        (figure.mean, figure.n, figure.values)
    }
}

impl Figure {
    /// Over one value a session; `None` where it is defined in none.
    pub fn of(values: &[Option<f64>]) -> Option<Figure> {
        let defined: Vec<f64> = values.iter().flatten().copied().collect();
        let mean = crate::stats::mean(&defined)?;
        let kept = values.iter().take(MOST_SESSIONS);
        let kept = kept.map(|value| value.map(nine)).collect();
        Some(Figure { mean: nine(mean), n: defined.len() as u32, values: kept })
    }
}

/// What a gate against a blessed baseline said of the night.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateNote {
    /// Its verdict in a word.
    pub verdict: String,
    /// Its exit code.
    pub exit_code: u8,
    /// What it found.
    pub findings: Vec<GateFinding>,
}

/// One finding of a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateFinding {
    /// What it is worth: `regression`, `improvement`, ...
    pub verdict: String,
    /// In words, with figures.
    pub says: String,
}

impl Night {
    /// The name of its file: date and run, so that nights of two machines never meet.
    pub fn name(&self) -> String {
        format!("{}-{}.json", self.date, self.run)
    }

    /// What nights are ordered by.
    pub fn place(&self) -> (&Day, u32, &Digest) {
        (&self.date, self.turn, &self.run)
    }

    /// Its file; [`Error::Invalid`] where a figure is not finite.
    pub fn written(&self) -> Result<Vec<u8>> {
        let place = || format!("night {}", self.date);
        let mut figures = self.groups.iter().flat_map(|group| group.figures.values());
        let finite = figures.all(|figure| {
            figure.mean.is_finite() && figure.values.iter().flatten().all(|value| value.is_finite())
        });
        if !finite {
            return Err(Error::invalid(place(), "a figure is not finite"));
        }
        let mut bytes = serde_json::to_vec(self).map_err(invalid_at(place()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads the bytes of a night's file; [`Error::Line`] or [`Error::Invalid`] names it.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Night> {
        LAYOUT.read(file, bytes)
    }
}

/// Which way the metric is better; of one that this version has not, neither.
pub fn direction(metric: &str) -> Direction {
    MetricId::named(metric).map_or(Direction::Neither, |known| known.metric().better)
}

/// Whether a change of the metric is for the better, where it has a direction.
pub(super) fn better(metric: &str, from: f64, to: f64) -> Option<bool> {
    match direction(metric) {
        Direction::Higher => Some(to > from),
        Direction::Lower => Some(to < from),
        Direction::Neither => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dates_of_the_calendar_are_days() {
        for text in ["2026-11-22", "2024-02-29"] {
            assert_eq!(text.parse::<Day>(), Ok(Day(text.to_owned())));
        }
        for text in ["2026-02-29", "2026-1-2", "20261122", "2026-11-22T00:00", "../etc/passwd", ""]
        {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
        assert_eq!("1970-01-02".parse::<Day>().map(|day| day.seconds()), Ok(86_400));
    }

    #[test]
    fn a_figure_is_the_mean_of_the_sessions_that_have_it_and_keeps_the_first_values() {
        let figure = Figure::of(&[Some(1.0), None, Some(0.5)]).expect("defined");
        assert_eq!((figure.mean, figure.n, figure.values.len()), (0.75, 2, 3));
        assert_eq!(serde_json::to_string(&figure).expect("json"), "[0.75,2,[1.0,null,0.5]]");
        assert_eq!(Figure::of(&[None, None]), None);
        let values: Vec<Option<f64>> = (0..100).map(|value| Some(f64::from(value))).collect();
        let figure = Figure::of(&values).expect("defined");
        assert_eq!((figure.mean, figure.n, figure.values.len()), (49.5, 100, MOST_SESSIONS));
    }
}
