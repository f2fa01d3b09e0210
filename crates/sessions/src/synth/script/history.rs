//! What version control knows: the commits of the session, and what was edited since.

use similar::{ChangeTag, TextDiff};

use super::tree::Tree;
use crate::synth::output::state;
use crate::synth::prelude::*;

/// Lines around what changed.
const AROUND: usize = 2;

#[derive(Debug)]
struct Commit {
    name: String,
    subject: String,
    changes: String,
}

#[derive(Debug, Default)]
pub(super) struct History {
    commits: Vec<Commit>,
}

impl History {
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// The name of the latest commit of the session.
    pub fn revision(&self) -> &str {
        self.commits.last().map_or("none", |commit| &commit.name)
    }

    /// The files that were edited since the latest commit.
    pub fn status(tree: &Tree) -> String {
        let edited: Vec<String> = tree.edited().map(|(file, _)| format!(" M {file}")).collect();
        if edited.is_empty() { "nothing to commit".to_owned() } else { edited.join("\n") }
    }

    /// What was edited since the latest commit.
    pub fn diff(tree: &Tree) -> String {
        let diff = |(file, before): (&str, &str)| {
            let [old, new] = ["a", "b"].map(|side| format!("{side}/{file}"));
            let hunks = hunks(before, &tree.text(file));
            format!("diff --git {old} {new}\n--- {old}\n+++ {new}\n{hunks}")
        };
        tree.edited().map(diff).collect::<String>().trim_end().to_owned()
    }

    /// Commits what was edited, and says so.
    pub fn commit(&mut self, subject: &str, tree: &mut Tree, rng: &mut ChaCha8Rng) -> String {
        if tree.edited().next().is_none() {
            return "nothing to commit, working tree clean".to_owned();
        }
        let changes = History::diff(tree);
        let (mut added, mut removed) = (0, 0);
        for (file, before) in tree.edited() {
            for change in TextDiff::from_lines(before, &tree.text(file)).iter_all_changes() {
                added += usize::from(change.tag() == ChangeTag::Insert);
                removed += usize::from(change.tag() == ChangeTag::Delete);
            }
        }
        let (name, files) = (state::name_of(rng), tree.edited().count());
        let text = format!(
            "[main {name}] {subject}\n {files} files changed, {added} insertions(+), {removed} deletions(-)"
        );
        self.commits.push(Commit { name, subject: subject.to_owned(), changes });
        tree.commit();
        text
    }

    /// The latest commit of the session, with what it changed.
    pub fn latest(&self) -> String {
        self.commits.last().map_or_else(String::new, |commit| {
            format!("commit {}\n\n    {}\n\n{}", commit.name, commit.subject, commit.changes)
        })
    }

    /// The latest commits, a line each: those of the session, then what was there before.
    pub fn lines(&self, count: usize, seed: Seed) -> String {
        let own = self.commits.iter().rev();
        let own = own.map(|commit| format!("{} {}", commit.name, commit.subject));
        let before = (0_u64..).map(|number| {
            let mut rng = seed.derive(&["commit", &number.to_string()]).rng();
            format!("{} {}", state::name_of(&mut rng), state::subject_of(&mut rng))
        });
        own.chain(before).take(count).collect::<Vec<String>>().join("\n")
    }
}

/// What changed in a text, as hunks.
pub(super) fn hunks(before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(AROUND).to_string()
}
