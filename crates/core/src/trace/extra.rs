//! Calls that the closed loop adds to a session.

use crate::prelude::*;
use crate::words;

words! {
    /// What an added call does.
    pub enum Act {
        /// Reads a file that it is about to edit.
        Reread = "reread",
        /// Edits without having read, and is refused.
        Refused = "refused",
        /// Looks for a path.
        Search = "search",
        /// Tries again what has failed before.
        Retry = "retry",
    }
}

/// A call that the script does not have, made before the call of its step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtraCall {
    /// The step before whose call it was made, from 1.
    pub step: u32,
    /// What it does.
    pub act: Act,
    /// The file, the path or the statement of the fact that it is about.
    pub about: String,
    /// Whether an agent with everything in its prompt makes it too.
    pub anyway: bool,
    /// Tokens that the call and its result add to the view.
    pub added: Tokens,
    /// Of these, what such an agent adds too.
    pub added_anyway: Tokens,
    /// The whole prompt.
    pub prompt: Tokens,
    /// Prompt tokens read from the cache.
    pub cached: Tokens,
    /// Prompt tokens written to the cache.
    pub written: Tokens,
    /// Tokens that a change of the view took from the cached prefix.
    pub invalidated: Tokens,
    /// Tokens that time took from it.
    pub expired: Tokens,
    /// Tokens of the call itself.
    pub output: Tokens,
    /// Plans that were carried out before it.
    pub compactions: u32,
}
