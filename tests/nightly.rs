//! Nights: the history that keeps them, the changes that are found in it, the site that
//! shows them, and the verbs that do all three.
//!
//! Some tests drive Chromium; where there is none on the PATH they say so and pass.

mod acknowledged;
mod condensed;
mod detection;
mod findings;
mod formats;
mod simulated;
mod site;
mod store;
mod verbs;
