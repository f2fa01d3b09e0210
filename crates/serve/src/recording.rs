//! A recording proxy: conversations that pass are written as sessions in our own log format.
//!
//! A request brings its whole history. What it adds to what was sent and answered before is
//! appended; where it is no continuation, a compaction happened and a boundary is recorded. A
//! request that ends where the last one did takes the last exchange back: a client asked again.
//! What has nothing in common with a known conversation begins a file of its own.
//! Requests without an answer leave no trace: clients send their messages again.

mod conversation;
mod fit;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::log;
use crate::model::{Answers, Reply};
use crate::prelude::*;
use crate::unit::Millis;
use conversation::Conversation;
use fit::{Fit, Keyed, Quoted};

/// Most answers that are remembered: one of them may be a summary that comes back.
const REMEMBERED: usize = 64;

/// Writes down what passes between clients and whoever answers.
pub struct Recording {
    inner: Arc<dyn Answers>,
    began: Instant,
    book: Mutex<Book>,
    on_error: Box<dyn Fn(&Error) + Send + Sync>,
}

impl Recording {
    /// Records what `inner` answers into this file, and other conversations into files beside it:
    /// `NAME-2.jsonl` and so on. Fails where the file exists. A file that cannot be written is told
    /// to `on_error`, and clients are answered all the same.
    pub fn new(
        inner: Arc<dyn Answers>,
        path: &Path,
        on_error: impl Fn(&Error) + Send + Sync + 'static,
    ) -> Result<Recording> {
        if path.exists() {
            let rule = "the file exists already";
            let hint = "name another, or remove it first";
            return Err(Error::refused(path.display().to_string(), rule, hint));
        }
        let book = Mutex::new(Book::new(path));
        Ok(Recording { inner, began: Instant::now(), book, on_error: Box::new(on_error) })
    }

    /// The files that were written.
    pub fn files(&self) -> Vec<PathBuf> {
        held(&self.book).conversations.iter().map(|one| one.path.clone()).collect()
    }

    fn now(&self) -> Millis {
        Millis(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

impl Answers for Recording {
    fn answer(&self, request: ModelRequest) -> Reply {
        let (asked, kept) = (self.now(), request.clone());
        let completion = self.inner.answer(request)?;
        let mut book = held(&self.book);
        if let Err(error) = book.record(&kept, &completion, asked, self.now()) {
            (self.on_error)(&error);
        }
        Ok(completion)
    }
}

/// The conversations of one proxy.
struct Book {
    path: PathBuf,
    conversations: Vec<Conversation>,
    /// The latest answers, newest last.
    answers: Vec<Arc<str>>,
}

impl Book {
    fn new(path: &Path) -> Book {
        Book { path: path.to_owned(), conversations: Vec::new(), answers: Vec::new() }
    }

    /// Takes a request and its answer down, and writes the file of its conversation.
    fn record(
        &mut self,
        request: &ModelRequest,
        completion: &Completion,
        asked: Millis,
        answered: Millis,
    ) -> Result<()> {
        let place = match self.fitting(request) {
            Some((place, fit)) => {
                self.conversations[place].go_on(request, fit, asked, completion.prompt_tokens);
                place
            }
            None => {
                let conversation = Conversation::begin(self.free_path(), request, asked);
                self.conversations.push(conversation);
                self.conversations.len() - 1
            }
        };
        let conversation = &mut self.conversations[place];
        conversation.answered(completion, answered);
        if fit::can_be_quoted(&completion.text) {
            self.answers.push(completion.text.trim().into());
            let most = self.answers.len().saturating_sub(REMEMBERED);
            self.answers.drain(..most);
        }
        write(&self.conversations[place])
    }

    /// The conversation that a request goes on with: the one with which it has most in common.
    fn fitting(&self, request: &ModelRequest) -> Option<(usize, Fit)> {
        let asked = Keyed::new(request);
        let quoted = Quoted::find(request, &self.answers);
        let fits = self.conversations.iter().enumerate().filter_map(|(place, conversation)| {
            let (fit, weight) = conversation.fit(&asked, quoted.as_ref())?;
            Some((weight, conversation.last_used(), place, fit))
        });
        let best = fits.max_by_key(|(weight, used, place, _)| (*weight, *used, *place));
        best.map(|(.., place, fit)| (place, fit))
    }

    /// The file of the next conversation.
    fn free_path(&self) -> PathBuf {
        if self.conversations.is_empty() {
            return self.path.clone();
        }
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let suffix = self.path.extension().map(|suffix| format!(".{}", suffix.to_string_lossy()));
        let suffix = suffix.unwrap_or_default();
        let named = |number: usize| self.path.with_file_name(format!("{stem}-{number}{suffix}"));
        let is_free = |path: &PathBuf| {
            !path.exists() && self.conversations.iter().all(|known| known.path != *path)
        };
        // OK because a folder cannot hold that many files.
        (2..).map(named).find(is_free).unwrap_or_else(|| self.path.clone())
    }
}

/// Writes a conversation as it stands. A process that ends meanwhile leaves the file whole.
fn write(conversation: &Conversation) -> Result<()> {
    let path = &conversation.path;
    let text = log::format::to_text(&conversation.log)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    std::fs::write(&part, text).map_err(|error| Error::io("write", &part, error))?;
    std::fs::rename(&part, path).map_err(|error| Error::io("write", path, error))
}

#[cfg(test)]
mod tests;
