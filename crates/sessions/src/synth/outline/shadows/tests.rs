use super::*;
use crate::synth::answer_key::{self, Record};
use crate::synth::outline::Arrival;
use crate::synth::plan::{BankName, WirePlan};
use crate::synth::script;

/// The plan of the smallest scenario, with these further keys.
pub(in crate::synth::outline) fn plan(keys: &str) -> SynthPlan {
    let text = include_str!("../../../../../../scenarios/smoke.toml");
    let text = text.replace("[session.synth]", &format!("[session.synth]\n{keys}"));
    let table: toml::Table = text.parse().expect("sound TOML");
    let plan: WirePlan = table["session"]["synth"].clone().try_into().expect("a sound table");
    plan.plan().expect("a sound plan")
}

fn outlines(check: impl Fn(&SynthPlan, &'static Bank, &Outline, Seed)) {
    let banks = [("a", BankName::A), ("b", BankName::B), ("c", BankName::C)];
    for (keys, name) in banks.map(|(key, name)| (format!("bank = \"{key}\""), name)) {
        let plan =
            plan(&format!("{keys}\nnear-duplicates = 0.3\nparaphrased = 0.4\nrejections = 0.1"));
        for seed in (0..3).map(Seed) {
            let bank = Bank::named(name);
            check(&plan, bank, &Outline::plan(&plan, bank, seed), seed);
        }
    }
}

#[test]
fn no_shadow_states_a_fact_and_the_truth_has_none() {
    outlines(|plan, bank, outline, seed| {
        let script = script::write(plan, bank, outline, seed);
        let log = Log { messages: script.messages, ..Log::new("shadows", "") };
        let asked = script.demands.len();
        let record = Record { born: script.born, demands: script.demands, arcs: script.arcs };
        let truth = answer_key::truth(&log, outline, record).expect("a sound session");
        let (shadows, facts): (Vec<&FactPlan>, Vec<&FactPlan>) =
            outline.facts.iter().partition(|plan| plan.shadow);
        assert_eq!(truth.facts.len(), facts.len());
        assert!(shadows.len() >= 10 * facts.len(), "{} {}", shadows.len(), facts.len());
        assert!(asked >= 8 * truth.demands.len(), "{asked} {}", truth.demands.len());
        let index = NeedleIndex::new(&truth.facts);
        for shadow in shadows {
            for template in shadow.form.templates() {
                let text = shadow.cast.fill(template);
                let held = index.search(&text);
                assert!(!held.iter().any(|held| held.subject()), "{text}");
            }
        }
    });
}

#[test]
fn nothing_that_is_told_shares_a_name_with_another() {
    const SLOTS: [&str; 9] =
        ["aspect", "path", "key", "command", "symbol", "test", "code", "thing", "value"];
    outlines(|_, _, outline, _| {
        let first = outline.facts.iter().filter(|plan| plan.arrival == Arrival::First);
        let mut seen = FxHashSet::default();
        for plan in first.chain(&outline.decoys) {
            for slot in SLOTS {
                let name = plan.cast.get(slot);
                assert!(seen.insert((slot, name.to_owned())), "{slot} {name}");
            }
        }
    });
}

/// Facts and shadows are mentioned as often, and by the same people.
#[test]
fn a_shadow_is_mentioned_as_often_as_a_fact() {
    let mut counts = [[0.0_f64; 3]; 2];
    let plan = plan("");
    for seed in (0..12).map(Seed) {
        let outline = Outline::plan(&plan, Bank::named(BankName::A), seed);
        for plan in &outline.facts {
            counts[usize::from(plan.shadow)][0] += 1.0;
        }
        for duty in outline.steps.iter().flat_map(|step| &step.duties) {
            let (place, fact) = match duty {
                Duty::Echo(fact) => (1, fact),
                Duty::Demand(fact) => (2, fact),
                Duty::Birth(_) | Duty::Sign(_) => continue,
            };
            counts[usize::from(outline.facts[*fact].shadow)][place] += 1.0;
        }
    }
    let [facts, shadows] = counts.map(|[all, echoes, demands]| [echoes / all, demands / all]);
    for (fact, shadow) in facts.into_iter().zip(shadows) {
        assert!(f64::abs(fact / shadow - 1.0) < 0.15, "{facts:?} {shadows:?}");
    }
}
