//! All artifacts of a log: paths, symbols, tests, errors, commands, values.

use rayon::prelude::*;

use super::data::{ARTIFACTS, Speaker};
use super::finder::{command, find, symbol};
use super::leaves::leaves;
use super::{Draft, path, sample_key};
use crate::prelude::*;

/// Artifacts looked for in the whole log; beyond, those of one message are sampled: no demand.
const MOST_LOOKED_FOR: usize = 20_000;

/// All artifacts of the log, most of them once; each set of needles is one fact.
pub(super) fn drafts(log: &Log) -> Vec<Draft> {
    let settings = results_of_settings(log);
    let of = |message: &Message| of_message(message, settings.contains(&message.id));
    let found: Vec<Found> = log.messages.par_iter().map(of).collect();
    let mut paths = BTreeSet::new();
    let mut seen: BTreeMap<Draft, usize> = BTreeMap::new();
    for found in found {
        paths.extend(found.paths);
        for draft in found.drafts {
            *seen.entry(draft).or_default() += 1;
        }
    }
    let mut drafts = path::drafts(&paths);
    let room = MOST_LOOKED_FOR.saturating_sub(drafts.len());
    let mut ranked: Vec<(Draft, usize)> = seen.into_iter().collect();
    if ranked.len() > room {
        ranked.sort_by_key(|(draft, count)| (*count < 2, sample_key("artifact", &draft.statement)));
        ranked.truncate(room);
    }
    drafts.extend(ranked.into_iter().map(|(draft, _)| draft));
    drafts
}

fn results_of_settings(log: &Log) -> BTreeSet<MsgId> {
    let is_settings = |call: &&Call| {
        super::file(call).is_some_and(|path| {
            ARTIFACTS.settings.iter().any(|end| path.ends_with(end)) && !path.contains("lock")
        })
    };
    let mut calls = BTreeSet::new();
    let mut results = BTreeSet::new();
    for message in &log.messages {
        calls.extend(message.calls.iter().filter(is_settings).map(|call| &call.id));
        if message.answers.as_ref().is_some_and(|id| calls.contains(id)) {
            results.insert(message.id);
        }
    }
    results
}

#[derive(Default)]
struct Found {
    paths: BTreeSet<String>,
    drafts: BTreeSet<Draft>,
}

impl Found {
    fn look(&mut self, text: &str, speaker: Speaker) {
        self.paths.extend(path::in_text(text));
        find(text, speaker, &mut self.drafts);
    }
}

/// The prose of the model is left out: it names things that it only means to make.
fn of_message(message: &Message, of_settings: bool) -> Found {
    let mut found = Found::default();
    match message.role {
        Role::System => {}
        Role::User => {
            if let Some(text) = super::typed(message) {
                find(&path::blanked(&text), Speaker::Words, &mut found.drafts);
                found.look(&text, Speaker::Human);
            }
        }
        Role::Tool => {
            found.look(&message.content, Speaker::Result);
            if of_settings {
                find(&message.content, Speaker::Settings, &mut found.drafts);
            }
        }
        Role::Assistant => {
            let strings = message.calls.iter().flat_map(|call| leaves(&call.args));
            strings.for_each(|(_, text)| found.look(&text, Speaker::Call));
        }
    }
    found.drafts.extend(message.calls.iter().filter_map(searched));
    found.drafts.extend(message.calls.iter().filter_map(command));
    found
}

/// The name that a search looks for, where it looks for one name.
fn searched(call: &Call) -> Option<Draft> {
    let what = super::argument(call, &["pattern", "query"])?;
    let is_name = what.len() <= 64
        && what.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
        && !what.starts_with(|first: char| first.is_ascii_digit());
    if is_name { symbol(&what) } else { None }
}
