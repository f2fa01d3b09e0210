//! A cell's summarizer: one by name, with or without a fault around it.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as Unknown, StrDeserializer};

use crate::ident::Seed;
use crate::matrix::SummarizerName;
use crate::matrix::key::FAULT;
use crate::summarize::Ask;
use crate::summarize::fault::{Fault, Faulty};
use crate::truth::Truth;

/// A summarizer as a cell is driven under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Summarizer {
    /// Who answers.
    pub name: SummarizerName,
    /// What is made to go wrong with its answers.
    pub fault: Option<Fault>,
}

impl Summarizer {
    /// Without a fault.
    pub fn sound(name: SummarizerName) -> Summarizer {
        Summarizer { name, fault: None }
    }

    /// The summarizer for a session. Only `perfect` is given its truth.
    pub fn build(self, truth: &Truth, seed: Seed) -> Box<dyn Ask + Send> {
        self.around(self.name.build(truth, seed), seed)
    }

    /// The fault, where there is one, around a summarizer that was made elsewhere.
    pub fn around(self, sound: Box<dyn Ask + Send>, seed: Seed) -> Box<dyn Ask + Send> {
        match self.fault {
            Some(fault) => Box::new(Faulty::new(sound, fault, seed)),
            None => sound,
        }
    }
}

/// As cell ids write it: `extractive`, `extractive+error-0.3`.
impl fmt::Display for Summarizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.name())?;
        self.fault.map_or(Ok(()), |fault| write!(f, "{FAULT}{fault}"))
    }
}

impl FromStr for Summarizer {
    type Err = String;

    fn from_str(text: &str) -> Result<Summarizer, String> {
        let (name, fault) = match text.split_once(FAULT) {
            Some((name, fault)) => (name, Some(fault.parse()?)),
            None => (text, None),
        };
        let name: StrDeserializer<Unknown> = name.into_deserializer();
        let name = SummarizerName::deserialize(name).map_err(|error| error.to_string())?;
        Ok(Summarizer { name, fault })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for text in [
            "extractive",
            "random-sentence",
            "extractive+error",
            "null+error-0.3",
            "http",
            "http+time-out",
            "perfect+time-out-first-3",
            "extractive+tool-call-every-4",
            "extractive+role-labels-burst-20-of-100",
        ] {
            let summarizer: Summarizer = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(summarizer.to_string(), text);
            assert_eq!(summarizer.fault.is_some(), text.contains('+'));
        }
    }

    #[test]
    fn what_is_no_name_says_what_is_wrong() {
        for (text, expected) in [
            ("extractiv", "unknown variant `extractiv`"),
            ("extractive+erorr", "unknown kind of fault `erorr`"),
            ("extractive+error-first", "`first` is no schedule"),
            ("extractive+error-1.5", "`1.5` is no schedule"),
            ("extractive+error-every-1", "every: 1 is below 2"),
        ] {
            let error = text.parse::<Summarizer>().unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
