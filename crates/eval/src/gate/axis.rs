//! Recall at need over the axis of summarizers, session by session: over which summaries a finding
//! holds. No rule reads it.

use super::policy::{Policy, Rule};
use crate::compare::{OverAxis, Stretch, over_axis, points};
use crate::drive::Mode;
use crate::frame::{MeasuredCell, Summarized};
use crate::measure::MetricId;
use crate::prelude::*;
use crate::run_dir::read::RunData;
use crate::stats::estimate::Unit;

/// The recall at need of a configuration in a session, by summarizer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfAxis {
    scenario: String,
    seed: u64,
    pub(super) configuration: String,
    mode: Mode,
    recall: BTreeMap<String, f64>,
}

impl OfAxis {
    pub(super) fn place(&self) -> (&str, u64, &str, &str) {
        (&self.scenario, self.seed, &self.configuration, self.mode.name())
    }
}

/// Of all cells whose recall the policy judges; none where the run has no axis.
pub(super) fn rows(run: &RunData, policy: &Policy) -> Vec<OfAxis> {
    let points = points(&run.manifest.summarizers);
    let mut driven: BTreeMap<(String, Mode), Summarized> = BTreeMap::new();
    let cells = run.measurements.iter().filter(|row| row.is_done() && !row.is_twin());
    for cell in cells.filter(|row| !points.is_empty() && !row.key.is_adversary()) {
        let Some(mode) = Mode::named(&cell.key.mode) else { continue };
        let configuration = cell.key.configuration();
        if policy.rules.iter().any(|rule| judges(rule, cell, &configuration, mode)) {
            driven.entry((configuration, mode)).or_default().add(cell);
        }
    }
    let rows = driven.iter().flat_map(|((configuration, mode), cells)| {
        let over = over_axis(&points, |name| cells.under(name).unwrap_or_default());
        by_session(&over).into_iter().map(move |((scenario, seed), recall)| OfAxis {
            scenario: scenario.to_owned(),
            seed,
            configuration: configuration.clone(),
            mode: *mode,
            recall,
        })
    });
    let mut rows: Vec<OfAxis> = rows.collect();
    rows.sort_by(|one, other| one.place().cmp(&other.place()));
    rows
}

fn judges(rule: &Rule, cell: &MeasuredCell, configuration: &str, mode: Mode) -> bool {
    rule.metrics.contains(&MetricId::RecallAtNeed)
        && (rule.mode == mode && rule.summarizer.is_none())
        && rule.takes_configuration(configuration)
        && rule.takes_scenario(&cell.key.scenario)
}

fn by_session<'a>(over: &OverAxis<'a>) -> BTreeMap<(&'a str, u64), BTreeMap<String, f64>> {
    let mut sessions: BTreeMap<_, BTreeMap<String, f64>> = BTreeMap::new();
    for (name, recalls) in over {
        for (session, recall) in recalls {
            sessions.entry(*session).or_default().insert((*name).to_owned(), *recall);
        }
    }
    sessions
}

/// Over which summaries the order of candidate and baseline holds, at this level in one direction.
pub(super) fn stretch(
    sides: [&[OfAxis]; 2],
    (configuration, mode): (&str, &str),
    level: f64,
) -> Option<Stretch> {
    let over = sides.map(|rows| {
        let mut over = OverAxis::new();
        let is_own =
            |row: &&OfAxis| (&*row.configuration, row.mode.name()) == (configuration, mode);
        for row in rows.iter().filter(is_own) {
            for (name, recall) in &row.recall {
                over.entry(name).or_default().insert((&*row.scenario, row.seed), *recall);
            }
        }
        over
    });
    Stretch::of(over.each_ref(), ["candidate", "baseline"], (Unit::WithinScenarios, level))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::AXIS;
    use crate::gate::fixture::{Made, POLICY, ended_well};
    use crate::gate::render::{comment, text};
    use crate::gate::{Baseline, Judgement, Verdict, judge};

    fn policy() -> Policy {
        Policy::parse("policy.toml", POLICY).expect("it parses")
    }

    /// Twelve sessions, as recorded and along the axis with recall so much higher or lower.
    fn driven(main: f64, axis: &[f64]) -> RunData {
        let mut run =
            Made::small().run(|_, _, seed| ended_well(0.5 + (seed % 5) as f64 / 50.0 + main));
        let own = run.measurements.clone();
        for (name, by) in AXIS.into_iter().zip(axis) {
            run.manifest.summarizers.push(name.to_owned());
            run.measurements.extend(own.iter().cloned().map(|mut row| {
                row.key.summarizer = name.to_owned();
                row.key.cell += name;
                let recall = row.number(MetricId::RecallAtNeed).map(|recall| recall - main + by);
                row.figures.put(MetricId::RecallAtNeed, recall);
                row
            }));
        }
        run
    }

    fn judged(base: &RunData, main: f64, axis: &[f64]) -> Judgement {
        let policy = policy();
        let written = Baseline::of(base, &policy).text().expect("it is written");
        let base = Baseline::parse("baseline.json", &written).expect("it is read");
        assert_eq!(base.axis.is_empty(), !written.contains("\"axis\""));
        judge(Some(&base), &driven(main, axis), &policy).expect("it judges")
    }

    fn told(judgement: &Judgement) -> Vec<(Verdict, &str)> {
        let with = judgement.findings.iter();
        with.filter_map(|one| Some((one.verdict, &*one.stretch.as_ref()?.told))).collect()
    }

    #[test]
    fn what_recall_became_says_over_which_summaries_it_did_and_changes_no_verdict() {
        let flat = driven(0.0, &[0.0; 5]);
        for (main, axis, verdict, stretch) in [
            (
                -0.2,
                [0.0, 0.0, -0.2, -0.2, 0.1],
                Verdict::Regression,
                "baseline above candidate from simulated to simulated-good; open from empty to \
                 simulated-poor; turns at perfect",
            ),
            (
                0.2,
                [0.0, 0.1, 0.2, 0.2, 0.1],
                Verdict::Improvement,
                "candidate above baseline from simulated-poor to perfect; open at empty",
            ),
        ] {
            let judgement = judged(&flat, main, &axis);
            assert_eq!(told(&judgement), [(verdict, stretch)]);
            for written in [
                text(&judgement, |_| String::new()).expect("it is written"),
                comment(&judgement, "mine").expect("it is written"),
            ] {
                assert_eq!(written.matches("by summarizer: ").count(), 1, "{written}");
            }
            let without = judged(&driven(0.0, &[]), main, &[]);
            assert_eq!((without.verdict, told(&without)), (judgement.verdict, Vec::new()));
            let json = serde_json::to_string(&without).expect("it is written");
            assert!(!json.contains("stretch"), "{json}");
        }
    }

    #[test]
    fn one_side_alone_on_the_axis_says_nothing_of_it() {
        let axis = [0.0, 0.0, -0.2, -0.2, 0.1];
        assert!(told(&judged(&driven(0.0, &[]), -0.2, &axis)).is_empty());
        assert!(told(&judged(&driven(0.0, &axis), -0.2, &[])).is_empty());
    }
}
