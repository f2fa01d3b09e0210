//! Changes that somebody wrote are known: they are listed with the reason, and announced no more.
//!
//! A file of `[[change]]` tables, each with the metric, the configuration, the night and the reason.

use std::ops::Range;

use toml::Spanned;

use super::finding::{Finding, State};
use super::night::{Day, Night};
use crate::config;
use crate::ident::did_you_mean;
use crate::prelude::*;

const WHAT: &str = "file of acknowledged changes";

/// The changes that a file acknowledges.
#[derive(Clone, Debug, Default)]
pub struct Acknowledged {
    file: String,
    text: String,
    changes: Vec<Change>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    change: Vec<Change>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    metric: Spanned<String>,
    configuration: Spanned<String>,
    /// All modes where none is named.
    mode: Option<String>,
    /// The change over all scenarios and in each where none is named.
    scenario: Option<String>,
    night: Spanned<String>,
    reason: Spanned<String>,
}

impl Acknowledged {
    /// Reads a file; [`Error::Io`] where it cannot be read.
    pub fn load(path: &Path) -> Result<Acknowledged> {
        Acknowledged::parse(&path.display().to_string(), &config::text(path)?)
    }

    /// Reads a text; [`Error::Toml`] shows what is not as the format has it.
    pub fn parse(file: &str, text: &str) -> Result<Acknowledged> {
        let File { change } = config::parse(WHAT, file, text)?;
        let read = Acknowledged { file: file.to_owned(), text: text.to_owned(), changes: change };
        for change in &read.changes {
            if let Err(error) = change.night.get_ref().parse::<Day>() {
                return Err(read.broken(change.night.span(), error.to_string(), None));
            }
            if change.reason.get_ref().trim().is_empty() {
                let hint = "write why the change is accepted: the pages show it";
                return Err(read.broken(change.reason.span(), "an empty reason", hint));
            }
        }
        Ok(read)
    }

    fn broken<'h>(
        &self,
        span: Range<usize>,
        rule: impl Into<String>,
        hint: impl Into<Option<&'h str>>,
    ) -> Error {
        config::broken(WHAT, (&self.file, &self.text), span, rule, hint)
    }

    /// Takes what is acknowledged out of what is announced and stands. An entry that is of no
    /// finding is an [`Error::Toml`] at its place.
    pub fn apply(&self, found: &mut [Finding], nights: &[Night]) -> Result<()> {
        for change in &self.changes {
            let mut matched = false;
            for finding in found.iter_mut() {
                let is_whole = change.of(finding, nights);
                let parts = finding.parts.iter_mut();
                let of_whole = is_whole && change.scenario.is_none();
                for part in parts.filter(|part| of_whole || change.of(part, nights)) {
                    change.mark(part);
                    matched = true;
                }
                if is_whole {
                    change.mark(finding);
                    matched = true;
                }
            }
            if !matched {
                return Err(self.unmatched(change, found, nights));
            }
        }
        Ok(())
    }

    /// Which of the entry's words is of no finding, with the nights that would be.
    fn unmatched(&self, change: &Change, found: &[Finding], nights: &[Night]) -> Error {
        let all = || found.iter().flat_map(|one| std::iter::once(one).chain(&one.parts));
        let metric = change.metric.get_ref();
        let of_metric = || all().filter(|one| one.key.metric == *metric);
        if of_metric().next().is_none() {
            let rule = format!("no change of `{metric}` was found in this history");
            let hint = did_you_mean(metric, all().map(|one| one.key.metric.as_str()));
            return self.broken(change.metric.span(), rule, hint.as_deref());
        }
        let name = change.configuration.get_ref();
        let own = || of_metric().filter(|one| one.key.configuration == *name);
        if own().next().is_none() {
            let rule = format!("no change of `{metric}` of `{name}` was found in this history");
            let hint = did_you_mean(name, of_metric().map(|one| one.key.configuration.as_str()));
            return self.broken(change.configuration.span(), rule, hint.as_deref());
        }
        let dates: BTreeSet<&str> =
            own().filter_map(|one| Some(nights.get(one.night)?.date.as_str())).collect();
        let dates: Vec<&str> = dates.into_iter().collect();
        let rule =
            format!("no change of `{metric}` of `{name}` is of this night, mode and scenario");
        let hint = format!("changes of it were found on {}", dates.join(", "));
        self.broken(change.night.span(), rule, hint.as_str())
    }
}

impl Change {
    /// Whether it names this finding: by the first night of its new level, or that on which it
    /// was found.
    fn of(&self, finding: &Finding, nights: &[Night]) -> bool {
        let key = &finding.key;
        let dated = |index: usize| {
            nights.get(index).is_some_and(|night| night.date.as_str() == self.night.get_ref())
        };
        key.metric == *self.metric.get_ref()
            && key.configuration == *self.configuration.get_ref()
            && self.mode.as_ref().is_none_or(|mode| *mode == key.mode)
            && self.scenario.as_ref().is_none_or(|own| Some(own) == key.scenario.as_ref())
            && (dated(finding.night) || dated(finding.made))
    }

    fn mark(&self, finding: &mut Finding) {
        finding.state = State::Acknowledged(self.reason.get_ref().trim().to_owned());
        finding.stands = false;
    }
}
