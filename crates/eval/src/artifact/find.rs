//! Artifacts by their shape, and whether a summary holds them. The rules are those
//! under which the recorded table was made, so that its rates can be set beside ours.

mod shape;

use std::collections::{BTreeMap, BTreeSet};

use super::{Kind, Place, Sighting};
use crate::log::artifact::leaves;
use crate::log::{Author, Message, Role};
use crate::summarize::extractive::sentence::sentences;

/// A prompt longer than this is a paste.
const PASTE: usize = 1_500;
/// Rows of one kind and stretch: the recorded table is cut at the same numbers.
const MOST: usize = 300;
/// See [`MOST`].
const MOST_PATHS: usize = 400;

/// One artifact of a stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Artifact {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// For paths: every form of it that the stretch shows.
    forms: BTreeSet<String>,
    mentions: usize,
    place: Option<Place>,
    edited: bool,
    read: bool,
    /// Length of the prompt that a sentence is from, and whether it is a paste.
    prompt: usize,
    pasted: bool,
}

/// What a summary is searched for.
pub(super) struct Summary<'a> {
    text: &'a str,
    folded: String,
}

impl<'a> Summary<'a> {
    pub(super) fn new(text: &'a str) -> Summary<'a> {
        Summary { text, folded: shape::folded(text) }
    }
}

impl Artifact {
    pub(super) fn sighting(&self, summary: &Summary) -> Sighting {
        let survived = match self.kind {
            Kind::Path => self.path_in(summary.text),
            Kind::Symbol | Kind::Test | Kind::Value => {
                shape::on_boundaries(summary.text, &self.text)
            }
            // An empty text is in everything; what folds to nothing is nowhere.
            Kind::Error | Kind::Command | Kind::UserSentence => {
                let folded = shape::folded(&self.text);
                !folded.is_empty() && summary.folded.contains(&folded)
            }
        };
        Sighting {
            kind: self.kind,
            place: self.place,
            edited: self.edited,
            read: self.read,
            pasted: self.pasted,
            survived,
        }
    }

    /// In any form of several segments; a lone name only where it never had more.
    fn path_in(&self, summary: &str) -> bool {
        let long = self.forms.iter().filter(|form| form.contains('/'));
        let mut forms: Vec<&String> = long.collect();
        if forms.is_empty() {
            forms.extend(&self.forms);
        }
        forms.into_iter().any(|form| shape::on_boundaries(summary, form))
    }
}

/// What is known of a text besides its words.
#[derive(Clone, Copy)]
struct Source {
    place: Option<Place>,
    edits: bool,
    reads: bool,
    /// Whether errors are reported here: results of commands and failed results.
    reports: bool,
}

/// All artifacts of a stretch, cut as the recorded table is.
pub(super) fn artifacts(messages: &[Message]) -> Vec<Artifact> {
    let mut gathered = Gathered::default();
    let mut tools: BTreeMap<&str, &str> = BTreeMap::new();
    for message in messages {
        for call in &message.calls {
            tools.insert(&call.id.0, &call.name);
            gathered.call(&call.name, &call.args);
        }
        let tool = message.answers.as_ref().and_then(|id| tools.get(&*id.0)).copied();
        gathered.text(&message.content, source(message, tool.unwrap_or_default()));
        if message.author == Author::Human {
            gathered.prompt(&message.content);
        }
    }
    gathered.finish()
}

fn source(message: &Message, tool: &str) -> Source {
    let place = match (message.role, message.author) {
        (Role::User, Author::Human) => Some(Place::User),
        (Role::Assistant, _) => Some(Place::Text),
        (Role::Tool, _) => Some(Place::Result),
        (Role::User | Role::System, _) => None,
    };
    let result = message.role == Role::Tool;
    Source {
        place,
        edits: false,
        reads: result && shape::reads(tool),
        reports: message.author == Author::Human || result && (message.failed || shape::runs(tool)),
    }
}

/// Artifacts as they come.
#[derive(Default)]
struct Gathered {
    found: BTreeMap<(Kind, String), Artifact>,
}

impl Gathered {
    fn call(&mut self, tool: &str, args: &str) {
        let leaves = leaves(args);
        let source = Source {
            place: Some(Place::Call),
            edits: shape::edits(tool),
            reads: false,
            reports: false,
        };
        for (key, text) in &leaves {
            self.text(text, source);
            let names_file = matches!(key.as_str(), "path" | "file_path" | "notebook_path");
            if names_file && (shape::edits(tool) || shape::reads(tool)) {
                self.file(text, shape::edits(tool));
            }
            if shape::runs(tool) && matches!(key.as_str(), "command" | "cmd" | "filter") {
                self.see(Kind::Command, shape::command(text), source);
            }
        }
    }

    fn text(&mut self, text: &str, source: Source) {
        for (kind, artifact) in shape::named(text) {
            // A file is edited or read by name, not by standing in what is.
            let source = match kind {
                Kind::Path => Source { edits: false, reads: false, ..source },
                _ => source,
            };
            self.see(kind, artifact, source);
        }
        if source.reports {
            for line in shape::errors(text) {
                self.see(Kind::Error, line, source);
            }
        }
    }

    /// The sentences of what a person typed or pasted.
    fn prompt(&mut self, text: &str) {
        for line in text.lines() {
            let pasted = text.len() > PASTE || shape::looks_pasted(line);
            for sentence in sentences(line).filter(|s| s.split_whitespace().count() > 2) {
                let source =
                    Source { place: Some(Place::User), edits: false, reads: false, reports: false };
                let artifact = self.see(Kind::UserSentence, sentence, source);
                artifact.pasted = pasted;
                artifact.prompt = text.len();
            }
        }
    }

    fn file(&mut self, path: &str, edited: bool) {
        let source =
            Source { place: Some(Place::Call), edits: false, reads: false, reports: false };
        let artifact = self.see(Kind::Path, path.trim_start_matches("./"), source);
        artifact.edited |= edited;
        artifact.read |= !edited;
        // The argument was counted with the rest of the call already.
        artifact.mentions = artifact.mentions.saturating_sub(1).max(1);
    }

    fn see(&mut self, kind: Kind, text: &str, source: Source) -> &mut Artifact {
        let new = || Artifact {
            kind,
            text: text.to_owned(),
            forms: BTreeSet::from([text.to_owned()]),
            mentions: 0,
            place: None,
            edited: false,
            read: false,
            prompt: 0,
            pasted: false,
        };
        let artifact = self.found.entry((kind, text.to_owned())).or_insert_with(new);
        artifact.mentions += 1;
        artifact.place = artifact.place.max(source.place);
        artifact.edited |= source.edits;
        artifact.read |= source.reads;
        artifact
    }

    fn finish(self) -> Vec<Artifact> {
        let mut kinds: BTreeMap<Kind, Vec<Artifact>> = BTreeMap::new();
        for artifact in self.found.into_values() {
            kinds.entry(artifact.kind).or_default().push(artifact);
        }
        let paths = kinds.remove(&Kind::Path).unwrap_or_default();
        kinds.insert(Kind::Path, merged(paths));
        kinds.into_iter().flat_map(|(kind, artifacts)| cut(kind, artifacts)).collect()
    }
}

/// The tail of exactly one longer path is that path.
fn merged(paths: Vec<Artifact>) -> Vec<Artifact> {
    let mut owners: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for (number, path) in paths.iter().enumerate() {
        for (place, _) in path.text.match_indices('/') {
            let owner = owners.entry(&path.text[place + 1..]).or_insert(Some(number));
            // The tails of one path along another's are those of the longer one.
            let keeps = owner.is_some_and(|known| paths[known].text.ends_with(&path.text));
            if keeps || *owner == Some(number) {
                continue;
            }
            let longer = owner.is_some_and(|known| path.text.ends_with(&paths[known].text));
            *owner = longer.then_some(number);
        }
    }
    let home: Vec<Option<usize>> =
        paths.iter().map(|path| owners.get(path.text.as_str()).copied().flatten()).collect();
    let mut merged: Vec<Option<Artifact>> = paths.into_iter().map(Some).collect();
    for (number, home) in home.iter().enumerate() {
        let Some(home) = *home else { continue };
        let Some(part) = merged[number].take() else { continue };
        match merged[home].as_mut() {
            Some(whole) => {
                whole.mentions += part.mentions;
                whole.place = whole.place.max(part.place);
                whole.edited |= part.edited;
                whole.read |= part.read;
                whole.forms.extend(part.forms);
            }
            // Its home was merged further up; it stays for itself.
            None => merged[number] = Some(part),
        }
    }
    merged.into_iter().flatten().collect()
}

fn cut(kind: Kind, mut artifacts: Vec<Artifact>) -> Vec<Artifact> {
    let most = if kind == Kind::Path { MOST_PATHS } else { MOST };
    match kind {
        Kind::Symbol => artifacts.retain(|artifact| artifact.mentions > 1),
        Kind::Path
        | Kind::Error
        | Kind::Test
        | Kind::Command
        | Kind::Value
        | Kind::UserSentence => {}
    }
    artifacts.sort_by(|one, other| {
        let touched =
            |artifact: &Artifact| kind == Kind::Path && (artifact.edited || artifact.read);
        let by_rank = touched(other).cmp(&touched(one));
        let by_prompt = one.prompt.cmp(&other.prompt);
        by_rank
            .then(by_prompt)
            .then(other.mentions.cmp(&one.mentions))
            .then_with(|| one.text.cmp(&other.text))
    });
    artifacts.truncate(most);
    artifacts
}
