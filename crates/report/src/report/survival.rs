//! Survival of facts by configuration, pooled over the sessions of a run.

use super::prelude::*;
use crate::measure::survival::{AGES, ENOUGH};
use crate::row::{Kinds, SurvivalAxis, SurvivalRow};
use crate::run_dir::read::each_row;
use crate::truth::FactKind as Kind;

const GROUPS: [(&str, &[Kind]); 3] = [
    ("artifacts", &[Kind::Path, Kind::Symbol, Kind::Error, Kind::Test, Kind::Command, Kind::Value]),
    (
        "user\u{2019}s word",
        &[Kind::Constraint, Kind::Preference, Kind::SafetyRule, Kind::Direction],
    ),
    ("course", &[Kind::Decision, Kind::DeadEnd, Kind::Outcome, Kind::Pending]),
];
/// The buckets of [`AGES`] as an axis has room for them.
const SHORT_AGES: [&str; AGES.len()] = ["0.25", "0.5", "1", "2", "4", "4+"];
const GENERATIONS: usize = 8;

/// Present and all, by bucket.
type Counts = BTreeMap<String, (u32, u32)>;
/// Counts by age and by generation: of all kinds, then of each group.
type Pool = [[Counts; 2]; 1 + GROUPS.len()];

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let mut configs: Vec<&Config> = figures.shown_but_control().collect();
    // As deployed first: interventions are drawn where there is room.
    configs.sort_by_key(|config| !config.is_deployed());
    let pools = pools(figures, &configs)?;
    let ages: Vec<String> = AGES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let by_age = LineChart {
        x_title: "age: windows of tokens, at most",
        x: Across::Named(SHORT_AGES.map(str::to_owned).to_vec()),
        point: "share present of the bucket",
        limit: None,
        columns: 3,
        height: 210.0,
        panels: panels(&configs, &pools, |[age, _]| shares(age, &ages)),
    };
    let mut generations: Vec<String> = (1..=GENERATIONS).map(|one| one.to_string()).collect();
    let panels = panels(&configs, &pools, |[_, own]| products(own, &generations));
    // As many places as any panel fills.
    let series = panels.iter().flat_map(|panel| &panel.series);
    generations.truncate(series.map(|series| series.points.len()).max().unwrap_or(0));
    let by_generation = LineChart {
        x_title: "summarizers gone through",
        x: Across::Named(generations),
        panels,
        ..by_age.clone()
    };
    let by_age = by_age.draw("Live facts still present, by their age")?;
    let by_generation =
        by_generation.draw("Facts that survive, by summarizers that they were shown to")?;
    let parts = kinds(figures)?.value("enough", ENOUGH).chart("age", "survival-age", by_age);
    Ok(Some(parts.chart("generation", "survival-generation", by_generation)))
}

fn kinds(figures: &Figures) -> Result<Parts> {
    let choice = choose(figures, figures.shown().collect(), ROWS);
    let retained = |config: &Config, kind| figures.value(config, MetricId::retention(kind));
    let is_known = |kind: &Kind| choice.drawn.iter().any(|own| retained(own, *kind).is_some());
    let shown: Vec<Kind> = Kind::ALL.into_iter().filter(is_known).collect();
    let kinds = shown.iter().map(|kind| kind.name().to_owned()).collect();
    let of = |config: &Config| shown.iter().map(|kind| retained(config, *kind)).collect();
    let shares = choice.drawn.iter().map(|config| (config.name(), of(config)));
    let value = "share of the session's facts in the last prompt (0 to 1)";
    let drawn = ToneChart::of_shares(value, kinds, shares.collect())
        .draw("Facts retained at the end of the session, by kind")?;
    let parts = Parts::default().chart("kinds", "retention", drawn);
    Ok(parts.value("kinds_choice", choice.left_out))
}

fn panels(
    configs: &[&Config],
    pools: &[Pool],
    points: impl Fn(&[Counts; 2]) -> Vec<(f64, f64)>,
) -> Vec<LinePanel> {
    let names = || [Kinds::All.name()].into_iter().chain(GROUPS.map(|(name, _)| name));
    let panels = configs.iter().zip(pools).map(|(config, pool)| {
        let series = names().zip(pool).map(|(name, counts)| LineSeries {
            name: name.to_owned(),
            points: points(counts),
            ..LineSeries::default()
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

/// A pool for each configuration, summed up row by row: the file is too long to be held.
fn pools(figures: &Figures, configs: &[&Config]) -> Result<Vec<Pool>> {
    let mut pools: Vec<Pool> = configs.iter().map(|_| Pool::default()).collect();
    let mut place_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, config) in configs.iter().enumerate() {
        let cells = figures.cells(config).iter();
        place_of.extend(cells.map(|row| (row.key.cell.as_str(), place)));
    }
    each_row(&figures.dir.join("survival.parquet"), |row: SurvivalRow| {
        let series = match row.kind {
            Kinds::All => Some(0),
            Kinds::One(kind) => {
                let group = GROUPS.iter().position(|(_, kinds)| kinds.contains(&kind));
                group.map(|group| group + 1)
            }
        };
        let axis = match row.axis {
            SurvivalAxis::Age => 0,
            SurvivalAxis::Generation => 1,
            SurvivalAxis::StepShare => return,
        };
        let Some((place, series)) = place_of.get(row.cell.as_str()).zip(series) else { return };
        let (present, all) = pools[*place][series][axis].entry(row.bucket).or_default();
        *present += row.present;
        *all += row.all;
    })?;
    Ok(pools)
}

/// The share present of a bucket that holds enough.
fn share_of(counts: &Counts, bucket: &str) -> Option<f64> {
    let (present, all) = counts.get(bucket).filter(|(_, all)| *all >= ENOUGH)?;
    Some(f64::from(*present) / f64::from(*all))
}

fn shares(counts: &Counts, buckets: &[String]) -> Vec<(f64, f64)> {
    let shares = buckets.iter().map(|bucket| share_of(counts, bucket)).enumerate();
    shares.filter_map(|(at, share)| Some((at as f64, share?))).collect()
}

/// From the first generation on, as far as each holds enough.
fn products(counts: &Counts, buckets: &[String]) -> Vec<(f64, f64)> {
    let shares = buckets.iter().map_while(|bucket| share_of(counts, bucket));
    let products = shares.scan(1.0, |surviving, share| {
        *surviving *= share;
        Some(*surviving)
    });
    products.enumerate().map(|(at, surviving)| (at as f64, surviving)).collect()
}
