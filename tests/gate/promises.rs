//! The rates of wrong verdicts that METHODOLOGY promises of the shipped policy, on a smaller pool.

use proctor::gate::{Baseline, Policy, Verdict};
use proctor::measure::MetricId;
use proctor::strategy::shipped;
use proctor::summarize::own::Summarizers;

use super::planted::{Forgetful, changes};
use super::power::{PIPELINE, Pool, Shares, Sides, change, scenarios};

/// Three scenarios, five sessions of each: the bench has all eight and twice as many.
#[test]
fn gates_on_the_shipped_suite_err_as_seldom_as_they_promise() {
    let work = crate::harness::work();
    let policy = Policy::embedded().expect("it ships");
    let named = ["gate-near", "gate-rules", "gate-dead-ends"].map(str::to_owned);
    assert!(named.iter().all(|one| scenarios().contains(one)));
    let mut registry = shipped().clone();
    let (_, smaller) = changes(&mut registry).remove(3);
    let smaller = smaller.replace("name = \"forge-adr\"", "name = \"smaller\"");
    registry.add_pipeline("smaller", &smaller);
    let forgetful = "own-forgetful";
    let name = forgetful.parse().expect("a name");
    let pool = Pool {
        scenarios: &named,
        seeds: 5,
        registry: &registry,
        summarizers: Summarizers::default().with(name, |_| Box::new(Forgetful(1))),
        policy: &policy,
        folder: work.path(),
    };
    let says = |name: &str, before: &Baseline, after: &Baseline| {
        let is_same = name == "another draw";
        let sides = if is_same { Sides::ByLot } else { Sides::AsDriven };
        let shares = Shares::of([before, after], sides, &policy, 400);
        let points = 100.0 * change(before, after, MetricId::RecallAtNeed);
        println!("{name}: {points:+.1} points of recall: {}", shares.cells());
        shares
    };
    let red = [Verdict::Regression, Verdict::CompletionFell, Verdict::InvariantViolated];

    let [before, same] = pool.draws("perfect~0.3");
    let shares = says("another draw", &before, &same);
    assert!(shares.share(&red) <= 0.02 && shares.green() >= 0.98);
    let [_, worse] = pool.draws("perfect~0.5");
    let shares = says("a fifth less", &before, &worse.summarized_by("perfect~0.3"));
    assert!(shares.share(&red) >= 0.9);

    let more = "summarizer = \"extractive\"\nbrackets = [\"perfect\"]\n";
    let sides = pool.pipelines("changes", &[PIPELINE, "smaller"], more);
    let shares = says("nothing changed", &sides[0], &sides[0]);
    assert!(shares.share(&[Verdict::PassIdentical]) >= 1.0);
    let shares = says("budgets a quarter smaller", &sides[0], &sides[1]);
    assert!(shares.share(&[Verdict::PassIdentical]) <= 0.0);
    let more = more.replace("extractive", forgetful);
    let after = pool.pipelines(forgetful, &[PIPELINE], &more).remove(0);
    let shares = says("no rules", &sides[0], &after.summarized_by("extractive"));
    assert!(shares.share(&red) >= 0.9);
}
