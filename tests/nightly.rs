//! Nights: the history that keeps them, the steps that are found in it, the site that
//! shows them, and the verbs that do all three.

#[cfg(test)]
#[path = "page/browser.rs"]
mod browser;
#[cfg(test)]
#[path = "nightly/detection.rs"]
mod detection;
#[cfg(test)]
#[path = "nightly/simulated.rs"]
mod simulated;
#[cfg(test)]
#[path = "nightly/site.rs"]
mod site;
