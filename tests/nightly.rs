//! Nights: the history that keeps them, the steps that are found in it, the site that
//! shows them, and the verbs that do all three.
//!
//! Some tests drive Chromium; where there is none on the PATH they say so and pass.

#[cfg(test)]
#[path = "page/browser.rs"]
#[expect(dead_code, reason = "pages without a script take no keys")]
mod browser;
#[cfg(test)]
#[path = "nightly/condensed.rs"]
mod condensed;
#[cfg(test)]
#[path = "nightly/detection.rs"]
mod detection;
#[cfg(test)]
#[path = "nightly/findings.rs"]
mod findings;
#[cfg(test)]
#[path = "report/fixture.rs"]
mod fixture;
#[cfg(test)]
#[path = "nightly/formats.rs"]
mod formats;
#[cfg(test)]
#[path = "nightly/simulated.rs"]
mod simulated;
#[cfg(test)]
#[path = "nightly/site.rs"]
mod site;
#[cfg(test)]
#[path = "nightly/store.rs"]
mod store;
#[cfg(test)]
#[path = "nightly/verbs.rs"]
mod verbs;
