//! The rates of wrong verdicts that METHODOLOGY promises of the shipped policy, on a smaller pool.

use proctor::gate::{Baseline, Policy, Verdict};
use proctor::measure::MetricId;
use proctor::run::Kept;
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
        kept: Kept::default(),
        folder: work.path(),
    };
    let judged = |before: &Baseline, after: &Baseline, sides: Sides| {
        Shares::of([before, after], sides, &policy, 400)
    };
    let red = [Verdict::Regression, Verdict::CompletionFell, Verdict::InvariantViolated];

    let [before, same] = pool.draws("perfect~0.3");
    let shares = judged(&before, &same, Sides::ByLot);
    let fails = shares.share(&red);
    assert!(fails <= 0.02 && shares.green() >= 0.98, "another draw: {}", shares.cells());
    let [_, worse] = pool.draws("perfect~0.5");
    let worse = worse.summarized_by("perfect~0.3");
    let lost = change(&before, &worse, MetricId::RecallAtNeed);
    let shares = judged(&before, &worse, Sides::AsDriven);
    assert!(lost < -0.1 && shares.share(&red) >= 0.9, "{lost} of recall: {}", shares.cells());

    let more = "summarizer = \"extractive\"\nbrackets = [\"perfect\"]\n";
    let sides = pool.pipelines("changes", &[PIPELINE, "smaller"], more);
    let shares = judged(&sides[0], &sides[0], Sides::AsDriven);
    assert!(shares.share(&[Verdict::PassIdentical]) >= 1.0, "no change: {}", shares.cells());
    let shares = judged(&sides[0], &sides[1], Sides::AsDriven);
    assert!(shares.share(&[Verdict::PassIdentical]) <= 0.0, "smaller: {}", shares.cells());
    let more = more.replace("extractive", forgetful);
    let after = pool.pipelines(forgetful, &[PIPELINE], &more).remove(0);
    let shares = judged(&sides[0], &after.summarized_by("extractive"), Sides::AsDriven);
    assert!(shares.share(&[Verdict::PassIdentical]) <= 0.0, "no rules: {}", shares.cells());
}
