//! Summarizers that a program brings along. A suite names one as `own-NAME`, and cells, tables and
//! the report show that name; `examples/own_summarizer.rs` brings one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Broken;
use crate::ident::Seed;
use crate::summarize::{Ask, Prompt, Reply, Stopped};

/// Begins every name from outside, so that a misspelt one that ships is never taken for it.
const PREFIX: &str = "own-";

/// The name of a summarizer from outside: `own-` and lower-case letters, digits, hyphens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnName(&'static str);

impl OwnName {
    /// The name as suites and cell ids write it.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for OwnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl FromStr for OwnName {
    type Err = Broken;

    fn from_str(text: &str) -> Result<OwnName, Broken> {
        name_after(PREFIX, text).map(OwnName)
    }
}

/// A name that is this prefix and then lower-case letters, digits and hyphens.
pub fn name_after(prefix: &str, text: &str) -> Result<&'static str, Broken> {
    // Keys of cells are copied everywhere, so that a name is leaked once and copied.
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let rest = text.strip_prefix(prefix).unwrap_or_default();
    if rest.is_empty() || !rest.chars().all(fits) {
        let rule = "followed by lower-case letters, digits and hyphens";
        return Err(Broken(format!("`{text}` is not `{prefix}` {rule}")));
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let name = known.get(text).copied().unwrap_or_else(|| String::leak(text.to_owned()));
    known.insert(name);
    Ok(name)
}

type Factory = dyn Fn(Seed) -> Box<dyn Ask + Send> + Send + Sync;

/// Summarizers from outside, by name.
#[derive(Clone, Default)]
pub struct Summarizers(BTreeMap<OwnName, Arc<Factory>>);

impl Summarizers {
    /// With one more, or in place of one. The factory is called once a session with its seed. Equal
    /// prompts must get equal answers, or the run does not repeat.
    #[must_use]
    pub fn with(
        mut self,
        name: OwnName,
        factory: impl Fn(Seed) -> Box<dyn Ask + Send> + Send + Sync + 'static,
    ) -> Summarizers {
        self.0.insert(name, Arc::new(factory));
        self
    }

    /// Whether there is one of this name.
    pub fn holds(&self, name: OwnName) -> bool {
        self.0.contains_key(&name)
    }

    /// The summarizer of this name for a session.
    pub fn make(&self, name: OwnName, seed: Seed) -> Option<Box<dyn Ask + Send>> {
        self.0.get(&name).map(|factory| factory(seed))
    }
}

impl fmt::Debug for Summarizers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Stands for a summarizer that is not at hand, live or from outside; it stops whoever asks it.
#[derive(Clone, Copy, Debug)]
pub struct Unavailable {
    /// The summarizer's name.
    pub name: &'static str,
}

impl Ask for Unavailable {
    fn ask(&self, _: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        Err(Stopped::new(format!("the summarizer `{}` is not at hand", self.name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_and_equal_ones_are_one() {
        for text in ["own-a", "own-gpt-4-1-mini"] {
            let name: OwnName = text.parse().expect("a name");
            assert_eq!((name.as_str(), text.parse()), (text, Ok(name)));
        }
        for text in ["", "own", "own-", "mine", "own-A", "own-a b", "own-a+error"] {
            assert!(text.parse::<OwnName>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_summarizer_is_made_by_its_name_alone() {
        let [here, elsewhere] = ["own-here", "own-elsewhere"].map(|n| n.parse().expect("a name"));
        let summarizers =
            Summarizers::default().with(here, |_| Box::new(Unavailable { name: "own-here" }));
        assert!(summarizers.make(here, Seed(1)).is_some());
        assert!(!summarizers.holds(elsewhere) && summarizers.make(elsewhere, Seed(1)).is_none());
        let stopped = Unavailable { name: "own-elsewhere" }.ask(&[]).expect_err("it stops");
        assert!(stopped.reason.contains("own-elsewhere"), "{stopped}");
    }
}
