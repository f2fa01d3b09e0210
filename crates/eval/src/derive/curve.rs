//! The Proctor curve: recall at need against mean prompt, with its front (`curve.csv`).

use std::collections::{BTreeMap, BTreeSet};

use crate::derive::pool::by_session;
use crate::derive::{Pool, everywhere, groups};
use crate::frame::{Frame, MeasuredCell};
use crate::measure::MetricId;
use crate::row::CurveRow;
use crate::stats;
use crate::unit::float;

const ALL: &str = "all";
const POINTS: [(&str, MetricId); 3] = [
    ("achieved", MetricId::RecallAtNeed),
    ("oracle", MetricId::Oracle),
    ("random-drop", MetricId::RandomDrop),
];

/// Pool, mode and summarizer: points that one front runs through.
type FrontKey<'a> = (&'a str, &'a str, &'a str);

struct Point {
    row: CurveRow,
    share: f64,
    recall: f64,
}

/// Every point: of each family and of all. Inferred pipelines have no place on a front.
pub fn curve(cells: &[MeasuredCell], inferred: &BTreeSet<String>) -> Vec<CurveRow> {
    let groups = groups(&Frame::new(cells, &[], &[], &[]));
    let everywhere = everywhere(&groups);
    let mut points: Vec<Point> = Vec::new();
    for (pool, cells) in groups.iter().chain(&everywhere) {
        points.extend(
            POINTS.into_iter().filter_map(|(name, metric)| point(pool, cells, name, metric)),
        );
    }
    mark_fronts(&mut points, inferred);
    points.into_iter().map(|point| point.row).collect()
}

fn point(pool: &Pool, cells: &[&MeasuredCell], name: &str, metric: MetricId) -> Option<Point> {
    let place = |cell: &MeasuredCell| {
        let recall = cell.number(metric)?;
        let mean = cell.number(MetricId::TokensMeanPrompt)?;
        let window = cell.key.window as f64;
        (window > 0.0).then(|| (mean / window, recall))
    };
    let shares = by_session(cells, |cell| Some(place(cell)?.0));
    let recalls = by_session(cells, |cell| Some(place(cell)?.1));
    let (share, recall) = (stats::mean(&shares)?, stats::mean(&recalls)?);
    let mut known = cells.iter().filter(|cell| cell.number(metric).is_some());
    let row = CurveRow {
        pool: pool.family.unwrap_or(ALL).to_owned(),
        pipeline: pool.pipeline.to_owned(),
        variant: pool.variant.to_owned(),
        mode: pool.mode.to_owned(),
        summarizer: pool.summarizer.to_owned(),
        point: name.to_owned(),
        mean_share: float(share),
        recall: float(recall),
        completed: u8::from(known.all(|cell| cell.completed())),
        on_front: 0,
        n: shares.len() as u32,
    };
    Some(Point { row, share, recall })
}

fn mark_fronts(points: &mut [Point], inferred: &BTreeSet<String>) {
    let mut pools: BTreeMap<FrontKey, Vec<usize>> = BTreeMap::new();
    for (place, Point { row, .. }) in points.iter().enumerate() {
        let ranked = row.completed == 1 && !inferred.contains(&row.pipeline);
        if row.point == "achieved" && ranked {
            pools.entry((&row.pool, &row.mode, &row.summarizer)).or_default().push(place);
        }
    }
    let mut front = Vec::new();
    for mut places in pools.into_values() {
        places.sort_by(|one, other| {
            let by_tokens = points[*one].share.total_cmp(&points[*other].share);
            by_tokens.then(points[*other].recall.total_cmp(&points[*one].recall))
        });
        let mut best = f64::NEG_INFINITY;
        for place in places {
            if points[place].recall > best {
                best = points[place].recall;
                front.push(place);
            }
        }
    }
    for place in front {
        points[place].row.on_front = 1;
    }
}
