//! What tools print, as templates: source code in six languages, test runs, compiler
//! errors, settings, documentation, logs, JSON.
//!
//! They are files under `data/`. Names come from `words` and have two parts at most, so
//! that no background text can state a fact; no number has five digits, as the values
//! of facts have.

use std::ops::Range;
use std::sync::OnceLock;

use serde::Deserialize;

use super::Cast;
use crate::config;
use crate::error::Result;
use crate::synth::data;
use crate::synth::names::Language;

/// All templates of tool results.
#[derive(Debug)]
pub(in crate::synth) struct Templates {
    dialects: Vec<Dialect>,
    pub results: Results,
}

/// Results that no language shapes, and the accounts of agents.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::synth) struct Results {
    pub settings: Vec<String>,
    pub handbook: Vec<String>,
    pub logs: Vec<Log>,
    pub answer: Block,
    pub package: Block,
    pub account: Vec<Block>,
}

/// One style of a service log.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::synth) struct Log {
    pub lines: Vec<String>,
}

/// Lines to choose from, below a head and above a tail.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::synth) struct Block {
    pub head: String,
    pub lines: Vec<String>,
    #[serde(default)]
    pub tail: String,
}

/// How source code looks in one language, and what its tools print.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dialect {
    /// The ending of its files, without the dot.
    pub ending: String,
    /// One level.
    pub indent: String,
    /// Lines that files begin with; each file takes some of them.
    pub head: String,
    /// Whole definitions.
    pub items: Vec<String>,
    pub containers: Vec<Container>,
    /// What stands inside a container, one level deeper.
    pub members: Vec<String>,
    /// Short lines of code, as an edit or a hit shows them.
    pub statements: Vec<String>,
    /// Remarks between definitions, the comment sign included.
    pub remarks: Vec<String>,
    /// A test run, in the languages of which there are any.
    #[serde(default)]
    pub tests: TestRun,
    /// What the compiler objects to, in the languages of which it is shown.
    #[serde(default)]
    pub compiler: Compiler,
}

/// First and last lines of what holds members.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Container {
    pub open: String,
    pub close: String,
}

/// A test run. Of two templates, the first is for what passed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TestRun {
    pub opening: String,
    pub line: [String; 2],
    pub failure: String,
    pub closing: [String; 2],
}

/// What a compiler or type checker prints.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Compiler {
    pub objections: Vec<String>,
    pub closing: String,
    /// Where the slot `drawn` of the closing lies.
    pub drawn: Option<Range<u32>>,
}

/// Languages that a project has besides its own, and where their files lie.
pub(in crate::synth) const NEIGHBOURS: [(&str, &str); 4] =
    [("go", "sidecar"), ("java", "connector"), ("c", "native"), ("py", "tools")];

/// Expands to the name of an embedded file and its text.
macro_rules! embedded {
    ($file:literal) => {
        (concat!("embedded:", $file), include_str!(concat!("../data/", $file)))
    };
}

impl Templates {
    /// The templates, parsed once.
    pub fn load() -> Result<&'static Templates> {
        static LOADED: OnceLock<Templates> = OnceLock::new();
        data::once(&LOADED, || {
            let languages = [
                embedded!("languages/rust.toml"),
                embedded!("languages/go.toml"),
                embedded!("languages/c.toml"),
                embedded!("languages/python.toml"),
                embedded!("languages/typescript.toml"),
                embedded!("languages/java.toml"),
            ];
            let parse = |(file, text)| config::parse("language", file, text);
            let dialects = languages.into_iter().map(parse).collect::<Result<_>>()?;
            let (file, text) = embedded!("results.toml");
            Ok(Templates { dialects, results: config::parse("list of results", file, text)? })
        })
    }

    /// The dialect of a file by its ending; the project's own where it has none.
    pub(super) fn of_file(&self, target: &str, language: Language) -> &Dialect {
        let ending = target.rsplit('.').next().unwrap_or_default();
        let known = self.dialects.iter().find(|dialect| dialect.ending == ending);
        known.unwrap_or_else(|| self.of_language(language))
    }

    /// The dialect of a project.
    pub(super) fn of_language(&self, language: Language) -> &Dialect {
        let ending = language.extension();
        let own = self.dialects.iter().find(|dialect| dialect.ending == ending);
        // OK because a test finds the dialect of every language.
        own.unwrap_or(&self.dialects[0])
    }
}

impl Dialect {
    /// A template filled and set `levels` deeper. Empty lines stay empty.
    pub fn set(&self, template: &str, cast: &Cast, levels: usize) -> String {
        let text = cast.fill(template);
        if levels == 0 {
            return text;
        }
        let margin = self.indent.repeat(levels);
        let lines = text
            .lines()
            .map(|line| if line.is_empty() { String::new() } else { format!("{margin}{line}") });
        let mut deeper = lines.collect::<Vec<String>>().join("\n");
        if text.ends_with('\n') {
            deeper.push('\n');
        }
        deeper
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::Seed;
    use crate::synth::output::words;

    fn every_template(check: impl Fn(&str)) {
        for dialect in &Templates::load().expect("sound files").dialects {
            let ends = dialect.containers.iter().flat_map(|ends| [&ends.open, &ends.close]);
            let lists = [&dialect.items, &dialect.members, &dialect.statements, &dialect.remarks];
            let templates = lists.into_iter().flatten().chain(ends).chain([&dialect.head]);
            templates.for_each(|template| check(&words(&mut Seed(3).rng()).fill(template)));
        }
    }

    #[test]
    fn every_file_parses_and_every_language_has_its_dialect() {
        let templates = Templates::load().expect("sound files");
        for language in Language::ALL {
            let dialect = templates.of_language(language);
            assert_eq!(dialect.ending, language.extension());
            assert!(!dialect.tests.opening.is_empty() && !dialect.compiler.objections.is_empty());
        }
        for (ending, _) in NEIGHBOURS {
            assert_eq!(templates.of_file(&format!("x.{ending}"), Language::Rust).ending, ending);
        }
        let dialect = |file| templates.of_file(file, Language::Rust);
        assert!(!dialect("x.go").tests.opening.is_empty());
        assert!(!dialect("x.c").compiler.objections.is_empty());
    }

    #[test]
    fn no_template_has_a_number_that_could_be_a_value() {
        every_template(|text| {
            let numbers = text.split(|c: char| !c.is_ascii_digit());
            assert!(!numbers.into_iter().any(|run| run.len() == 5), "{text}");
        });
    }

    #[test]
    fn no_slot_is_left_open() {
        const SLOTS: [&str; 13] = [
            "noun", "other", "Noun", "Other", "thing", "part", "Thing", "Part", "verb", "verbs",
            "act", "small", "large",
        ];
        every_template(|text| {
            for slot in SLOTS {
                assert!(!text.contains(&format!("{{{slot}}}")), "{text}");
            }
        });
    }

    #[test]
    fn a_deeper_template_keeps_its_empty_lines_empty() {
        let dialect = Templates::load().expect("sound files").of_language(Language::Rust);
        let set = dialect.set("fn {verb}() {\n\n}\n", &words(&mut Seed(1).rng()), 2);
        assert!(set.starts_with("        fn ") && set.ends_with("\n\n        }\n"), "{set}");
    }
}
