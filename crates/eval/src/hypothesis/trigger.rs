//! When strategies act, and what acting again and again comes to.

mod thrash;

use super::answering::brief;
use super::constructed::{Construction, window, windowless};
use super::reading::{covered, each, runs_of};
use super::{Finding, Hypothesis, Laboratory, Measured, Rows, Verdict};
use crate::drive::Session;
use crate::error::Result;
use crate::log::Role;
use crate::trace::{AddedEntry, Compaction, Share, Trace};

/// H17 to H19.
pub const HYPOTHESES: &[Hypothesis] = &[FIVE_PAIRS, NESTED, thrash::DISTINGUISHES];

const FIVE_PAIRS: Hypothesis = Hypothesis {
    id: "H17",
    title: "A buffer of ten tool calls is full at five",
    expects: "Forge's tool-call tier asks for 10 tool calls before it acts. Its code counts results too, so it acts at 5 pairs.",
    source: "STRATEGIES 20, H17 and 1.4; Forge at 0bff338",
    method: "`forge-head-tool-call` without a window. Eight constructed sessions with 1 to 8 tool pairs and then 22 messages without tools: the least number of pairs on which it acts while the oldest is less than 40 messages back. And the calls that the first batch of each drawn session takes (5 to 20 pairs a turn).",
    judge: five_pairs,
    remarks: &[],
};

fn five_pairs(lab: &Laboratory) -> Result<Finding> {
    let pipeline = crate::strategy::pipeline("forge-head-tool-call")?;
    let mut rows = Rows::new(
        "Constructed sessions",
        &["pairs before the recent messages", "batches", "calls in the first"],
    );
    let mut least = None;
    for pairs in 1..=8_usize {
        let session = old_pairs(pairs);
        let trace = lab.drive(&session, &pipeline, windowless(), &brief(100));
        let first = runs_of(&trace, 0).next();
        let calls = first.map_or(0, |run| calls_in(&session, run));
        rows.push([pairs.to_string(), runs_of(&trace, 0).count().to_string(), calls.to_string()]);
        if first.is_some() {
            least = least.or(Some(pairs));
        }
    }
    let mut drawn = Vec::new();
    for pairs in [5, 8, 12, 20] {
        let cells =
            lab.cells(&format!("turn-shape-p{pairs}-t120"), "forge-head-tool-call@windowless")?;
        drawn.extend(each(&cells, |driven| {
            runs_of(&driven.trace, 0).next().map(|run| calls_in(&driven.session, run) as f64)
        }));
    }
    let measured = vec![
        Measured::exact("least pairs on which it acts", "pairs", least.unwrap_or(0) as f64),
        Measured::mean("calls in the first batch of drawn sessions", "calls", &drawn),
    ];
    let parts = [least == Some(5), drawn.iter().all(|calls| *calls < 10.0)];
    Ok(Finding::new(Verdict::of_parts(&parts), measured).with(rows))
}

/// One request, so many pairs, and 22 messages without tools.
fn old_pairs(pairs: usize) -> Session {
    let mut made = Construction::new("old-pairs");
    made.user(50).pairs(pairs, 50).answer(20);
    for _ in 0..10 {
        made.user(20).answer(20);
    }
    made.user(20).session()
}

/// Assistant messages with calls that a batch stands for.
fn calls_in(session: &Session, run: &Compaction) -> usize {
    let is_call = |message: &&crate::log::Message| {
        message.role == Role::Assistant && !message.calls.is_empty()
    };
    run.added.iter().flat_map(|entry| covered(session, entry)).filter(is_call).count()
}

const NESTED: Hypothesis = Hypothesis {
    id: "H18",
    title: "Full replace nests its summaries where the user is silent",
    expects: "Where no user message comes between two compactions, full replace takes its own summary for the last request and repeats it whole: the summary grows with every compaction.",
    source: "STRATEGIES 20, H18 and 3 (mistral-vibe 1.0.0, here `full-replace`)",
    method: "One constructed session: a request of 100 tokens and then 400 tool pairs of about 500 tokens, in a window of 40,000, answers of at most 500 tokens. `full-replace` against `full-replace-fixed`, which appends only the request that the last summary had appended.",
    judge: nested,
    remarks: &[(
        Verdict::Confirmed,
        "The little that the corrected variant grows by is the answers', which here grow to their limit of 500 tokens.",
    )],
};

fn nested(lab: &Laboratory) -> Result<Finding> {
    let mut made = Construction::new("silent-user");
    made.user(100).pairs(400, 500).answer(20);
    let session = made.session();
    let of = |name: &str| -> Result<Vec<f64>> {
        let trace =
            lab.drive(&session, &crate::strategy::pipeline(name)?, window(40_000), &brief(500));
        Ok(summaries(&trace).map(|summary| summary.tokens.as_f64()).collect())
    };
    let (source, fixed) = (of("full-replace")?, of("full-replace-fixed")?);
    let mut rows = Rows::new(
        "Tokens of the summary after each compaction",
        &["compaction", "`full-replace`", "`full-replace-fixed`"],
    );
    for place in 0..source.len().max(fixed.len()) {
        let shown = |list: &[f64]| {
            list.get(place).map_or_else(String::new, |tokens| super::number(*tokens))
        };
        rows.push([(place + 1).to_string(), shown(&source), shown(&fixed)]);
    }
    let growth = |list: &[f64]| {
        let points: Vec<(f64, f64)> =
            list.iter().enumerate().map(|(place, tokens)| (place as f64, *tokens)).collect();
        crate::stats::theil_sen(&points).unwrap_or(f64::NAN)
    };
    let measured = vec![
        Measured::exact(
            "growth of the summary from one compaction to the next",
            "tokens",
            growth(&source),
        ),
        Measured::exact("compactions", "", source.len() as f64),
        Measured::exact("growth with the request unnested", "tokens", growth(&fixed)),
        Measured::exact("compactions with the request unnested", "", fixed.len() as f64),
    ];
    let grows = source.len() > 2 && source.windows(2).all(|pair| pair[1] > pair[0]);
    Ok(Finding::new(Verdict::of_parts(&[grows]), measured).with(rows))
}

fn summaries(trace: &Trace) -> impl Iterator<Item = &AddedEntry> {
    super::reading::added(trace, Share::Summary)
}
