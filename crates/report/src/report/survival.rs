//! Survival of facts by configuration, pooled over the sessions of a run.

use super::prelude::*;
use std::path::Path;

use super::pictures;
use crate::measure::survival::{AGES, ENOUGH};
use crate::row::{Kinds, SurvivalAxis, SurvivalRow};
use crate::run_dir::read::each_row;
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

/// Retention by kind, survival by age and by generation.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let mut configs: Vec<&Config> = figures.shown_but_control().collect();
    // As deployed first: interventions are drawn where there is room.
    configs.sort_by_key(|config| !config.is_deployed());
    let pools = pools(figures, &configs, figures.dir)?;
    let ages: Vec<String> = AGES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let by_age = LineChart {
        title: "Live facts still present, by their age".to_owned(),
        x_title: "age: windows of tokens, at most",
        x: Across::Named(SHORT_AGES.map(str::to_owned).to_vec()),
        point: "share present of the bucket",
        limit: None,
        columns: 3,
        height: 210.0,
        panels: panels(&configs, &pools, |counts| shares(counts, &ages)),
    };
    let mut generations: Vec<String> = (1..=GENERATIONS).map(|one| one.to_string()).collect();
    let panels = panels(&configs, &pools, |counts| products(counts, &generations));
    // As many places as any panel fills.
    let series = panels.iter().flat_map(|panel| &panel.series);
    generations.truncate(series.map(|series| series.points.len()).max().unwrap_or(0));
    let by_generation = LineChart {
        title: "Facts that survive, by summarizers that they were shown to".to_owned(),
        x_title: "summarizers gone through",
        x: Across::Named(generations),
        panels,
        ..by_age.clone()
    };
    let parts = pictures::kinds::kinds(figures, Parts::default())?
        .value("enough", ENOUGH)
        .chart("age", "survival-age", by_age.draw()?)
        .chart("generation", "survival-generation", by_generation.draw()?);
    Ok(Some(parts))
}

fn panels(
    configs: &[&Config],
    pools: &[Pool],
    points: impl Fn(&AxisCounts) -> Vec<(f64, f64)>,
) -> Vec<LinePanel> {
    let panels = configs.iter().zip(pools).map(|(config, pool)| {
        let series = names().zip(pool).map(|(name, counts)| LineSeries {
            name: name.to_owned(),
            points: points(counts),
            fit: None,
        });
        LinePanel {
            title: config.name(),
            y_title: "share present",
            y: Upwards::Share,
            series: series.collect(),
        }
    });
    let drawn = panels.filter(|panel| panel.series.iter().any(|series| !series.points.is_empty()));
    drawn.take(PANELS).collect()
}

/// The series of a panel: all kinds, then each group.
fn names() -> impl Iterator<Item = &'static str> {
    [Kinds::All.name()].into_iter().chain(GROUPS.iter().map(|(name, _)| *name))
}

/// Counts of a configuration's sessions, in the order of [`names`].
type Pool = [AxisCounts; 1 + GROUPS.len()];

/// By axis and bucket.
#[derive(Default)]
struct AxisCounts {
    age: Counts,
    generation: Counts,
}

/// A pool for each configuration, summed up row by row: the file is as long as the run
/// has cells and is not held.
fn pools(figures: &Figures, configs: &[&Config], dir: &Path) -> Result<Vec<Pool>> {
    let mut pools: Vec<Pool> = configs.iter().map(|_| Pool::default()).collect();
    let mut place_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, config) in configs.iter().enumerate() {
        let cells = figures.cells(config).iter();
        place_of.extend(cells.map(|row| (row.key.cell.as_str(), place)));
    }
    each_row(&dir.join("survival.parquet"), |row: SurvivalRow| {
        let Some(place) = place_of.get(row.cell.as_str()) else { return };
        let series = match row.kind {
            Kinds::All => Some(0),
            Kinds::One(kind) => {
                let group = GROUPS.iter().position(|(_, kinds)| kinds.contains(&kind));
                group.map(|group| group + 1)
            }
        };
        let Some(counts) = series.map(|series| &mut pools[*place][series]) else { return };
        let axis = match row.axis {
            SurvivalAxis::Age => &mut counts.age,
            SurvivalAxis::Generation => &mut counts.generation,
            SurvivalAxis::StepShare => return,
        };
        let (present, all) = axis.entry(row.bucket).or_default();
        *present += row.present;
        *all += row.all;
    })?;
    Ok(pools)
}

fn shares(counts: &AxisCounts, buckets: &[String]) -> Vec<(f64, f64)> {
    let found = buckets.iter().enumerate().filter_map(|(at, bucket)| {
        let (present, all) = counts.age.get(bucket).filter(|(_, all)| *all >= ENOUGH)?;
        Some((at as f64, f64::from(*present) / f64::from(*all)))
    });
    found.collect()
}

/// From the first generation on, as far as each holds enough.
fn products(counts: &AxisCounts, buckets: &[String]) -> Vec<(f64, f64)> {
    let mut surviving = 1.0;
    let mut points = Vec::new();
    for (at, bucket) in buckets.iter().enumerate() {
        match counts.generation.get(bucket) {
            Some((present, all)) if *all >= ENOUGH => {
                surviving *= f64::from(*present) / f64::from(*all);
                points.push((at as f64, surviving));
            }
            _ => break,
        }
    }
    points
}
