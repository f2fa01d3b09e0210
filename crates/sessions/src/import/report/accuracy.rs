//! How well a counter agrees with what the provider recorded.

use crate::log::{Log, Message, Usage};
use crate::token::{MessageTokens, TokenTable};
use crate::unit::Tokens;

/// Steps that appended less say more about hidden reminders than about counting.
const LEAST_APPENDED: Tokens = Tokens(200);

/// Recorded prompts against counted messages, over calls with no compaction between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Characters per reference token over all messages.
    pub chars_per_token: f64,
    /// Characters appended per token by which the recorded prompt grew.
    pub chars_per_recorded_token: f64,
    /// Median over steps of recorded growth per counted token; 1 is agreement.
    pub growth_per_counted: f64,
    /// Steps in that median.
    pub steps: usize,
}

impl Accuracy {
    /// Of a log with its counts; `None` where no two calls can be compared.
    pub(super) fn of(log: &Log, table: &TokenTable, chars: &[u64]) -> Option<Accuracy> {
        let mut ratios = Vec::new();
        let (mut appended_chars, mut grown) = (0, Tokens::ZERO);
        for pair in log.usage.windows(2) {
            let Some(growth) = growth(log, &pair[0], &pair[1]) else { continue };
            let span = pair[0].message.index()..pair[1].message.index();
            let counted: Tokens =
                table.messages[span.clone()].iter().map(MessageTokens::total).sum();
            appended_chars += chars[span].iter().sum::<u64>();
            grown += growth;
            if counted >= LEAST_APPENDED {
                ratios.push(growth.over(counted));
            }
        }
        ratios.sort_by(f64::total_cmp);
        let median = *ratios.get(ratios.len() / 2)?;
        Some(Accuracy {
            chars_per_token: Tokens(chars.iter().sum()).over(table.total()),
            chars_per_recorded_token: Tokens(appended_chars).over(grown),
            growth_per_counted: median,
            steps: ratios.len(),
        })
    }
}

/// By how much the prompt grew; `None` where it shrank or a boundary lies between.
fn growth(log: &Log, earlier: &Usage, later: &Usage) -> Option<Tokens> {
    let between = earlier.message..=later.message;
    let compacted = log
        .boundaries
        .iter()
        .any(|boundary| between.contains(&boundary.before) && boundary.before != earlier.message);
    (!compacted && later.prompt > earlier.prompt).then(|| later.prompt - earlier.prompt)
}

/// Characters of each message, calls included.
pub(super) fn chars_by_message(log: &Log) -> Vec<u64> {
    let of = |text: &str| text.chars().count() as u64;
    let calls = |m: &Message| m.calls.iter().map(|call| of(&call.args)).sum::<u64>();
    log.messages.iter().map(|message| of(&message.content) + calls(message)).collect()
}
