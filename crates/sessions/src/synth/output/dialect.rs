//! How source code looks in six languages: heads of files, items to choose from,
//! containers whose members are set one level deeper, and single statements.
//!
//! Names come from `words` and have two parts at most, so that no background text
//! can state a fact; no number has five digits, as the values of facts have.

mod managed;
mod systems;

use super::Cast;
use crate::synth::names::Language;

/// How one language looks.
pub(super) struct Dialect {
    /// The ending of its files, without the dot.
    pub ending: &'static str,
    /// Lines that files begin with; each file takes a run of them.
    pub head: &'static [&'static str],
    /// Whole definitions.
    pub items: &'static [&'static str],
    /// First and last line of what holds members.
    pub containers: &'static [(&'static str, &'static str)],
    /// What stands inside a container, one level deeper.
    pub members: &'static [&'static str],
    /// Short lines of code, as an edit or a hit shows them.
    pub statements: &'static [&'static str],
    /// Remarks between definitions, the comment sign included.
    pub remarks: &'static [&'static str],
    /// One level.
    pub indent: &'static str,
}

/// Languages that a project has besides its own, and where their files lie.
pub(in crate::synth) const NEIGHBOURS: [(&str, &str); 4] =
    [("go", "sidecar"), ("java", "connector"), ("c", "native"), ("py", "tools")];

/// The dialect of a file, told from its ending; the project's own where it has none.
pub(super) fn of_file(target: &str, language: Language) -> &'static Dialect {
    let ending = target.rsplit('.').next().unwrap_or_default();
    let known = ALL.iter().find(|dialect| dialect.ending == ending);
    known.copied().unwrap_or_else(|| of_language(language))
}

/// The dialect of a project.
pub(super) fn of_language(language: Language) -> &'static Dialect {
    match language {
        Language::Rust => &systems::RUST,
        Language::Python => &managed::PYTHON,
        Language::TypeScript => &managed::TYPESCRIPT,
    }
}

static ALL: [&Dialect; 6] = [
    &systems::RUST,
    &systems::GO,
    &systems::C,
    &managed::PYTHON,
    &managed::TYPESCRIPT,
    &managed::JAVA,
];

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

    fn templates(dialect: &Dialect) -> impl Iterator<Item = &'static str> {
        let lists = [dialect.head, dialect.items, dialect.members, dialect.statements];
        let ends = dialect.containers.iter().flat_map(|(open, close)| [*open, *close]);
        lists.into_iter().flatten().copied().chain(dialect.remarks.iter().copied()).chain(ends)
    }

    #[test]
    fn no_template_has_a_number_that_could_be_a_value() {
        for dialect in ALL {
            for template in templates(dialect) {
                let text = words(&mut Seed(3).rng()).fill(template);
                let numbers = text.split(|c: char| !c.is_ascii_digit());
                assert!(!numbers.into_iter().any(|run| run.len() == 5), "{text}");
            }
        }
    }

    #[test]
    fn no_slot_is_left_open() {
        const SLOTS: [&str; 13] = [
            "noun", "other", "Noun", "Other", "thing", "part", "Thing", "Part", "verb", "verbs",
            "act", "small", "large",
        ];
        for dialect in ALL {
            for template in templates(dialect) {
                let text = words(&mut Seed(3).rng()).fill(template);
                for slot in SLOTS {
                    assert!(!text.contains(&format!("{{{slot}}}")), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_deeper_template_keeps_its_empty_lines_empty() {
        let set = systems::RUST.set("fn {verb}() {\n\n}\n", &words(&mut Seed(1).rng()), 2);
        assert!(set.starts_with("        fn ") && set.ends_with("\n\n        }\n"), "{set}");
    }
}
