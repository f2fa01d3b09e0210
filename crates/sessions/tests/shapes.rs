//! Facts are not told from what surrounds them by their shape: a classifier of shapes, taught on
//! other seeds, finds few facts among their shadows, and nearly all where there are none.

#![expect(clippy::print_stdout, reason = "the figures are what `--nocapture` is for")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "shapes/classifier.rs"]
mod classifier;
#[path = "shapes/look.rs"]
mod look;

use std::collections::BTreeMap;

use proctor_core::ident::Seed;
use proctor_core::log::Log;
use proctor_core::truth::Truth;
use proctor_sessions::synth::{WirePlan, synthesize};
use rayon::prelude::*;

use classifier::{Sample, Stumps};
use look::Sight;

const SCENARIOS: [(&str, &str); 3] = [
    ("multi-goal-arcs", include_str!("../../../scenarios/multi-goal-arcs.toml")),
    ("long-coding", include_str!("../../../scenarios/long-coding.toml")),
    ("mixed", include_str!("../../../scenarios/mixed.toml")),
];

/// Seeds that the classifier is taught on; it is tried on another.
const TAUGHT: [u64; 3] = [11, 12, 13];
const TRIED: u64 = 1;

/// A shorter session of a scenario, with its own shadows or with none.
fn session(text: &str, shadowed: bool, seed: u64) -> (Log, Truth) {
    let mut table: toml::Table = text.parse().unwrap();
    let synth = table["session"]["synth"].as_table_mut().unwrap();
    synth.insert("turns".to_owned(), 45.into());
    if !shadowed {
        synth.insert("shadows".to_owned(), 0.into());
    }
    let plan: WirePlan = table.remove("session").unwrap()["synth"].clone().try_into().unwrap();
    synthesize(&plan.plan().unwrap(), "shapes", Seed(seed)).unwrap()
}

fn samples(text: &str, shadowed: bool, seed: u64) -> Vec<Sample> {
    let (log, truth) = session(text, shadowed, seed);
    look::sights(&log, &truth).iter().map(Sight::sample).collect()
}

/// The share of facts among what the classifier ranks highest, at half of all facts.
fn precision(text: &str, shadowed: bool) -> f64 {
    let taught: Vec<Vec<Sample>> =
        TAUGHT.par_iter().map(|seed| samples(text, shadowed, *seed)).collect();
    let stumps = Stumps::taught(&taught.concat());
    stumps.precision(&samples(text, shadowed, TRIED), 0.5)
}

#[test]
fn no_classifier_of_shapes_finds_facts_among_their_shadows() {
    for (name, text) in SCENARIOS {
        let (now, before) = (precision(text, true), precision(text, false));
        println!("{name}: precision at half recall {now:.3}; without shadows {before:.3}");
        assert!(now < 0.12, "{name}: {now}");
        assert!(before > 0.5, "{name}: without shadows {before}");
    }
}

#[test]
fn every_shape_has_ten_distractors_for_each_needle_in_the_same_places() {
    let mut counts: BTreeMap<(&str, &str, String), [usize; 2]> = BTreeMap::new();
    for (_, text) in SCENARIOS {
        let (log, truth) = session(text, true, TRIED);
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
