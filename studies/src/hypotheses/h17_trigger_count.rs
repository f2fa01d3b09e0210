//! When strategies act, and what acting again and again comes to.

use proctor_core::drive::Session;
use proctor_core::error::Result;
use proctor_core::log::{Message, Role};
use proctor_core::trace::{Compaction, Share};
use proctor_eval::stats::theil_sen;

use super::constructed::{Construction, window, windowless};
use super::reading::{added, covered, each, runs_of};
use super::summarizers::brief;
use super::turn_shapes::by_shape;
use super::{Finding, Laboratory, Measured, Rows};
use crate::table::{Shown, row};

pub(super) fn five_pairs(lab: &Laboratory) -> Result<Finding> {
    let pipeline = proctor_strategies::pipeline("forge-head-tool-call")?;
    let mut rows = Rows::default();
    let mut least = None;
    for pairs in 1..=8_usize {
        let session = old_pairs(pairs);
        let trace = lab.drive(&session, &pipeline, windowless(), &brief(100));
        let first = runs_of(&trace, 0).next();
        let calls = first.map_or(0, |run| calls_in(&session, run));
        rows.push(row![pairs, runs_of(&trace, 0).count(), calls]);
        if first.is_some() {
            least = least.or(Some(pairs));
        }
    }
    let mut drawn = Vec::new();
    for (_, cells) in by_shape(lab, &[5, 8, 12, 20], "forge-head-tool-call@windowless")? {
        drawn.extend(each(&cells, |driven| {
            runs_of(&driven.trace, 0).next().map(|run| calls_in(&driven.session, run) as f64)
        }));
    }
    let measured = vec![
        Measured::exact("least pairs on which it acts", "pairs", least.unwrap_or(0) as f64),
        Measured::mean("calls in the first batch of drawn sessions", "calls", &drawn),
    ];
    let parts = [least == Some(5), drawn.iter().all(|calls| *calls < 10.0)];
    Ok(Finding::of(&parts, measured).with(rows))
}

/// One request, so many pairs, and 22 messages without tools.
fn old_pairs(pairs: usize) -> Session {
    let mut made = Construction::new();
    made.user(50).pairs(pairs, 50).answer(20);
    for _ in 0..10 {
        made.user(20).answer(20);
    }
    made.user(20).session()
}

/// Assistant messages with calls that a batch stands for.
fn calls_in(session: &Session, run: &Compaction) -> usize {
    let is_call = |message: &&Message| message.role == Role::Assistant && !message.calls.is_empty();
    run.added.iter().flat_map(|entry| covered(session, entry)).filter(is_call).count()
}

pub(super) fn nested(lab: &Laboratory) -> Result<Finding> {
    let mut made = Construction::new();
    made.user(100).pairs(400, 500).answer(20);
    let session = made.session();
    let of = |name: &str| -> Result<Vec<f64>> {
        let pipeline = proctor_strategies::pipeline(name)?;
        let trace = lab.drive(&session, &pipeline, window(40_000), &brief(500));
        Ok(added(&trace, Share::Summary).map(|summary| summary.tokens.as_f64()).collect())
    };
    let (source, fixed) = (of("full-replace")?, of("full-replace-fixed")?);
    let mut rows = Rows::default();
    for place in 0..source.len().max(fixed.len()) {
        let shown = |list: &[f64]| list.get(place).map_or_else(String::new, Shown::shown);
        rows.push(row![place + 1, shown(&source), shown(&fixed)]);
    }
    let growth = |what: &str, list: &[f64]| {
        let points: Vec<(f64, f64)> =
            list.iter().enumerate().map(|(place, tokens)| (place as f64, *tokens)).collect();
        Measured::exact(what, "tokens", theil_sen(&points).unwrap_or(f64::NAN))
    };
    let count = |what: &str, list: &[f64]| Measured::exact(what, "", list.len() as f64);
    let measured = vec![
        growth("growth of the summary from one compaction to the next", &source),
        count("compactions", &source),
        growth("growth with the request unnested", &fixed),
        count("compactions with the request unnested", &fixed),
    ];
    let grows = source.len() > 2 && source.windows(2).all(|pair| pair[1] > pair[0]);
    Ok(Finding::of(&[grows], measured).with(rows))
}
