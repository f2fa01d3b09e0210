//! What counts as a change: exact series at once, across no change of inputs.

use proctor::gate::Policy;
use proctor::history::mark::marks;
use proctor::history::series::assemble;
use proctor::history::{Night, State, change, findings};
use proctor::ident::Digest;

use crate::nightly::simulated::Plan;

fn offline(nights: usize) -> Plan {
    Plan { noise: 0.0, ..Plan::plausible(nights) }
}

fn found(nights: &[Night]) -> Vec<proctor::history::Finding> {
    findings(&assemble(nights), nights.len() - 1, &Policy::embedded().expect("a policy"))
}

#[test]
fn nights_that_repeat_show_nothing_and_a_change_beyond_its_margin_is_announced_at_once() {
    let same = offline(40).write(|_, _, _| 1.0);
    assert!(found(&same).is_empty());
    let one = offline(40).write(|night, configuration, metric| match (configuration, metric) {
        ("cline", "cost.usd") if night == 39 => 1.06,
        _ => 1.0,
    });
    let found = found(&one);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].night, found[0].is_new, found[0].better), (39, true, Some(false)));
    assert_eq!((found[0].is_exact, found[0].scenarios().count()), (true, 3));
    let changes = change::changes(&one[38], &one[39]);
    assert_eq!((changes.moved.len(), changes.compared, changes.same), (1, 48, 47));
}

#[test]
fn nothing_is_compared_across_other_inputs_prices_or_definitions() {
    let level = |night: usize, _: &str, _: &str| if night >= 20 { 1.2 } else { 1.0 };
    let plain = offline(40).write(level);
    assert!(!found(&plain).is_empty());
    let after = |change: &dyn Fn(&mut Night)| {
        let mut nights = offline(40).write(level);
        nights[20..].iter_mut().for_each(change);
        nights
    };
    let scenarios = ["long-coding", "mixed", "stale-values"];
    let inputs = after(&|night| {
        for name in scenarios {
            night.inputs.insert(name.to_owned(), Digest::of(b"other"));
        }
    });
    assert!(found(&inputs).is_empty());
    assert_eq!(marks(&inputs).iter().filter(|mark| mark.night == 20).count(), 3);
    assert_eq!(change::changes(&inputs[19], &inputs[20]).compared, 0);
    assert!(found(&after(&|night| night.tokenizer = "other".to_owned())).is_empty());
    let prices = found(&after(&|night| night.prices = Digest::of(b"other")));
    assert!(!prices.is_empty() && prices.iter().all(|one| !one.key.metric.starts_with("cost.")));
    let version = after(&|night| {
        night.metrics.insert("recall_at_need".to_owned(), 2);
    });
    assert!(found(&version).iter().all(|one| one.key.metric != "recall_at_need"));
    // One scenario's inputs leave the others comparable.
    let one = after(&|night| {
        night.inputs.insert("mixed".to_owned(), Digest::of(b"other"));
    });
    let found = found(&one);
    assert!(!found.is_empty());
    assert!(
        found.iter().all(|one| one.key.scenario.as_deref().is_some_and(|name| name != "mixed"))
    );
}

#[test]
fn a_change_below_its_margin_is_told_and_many_of_them_are_announced() {
    let small = offline(40).write(|night, configuration, metric| match (configuration, metric) {
        ("cline", "cost.usd") if night >= 30 => 1.000_13,
        _ => 1.0,
    });
    let told = found(&small);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((&told[0].state, told[0].stands, told[0].night), (&State::Small, false, 30));
    // Two per cent a night: the third is beyond five per cent of the first.
    let many = offline(40).write(|night, configuration, metric| match (configuration, metric) {
        ("cline", "cost.usd") if night >= 30 => 1.0 + 0.02 * (night - 29).min(3) as f64,
        _ => 1.0,
    });
    let found = found(&many);
    let announced: Vec<_> = found.iter().filter(|one| one.is_announced()).collect();
    assert_eq!((found.len(), announced.len()), (3, 1), "{found:?}");
    assert_eq!((announced[0].night, announced[0].stands), (32, true));
    assert!((announced[0].to / announced[0].from - 1.06).abs() < 1e-6, "{announced:?}");
}

#[test]
fn a_new_change_is_new_on_the_first_night_that_shows_it_and_then_no_more() {
    let nights = Plan::plausible(40).write(|night, configuration, metric| {
        if (configuration, metric) == ("codex", "recall.mean") && night >= 25 { 0.85 } else { 1.0 }
    });
    let news = |night: usize| {
        let found = found(&nights[..=night]);
        found.iter().filter(|one| one.is_new && one.key.configuration == "codex").count()
    };
    let first: Vec<usize> = (24..40).filter(|night| news(*night) > 0).collect();
    assert!(first.len() == 1 && (27..=30).contains(&first[0]), "{first:?}");
}
