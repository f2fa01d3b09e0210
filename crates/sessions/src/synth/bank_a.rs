//! Bank A: the phrases that summarizers and strategies may be developed on.

mod agent;
mod artifacts;
mod course;
mod prompt;
mod rules;
mod traces;
mod user;

use super::bank::Bank;

/// The bank.
pub(super) static BANK: Bank = Bank {
    facts: &[artifacts::FORMS, traces::FORMS, rules::FORMS, course::FORMS],
    user: user::PHRASES,
    agent: agent::PHRASES,
    system: prompt::PHRASES,
};
