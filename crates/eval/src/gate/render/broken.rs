//! A gate that could not be held, because a file is not valid: what CI shows of it.

use minijinja::context;

use super::super::detail::Place;
use super::tools::{self, Alert, sarif_log};
use super::{Level, fill};
use crate::error::{Error, Result};
use crate::sanitize::{self, Shown};

/// An error at its place in a file, where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    place: Option<Place>,
    says: String,
}

impl Broken {
    /// Of an error; one that names no line stands on the first of the file that is judged.
    pub fn of(error: &Error, candidate: Option<&str>) -> Broken {
        let place = |file: &str, line| Place { file: file.replace('\\', "/"), line };
        let at = match error {
            Error::Toml { file, text, span, .. } => {
                let before = text.get(..span.start.min(text.len())).unwrap_or("");
                Some(place(file, 1 + before.matches('\n').count()))
            }
            Error::Line { file, line, .. } => Some(place(file, *line)),
            Error::Invalid { place: at, .. } => {
                let file = candidate.filter(|file| at.starts_with(file));
                file.map(|file| place(file, 1))
            }
            _ => None,
        };
        let mut says = match error {
            Error::Toml { rule, .. } => format!("{error}: {rule}"),
            error => error.to_string(),
        };
        if let Some(hint) = error.hint() {
            says = format!("{says} ({hint})");
        }
        Broken { place: at, says: sanitize::line(&says) }
    }

    /// As a workflow command.
    pub fn annotation(&self) -> Shown {
        tools::workflow(Level::Error, self.place.as_ref(), "proctor gate: invalid file", &self.says)
    }

    /// As JUnit XML: one failure.
    pub fn junit(&self) -> Result<String> {
        let case = context! {
            rule => "valid-files",
            name => self.place.as_ref().map_or("the files", |place| &place.file),
            outcome => "failure",
            message => self.says.as_str(),
            verdict => "invalid-file",
            cells => "",
        };
        fill("junit.xml", context! { cases => [case] }).map(|text| text + "\n")
    }

    /// As SARIF.
    pub fn sarif(&self) -> Result<String> {
        let placed = self.place.iter().map(|place| Alert {
            rule: "valid-files",
            level: Level::Error,
            says: self.says.clone(),
            place,
            name: self.says.clone(),
        });
        sarif_log(&placed.collect::<Vec<Alert>>())
    }

    /// As Markdown, for a step summary or a comment.
    pub fn markdown(&self) -> Result<String> {
        let place = self.place.as_ref().map(|place| format!("{}:{}", place.file, place.line));
        fill("broken.md", context! { place, says => self.says.as_str() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_is_an_annotation_on_its_line_and_a_failure() {
        let error = Error::Toml {
            what: "pipeline",
            file: "strategies/mine.toml".to_owned(),
            text: "name = \"a\"\nabout = 3\n".to_owned(),
            span: 19..20,
            rule: "invalid type: integer `3`".to_owned(),
            hint: None,
        };
        let broken = Broken::of(&error, None);
        let annotation = broken.annotation();
        assert!(
            annotation.as_str().starts_with("::error file=strategies/mine.toml,line=2,"),
            "{annotation}"
        );
        let junit = broken.junit().expect("it writes");
        assert!(junit.contains("failures=\"1\"") && junit.contains("integer `3`"), "{junit}");
        assert!(broken.sarif().expect("it writes").contains("\"startLine\": 2"));
        assert!(broken.markdown().expect("it writes").contains("strategies/mine.toml:2"));

        let error = Error::invalid("strategies/mine.toml: name", "it is no name");
        let broken = Broken::of(&error, Some("strategies/mine.toml"));
        assert!(
            broken.annotation().as_str().starts_with("::error file=strategies/mine.toml,line=1,")
        );
        let unplaced = Broken::of(&Error::invalid("--seeds", "twice"), Some("mine.toml"));
        assert!(unplaced.annotation().as_str().starts_with("::error title="));
    }
}
