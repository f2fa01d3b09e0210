//! Over which stretch of the axis of summarizers an order of recall at need holds: from one that
//! writes nothing over simulated ones of growing skill to one that writes every fact it is shown.

use schemars::JsonSchema;

use super::evidence::{Evidence, Paired};
use crate::frame::{MeasuredCell, Session};
use crate::measure::{Direction, MetricId};
use crate::prelude::*;
use crate::simulated::FittedName;
use crate::stats::estimate::Unit;
use crate::stats::mean;
use crate::unit::nine;

/// From knowing nothing to knowing everything.
pub const AXIS: [&str; 5] = ["empty", "simulated-poor", "simulated", "simulated-good", "perfect"];
/// Where recorded summaries stand.
const RECORDED: &str = "simulated";

/// The points of the axis among the summarizers of a run, in its order, then those that were fitted
/// to one's own; none where these make no axis.
pub fn points<'a, S: AsRef<str> + 'a>(driven: impl IntoIterator<Item = &'a S>) -> Vec<&'a str> {
    let driven: Vec<&str> = driven.into_iter().map(AsRef::as_ref).collect();
    let is_driven = |name: &&str| driven.contains(name);
    let mut points: Vec<&str> = AXIS.into_iter().filter(is_driven).collect();
    if points.len() < 2 || !points.contains(&RECORDED) {
        return Vec::new();
    }
    points.extend(driven.iter().filter(|name| name.parse::<FittedName>().is_ok()));
    points
}

/// Recall at need of a configuration by summarizer and session.
pub type OverAxis<'a> = BTreeMap<&'a str, BTreeMap<Session<'a>, f64>>;

/// That of its cells at these points, replicates averaged.
pub fn over_axis<'b, 'a: 'b>(
    points: &[&'a str],
    under: impl Fn(&str) -> &'b [&'a MeasuredCell],
) -> OverAxis<'a> {
    let recalls = |name: &'a str| {
        let mut sessions: BTreeMap<Session, Vec<f64>> = BTreeMap::new();
        for cell in under(name) {
            let recall = cell.number(MetricId::RecallAtNeed);
            sessions.entry(cell.session()).or_default().extend(recall);
        }
        let means = sessions.into_iter();
        (name, means.filter_map(|(session, all)| Some((session, mean(&all)?))).collect())
    };
    points.iter().map(|name| recalls(name)).collect()
}

/// Over which summarizers one side recalls more than the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stretch {
    /// The same in words: where the order that is shown at `simulated`, as recorded, holds, where it
    /// is open and where it turns.
    pub told: String,
    /// From knowing nothing to knowing everything.
    pub points: Vec<Point>,
}

/// A summarizer of the axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Its name.
    pub summarizer: String,
    /// Sessions of both sides.
    pub n: usize,
    /// Mean of candidate − baseline.
    pub difference: f64,
    /// The ends of its interval; absent with too few sessions and where none differs.
    pub low: Option<f64>,
    /// The high end.
    pub high: Option<f64>,
    /// Who is shown to recall more.
    pub higher: Higher,
}

/// Who is shown to recall more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Higher {
    /// The candidate.
    Candidate,
    /// The baseline.
    Baseline,
    /// Neither.
    Open,
}

impl Point {
    fn of(
        summarizer: &str,
        [candidate, baseline]: [&BTreeMap<Session, f64>; 2],
        (unit, level): (Unit, f64),
    ) -> Option<Point> {
        let own = candidate.iter();
        let pairs =
            own.map(|(session, own)| (*session, (baseline.get(session).copied(), Some(*own))));
        let evidence = Evidence::of(&Paired::of(pairs), Direction::Higher, unit, (0.0, level));
        if evidence.sessions == 0 {
            return None;
        }
        let interval = evidence.difference(Direction::Higher).filter(|_| evidence.alone.is_some());
        Some(Point {
            summarizer: summarizer.to_owned(),
            n: evidence.sessions,
            difference: nine(evidence.gain),
            low: interval.map(|ends| nine(ends.low)),
            high: interval.map(|ends| nine(ends.high)),
            higher: match evidence.alone.is_some_and(|alone| alone.equal <= 2.0 * level) {
                true if evidence.gain > 0.0 => Higher::Candidate,
                true => Higher::Baseline,
                false => Higher::Open,
            },
        })
    }
}

impl Stretch {
    /// Of candidate and baseline, each point tested alone at this level in one direction. `None`
    /// where they were not both driven on the axis, and where no figure depends on the summarizer.
    pub fn of(
        [candidate, baseline]: [&OverAxis; 2],
        names: [&str; 2],
        terms: (Unit, f64),
    ) -> Option<Stretch> {
        let own = candidate.keys().copied().filter(|name| !AXIS.contains(name));
        let both = AXIS
            .into_iter()
            .chain(own)
            .filter_map(|name| Some((name, [candidate.get(name)?, baseline.get(name)?])));
        let known: Vec<_> = both.collect();
        if known.windows(2).all(|pair| pair[0].1 == pair[1].1) {
            return None;
        }
        let points = known.into_iter().filter_map(|(name, sides)| Point::of(name, sides, terms));
        let stretch = Stretch { told: String::new(), points: points.collect() };
        let recorded = stretch.points.iter().find(|point| point.summarizer == RECORDED)?.higher;
        Some(Stretch { told: stretch.words(recorded, names), ..stretch })
    }

    /// Whether one side is shown to be higher here and the other there.
    pub fn turns(&self) -> bool {
        let any = |side| self.points.iter().any(|point| point.higher == side);
        any(Higher::Candidate) && any(Higher::Baseline)
    }

    /// The difference at `simulated`, where recorded summaries stand.
    pub fn as_recorded(&self) -> f64 {
        let recorded = self.points.iter().find(|point| point.summarizer == RECORDED);
        recorded.map_or(0.0, |point| point.difference)
    }

    /// Where the candidate is higher, without any name.
    pub fn where_higher(&self) -> String {
        self.parts([
            (Higher::Candidate, String::new()),
            (Higher::Open, "open ".to_owned()),
            (Higher::Baseline, "turns ".to_owned()),
        ])
    }

    fn words(&self, recorded: Higher, names: [&str; 2]) -> String {
        // One name on both sides tells nothing apart.
        let names = if names[0] == names[1] { ["candidate", "baseline"] } else { names };
        let [above, below] =
            [[0, 1], [1, 0]].map(|[one, two]| format!("{} above {} ", names[one], names[two]));
        let (open, turns) = ("open ".to_owned(), "turns ".to_owned());
        let neither = format!("order of {} and {} open ", names[0], names[1]);
        let (candidate, baseline) = (Higher::Candidate, Higher::Baseline);
        self.parts(match recorded {
            Higher::Candidate => [(candidate, above), (Higher::Open, open), (baseline, turns)],
            Higher::Baseline => [(baseline, below), (Higher::Open, open), (candidate, turns)],
            Higher::Open => [(Higher::Open, neither), (candidate, above), (baseline, below)],
        })
    }

    fn parts(&self, parts: [(Higher, String); 3]) -> String {
        let told = parts.into_iter().filter_map(|(side, says)| Some(says + &self.ranges(side)?));
        told.collect::<Vec<String>>().join("; ")
    }

    /// `from simulated to perfect and at empty`; none where no point is so.
    fn ranges(&self, side: Higher) -> Option<String> {
        let is_next = |next: &Point| AXIS.contains(&next.summarizer.as_str());
        let runs = self.points.chunk_by(|one, next| one.higher == next.higher && is_next(next));
        let runs = runs.filter(|run| run[0].higher == side).map(|run| match run {
            [one] => format!("at {}", one.summarizer),
            [first, .., last] => format!("from {} to {}", first.summarizer, last.summarizer),
            [] => String::new(),
        });
        let runs: Vec<String> = runs.collect();
        (!runs.is_empty()).then(|| runs.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of eight sessions about these means, with the same noise at every point.
    fn stretch(means: &[f64], noise: f64, sessions: u64, names: [&str; 2]) -> Option<Stretch> {
        let side = |by: &dyn Fn(f64, u64) -> f64| -> OverAxis {
            let at = |mean: f64| (0..sessions).map(|seed| (("a", seed), by(mean, seed))).collect();
            AXIS.into_iter().zip(means.iter().map(|mean| at(*mean))).collect()
        };
        let candidate = side(&|mean, seed| 0.5 + mean + noise * ((seed % 4) as f64 - 1.5));
        let baseline = side(&|_, _| 0.5);
        Stretch::of([&candidate, &baseline], names, (Unit::WithinScenarios, 0.025))
    }

    #[test]
    fn an_order_holds_where_its_interval_excludes_nothing_turns_where_the_other_does_and_else_is_open()
     {
        for (means, noise, told) in [
            ([0.1, 0.2, 0.3, 0.2, 0.1], 0.01, "A above B from empty to perfect"),
            ([-0.1, -0.2, -0.3, -0.2, -0.1], 0.01, "B above A from empty to perfect"),
            (
                [-0.1, 0.001, 0.2, 0.3, 0.1],
                0.01,
                "A above B from simulated to perfect; open at simulated-poor; turns at empty",
            ),
            (
                [0.1, 0.1, -0.1, 0.0, -0.2],
                0.01,
                "B above A at simulated and at perfect; open at simulated-good; turns from empty to \
                 simulated-poor",
            ),
            // What is large and uncertain is open.
            (
                [0.1, 0.1, 0.1, 0.1, 0.9],
                0.3,
                "order of A and B open from empty to simulated-good; A above B at perfect",
            ),
            ([0.1, 0.0, 0.1, 0.1, 0.2], 0.9, "order of A and B open from empty to perfect"),
        ] {
            let found = stretch(&means, noise, 8, ["A", "B"]).expect("it was driven on the axis");
            assert_eq!(found.told, told, "{means:?}");
            assert_eq!(found.turns(), told.contains("turns"), "{means:?}");
            for point in &found.points {
                let (low, high) = point.low.zip(point.high).expect("an interval");
                let expected = match () {
                    () if low > 0.0 => Higher::Candidate,
                    () if high < 0.0 => Higher::Baseline,
                    () => Higher::Open,
                };
                assert_eq!(point.higher, expected, "{point:?}");
            }
        }
    }

    #[test]
    fn without_a_name_an_order_is_told_of_the_candidate() {
        let found = stretch(&[-0.1, 0.001, 0.2, 0.3, 0.1], 0.01, 8, ["A", "A"]).expect("an axis");
        assert!(found.told.starts_with("candidate above baseline from simulated to perfect"));
        let tail = "from simulated to perfect; open at simulated-poor; turns at empty";
        assert_eq!(found.where_higher(), tail);
        assert_eq!(found.as_recorded(), 0.2);
    }

    #[test]
    fn few_sessions_leave_every_point_open_and_have_no_interval() {
        let found = stretch(&[0.1, 0.2, 0.3, 0.2, 0.1], 0.01, 7, ["A", "B"]).expect("an axis");
        assert_eq!(found.told, "order of A and B open from empty to perfect");
        assert!(found.points.iter().all(|point| (point.n, point.low) == (7, None)));
    }

    #[test]
    fn what_no_summarizer_touches_and_what_has_no_axis_has_no_stretch() {
        assert_eq!(stretch(&[0.2; 5], 0.01, 8, ["A", "B"]), None);
        // Not driven where recorded summaries stand.
        assert_eq!(stretch(&[0.2, 0.1], 0.01, 8, ["A", "B"]), None);
        for (driven, expected) in [
            (&["perfect", "simulated", "extractive"][..], &["simulated", "perfect"][..]),
            (&["extractive", "empty", "perfect"], &[]),
            (&["simulated"], &[]),
            (&["fitted-mine", "simulated", "empty"], &["empty", "simulated", "fitted-mine"]),
            (&["fitted-mine", "perfect"], &[]),
        ] {
            assert_eq!(points(driven), expected, "{driven:?}");
        }
    }
}
