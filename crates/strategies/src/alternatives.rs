//! The options that Forge's decision records considered and did not choose.
//!
//! Sources: ADR-0041, options 1 to 3, and ADR-0014, options 1 and 2. The records give
//! each a paragraph, its advantages and its drawbacks, and no more: each doc comment
//! here says what was added, in the simplest way that keeps the stated drawbacks. What
//! is added is inferred, so the pipelines say `fidelity = "inferred"`. The prompts are
//! ours. None of them touches the live turn unless its comment says so.

mod goal_lifecycle;
mod meta_summary;
mod priority;
mod prune_oldest;
mod prune_users;

pub use goal_lifecycle::GoalLifecycle;
pub use meta_summary::MetaSummary;
pub use priority::Priority;
pub use prune_oldest::PruneOldest;
pub use prune_users::PruneUsers;

#[cfg(test)]
mod tests;
