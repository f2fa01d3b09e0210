//! Summaries and strategies that please a search and mislead a reader, or tell it nothing. They were
//! written by two people who had not seen the check (`reports/readings/cheats/REPORT.md`).

mod lists;
mod material;
mod own;
mod written;

use proctor::ident::Seed;
use proctor::measure::MetricId;
use proctor::run_dir::read::RunData;
use proctor::scenario::EMBEDDED;
use proctor::strategy::{Registry, shipped};
use proctor::summarize::Ask;
use proctor::summarize::simple::Null;

use super::held::{driven_on, judged, sound};

/// As few as tell a cheat from its honest twin.
const SESSIONS: u32 = 2;
/// How much truer the claims of the honest twin are, at least, where a cheat recalls something.
const LEAST_APART: f64 = 0.05;
/// A message of the strategy's own takes back what stands in others: this is not found.
const NOT_FOUND: &str = "s5 revoker";

fn mean(run: &RunData, metric: MetricId) -> f64 {
    let values: Vec<f64> =
        run.measurements.iter().filter_map(|cell| cell.figures.number(metric)).collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn driven(
    registry: &Registry,
    sessions: u32,
    writer: impl Fn() -> Box<dyn Ask + Send> + Send + Sync + 'static,
) -> RunData {
    let (_, text) = EMBEDDED.iter().find(|(name, _)| *name == "smoke").expect("it ships");
    driven_on(text, &["forge-adr"], sessions, registry, move |_| writer())
}

fn honest(sessions: u32) -> RunData {
    driven(shipped(), sessions, || sound(Seed(0)))
}

/// By name, the runs of strategies that cheat, under the shipped summarizer.
fn strategies(sessions: u32) -> impl Iterator<Item = (&'static str, RunData)> {
    own::strategies().into_iter().map(move |(name, text, add)| {
        let mut registry = shipped().clone();
        add(&mut registry);
        registry.add_pipeline("forge-adr", text);
        (name, driven(&registry, sessions, || sound(Seed(0))))
    })
}

fn is_honest(name: &str) -> bool {
    name.contains("honest")
}

/// None comes to half of what `extractive` gains over `empty` unless few of its claims are true.
#[test]
fn no_cheat_is_taken_for_knowledge() {
    let need = |run: &RunData| mean(run, MetricId::RecallAtNeed);
    let empty = need(&driven(shipped(), SESSIONS, || Box::new(Null {})));
    let bar = empty + (need(&honest(SESSIONS)) - empty) / 2.0;
    let precision = |run: &RunData| mean(run, MetricId::SummaryPrecision);
    let (mut twin, mut wrong) = (f64::NAN, Vec::new());
    let written = written::SUMMARIZERS.iter();
    let runs = written.map(|(name, make)| (*name, driven(shipped(), SESSIONS, make)));
    for (name, run) in runs.chain(strategies(SESSIONS)) {
        let (recall, so) = (need(&run), precision(&run));
        let says =
            format!("{name}: recall {recall:.2}, precision {so:.2}; bar {bar:.2}, {twin:.2}");
        if name.starts_with("plain") {
            twin = so;
            assert!(recall > bar, "the cheats would hold something: {says}");
        }
        let breaks = mean(&run, MetricId::ViolationsFreshResultHidden)
            + mean(&run, MetricId::ViolationsOrphanResult);
        let is_caught = recall <= bar || so < twin - LEAST_APART || breaks > 1.0;
        if !is_caught && !is_honest(name) && name != NOT_FOUND {
            wrong.push(says);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// One of each sort, over as many sessions as a gate needs, beside two honest twins.
#[test]
fn the_gate_fails_cheats_of_each_sort_and_passes_their_honest_twins() {
    const ENOUGH: u32 = 8;
    let before = honest(ENOUGH);
    let sorts = ["plain", "w01", "n01", "n08", "w02", "x10", "f01"];
    let written = written::SUMMARIZERS.iter();
    let chosen = written.filter(|(name, _)| sorts.iter().any(|sort| name.starts_with(sort)));
    for (name, make) in chosen {
        let judgement = judged(&before, &driven(shipped(), ENOUGH, make));
        let expected: &[u8] = if is_honest(name) { &[0] } else { &[20, 25] };
        assert!(expected.contains(&judgement.exit_code), "{name}: {}", judgement.exit_code);
    }
}
