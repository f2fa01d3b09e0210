//! The site of a history: the night's verdict, what changed, and every figure over time.
//!
//! Plain files that open from a folder and load nothing; no page holds a script. All words of
//! a history are hostile text, which the templates escape.

mod book;
mod exposition;
mod feed;
mod figure;
mod finding;
mod markup;
mod night;
mod pages;
mod plot;
mod prelude;
mod verdict;
mod words;

pub use book::RunLinks;

use rayon::prelude::*;

use crate::gate::Policy;
use crate::history::kept::NightOf;
use crate::history::{Acknowledged, Finding, History};
use crate::prelude::*;
use crate::report::files::{clear, store};
use book::Book;

/// Nights that charts show in full; those before are an overview.
pub const WINDOW: usize = 90;

/// Folders whose pages are this module's: one that is no longer made is removed.
const FOLDERS: [&str; 2] = ["configurations", "scenarios"];

/// What was rendered.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// `index.html`.
    pub index: PathBuf,
    /// Files of the site.
    pub files: usize,
    /// Of these, written: the others said the same already.
    pub written: usize,
    /// The verdict of the last night in a few words.
    pub verdict: String,
    /// Changes for the worse that stand: announced, not made good, not acknowledged.
    pub standing: usize,
    /// All changes, the newest first.
    pub findings: Vec<Finding>,
}

/// What a site is rendered with besides its history.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where the site will be found: the links of its feed start with it.
    pub base: Option<String>,
    /// The policy whose margins count; the one of the binary where none is given.
    pub policy: Option<Policy>,
    /// The changes that are known.
    pub acknowledged: Acknowledged,
    /// Where the runs of the nights are.
    pub runs: BTreeMap<NightOf, RunLinks>,
}

/// Renders a history into a directory.
///
/// An error where the history is empty, an acknowledgement is of no change, a template is broken,
/// or a file cannot be written.
pub fn render(history: &History, out: &Path, options: &Options) -> Result<Site> {
    let policy = options.policy.clone().map_or_else(Policy::embedded, Ok)?;
    let book = Book::of(history, &policy, &options.acknowledged, options.runs.clone())?;
    let markup = markup::Markup::new()?;
    let verdict = verdict::verdict(&book);
    let mut files = pages::all(&book, &verdict, &markup)?;
    files.push(("atom.xml".to_owned(), feed::feed(&book, &markup, options.base.as_deref())?));
    files.push(("metrics.txt".to_owned(), exposition::exposition(&book, &markup)?));
    for folder in FOLDERS {
        let own = |(name, _): &(String, String)| {
            Some(Path::new(name).strip_prefix(folder).ok()?.display().to_string())
        };
        clear(&out.join(folder), &files.iter().filter_map(own).collect())?;
    }
    let stored = files.par_iter().map(|(name, text)| store(&out.join(name), text.as_bytes()));
    let stored = stored.collect::<Result<Vec<bool>>>()?;
    Ok(Site {
        index: out.join("index.html"),
        files: files.len(),
        written: stored.into_iter().filter(|written| *written).count(),
        verdict: markup.render("verdict.txt", context! { verdict })?,
        standing: book.standing().len(),
        findings: book.findings,
    })
}
