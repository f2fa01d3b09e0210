//! Synthesizes sessions: a log that reads like coding-agent work, and its truth.
//!
//! A [`SynthPlan`] and a seed give the same bytes on every platform. The work goes
//! in four passes, each with random draws of its own: `story` plans what happens
//! and which step states or needs which fact, `script` puts it into words from a
//! `bank` of phrases, `output` prints what tools would, and `answer_key` reads the
//! truth back from the finished log and refuses a session that breaks a rule.

mod answer_key;
mod bank;
mod data;
mod draw;
mod fill;
mod names;
mod output;
mod plan;
mod script;
mod story;

pub use answer_key::mentions;
pub use draw::{Draw, Share};
pub(crate) use plan::WirePlan;
pub use plan::{BankName, Closing, Habits, Oversized, SynthPlan, Work};

use bank::Bank;
use output::Templates;
use story::Story;

use crate::error::{Error, Result};
use crate::ident::Seed;
use crate::log::{Log, Text};
use crate::truth::Truth;

/// Every template of a bank, its slots unfilled: all that people and agents can say
/// in a session, and what is planted in tool results.
///
/// # Errors
///
/// The bank that was embedded is not valid.
pub fn templates(bank: BankName) -> Result<Vec<&'static str>> {
    Ok(Bank::named(bank)?.templates())
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
    let bank = Bank::named(plan.work.bank)?;
    let templates = Templates::load()?;
    let mut broken = String::new();
    for attempt in 0..TRIES {
        let seed = if attempt == 0 { seed } else { seed.derive(&["again", &attempt.to_string()]) };
        match draw_session(plan, bank, templates, id, seed) {
            Ok(session) => return Ok(session),
            Err(rule) => broken = rule,
        }
    }
    Err(Error::invalid(id, format!("no session could be synthesized in {TRIES} draws: {broken}")))
}

/// One draw; fails with the rule that it breaks.
fn draw_session(
    plan: &SynthPlan,
    bank: &'static Bank,
    templates: &'static Templates,
    id: &str,
    seed: Seed,
) -> Result<(Log, Truth), String> {
    let story = Story::plan(plan, bank, templates, seed);
    let script = script::write(plan, bank, &story, seed);
    let log = Log {
        system: Text::from(script::system(bank, &story.world, plan.work.system_tokens, seed)),
        tools: Text::from(script::tools(plan.work.tool_tokens, seed)),
        messages: script.messages,
        ..Log::new(id, format!("synthesized from seed {seed}"))
    };
    let record =
        answer_key::Record { born: script.born, demands: script.demands, arcs: script.arcs };
    let truth = answer_key::truth(&log, &story, record)?;
    Ok((log, truth))
}
