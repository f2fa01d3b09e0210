//! A cell's summarizer: one by name, with or without lines left out or a fault around it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

use crate::drive::Session;
use crate::error::Broken;
use crate::ident::Seed;
use crate::matrix::key::FAULT;
use crate::perfect::Perfect;
use crate::simulated::{Fitted, FittedName, Simulated, Skill};
use crate::summarize::Ask;
use crate::summarize::adversary::Adversary;
use crate::summarize::extractive::Extractive;
use crate::summarize::fault::{Fault, Faulty, PerMille};
use crate::summarize::omit::Omitting;
use crate::summarize::own::{OwnName, Unavailable};
use crate::summarize::simple::{Lead, Null, RandomSentence};

const OMITS: char = '~';

/// A summarizer as a cell is driven under it; in suites a word, as cell ids write it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Summarizer {
    /// Who answers.
    pub name: SummarizerName,
    /// The share of its lines that is left out ([`Omitting`]).
    pub omits: Option<PerMille>,
    /// What is made to go wrong with its answers.
    pub fault: Option<Fault>,
}

impl Summarizer {
    /// Without a fault, all lines kept.
    pub fn sound(name: SummarizerName) -> Summarizer {
        Summarizer { name, omits: None, fault: None }
    }

    /// The same without its fault.
    pub fn without_fault(self) -> Summarizer {
        Summarizer { fault: None, ..self }
    }

    /// Whether two draws can differ.
    pub fn is_stochastic(self) -> bool {
        self.omits.is_some() || self.name.is_stochastic()
    }

    /// Whether two draws of the one with this name can differ. What may stand behind the name of a
    /// live model is put off by a comma.
    pub fn draws_lots(name: &str) -> bool {
        let own = name.split(',').next().unwrap_or(name);
        own.parse().is_ok_and(Summarizer::is_stochastic)
    }

    /// The summarizer for a session. Only those that are told its facts are given it.
    pub fn build(self, session: &Session, seed: Seed, fitted: &Fitted) -> Box<dyn Ask + Send> {
        self.around(self.name.build(session, seed, fitted), seed)
    }

    /// The lines left out and the fault, where there are any, around another summarizer.
    pub fn around(self, sound: Box<dyn Ask + Send>, seed: Seed) -> Box<dyn Ask + Send> {
        let mut built = sound;
        if let Some(share) = self.omits {
            built = Box::new(Omitting::new(built, share, seed));
        }
        match self.fault {
            Some(fault) => Box::new(Faulty::new(built, fault, seed)),
            None => built,
        }
    }
}

/// As cell ids write it: `extractive`, `perfect~0.05`, `extractive+error-0.3`.
impl fmt::Display for Summarizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.name())?;
        self.omits.map_or(Ok(()), |share| write!(f, "{OMITS}{}", share.share()))?;
        self.fault.map_or(Ok(()), |fault| write!(f, "{FAULT}{fault}"))
    }
}

impl FromStr for Summarizer {
    type Err = Broken;

    fn from_str(text: &str) -> Result<Summarizer, Broken> {
        let (rest, fault) = match text.split_once(FAULT) {
            Some((rest, fault)) => (rest, Some(fault.parse()?)),
            None => (text, None),
        };
        let (name, omits) = match rest.split_once(OMITS) {
            Some((name, share)) => (name, Some(share_of_lines(share)?)),
            None => (rest, None),
        };
        Ok(Summarizer { name: name.parse()?, omits, fault })
    }
}

fn share_of_lines(text: &str) -> Result<PerMille, Broken> {
    let rule = "is no share of lines: between 0 and 1 with at most three decimals";
    let share = text.parse().ok().and_then(PerMille::of);
    share.ok_or_else(|| Broken(format!("`{text}` {rule}")))
}

impl Serialize for Summarizer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Summarizer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Summarizer, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A summarizer; all but `http` need no network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SummarizerName {
    /// The offline default: ranks and copies sentences.
    #[default]
    Extractive,
    /// Says nothing.
    Null,
    /// The first words of what it is shown.
    Lead,
    /// Sentences by lot.
    RandomSentence,
    /// Told every fact in what it is shown.
    Perfect,
    /// Told them too, it keeps each with the chance that recorded summaries kept one like it.
    Simulated(Skill),
    /// The same, with the chances of compactions of one's own.
    Fitted(FittedName),
    /// One that must lose, as a control.
    Adversary(Adversary),
    /// A model behind an endpoint, or the recording of one.
    Http,
    /// One that the program brings along.
    Own(OwnName),
}

impl FromStr for SummarizerName {
    type Err = Broken;

    fn from_str(text: &str) -> Result<SummarizerName, Broken> {
        // The first name of `empty`, which readers of tables take for a missing value.
        let text = if text == "null" { SummarizerName::Null.name() } else { text };
        match SummarizerName::SHIPPED.into_iter().find(|(_, name, _)| *name == text) {
            Some((name, ..)) => Ok(name),
            None if text.starts_with("own-") => Ok(SummarizerName::Own(text.parse()?)),
            None if FittedName::begins(text) => Ok(SummarizerName::Fitted(text.parse()?)),
            None => {
                let names =
                    SummarizerName::SHIPPED.map(|(_, name, _)| format!("`{name}`")).join(", ");
                let rule = format!("unknown summarizer `{text}`, expected one of {names}");
                Err(Broken(format!("{rule}, `own-NAME` or `fitted-NAME`")))
            }
        }
    }
}

impl SummarizerName {
    /// Those that ship, each with its name and what it does.
    pub const SHIPPED: [(SummarizerName, &str, &str); 14] = [
        (
            SummarizerName::Extractive,
            "extractive",
            "ranks and copies sentences, offline: the default, no language model",
        ),
        (SummarizerName::Null, "empty", "says nothing: what is lost without a summary"),
        (SummarizerName::Lead, "lead", "copies the first words of what it is shown"),
        (SummarizerName::RandomSentence, "random-sentence", "copies sentences by lot"),
        (
            SummarizerName::Perfect,
            "perfect",
            "is told every fact in what it is shown: an upper bound",
        ),
        SummarizerName::simulated(
            Skill::Recorded,
            "is told them and keeps each with the chance that recorded summaries did: no language model",
        ),
        SummarizerName::simulated(Skill::Poor, "the same, two units of log-odds worse"),
        SummarizerName::simulated(Skill::Good, "the same, two units of log-odds better"),
        (
            SummarizerName::Http,
            "http",
            "a language model behind an OpenAI-compatible endpoint, or its recording",
        ),
        SummarizerName::adversary(Adversary::ShapeList, "a list of all that looks like a fact"),
        SummarizerName::adversary(Adversary::Shuffled, "that list, keys and values shuffled"),
        SummarizerName::adversary(
            Adversary::Revoked,
            "true sentences under words that revoke them",
        ),
        SummarizerName::adversary(Adversary::AllValues, "every value that a key ever had"),
        SummarizerName::adversary(Adversary::Echo, "the material itself, cut at the output limit"),
    ];

    const fn adversary(
        adversary: Adversary,
        about: &'static str,
    ) -> (SummarizerName, &'static str, &'static str) {
        (SummarizerName::Adversary(adversary), adversary.name(), about)
    }

    const fn simulated(
        skill: Skill,
        about: &'static str,
    ) -> (SummarizerName, &'static str, &'static str) {
        (SummarizerName::Simulated(skill), skill.name(), about)
    }

    /// Name in cell ids.
    pub fn name(self) -> &'static str {
        let mut shipped = SummarizerName::SHIPPED.into_iter();
        match self {
            SummarizerName::Own(name) => name.as_str(),
            SummarizerName::Fitted(name) => name.as_str(),
            _ => shipped.find(|(one, ..)| *one == self).map_or("", |(_, name, _)| name),
        }
    }

    /// Whether it is told the facts of a session, so that it answers for that session alone.
    pub fn is_told(self) -> bool {
        matches!(
            self,
            SummarizerName::Perfect | SummarizerName::Simulated(_) | SummarizerName::Fitted(_)
        )
    }

    /// The summarizer for a session; a fitted one with its parameters among these.
    pub fn build(self, session: &Session, seed: Seed, fitted: &Fitted) -> Box<dyn Ask + Send> {
        match self {
            SummarizerName::Perfect => {
                Box::new(Perfect::new(&session.book.truth, Arc::clone(session.book.index())))
            }
            SummarizerName::Simulated(skill) => Box::new(Simulated::new(session, skill, seed)),
            SummarizerName::Fitted(name) => match fitted.get(name) {
                Some(own) => {
                    Box::new(Simulated::fitted(session, own.clone(), Skill::Recorded, seed))
                }
                None => self.alone(seed),
            },
            name => name.alone(seed),
        }
    }

    /// The summarizer without a session; one that does not ship, or is told the facts of one, stands
    /// for itself as [`Unavailable`].
    pub fn alone(self, seed: Seed) -> Box<dyn Ask + Send> {
        match self {
            SummarizerName::Extractive => Box::new(Extractive::default()),
            SummarizerName::Null => Box::new(Null::default()),
            SummarizerName::Lead => Box::new(Lead::default()),
            SummarizerName::RandomSentence => {
                Box::new(RandomSentence::new(seed.derive(&["random-sentence"])))
            }
            SummarizerName::Adversary(adversary) => Box::new(adversary),
            SummarizerName::Perfect
            | SummarizerName::Simulated(_)
            | SummarizerName::Fitted(_)
            | SummarizerName::Http
            | SummarizerName::Own(_) => Box::new(Unavailable { name: self.name() }),
        }
    }

    fn is_stochastic(self) -> bool {
        matches!(
            self,
            SummarizerName::RandomSentence
                | SummarizerName::Simulated(_)
                | SummarizerName::Fitted(_)
                | SummarizerName::Http
                | SummarizerName::Own(_)
        )
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
            "perfect~0.05",
            "simulated",
            "simulated-poor~0.05",
            "extractive~0.125+error",
            "extractive+error",
            "empty+error-0.3",
            "http",
            "adversary-shape-list",
            "adversary-echo",
            "http+time-out",
            "own-model~0.05+error",
            "fitted-mine~0.05+error",
            "perfect+time-out-first-3",
            "extractive+tool-call-every-4",
            "extractive+role-labels-burst-20-of-100",
        ] {
            let summarizer: Summarizer = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(summarizer.to_string(), text);
            assert_eq!(summarizer.fault.is_some(), text.contains('+'));
            assert_eq!(summarizer.omits.is_some(), text.contains('~'));
        }
        let old: Summarizer = "null+error-0.3".parse().expect("the old name of `empty`");
        assert_eq!(old.to_string(), "empty+error-0.3");
    }

    #[test]
    fn what_is_no_name_says_what_is_wrong() {
        for (text, expected) in [
            ("extractiv", "unknown summarizer `extractiv`, expected one of `extractive`, `empty`"),
            ("own-Mine", "`own-Mine` is not `own-`"),
            ("fitted-", "`fitted-` is not `fitted-` followed by"),
            ("extractive~5", "`5` is no share of lines"),
            ("extractive+erorr", "unknown kind of fault `erorr`"),
            ("extractive+error-first", "`first` is no schedule"),
            ("extractive+error-1.5", "`1.5` is no schedule"),
            ("extractive+error-every-1", "every: 1 is below 2"),
        ] {
            let error = text.parse::<Summarizer>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
