//! How much of what synthesis planted the extractor finds.

#[path = "../crates/sessions/tests/extraction/score.rs"]
mod score;

use self::score::{ARTIFACTS, Score, without_polarity};
use proctor::extract::extract;
use proctor::ident::{FactId, Seed};
use proctor::scenario::Scenario;
use proctor::truth::{Fact, NeedleIndex};

/// Scenarios of the default suite. Precision is shown for stated kinds alone: a
/// synthetic listing is full of true paths and symbols that nobody planted.
#[test]
fn planted_facts_are_found() {
    let mut total = Score::default();
    for name in ["multi-goal-arcs", "dense", "short-turns", "long-turns", "standing-constraints"] {
        // Without shadows: what is told besides the facts would count as found by mistake.
        let scenario = Scenario::of_suite("proctor-1", name).expect("an embedded scenario");
        let session = scenario.session(Seed(1)).expect("a sound session");
        let truth = extract(&session.log);
        total.add(&against_planted(&truth.facts, &session.truth.facts));
    }
    insta::assert_snapshot!("planted", total.table(&ARTIFACTS));
}

/// Judges facts by planted ones: two match where they are of one kind and the
/// statement of either holds all needles of the other.
fn against_planted(facts: &[Fact], planted: &[Fact]) -> Score {
    let (facts, planted) = (without_polarity(facts), without_polarity(planted));
    let (in_facts, in_planted) = (NeedleIndex::new(&facts), NeedleIndex::new(&planted));
    let mut score = Score::default();
    let (mut right, mut found) = (vec![false; facts.len()], vec![false; planted.len()]);
    let mut meet = |fact: FactId, plant: FactId| {
        if facts[fact.index()].kind == planted[plant.index()].kind {
            right[fact.index()] = true;
            found[plant.index()] = true;
        }
    };
    for plant in &planted {
        let held = in_facts.search(&plant.statement).into_iter().filter(|held| held.present());
        held.for_each(|held| meet(held.fact, plant.id));
    }
    for fact in &facts {
        let held = in_planted.search(&fact.statement).into_iter().filter(|held| held.present());
        held.for_each(|held| meet(fact.id, held.fact));
    }
    for (plant, found) in planted.iter().zip(found) {
        let count = score.count(plant.kind);
        count.labels += 1;
        count.found += usize::from(found);
    }
    for (fact, right) in facts.iter().zip(right) {
        let count = score.count(fact.kind);
        count.given += 1;
        count.right += usize::from(right);
    }
    score
}
