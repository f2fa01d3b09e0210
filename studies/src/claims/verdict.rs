//! Verdicts on claims, and what they are about.

use crate::run::Cell;

/// What the measurements say of a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// All of the interval meets it.
    Holds,
    /// None of it does.
    Fails,
    /// It holds where this is so.
    Where(String),
    /// The interval lies on both sides of the bar, or there is none.
    Open,
    /// Why the run does not test it.
    Untested(String),
}

/// A verdict with the figure behind it.
pub struct Judged {
    pub verdict: Verdict,
    /// With its interval, as written.
    pub figure: String,
    /// Sessions behind it.
    pub n: usize,
}

/// A configuration as deployed, with its cells under one summarizer.
pub struct Subject<'a> {
    pub configuration: &'a str,
    pub summarizer: &'a str,
    pub cells: Vec<&'a Cell>,
}

impl Subject<'_> {
    /// As resamplings and group figures name it.
    pub fn name(&self) -> String {
        format!("{}/deployed/{}", self.configuration, self.summarizer)
    }
}

impl Verdict {
    /// As the page writes it.
    pub fn words(&self) -> String {
        match self {
            Verdict::Holds => "holds".to_owned(),
            Verdict::Fails => "does not hold".to_owned(),
            Verdict::Where(condition) => format!("holds where {condition}"),
            Verdict::Open => "not decided".to_owned(),
            Verdict::Untested(why) => format!("not tested: {why}"),
        }
    }
}

impl Judged {
    /// Without a figure; why the run does not test it.
    pub fn untested(why: &str) -> Judged {
        Judged { verdict: Verdict::Untested(why.to_owned()), figure: String::new(), n: 0 }
    }
}
