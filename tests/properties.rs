//! What holds of every shipped pipeline, whatever the session.
//!
//! Random sessions (fixed seeds, so every run is the same run) are driven through every
//! embedded pipeline, and each change of the view is checked against the log. What a
//! strategy breaks, by its source's own doing, is not hidden: tables say which rules,
//! what a failed summary does, and whether a second pass changes anything. A pipeline that
//! `properties/table.rs` does not name is held to break none.

mod asked;
mod driven;
mod failures;
mod invariants;
mod random;
mod second_pass;
mod session;
mod table;
mod walkthrough;
mod witnesses;
