//! What holds of every shipped pipeline, whatever the session.
//!
//! Random sessions (fixed seeds, so every run is the same run) are driven through every
//! embedded pipeline, and each change of the view is checked against the log. What a
//! strategy breaks, by its source's own doing, is not hidden: tables say which rules,
//! what a failed summary does, and whether a second pass changes anything. They are
//! complete: a new pipeline fails here until it is entered in `properties/table.rs`.

#[path = "properties/asked.rs"]
mod asked;
#[path = "properties/driven.rs"]
mod driven;
#[path = "properties/failures.rs"]
mod failures;
#[path = "properties/invariants.rs"]
mod invariants;
#[path = "properties/random.rs"]
mod random;
#[path = "properties/second_pass.rs"]
mod second_pass;
#[path = "properties/session.rs"]
mod session;
#[path = "properties/table.rs"]
mod table;
#[path = "properties/walkthrough.rs"]
mod walkthrough;
#[path = "properties/witnesses.rs"]
mod witnesses;
