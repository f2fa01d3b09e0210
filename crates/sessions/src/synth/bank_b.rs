//! Bank B: the phrases of a second author, on which nothing is developed.
//!
//! It was written apart from bank A: reasons come before rules, people speak in
//! fragments and figures of speech, and the words that forbid, oblige, give up or
//! announce are others. Its polarity needles are the words that it uses itself.

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
