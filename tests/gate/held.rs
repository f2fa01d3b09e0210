//! What the shipped policy holds of every configuration, a user's own too: strategies and
//! summarizers that a gate must not let pass, each as the candidate's version of what the
//! baseline has.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use proctor::gate::{Baseline, Finding, Judgement, Policy, Verdict, judge, render};
use proctor::ident::Seed;
use proctor::matrix::Suite;
use proctor::measure::MetricId;
use proctor::plan::{Decision, Layout, Plan as Next, Slot};
use proctor::run::{self, Kept, Options, Plan, Silent};
use proctor::run_dir::Stories;
use proctor::run_dir::read::RunData;
use proctor::scenario::{EMBEDDED, Scenario};
use proctor::strategy::{PlanContext, Registry, Strategy, shipped};

use super::planted::headless;
use proctor::summarize::extractive::Extractive;
use proctor::summarize::own::Summarizers;
use proctor::summarize::{Ask, Offline, Prompt};
use proctor::unit::Tokens;
use proctor::view::View;
use serde::{Deserialize, Serialize};

use crate::harness::{proctor, work};

/// `smoke` with more of the kinds that these tests are about, most of them replaced, and without
/// shadows, so that a few sessions tell.
const KINDS: &str = "\n[session.synth.kinds]\nvalue = 10\nconstraint = 5\nsafety-rule = 3\n\
                     dead-end = 6\ndirection = 2\npath = 2\n";

const WRITER: &str = "own-writer";

/// Drives pipelines on sessions of `smoke` with more of some kinds.
/// Many runs here drive the same few sessions.
static KEPT: LazyLock<Kept> = LazyLock::new(Kept::default);

fn driven(
    pipelines: &[&str],
    sessions: u32,
    registry: &Registry,
    writer: fn(Seed) -> Box<dyn Ask + Send>,
) -> RunData {
    let (_, text) = EMBEDDED.iter().find(|(name, _)| *name == "smoke").expect("it ships");
    let text = text.replace("restated = 0.4", "restated = 0.8");
    let text = text.replace("shadows = 12", "shadows = 0") + KINDS;
    driven_on(&text, pipelines, sessions, registry, writer)
}

/// Drives pipelines on sessions of a scenario, without the control and the floor probe.
pub(super) fn driven_on(
    scenario: &str,
    pipelines: &[&str],
    sessions: u32,
    registry: &Registry,
    writer: impl Fn(Seed) -> Box<dyn Ask + Send> + Send + Sync + 'static,
) -> RunData {
    let seeds: Vec<u32> = (1..=sessions).collect();
    let suite = format!(
        "name = \"held\"\nabout = \"\"\nscenarios = [\"smoke\"]\npipelines = {pipelines:?}\n\
         seeds = {seeds:?}\nsummarizer = \"{WRITER}\"\nprobes = false\n"
    );
    let scenarios = Scenario::parse_all("smoke.toml", scenario);
    let suite = Suite::parse("held.toml", &suite).expect("it parses");
    let plan = Plan::new(registry, suite, scenarios.expect("they parse"), "held".to_owned());
    let summarizers = Summarizers::default().with(WRITER.parse().expect("a name"), writer);
    let work = work();
    let out = work.path().join("run");
    let sessions = Some(Arc::clone(&KEPT));
    let options = Options { summarizers, sessions, stories: Stories::None, ..Options::new(&out) };
    run::run(&plan.expect("a plan"), &options, &Silent).expect("it runs");
    RunData::load(&out).expect("it reads")
}

/// The file of a pipeline that ships.
fn text_of(pipeline: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/strategies");
    fs::read_to_string(folder.join(pipeline).with_extension("toml")).expect("it ships")
}

pub(super) fn sound(_: Seed) -> Box<dyn Ask + Send> {
    Box::new(Extractive::default())
}

pub(super) fn judged(before: &RunData, after: &RunData) -> Judgement {
    let policy = Policy::embedded().expect("it ships");
    judge(Some(&Baseline::of(before, &policy)), after, &policy).expect("it judges")
}

/// The finding over all sessions of a rule's metric, and that the text names it with its figures.
#[track_caller]
fn told(judgement: &Judgement, configuration: &str, metric: MetricId) -> Finding {
    let mut findings = judgement.findings.iter().filter(|one| one.scenario.is_none());
    let own = |one: &&Finding| {
        one.metric == Some(metric) && one.configuration.as_deref() == Some(configuration)
    };
    let finding = findings.find(own).unwrap_or_else(|| panic!("nothing of {metric}")).clone();
    let text = render::text(judgement, |_| String::new()).expect("it renders");
    let called = metric.metric().called.unwrap_or(metric.name());
    let named = format!("{called} of {configuration}: ");
    assert!(!finding.fails() || text.contains(&named), "no `{named}` in\n{text}");
    finding
}

/// What a figure was and is.
fn moved(finding: &Finding) -> (f64, f64) {
    let baseline = finding.baseline.expect("a figure before");
    (baseline, baseline + finding.difference.expect("a difference"))
}

/// Every result gives way before the agent reads it: cheapest of all, and it fails.
#[test]
fn a_strategy_that_hides_fresh_results_fails() {
    let work = work();
    let work = work.path();
    let text = text_of("mask-tool-results");
    assert!(text.contains("keep-last = 10"));
    fs::write(work.join("blind.toml"), text.replace("keep-last = 10", "keep-last = 0"))
        .expect("it writes");
    let suite = "name = \"held\"\nabout = \"\"\nscenarios = [\"smoke\"]\npipelines = [\"none\"]\n\
                 seeds = [1, 2]\nprobes = false\n";
    fs::write(work.join("held.toml"), suite).expect("it writes");
    let gate = |before: &str, after: &str| {
        let sides = ["--baseline-config", before, "--candidate-config", after, "held.toml"];
        proctor(&["gate"]).args(&sides).within(work).run()
    };
    let outcome = gate("mask-tool-results", "blind.toml");
    assert_eq!(outcome.code, 26, "{}\n{}", outcome.stdout, outcome.stderr);
    let says = "fresh results hidden of mask-tool-results: higher than before in 2 of 2 cells";
    assert!(outcome.stdout.contains(says), "no `{says}` in\n{}", outcome.stdout);
    assert!(outcome.stdout.contains("the mean was 0 and is "), "{}", outcome.stdout);
    // The other way round nothing begins to break.
    let outcome = gate("blind.toml", "mask-tool-results");
    assert!(!outcome.stdout.contains("invariant violated"), "{}", outcome.stdout);
    assert!([0, 20, 21, 25].contains(&outcome.code), "{}: {}", outcome.code, outcome.stdout);
}

/// Keeps the user's words and the results, without the calls that these answer.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Orphans {}

impl Strategy for Orphans {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let entries = view.entries();
        if entries.len() < 40 {
            return Decision::decline("there is room");
        }
        let (old, recent) = entries.split_at(entries.len() / 2);
        let kept = old.iter().filter(|entry| entry.calls.is_empty()).chain(recent);
        let slots = kept.map(|entry| Slot::Keep(entry.id)).collect();
        Decision::Plan(Next::mechanical(Layout::Whole(slots)))
    }
}

#[test]
fn a_strategy_of_ones_own_that_orphans_results_fails() {
    let mut registry = shipped().clone();
    registry.add::<Orphans>("orphans", "Orphans results.", &[]);
    let text = "name = \"mine\"\nabout = \"\"\nsource = \"\"\nfidelity = \"inferred\"\n\
                [[stage]]\nstrategy.orphans = {}\non.before-call = \"always\"\n";
    registry.add_pipeline("mine", text);
    let before = driven(&["truncate"], 2, &registry, sound);
    let judgement = judged(&before, &driven(&["truncate", "mine"], 2, &registry, sound));
    assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::InvariantViolated, 26));
    let orphans = told(&judgement, "mine", MetricId::ViolationsOrphanResult);
    let says = "the baseline does not hold this configuration, which is held to 0: above it in \
                2 of 2 cells";
    assert_eq!((orphans.verdict, orphans.cell_count), (Verdict::InvariantViolated, 2));
    assert!(orphans.reason.contains(says), "{}", orphans.reason);
}

/// Says the opposite of what was said: no word is left that forbids, obliges or rules out.
struct Revoking;

const TURNED: [(&str, &str); 30] = [
    ("must not", "may"),
    ("must never", "may"),
    ("may not", "may"),
    ("no one may", "all may"),
    ("never", "at times"),
    ("do not", "do"),
    ("don't", "do"),
    ("cannot", "can"),
    ("forbidden", "welcome"),
    ("off limits", "open"),
    ("not allowed", "welcome"),
    ("prohibited", "welcome"),
    ("keep out", "come in"),
    ("has to", "may"),
    ("have to", "may"),
    ("needs to", "may"),
    ("must", "may"),
    ("always", "at times"),
    ("required", "possible"),
    ("requires", "allows"),
    ("mandatory", "possible"),
    ("only", "also"),
    ("abandoned", "chosen"),
    ("did not work", "worked"),
    ("does not work", "works"),
    ("ruled out", "chosen"),
    ("dead end", "way"),
    ("rejected", "chosen"),
    ("failed", "worked"),
    ("dropped", "kept"),
];

impl Offline for Revoking {
    fn answer(&self, prompt: &Prompt) -> String {
        let answer = Extractive::default().answer(prompt);
        TURNED.iter().fold(answer, |text, (said, turned)| {
            let capital = said[..1].to_uppercase() + &said[1..];
            text.replace(said, turned).replace(&capital, turned)
        })
    }
}

#[test]
fn a_summarizer_that_revokes_rules_fails() {
    let before = driven(&["forge-adr"], 10, shipped(), sound);
    let after = driven(&["forge-adr"], 10, shipped(), |_| Box::new(Revoking));
    let judgement = judged(&before, &after);
    assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::Regression, 20));
    let inverted = told(&judgement, "forge-adr", MetricId::DemandsInverted);
    assert_eq!(inverted.verdict, Verdict::Regression, "{inverted:#?}");
    let rules = told(&judgement, "forge-adr", MetricId::ConstraintRetained);
    assert_eq!(rules.verdict, Verdict::Regression, "{rules:#?}");
}

/// Every value that it was ever shown, the oldest first, and then what is left for an answer.
struct Restating;

impl Offline for Restating {
    fn answer(&self, prompt: &Prompt) -> String {
        let most = Tokens(prompt.max_tokens.0 * 3 / 4);
        let lines = prompt.material().flat_map(str::lines);
        let mut text = String::new();
        for said in lines.flat_map(|line| line.split_inclusive(". ")).map(str::trim) {
            let is_value = said.contains('`') && said.contains(|c: char| c.is_ascii_digit());
            let is_new = is_value && said.len() < 250 && !text.contains(said);
            // A token has three characters or more.
            if is_new && text.len() + said.len() < 3 * most.0 as usize {
                let _ = writeln!(text, "{said}");
            }
        }
        text + &Extractive::default()
            .answer(&Prompt { max_tokens: prompt.max_tokens - most, ..prompt.clone() })
    }
}

#[test]
fn a_summarizer_that_restates_old_values_fails() {
    let before = driven(&["forge-adr"], 16, shipped(), sound);
    let after = driven(&["forge-adr"], 16, shipped(), |_| Box::new(Restating));
    let judgement = judged(&before, &after);
    let stale = told(&judgement, "forge-adr", MetricId::StaleCarried);
    // Sixteen sessions leave the size of this open; what such summaries leave open or lose is shown.
    let (was, is) = moved(&stale);
    assert!(is > was, "{was} and {is}");
    assert_ne!(stale.verdict, Verdict::Pass, "{stale:#?}");
    assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::Regression, 20));
}

#[test]
fn a_prompt_without_its_dead_ends_and_constraints_fails() {
    let mut registry = shipped().clone();
    let text = headless(&mut registry);
    registry.add_pipeline("forge-adr", &text);
    let before = driven(&["forge-adr"], 10, shipped(), sound);
    let judgement = judged(&before, &driven(&["forge-adr"], 10, &registry, sound));
    assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::Regression, 20));
    let dead_ends = told(&judgement, "forge-adr", MetricId::DeadEndRetained);
    assert_eq!(dead_ends.verdict, Verdict::Regression, "{dead_ends:#?}");
    let (was, is) = moved(&dead_ends);
    assert!(is < was - 0.05, "{was} and {is}");
}
