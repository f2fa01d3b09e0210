//! What outlives a second compaction.

use proctor_core::error::Result;
use proctor_core::ident::MsgId;
use proctor_core::log::{Log, Role};
use proctor_core::trace::{DemandRecord, Found};
use proctor_core::truth::Fact;
use proctor_eval::matrix::{Summarizer, SummarizerName};
use proctor_eval::stats::share;

use super::reading::{each, is_applied};
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::row;

/// Sessions of several windows.
const SCENARIOS: [&str; 3] = ["ord-short-p2-t120", "turn-shape-p3-t120", "turn-shape-p5-t120"];
/// The strategies that are compared, the forgetful one first.
const PIPELINES: [&str; 2] = ["roadmap-code", "codex"];

pub(super) fn one_horizon(lab: &Laboratory) -> Result<Finding> {
    let mut rows = Rows::default();
    let mut older = Vec::new();
    for pipeline in PIPELINES {
        let (mut sessions, mut found) = (Vec::new(), [(0, 0); 2]);
        for scenario in SCENARIOS {
            let cells =
                lab.cells_under(scenario, pipeline, Summarizer::sound(SummarizerName::Perfect))?;
            sessions.extend(each(&cells, |cell| recall(&needs(cell))));
            for need in cells.iter().flat_map(|cell| needs(cell)) {
                let group = &mut found[usize::from(need.compactions >= 2)];
                group.0 += usize::from(need.present);
                group.1 += 1;
            }
        }
        let shares = found.map(|(present, all)| share(present, all).unwrap_or(f64::NAN));
        let [(_, recent), (_, old)] = found;
        rows.push(row![format!("`{pipeline}`"), recent, shares[0], old, shares[1]]);
        let what = format!("`{pipeline}`: recall of facts older than one compaction");
        older.push((Measured::mean(what, "", &sessions), old));
    }
    let [(forgets, forgotten), (keeps, kept)] = older.try_into().unwrap_or_else(|_| {
        // OK because there are two pipelines; nothing is decided without both.
        let none = || (Measured::mean("none", "", &[]), 0);
        [none(), none()]
    });
    let parts = if forgotten == 0 || kept == 0 {
        Vec::new()
    } else {
        vec![forgets.value == 0.0, keeps.is_above(0.0)]
    };
    Ok(Finding::of(&parts, vec![forgets, keeps]).with(rows))
}

/// A fact that was needed.
struct Need {
    /// Compactions since the fact was last said.
    compactions: usize,
    present: bool,
}

/// Needs of facts that no user ever said and no compaction could keep word for word.
fn needs(driven: &Driven) -> Vec<Need> {
    let truth = &driven.session.book.truth;
    let demands = driven.trace.demands.iter().filter(|demand| demand.found != Found::NotReached);
    demands
        .filter_map(|demand| need(driven, demand, truth.facts.get(demand.fact.0 as usize)?))
        .collect()
}

fn need(driven: &Driven, demand: &DemandRecord, fact: &Fact) -> Option<Need> {
    let (log, steps) = (&driven.session.log, &driven.session.steps);
    let asked = steps.get(demand.step as usize - 1)?.answer;
    let said: Vec<MsgId> = fact.mentions.iter().copied().filter(|id| *id < asked).collect();
    if said.iter().any(|id| log.message(*id).is_none_or(|message| message.role == Role::User)) {
        return None;
    }
    let last = *said.last()?;
    let since: Vec<u32> = driven
        .trace
        .compactions
        .iter()
        .filter(|one| is_applied(one) && one.step <= demand.step)
        .map(|one| one.step)
        .filter(|step| steps.get(*step as usize - 1).is_some_and(|step| step.answer > last))
        .collect();
    let first = steps.get(*since.first()? as usize - 1)?;
    is_over(log, last, first.answer).then_some(Need {
        compactions: since.len(),
        present: matches!(demand.found, Found::Present(_)),
    })
}

/// Whether the turn of a message had ended before a call was made.
fn is_over(log: &Log, message: MsgId, call: MsgId) -> bool {
    let between = log.messages.iter().filter(|one| one.id > message && one.id < call);
    between.into_iter().any(proctor_core::log::opens_turn)
}

/// The share present of what is older than one compaction.
fn recall(needs: &[Need]) -> Option<f64> {
    let own: Vec<&Need> = needs.iter().filter(|one| one.compactions >= 2).collect();
    let present = own.iter().filter(|one| one.present).count();
    share(present, own.len())
}
