//! A recorded trace made whole: what `traces.jsonl` leaves out stands in two tables.
//!
//! Both tables hold whole numbers and names, so nothing is lost on the way: the share of
//! needles is a quotient of two numbers of which the session knows one. Whether the trace
//! itself survives JSON is tested on it each time.

use serde::de::DeserializeOwned;

use crate::ident::FactId;
use crate::row::{FactRow, StepRow};
use crate::run_dir::write::{Landed, header};
use crate::trace::{DemandRecord, Found, LossClass, StepRecord, Trace};
use crate::truth::{Origin, Truth};
use crate::unit::Tokens;

/// The whole trace of a landed cell; `None` where it cannot be had exactly.
pub(super) fn trace(landed: &Landed, truth: &Truth) -> Option<Trace> {
    let mut trace: Trace = serde_json::from_str(landed.trace.get()).ok()?;
    // A number that JSON did not give back bit by bit would be written in other digits.
    if serde_json::to_string(&trace).ok()? != landed.trace.get() || !names_only(&trace, truth) {
        return None;
    }
    trace.steps = rows::<StepRow>("steps", landed)?.iter().map(step).collect();
    let demands = rows::<FactRow>("facts", landed)?;
    trace.demands = demands.iter().map(|row| demand(row, truth)).collect::<Option<_>>()?;
    Some(trace)
}

/// Whether a trace names only facts and demands that the session has: measuring looks
/// them up.
fn names_only(trace: &Trace, truth: &Truth) -> bool {
    let known = |fact: &FactId| fact.index() < truth.facts.len();
    let lost = trace.compactions.iter().flat_map(|compaction| &compaction.lost);
    lost.map(|loss| &loss.fact).all(known)
        && trace.facts.iter().all(|record| known(&record.fact))
        && trace.samples.iter().flat_map(|sample| &sample.present).all(known)
        && trace
            .recalls
            .iter()
            .flat_map(|recall| &recall.met)
            .all(|n| (*n as usize) < truth.demands.len())
}

fn rows<Row: DeserializeOwned>(table: &str, landed: &Landed) -> Option<Vec<Row>> {
    let whole = header(table) + landed.tables.get(table)?;
    csv::Reader::from_reader(whole.as_bytes()).into_deserialize().collect::<Result<_, _>>().ok()
}

fn step(row: &StepRow) -> StepRecord {
    StepRecord {
        step: row.step,
        turn: row.turn,
        prompt: Tokens(row.prompt),
        kept: Tokens(row.kept),
        sent: Tokens(row.sent),
        carried: Tokens(row.carried),
        // In the order of `Share::ALL`.
        shares: [
            row.system,
            row.user,
            row.assistant,
            row.tool,
            row.summarized,
            row.goal_batch,
            row.summary,
            row.other,
        ]
        .map(Tokens),
        entries: row.entries,
        cached: Tokens(row.cached),
        written: Tokens(row.written),
        invalidated: Tokens(row.invalidated),
        expired: Tokens(row.expired),
        output: Tokens(row.output),
        live: row.live,
        present: row.present,
        live_goal: row.live_goal == 1,
        sends: row.sends,
    }
}

fn demand(row: &FactRow, truth: &Truth) -> Option<DemandRecord> {
    let fact = truth.facts.get(row.fact as usize)?;
    truth.demands.get(row.demand as usize)?;
    let found = match (row.found.as_str(), row.generation) {
        ("present", Some(generation)) => Found::Present(generation),
        ("inverted", None) => Found::Inverted,
        ("absent", None) => Found::Absent,
        ("not-reached", None) => Found::NotReached,
        _ => return None,
    };
    let of_needles = fact.needles.len() as u32;
    let needles = match row.needles.as_str() {
        "" => 0,
        share => (share.parse::<f64>().ok()? * f64::from(of_needles)).round() as u32,
    };
    Some(DemandRecord {
        demand: row.demand,
        fact: FactId(row.fact),
        origin: origin(&row.origin)?,
        step: row.step,
        distance: Tokens(row.distance),
        found,
        needles,
        of_needles,
        stale: match row.stale.as_str() {
            "" => None,
            "carried" => Some(true),
            "gone" => Some(false),
            _ => return None,
        },
        loss: match row.loss.as_str() {
            "" => None,
            name => Some(LossClass::ALL.into_iter().find(|class| class.name() == name)?),
        },
        lost_by: row.lost_by,
    })
}

fn origin(name: &str) -> Option<Origin> {
    use Origin::{Call, Incidental, Planned, Reacquired, User};
    [Planned, User, Call, Reacquired, Incidental].into_iter().find(|one| one.name() == name)
}
