//! How often a change is announced where there is none, and how soon where there is one: on
//! simulated histories from fixed seeds. `cargo bench --bench nights` has more of them.

use proctor::gate::Policy;
use proctor::history::{Finding, assemble, findings};

use crate::nightly::simulated::{Noise, Plan};

const HISTORIES: u64 = 10;
const NIGHTS: usize = 40;

fn plan(seed: u64, kind: Noise) -> Plan {
    Plan { seed, kind, is_all_noisy: true, ..Plan::plausible(NIGHTS) }
}

fn found(plan: &Plan, level: impl Fn(usize, &str, &str) -> f64) -> Vec<Finding> {
    let nights = plan.write(level);
    findings(&assemble(&nights), nights.len() - 1, &Policy::embedded().expect("a policy"))
}

#[test]
fn nothing_is_announced_of_nights_without_a_change_more_than_once_in_a_hundred() {
    for kind in [
        Noise::Independent,
        Noise::Heavy,
        Noise::HeavyNights,
        Noise::Following(0.3),
        Noise::Following(0.6),
        Noise::Shared(0.0),
        Noise::Shared(0.3),
    ] {
        let announced: usize =
            (0..HISTORIES).map(|seed| found(&plan(seed, kind), |_, _, _| 1.0).len()).sum();
        let nights = HISTORIES as usize * NIGHTS;
        assert!(announced * 100 <= nights, "{kind:?}: {announced} in {nights} nights");
    }
}

/// The nights from a change to its announcement, of each history.
fn delays(kind: Noise, at: usize, factor: impl Fn(usize) -> f64) -> Vec<Option<usize>> {
    let changed = |night: usize, configuration: &str, metric: &str| {
        let is_own = (configuration, metric) == ("codex", "recall_at_need") && night >= at;
        if is_own { factor(night - at + 1) } else { 1.0 }
    };
    let delay = |seed| {
        let found = found(&plan(seed, kind), changed);
        let own = found.iter().filter(|one| {
            let key = &one.key;
            one.made >= at
                && one.better == Some(false)
                && (key.configuration.as_str(), key.metric.as_str()) == ("codex", "recall_at_need")
        });
        own.map(|one| one.made + 1 - at).min()
    };
    (0..HISTORIES).map(delay).collect()
}

#[test]
fn steps_and_slow_drifts_are_announced_while_they_are_of_use() {
    let found = |delays: &[Option<usize>], within: usize| {
        delays.iter().flatten().filter(|delay| **delay <= within).count()
    };
    for kind in [Noise::Independent, Noise::Heavy, Noise::Following(0.3)] {
        let large = delays(kind, 20, |_| 0.90);
        assert_eq!(found(&large, 6), 10, "{kind:?}: {large:?}");
        let middle = delays(kind, 20, |_| 0.96);
        assert!(found(&middle, 15) >= 9, "{kind:?}: {middle:?}");
    }
    for kind in [Noise::Independent, Noise::Heavy] {
        let small = delays(kind, 20, |_| 0.98);
        assert!(found(&small, 20) >= 8, "{kind:?}: {small:?}");
        let drift = delays(kind, 10, |night| 1.0 - 0.001 * night as f64);
        assert!(found(&drift, 30) >= 8, "{kind:?}: {drift:?}");
    }
}

#[test]
fn what_a_night_announced_later_nights_leave_as_it_is() {
    let plan = plan(3, Noise::Following(0.3));
    let nights = plan.write(|night, configuration, _| match configuration {
        "codex" if night >= 20 => 0.92,
        "cline" if night >= 14 => 1.0 + 0.01 * (night - 13) as f64,
        _ => 1.0,
    });
    let policy = Policy::embedded().expect("a policy");
    let all = |count: usize| {
        let found = findings(&assemble(&nights[..count]), count - 1, &policy);
        let flat = found.into_iter().flat_map(|one| {
            let parts = one.parts.clone();
            std::iter::once(one).chain(parts)
        });
        // Those over all scenarios bear the night on which their first part was found.
        let told = |one: Finding| {
            let made = one.key.scenario.is_some().then_some(one.made);
            format!("{:?} {} {made:?} {} {}", one.key, one.night, one.from, one.to)
        };
        let mut flat: Vec<String> = flat.map(told).collect();
        flat.sort();
        flat
    };
    let last = all(NIGHTS);
    assert!(last.len() > 10, "{last:?}");
    for count in [25, 30, 35] {
        assert!(all(count).iter().all(|one| last.contains(one)), "{count}");
    }
}
