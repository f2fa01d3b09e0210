//! Facts are not told from what surrounds them by their shape: a classifier of shapes, taught on
//! other seeds, finds few facts among their shadows, and nearly all where there are none.

#![expect(clippy::print_stdout, reason = "the figures are what `--nocapture` is for")]

mod classifier;
mod look;

use std::collections::BTreeMap;

use proctor::ident::Seed;
use proctor::scenario::{Scenario, Session};
use rayon::prelude::*;

use classifier::{Sample, Stumps};
use look::Sight;

/// With the most that a classifier may find: in a played session a use leaves traces, and shadows are
/// never used.
const SCENARIOS: [(&str, f64); 4] =
    [("multi-goal-arcs", 0.12), ("long-coding", 0.12), ("mixed", 0.12), ("worked", 0.35)];

/// Seeds that the classifier is taught on; it is tried on another.
const TAUGHT: [u64; 3] = [11, 12, 13];
const TRIED: u64 = 1;

/// A shorter session of a scenario, with its own shadows or with none.
fn session(scenario: &str, shadowed: bool, seed: u64) -> Session {
    let shadows = if shadowed { "" } else { "shadows = 0" };
    let text = format!(
        "extends = \"{scenario}\"\nname = \"shapes\"\n[session.synth]\nturns = 45\n{shadows}"
    );
    Scenario::parse_all("shapes.toml", &text).unwrap()[0].session(Seed(seed)).unwrap()
}

fn samples(scenario: &str, shadowed: bool, seed: u64) -> Vec<Sample> {
    let Session { log, truth } = session(scenario, shadowed, seed);
    look::sights(&log, &truth).iter().map(Sight::sample).collect()
}

/// The share of facts among what the classifier ranks highest, at half of all facts.
fn precision(scenario: &str, shadowed: bool) -> f64 {
    let taught: Vec<Vec<Sample>> =
        TAUGHT.par_iter().map(|seed| samples(scenario, shadowed, *seed)).collect();
    let stumps = Stumps::taught(&taught.concat());
    stumps.precision(&samples(scenario, shadowed, TRIED), 0.5)
}

#[test]
fn no_classifier_of_shapes_finds_facts_among_their_shadows() {
    for (name, most) in SCENARIOS {
        let (now, before) = (precision(name, true), precision(name, false));
        println!("{name}: precision at half recall {now:.3}; without shadows {before:.3}");
        assert!(now < most, "{name}: {now}");
        assert!(before > 0.5, "{name}: without shadows {before}");
    }
}

#[test]
fn every_shape_has_ten_distractors_for_each_needle_in_the_same_places() {
    let mut counts: BTreeMap<(&str, &str, String), [usize; 2]> = BTreeMap::new();
    let all = SCENARIOS.iter().flat_map(|(name, _)| TAUGHT.map(|seed| session(name, true, seed)));
    for Session { log, truth } in all {
        for sight in look::sights(&log, &truth) {
            let place = (sight.shape, sight.place, sight.dialect);
            counts.entry(place).or_default()[usize::from(sight.is_needle)] += 1;
        }
    }
    assert!(counts.len() >= 20, "{counts:?}");
    let mut places: BTreeMap<(&str, &str), [usize; 2]> = BTreeMap::new();
    for ((shape, place, dialect), [distractors, needles]) in &counts {
        // Which line says what is drawn for each: a few more or less are chance.
        assert!(distractors + 40 >= 10 * needles, "{shape} {place} `{dialect}`: {counts:?}");
        let all = places.entry((shape, place)).or_default();
        *all = [all[0] + distractors, all[1] + needles];
    }
    for ((shape, place), [distractors, needles]) in places {
        println!("{shape}, {place}: {distractors} distractors, {needles} needles");
        assert!(distractors >= 10 * needles, "{shape} {place}: {distractors} for {needles}");
    }
}
