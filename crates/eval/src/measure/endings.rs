//! Runs that are cut short: no figure that says what is known gains by an earlier end, and no floor
//! lies above its view.

use proptest::prelude::*;

use super::sample::{WINDOW, checkpoint, compaction, demand, measured, on, session, step, trace};
use super::*;
use crate::ident::FactId;
use crate::testkit::needed;
use crate::token::Tokenizer;
use crate::trace::{DemandRecord, FactRecord, Found, StepRecord};
use crate::truth::{FactKind, Truth};

const STEPS: usize = 6;
const FACTS: usize = 5;

/// What the views of the sample session held: by step, and at it by fact.
type Held = [[bool; FACTS]; STEPS];

/// Needs of a fact at a step, and how far away in tokens it was last mentioned.
type Needs = Vec<(usize, usize, u64)>;

/// The sample session, in which every fact is needed at the last step.
fn needing() -> Session {
    let Session { log, book, .. } = session();
    let demands = (0..FACTS as u32).map(|fact| needed(fact, 11)).collect();
    let truth = Truth { demands, ..book.truth.clone() };
    Session::new(log, truth, [Tokenizer::Chars4])
}

fn found(held: &Held, fact: usize, step: usize) -> Found {
    if held[step][fact] { Found::Present(0) } else { Found::Absent }
}

/// The cell as it stands when it ends behind so many steps.
fn ended(session: &Session, held: &Held, needs: &Needs, steps: usize) -> Trace {
    let (book, all) = (&session.book, 0..FACTS as u32);
    let live = |step: usize| all.clone().filter(move |fact| book.is_live(FactId(*fact), step));
    let call = |number: usize| StepRecord {
        live: live(number).count() as u32,
        present: live(number).filter(|fact| held[number][*fact as usize]).count() as u32,
        ..step(number as u32 + 1, 100)
    };
    let last = |fact: u32| match steps.checked_sub(1) {
        Some(step) if book.is_born(FactId(fact), steps) => found(held, fact as usize, step),
        _ => Found::NotReached,
    };
    let need = |(fact, at, distance): &(usize, usize, u64)| {
        let reached = *at < steps;
        DemandRecord {
            step: *at as u32 + 1,
            kind: book.truth.facts[*fact].kind,
            needles: reached.then_some(0),
            ..demand(
                *fact as u32,
                *distance,
                if reached { found(held, *fact, *at) } else { Found::NotReached },
            )
        }
    };
    Trace {
        ended_by: if steps == STEPS { EndedBy::Completed } else { EndedBy::Overflow },
        steps: (0..steps).map(call).collect(),
        demands: needs.iter().map(need).collect(),
        facts: all
            .clone()
            .map(|fact| FactRecord { fact: FactId(fact), found: last(fact) })
            .collect(),
        ..trace()
    }
}

/// Every figure of a cell that says what is known or how far it came; all are better higher.
fn known() -> Vec<MetricId> {
    let named = [
        MetricId::Completion,
        MetricId::StepsReached,
        MetricId::GoalsFinished,
        MetricId::RecallAtNeed,
        MetricId::RecallAtNeedUnder025,
        MetricId::RecallAtNeedUnder1,
        MetricId::RecallIrreplaceable,
        MetricId::RecallAtNeedFrom05,
        MetricId::RecallAtNeedFrom1,
        MetricId::RecallAtNeedFrom2,
        MetricId::RecallAtNeedFrom4,
        MetricId::RecallAll,
        MetricId::RecallMean,
        MetricId::DirectionRetained,
        MetricId::ConstraintRetained,
        MetricId::DeadEndRetained,
        MetricId::RetentionAll,
        MetricId::UpdateResolved,
    ];
    named.into_iter().chain(FactKind::ALL.map(MetricId::retention)).collect()
}

fn needs() -> impl Strategy<Value = Needs> {
    let distance = prop::sample::select(vec![600_u64, 1_500, 3_000, 9_000]);
    prop::collection::vec((0..FACTS, 0..STEPS, distance), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn who_ends_earlier_is_never_better(held: Held, needs in needs()) {
        let session = needing();
        let figures = |steps| on(&session, &ended(&session, &held, &needs, steps), WINDOW, measure);
        let ends: Vec<Measurement> = (0..=STEPS).map(figures).collect();
        for (metric, pair) in known().into_iter().flat_map(|metric| {
            ends.windows(2).map(move |pair| (metric, pair))
        }) {
            let [earlier, later] = [&pair[0], &pair[1]].map(|one| one.number(metric));
            let better = earlier.is_some() && (later.is_none() || earlier > later);
            prop_assert!(!better, "{metric}: {earlier:?} before {later:?}");
        }
    }

    #[test]
    fn no_floor_exceeds_its_view(
        rounds in prop::collection::vec((1_u64..1_000, 0_u32..=10), 2..6),
        left in 1_u64..1_000,
    ) {
        let mut trace = trace();
        trace.checkpoints = vec![checkpoint(1, 2, &rounds)];
        trace.compactions = vec![compaction(1, 1_000, left)];
        let found = measured(&trace);
        let view = rounds[0].0 as f64;
        let [one_pass, forced] = [MetricId::FloorOnePass, MetricId::FloorForced]
            .map(|metric| found.number(metric).expect("it was probed"));
        prop_assert!(forced <= one_pass && one_pass <= view, "{forced}, {one_pass}, {view}");
        prop_assert_eq!(found.number(MetricId::FloorLowWater), Some(left as f64));
        let least = rounds.iter().find(|round| round.0 as f64 == forced).expect("a round");
        let recall = f64::from(least.1) / 10.0;
        prop_assert_eq!(found.number(MetricId::FloorForcedRecall), Some(recall));
    }
}
