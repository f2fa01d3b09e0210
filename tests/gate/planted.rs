//! Changes of a pipeline whose verdict is known or can be argued, as a developer makes them.

use proctor::ident::Seed;
use proctor::plan::{Decision, Piece};
use proctor::strategy::{PlanContext, Registry, Strategy, shipped};
use proctor::summarize::extractive::Extractive;
use proctor::summarize::{Offline, Prompt};
use proctor::view::View;
use serde::{Deserialize, Serialize};

/// The file of the pipeline that is changed.
pub const TEXT: &str = include_str!("../../scenarios/strategies/forge-adr.toml");

/// Its budgets of 300, 600 and 500 tokens, so many times larger.
fn budgets(times: f64) -> String {
    let of = |tokens: f64| (tokens * times).round();
    let tool = format!("older-than-turns = 10, max-tokens = {} }}", of(300.0));
    let goal = format!("max-turns = 6, max-tokens = {} }}", of(500.0));
    let threshold = format!("forge-threshold = {{ max-tokens = {} }}", of(600.0));
    let text = TEXT.replace("older-than-turns = 10 }", &tool);
    text.replace("forge-threshold = {}", &threshold).replace("max-turns = 6 }", &goal)
}

/// Changes of the file: what is said of each, and the pipeline as it is then.
pub fn changes(registry: &mut Registry) -> Vec<(&'static str, String)> {
    let with = |from: &str, to: &str| {
        assert!(TEXT.contains(from), "no `{from}`");
        TEXT.replace(from, to)
    };
    vec![
        ("only renamed", TEXT.to_owned()),
        ("budgets 5 % smaller", budgets(0.95)),
        ("budgets 10 % smaller", budgets(0.9)),
        ("budgets 25 % smaller", budgets(0.75)),
        ("budgets 25 % larger (remembers more, larger floor)", budgets(1.25)),
        ("threshold at .75 for .80", with("limit.share = 0.80", "limit.share = 0.75")),
        ("threshold at .85 for .80", with("limit.share = 0.80", "limit.share = 0.85")),
        ("tool calls folded a turn later", with("older-than-turns = 10", "older-than-turns = 11")),
        (
            "tool calls folded five turns later",
            with("older-than-turns = 10", "older-than-turns = 15"),
        ),
        ("goal tier without its headings for dead ends and constraints", headless(registry)),
    ]
}

/// The goal tier, whose prompt asks neither for dead ends nor for what still holds.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Headless {}

impl Strategy for Headless {
    fn claims_whole_turns(&self) -> bool {
        true
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let own = shipped().strategy("forge-goal-batch").expect("it ships");
        let Decision::Plan(mut plan) = own.standard.strategy().plan(view, context) else {
            return Decision::decline("nothing to batch");
        };
        for piece in plan.requests.iter_mut().flat_map(|request| &mut request.instruction) {
            let Piece::Literal(text) = piece else { continue };
            let mut kept = text.to_string();
            for heading in ["## Dead Ends\n", "## Lasting Constraints\n"] {
                if let Some((before, rest)) = kept.split_once(heading) {
                    let behind = rest.split_once('\n').map_or("", |(_, behind)| behind);
                    kept = format!("{before}{behind}");
                }
            }
            *piece = Piece::literal(kept);
        }
        Decision::Plan(plan)
    }
}

/// The pipeline with [`Headless`] as its goal tier, which the registry learns.
pub fn headless(registry: &mut Registry) -> String {
    registry.add::<Headless>("headless", "A goal tier with a shorter prompt.", &[]);
    let tier = "forge-goal-batch = { older-than-messages = 20, min-turns = 3, max-turns = 6 }";
    let text = TEXT.replace(tier, "headless = {}");
    assert_ne!(TEXT, text);
    text
}

/// Leaves the lines with a rule out of one answer in so many.
pub struct Forgetful(pub u64);

const RULES: [&str; 6] = ["must", "never", "always", "do not", "only", "not allowed"];

impl Offline for Forgetful {
    fn answer(&self, prompt: &Prompt) -> String {
        let answer = Extractive::default().answer(prompt);
        let lot = Seed(0).derive(&["forgetful", &answer]).0;
        if !lot.is_multiple_of(self.0) {
            return answer;
        }
        let is_rule = |line: &str| {
            let line = line.to_lowercase();
            RULES.iter().any(|word| line.contains(word))
        };
        answer.lines().filter(|line| !is_rule(line)).collect::<Vec<_>>().join("\n")
    }
}
