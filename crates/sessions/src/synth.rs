//! Synthesizes sessions: a log that reads like coding-agent work, and its truth.
//!
//! A [`SynthPlan`] and a seed give the same bytes on every platform. The work goes
//! in four passes, each with random draws of its own: `outline` plans what happens
//! and which step states or needs which fact, `script` puts it into words from a
//! `bank` of phrases, `output` prints what tools would print, and `answer_key` reads the
//! truth back from the finished log and rejects a session that breaks a rule. Phrases,
//! templates and words are files under `data/`.

mod answer_key;
mod bank;
mod dialect;
mod draw;
mod fill;
mod look;
mod names;
mod outline;
mod output;
mod plan;
mod script;
mod words;
mod world;

pub use answer_key::mentions;
pub use draw::{Draw, OutOfRange, Share};
pub use plan::{BankName, Closing, Habits, Oversized, SynthPlan, WirePlan, Work};

use answer_key::Broken;
use bank::Bank;
use outline::Outline;

use crate::error::{Error, Result};
use crate::ident::Seed;
use crate::log::{Log, Text};
use crate::truth::Truth;

/// Every template of a bank, its slots unfilled: all that people and agents can say
/// in a session, and what is planted in tool results.
pub fn templates(bank: BankName) -> Vec<&'static str> {
    Bank::named(bank).templates()
}

/// How often a session that breaks a rule is drawn again. Names have so many
/// combinations that the first draw nearly always holds; with thousands of facts in a
/// session it takes several.
const TRIES: usize = 12;

/// Synthesizes a session. `id` names it in its log.
///
/// # Errors
///
/// [`Error::Invalid`] where no draw gives a session in which every fact is present
/// where it was born, no demand follows right on a mention, and no decoy occurs.
pub fn synthesize(plan: &SynthPlan, id: &str, seed: Seed) -> Result<(Log, Truth)> {
    let mut rule = Broken::new();
    for attempt in 0..TRIES {
        let seed = if attempt == 0 { seed } else { seed.derive(&["again", &attempt.to_string()]) };
        match draw_session(plan, id, seed) {
            Ok(session) => return Ok(session),
            Err(broken) => rule = broken,
        }
    }
    Err(Error::invalid(id, format!("no session could be synthesized in {TRIES} draws: {rule}")))
}

/// One draw; fails with the rule that it breaks.
fn draw_session(plan: &SynthPlan, id: &str, seed: Seed) -> Result<(Log, Truth), Broken> {
    let bank = Bank::named(plan.work.bank);
    let outline = Outline::plan(plan, bank, seed);
    let script = script::write(plan, bank, &outline, seed);
    let log = Log {
        system: Text::from(script::system(bank, &outline.world, plan.work.system_tokens, seed)),
        tools: Text::from(script::tools(plan.work.tool_tokens, seed)),
        messages: script.messages,
        ..Log::new(id, format!("synthesized from seed {seed}"))
    };
    let record =
        answer_key::Record { born: script.born, demands: script.demands, arcs: script.arcs };
    let truth = answer_key::truth(&log, &outline, record)?;
    Ok((log, truth))
}
