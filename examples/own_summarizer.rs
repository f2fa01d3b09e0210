//! A summarizer of one's own enters a suite and its report: `cargo run --example
//! own_summarizer OUT` runs two pipelines under it, beside the shipped summarizer `lead`,
//! and writes OUT/report.html.

use std::path::PathBuf;

use proctor::matrix::Suite;
use proctor::run::{self, Options, Plan, Silent};
use proctor::scenario::Scenario;
use proctor::strategy::shipped;
use proctor::summarize::own::Summarizers;
use proctor::summarize::{Offline, Prompt};

/// Keeps the lines of the material that hold a number: they are hard to guess again.
struct Numbers;

impl Offline for Numbers {
    fn answer(&self, prompt: &Prompt) -> String {
        let material = prompt.segments().filter(|segment| segment.material);
        let lines = material.flat_map(|segment| segment.text.lines());
        let kept = lines.filter(|line| line.contains(|c: char| c.is_ascii_digit()));
        // Characters are at most tokens: the limit of the request holds.
        kept.collect::<Vec<_>>().join("\n").chars().take(prompt.max_tokens.0 as usize).collect()
    }
}

const SUITE: &str = r#"
name = "mine"
about = "a summarizer of my own"
scenarios = ["pocket"]
pipelines = ["full-replace", "forge-adr"]
windowless = ["none"]
seeds = [1, 2]
summarizer = "own-numbers"
brackets = ["lead"]
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(std::env::args().nth(1).ok_or("name a directory that is not there")?);
    let suite = Suite::parse("mine.toml", SUITE)?;
    let scenarios = vec![Scenario::embedded("pocket")?];
    let plan = Plan::new(shipped(), suite, scenarios, "own_summarizer".to_owned())?;
    let summarizers = Summarizers::default().with("own-numbers".parse()?, |_| Box::new(Numbers));
    run::run(&plan, &Options { summarizers, ..Options::new(&out) }, &Silent)?;
    proctor::report::write(&out)?;
    Ok(())
}
