//! Synthesizes sessions: a log that reads like coding-agent work, and its truth.
//!
//! A [`SynthPlan`] and a seed give the same bytes on every platform. The work goes
//! in four passes, each with random draws of its own: `story` plans what happens
//! and which step states or needs which fact, `script` puts it into words from a
//! `bank` of phrases, `output` prints what tools would, and `answer_key` reads the
//! truth back from the finished log and refuses a session that breaks a rule.

mod answer_key;
mod bank;
mod bank_a;
mod bank_b;
mod draw;
mod fill;
mod names;
mod output;
mod plan;
mod script;
mod story;

pub use answer_key::mentions;
pub use draw::{Draw, Share};
pub use plan::{BankName, Closing, Habits, Oversized, SynthPlan, WirePlan, Work};

use crate::error::{Error, Result};
use crate::ident::Seed;
use crate::log::{Log, Text};
use crate::truth::Truth;
use crate::unit::Tokens;

/// Every template of a bank, its slots unfilled: all that people and agents can say
/// in a session, and what is planted in tool results.
pub fn templates(bank: BankName) -> Vec<&'static str> {
    bank::Bank::named(bank).templates()
}

/// How often a session that breaks a rule is drawn anew. Names are drawn from so
/// many combinations that the first try holds but in rare cases; with thousands of
/// facts in a session it takes several.
const TRIES: usize = 12;

/// Synthesizes a session. `id` names it in its log.
///
/// # Errors
///
/// [`Error::Invalid`] where no draw gives a session in which every fact is present
/// where it was born, no demand follows right on a mention, and no decoy occurs.
pub fn synthesize(plan: &SynthPlan, id: &str, seed: Seed) -> Result<(Log, Truth)> {
    let mut broken = String::new();
    for attempt in 0..TRIES {
        let seed = if attempt == 0 { seed } else { seed.derive(&["again", &attempt.to_string()]) };
        match draw_session(plan, id, seed) {
            Ok(session) => return Ok(session),
            Err(rule) => broken = rule,
        }
    }
    Err(Error::invalid(id, format!("no session could be synthesized in {TRIES} draws: {broken}")))
}

fn draw_session(plan: &SynthPlan, id: &str, seed: Seed) -> Result<(Log, Truth), String> {
    let bank = bank::Bank::named(plan.work.bank);
    let story = story::Story::tell(plan, bank, seed);
    let script = script::write(plan, bank, &story, seed);
    let log = Log {
        id: id.to_owned(),
        source: format!("synthesized from seed {seed}"),
        system: Text::from(script::system(bank, &story.world, plan.work.system_tokens, seed)),
        tools: Text::from(script::tools(plan.work.tool_tokens, seed)),
        overhead: Tokens::ZERO,
        messages: script.messages,
        boundaries: Vec::new(),
        usage: Vec::new(),
    };
    let record =
        answer_key::Record { born: script.born, demands: script.demands, arcs: script.arcs };
    let truth = answer_key::truth(&log, &story, record)?;
    Ok((log, truth))
}
