//! A prompt of one's own: what a stage's requests ask, in place of the strategy's words.

use std::path::Path;

use crate::config;
use crate::error::{Error, Result};
use crate::ident::did_you_mean;
use crate::plan::{Piece, Source, SummaryRequest};
use crate::prelude::*;
use crate::view::View;

/// The text of a prompt, with placeholders in double braces.
///
/// A file names it by a file beside it (`prompt = "mine.md"`) or holds it; what has a line break is
/// the prompt itself. It replaces the last user message of each request. The system prompt and, of a
/// strategy that shows the conversation itself, the messages before it stay as they are. What the
/// prompt has no place for is at its end, so that a summarizer is shown no less than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prompt(String);

crate::words! {
    /// What stands in a prompt for something that only the request knows.
    pub enum Placeholder {
        /// What is to be summarized, with the strategy's labels in between.
        Material = "material",
        /// Of it, what a summarizer wrote earlier; a part of the material where a prompt does not
        /// name it.
        Previous = "previous",
        /// The headings that the strategy's own prompt asks for, a line each.
        Sections = "sections",
        /// Most tokens of the answer.
        Budget = "budget",
        /// The request that is being worked on, word for word.
        Focus = "focus",
    }
}

impl Prompt {
    /// A text, which ends in a line break.
    pub fn new(text: &str) -> Prompt {
        Prompt(format!("{}\n", text.trim_end()))
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// It, read where it names a file beside that of its pipeline.
    pub(super) fn read(self, pipeline: &str) -> Result<Prompt> {
        if !Prompt::is_file(&self.0) {
            return Ok(self);
        }
        if Path::new(&self.0).components().count() != 1 || self.0.contains("..") {
            let rule =
                "it names a file beside this one, or has a line break and is the prompt itself";
            return Err(Error::invalid(format!("{pipeline}: prompt: {}", self.0), rule));
        }
        let path = Path::new(pipeline).with_file_name(&self.0);
        let read = config::text(&path).map_err(|error| error.within(format!("{pipeline}: prompt")));
        Ok(Prompt::new(&read?))
    }

    /// Whether a value names a file.
    pub(super) fn is_file(value: &str) -> bool {
        !value.contains('\n')
    }

    /// Whether every placeholder is known, and none stands twice.
    pub(super) fn check(&self) -> Result<(), String> {
        let parts = self.parts()?;
        if self.0.trim().is_empty() {
            return Err("`prompt` is empty".to_owned());
        }
        let twice = Placeholder::ALL.into_iter().find(|one| {
            parts.iter().filter(|part| matches!(part, Part::Placeholder(it) if it == one)).count()
                > 1
        });
        twice.map_or(Ok(()), |one| Err(format!("`prompt` has {{{{{}}}}} twice", one.name())))
    }

    fn parts(&self) -> Result<Vec<Part<'_>>, String> {
        let (mut parts, mut rest) = (Vec::new(), self.0.as_str());
        while let Some((words, behind)) = rest.split_once("{{") {
            let (name, after) =
                behind.split_once("}}").ok_or("`prompt` has {{ without }} behind it")?;
            let name = name.trim();
            let found = Placeholder::ALL.into_iter().find(|one| one.name() == name);
            let known = Placeholder::ALL.map(Placeholder::name);
            let found = found.ok_or_else(|| {
                let hint =
                    did_you_mean(name, known).map_or_else(String::new, |it| format!("; {it}"));
                format!("`prompt` has {{{{{name}}}}}, and knows {}{hint}", known.join(", "))
            })?;
            parts.extend([Part::Words(words), Part::Placeholder(found)]);
            rest = after;
        }
        parts.push(Part::Words(rest));
        Ok(parts)
    }

    /// What a request asks, in these words.
    pub(super) fn fill(&self, request: &SummaryRequest, view: &View) -> Vec<Piece> {
        let Ok(parts) = self.parts() else { return request.instruction.clone() };
        let names = |wanted| {
            parts.iter().any(|part| matches!(part, Part::Placeholder(it) if *it == wanted))
        };
        let apart = names(Placeholder::Previous);
        let is_own = |piece: &Piece| matches!(piece, Piece::Literal(_));
        let shown = request
            .instruction
            .iter()
            .position(|piece| !is_own(piece))
            .zip(request.instruction.iter().rposition(|piece| !is_own(piece)));
        let material = shown.map_or(&[][..], |(first, last)| &request.instruction[first..=last]);
        let is_previous = |piece: &&Piece| apart && is_summary(piece, view);
        let of = |placeholder| match placeholder {
            Placeholder::Material => {
                material.iter().filter(|piece| !is_previous(piece)).cloned().collect()
            }
            Placeholder::Previous => material.iter().filter(is_previous).cloned().collect(),
            Placeholder::Sections => vec![Piece::literal(headings(&request.instruction))],
            Placeholder::Budget => vec![Piece::literal(request.max_tokens.0.to_string())],
            Placeholder::Focus => {
                let last = view.entries().iter().rfind(|entry| entry.is_user());
                last.map(|entry| Piece::quote(entry.id)).into_iter().collect()
            }
        };
        let mut pieces: Vec<Piece> = parts
            .iter()
            .flat_map(|part| match part {
                Part::Words(words) => vec![Piece::literal(*words)],
                Part::Placeholder(placeholder) => of(*placeholder),
            })
            .collect();
        if !names(Placeholder::Material) {
            pieces.extend(of(Placeholder::Material));
        }
        pieces.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
        pieces
    }
}

enum Part<'a> {
    Words(&'a str),
    Placeholder(Placeholder),
}

/// Whether it quotes what a summarizer wrote.
fn is_summary(piece: &Piece, view: &View) -> bool {
    let Piece::Quote { of: Source::Entry(id), .. } = piece else { return false };
    view.entry(*id).is_some_and(|entry| entry.kind.is_summary())
}

/// The heading lines among a strategy's own words.
fn headings(instruction: &[Piece]) -> String {
    let words = instruction.iter().filter_map(|piece| match piece {
        Piece::Literal(text) => Some(&**text),
        Piece::Extract { .. } | Piece::Quote { .. } | Piece::Answer { .. } => None,
    });
    let lines = words.flat_map(str::lines).filter(|line| line.starts_with('#'));
    lines.collect::<Vec<&str>>().join("\n")
}
