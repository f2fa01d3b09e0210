use super::*;
use crate::synth::answer_key::{self, Record};
use crate::synth::fill::sentence;
use crate::synth::outline::shadows::tests::plan;
use crate::synth::plan::BankName;
use crate::synth::script;

/// What stands in the arguments of a message's calls.
fn arguments(message: &Message) -> String {
    let args = message.calls.iter().map(|call| call.args.to_string());
    // As a shell or an editor gets them.
    args.map(|args| args.replace("\\n", "\n").replace("\\\"", "\"")).collect::<Vec<_>>().join("\n")
}

#[test]
fn whatever_is_needed_was_called_for_and_stands_in_the_call() {
    let mut needs = 0;
    for (name, bank) in BankName::ALL.into_iter().zip(["a", "b", "c", "operations", "analysis"]) {
        let plan = plan(&format!(
            "bank = \"{bank}\"\nworld = true\nfile-tokens = {{ min = 100, max = 400 }}\nrejections = 0.1"
        ));
        for seed in (0..20).map(Seed) {
            let outline = Outline::plan(&plan, Bank::named(name), seed);
            let script = script::write(&plan, Bank::named(name), &outline, seed);
            let log = Log { messages: script.messages, ..Log::new("uses", "") };
            for &(number, at) in &script.demands {
                let fact = &outline.facts[number];
                assert!(!fact.shadow);
                let args = arguments(&log.messages[at.index()]);
                let needles = fact.form.needles(&fact.cast);
                let named = Fact::new(FactId(0), fact.form.kind, "", needles);
                let held = NeedleIndex::new(std::slice::from_ref(&named)).search(&args);
                let found = held.first().map_or(0, |held| held.found as usize);
                assert_eq!(found, named.needles.len(), "{args}");
                // What came since the call before: the request, or the result that calls for it.
                let before = log.messages[..at.index()].iter().rev();
                let fresh = before.take_while(|message| message.role != Role::Assistant);
                let fresh: Vec<String> = fresh.map(|message| message.content.to_string()).collect();
                let (fresh, form) = (fresh.join("\n"), fact.form);
                let calls_for_it = |step: usize| {
                    let cast = outline.used(number, step);
                    let signs = form.signs.iter().map(|(_, line)| cast.fill(line));
                    let asks = form.asking().iter().map(|line| sentence(&cast.fill(line)));
                    // A build says it of a line that is there.
                    let text = |line: &str| line.splitn(3, ':').nth(2).map(str::to_owned);
                    signs.chain(asks).any(|line| {
                        fresh.contains(&line)
                            || text(&line).is_some_and(|text| fresh.contains(&text))
                    })
                };
                assert!((0..outline.steps.len()).any(calls_for_it), "{fresh}");
                needs += 1;
            }
            let record = Record { born: script.born, demands: script.demands, arcs: script.arcs };
            answer_key::truth(&log, &outline, record).expect("a sound session");
        }
    }
    assert!(needs >= 30, "{needs}");
}

#[test]
fn what_is_told_beside_facts_is_spread_over_the_session() {
    let outline =
        Outline::plan(&plan("world = true\nfile-tokens = 100"), Bank::named(BankName::A), Seed(1));
    let goals = |shadow: bool| {
        let plans = outline.facts.iter().filter(|plan| plan.shadow == shadow);
        plans.map(|plan| plan.goal).collect::<BTreeSet<usize>>().len()
    };
    assert_eq!(goals(true), outline.goals.len());
    assert!(outline.facts.iter().filter(|plan| plan.shadow).count() >= 8 * goals(false));
}
