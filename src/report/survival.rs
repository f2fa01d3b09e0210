//! Survival of facts by configuration, pooled over the sessions of a run.

use std::collections::BTreeMap;

use super::document::Block;
use super::figures::{Figures, Subject};
use super::pictures::block;
use crate::chart::{SurvivalChart, SurvivalPanel, SurvivalSeries, survival};
use crate::error::Result;
use crate::measure::survival::{AGES, ALL, ENOUGH};
use crate::truth::FactKind;

/// Kinds that are read together.
const GROUPS: [(&str, &[FactKind]); 3] = [
    (
        "artifacts",
        &[
            FactKind::Path,
            FactKind::Symbol,
            FactKind::Error,
            FactKind::Test,
            FactKind::Command,
            FactKind::Value,
        ],
    ),
    (
        "user\u{2019}s word",
        &[FactKind::Constraint, FactKind::Preference, FactKind::SafetyRule, FactKind::Direction],
    ),
    ("course", &[FactKind::Decision, FactKind::DeadEnd, FactKind::Outcome, FactKind::Pending]),
];
/// The buckets of [`AGES`] as an axis has room for them.
const SHORT_AGES: [&str; AGES.len()] = ["0.25", "0.5", "1", "2", "4", "4+"];
/// Generations that are drawn.
const GENERATIONS: usize = 8;
/// Panels of a chart.
const PANELS: usize = 12;

/// Present and all, by bucket.
type Counts = BTreeMap<String, (u32, u32)>;

/// By age and by generation.
pub fn charts(figures: &Figures) -> Result<Vec<Block>> {
    let ages: Vec<String> = AGES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let by_age = SurvivalChart {
        title: "Live facts still present, by their age".to_owned(),
        x_title: "age (up to so many windows of tokens since birth)",
        panels: panels(figures, |counts| shares(counts, &ages)),
        buckets: SHORT_AGES.map(str::to_owned).to_vec(),
    };
    let generations: Vec<String> = (1..=GENERATIONS).map(|one| one.to_string()).collect();
    let mut by_generation = SurvivalChart {
        title: "Facts that survive, by summarizers that they were shown to".to_owned(),
        x_title: "summarizers gone through",
        panels: panels(figures, |counts| products(counts, &generations)),
        buckets: generations,
    };
    // As many places as any panel fills.
    let series = by_generation.panels.iter().flat_map(|panel| &panel.series);
    let last = series.flat_map(|series| &series.points).map(|(at, _)| at + 1).max();
    by_generation.buckets.truncate(last.unwrap_or(0));
    let enough = format!("Buckets with under {ENOUGH} facts are left out.");
    let kinds = "Artifacts are paths, symbols, errors, tests, commands and values; the user\u{2019}s \
                 word is constraints, preferences, safety rules and directions; the course is \
                 decisions, dead ends, outcomes and what is pending.";
    let age = format!(
        "Live facts at the twelve checkpoints, pooled over sessions: the share in the view by \
         tokens since the fact was first told. A session that ended early holds nothing from \
         there on. {kinds} {enough}"
    );
    let generation = format!(
        "Of facts whose last holders a summary took the place of and whose summarizer was shown \
         them: the share that survives their first, second, ... summarizer, as the product of \
         the shares of each. {enough}"
    );
    Ok(vec![
        block("survival-age", &age, survival(&by_age)?, "survival by age was not measured"),
        block(
            "survival-generation",
            &generation,
            survival(&by_generation)?,
            "no fact went through a summarizer",
        ),
    ])
}

fn panels(
    figures: &Figures,
    points: impl Fn(&AxisCounts) -> Vec<(usize, f64)>,
) -> Vec<SurvivalPanel> {
    let mut subjects: Vec<&Subject> =
        figures.unswept().filter(|subject| !subject.is_control()).collect();
    // As deployed first: interventions are drawn where there is room.
    subjects.sort_by_key(|subject| subject.mode != "deployed");
    let panels = subjects
        .into_iter()
        .map(|subject| {
            let all = [(ALL, None)].into_iter();
            let groups = GROUPS.into_iter().map(|(name, kinds)| (name, Some(kinds)));
            let series = all.chain(groups).map(|(name, kinds)| SurvivalSeries {
                name: name.to_owned(),
                points: points(&AxisCounts::of(figures, subject, kinds)),
            });
            SurvivalPanel { configuration: subject.name(), series: series.collect() }
        })
        .filter(|panel| panel.series.iter().any(|series| !series.points.is_empty()));
    panels.take(PANELS).collect()
}

/// Counts of a configuration's sessions, by axis.
#[derive(Default)]
struct AxisCounts {
    age: Counts,
    generation: Counts,
}

impl AxisCounts {
    /// Of all kinds, or of these.
    fn of(figures: &Figures, subject: &Subject, kinds: Option<&[FactKind]>) -> AxisCounts {
        let cells = figures.cells(subject, figures.main);
        let mut counts = AxisCounts::default();
        for row in &figures.run.survival {
            let wanted = match kinds {
                None => row.kind == ALL,
                Some(kinds) => kinds.iter().any(|kind| kind.name() == row.kind),
            };
            let axis = match row.axis.as_str() {
                "age" => &mut counts.age,
                "generation" => &mut counts.generation,
                _ => continue,
            };
            if wanted && cells.iter().any(|cell| cell.key.cell == row.cell) {
                let (present, all) = axis.entry(row.bucket.clone()).or_default();
                *present += row.present;
                *all += row.all;
            }
        }
        counts
    }
}

fn shares(counts: &AxisCounts, buckets: &[String]) -> Vec<(usize, f64)> {
    let found = buckets.iter().enumerate().filter_map(|(at, bucket)| {
        let (present, all) = counts.age.get(bucket).filter(|(_, all)| *all >= ENOUGH)?;
        Some((at, f64::from(*present) / f64::from(*all)))
    });
    found.collect()
}

/// From the first generation on, as far as each holds enough.
fn products(counts: &AxisCounts, buckets: &[String]) -> Vec<(usize, f64)> {
    let mut surviving = 1.0;
    let mut points = Vec::new();
    for (at, bucket) in buckets.iter().enumerate() {
        match counts.generation.get(bucket) {
            Some((present, all)) if *all >= ENOUGH => {
                surviving *= f64::from(*present) / f64::from(*all);
                points.push((at, surviving));
            }
            _ => break,
        }
    }
    points
}
