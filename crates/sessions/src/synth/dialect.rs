//! What tools print, as templates under `data/`. Names have two parts at most, so that no
//! background text can state a fact; no number has five digits, as the values of facts have.

use super::fill::Cast;
use super::look::Look;
use crate::prelude::*;

/// Expands to an embedded file, parsed.
macro_rules! parsed {
    ($file:literal) => {
        crate::parsed($file, include_str!(concat!("data/", $file)))
    };
}

static DIALECTS: LazyLock<[Dialect; 8]> = LazyLock::new(|| {
    [
        parsed!("languages/rust.toml"),
        parsed!("languages/go.toml"),
        parsed!("languages/c.toml"),
        parsed!("languages/python.toml"),
        parsed!("languages/typescript.toml"),
        parsed!("languages/java.toml"),
        parsed!("languages/yaml.toml"),
        parsed!("languages/sql.toml"),
    ]
});

pub(super) static RESULTS: LazyLock<Results> = LazyLock::new(|| parsed!("results.toml"));

/// Results that no language shapes, and the accounts of agents.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Results {
    /// Languages that a project has besides its own, by ending, and where their files lie.
    pub neighbours: Vec<(String, String)>,
    pub settings: Vec<String>,
    pub handbook: Vec<String>,
    pub logs: Vec<Log>,
    pub answer: Block,
    pub package: Block,
    pub account: Vec<Block>,
    pub commands: Commands,
}

/// Commands that ask for the state of a project. Slots: `module`, `n`, `subject`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Commands {
    pub health: String,
    pub diff: String,
    pub commit: String,
    pub show: String,
    pub history: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Log {
    pub lines: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Block {
    pub head: String,
    pub lines: Vec<String>,
    #[serde(default)]
    pub tail: String,
}

/// How source code looks in one language, and what its tools print.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dialect {
    pub ending: String,
    pub indent: String,
    /// Lines that files begin with; each file takes some of them.
    pub head: String,
    pub items: Vec<String>,
    pub containers: Vec<Container>,
    pub members: Vec<String>,
    pub statements: Vec<String>,
    pub remarks: Vec<String>,
    /// A test run, in the languages of which there are any.
    #[serde(default)]
    pub tests: TestRun,
    /// What the compiler objects to, in the languages of which it is shown.
    #[serde(default)]
    pub compiler: Compiler,
    /// The same where it follows from the files.
    #[serde(default)]
    pub build: Build,
    pub conventions: Option<Conventions>,
}

/// Where a project keeps its parts, and how it names things.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Conventions {
    #[serde(default)]
    pub domain: Domain,
    pub dir: String,
    pub comment: String,
    pub declaration: String,
    pub runner: String,
    #[serde(default)]
    pub test_prefix: String,
    /// Names have humps rather than underscores.
    #[serde(default)]
    pub camel: bool,
}

/// What the work of a session is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Domain {
    #[default]
    Software,
    Operations,
    Analysis,
}

/// A domain, as a bank that is about it says.
#[derive(Debug)]
pub(super) struct DomainForm {
    pub domain: Domain,
    /// Last words of the names of parts; those of every project where empty.
    pub roles: Vec<String>,
    /// What ordinary calls are about, where it is not what the tools say.
    pub targets: BTreeMap<Look, String>,
    /// How to ask whether a part is well, where it is no service of a project.
    pub health: Option<String>,
    /// The logs of parts, in several styles; those of every project where empty.
    pub logs: Vec<Log>,
}

impl DomainForm {
    /// The command that asks whether a part is well, before its slots are filled.
    pub fn health(&self) -> &str {
        self.health.as_ref().unwrap_or(&RESULTS.commands.health)
    }

    /// The styles of the logs of its parts.
    pub fn logs(&self) -> &[Log] {
        if self.logs.is_empty() { &RESULTS.logs } else { &self.logs }
    }

    /// What an ordinary call of this look is about, before its slots are filled.
    pub fn target(&self, look: Look) -> &str {
        self.targets.get(&look).unwrap_or(&look.form().target)
    }
}

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

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Compiler {
    pub objections: Vec<String>,
    pub closing: String,
}

/// What a build prints of a project whose files are known.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Build {
    /// How many of the compiler's objections, from the first on, are errors.
    pub errors: usize,
    pub warnings: Vec<String>,
    /// The last line, where nothing is wrong and where something is.
    pub closing: [String; 2],
}

impl Dialect {
    pub fn of_projects(domain: Domain) -> Vec<(&'static Dialect, &'static Conventions)> {
        let all = DIALECTS.iter().filter_map(|own| Some((own, own.conventions.as_ref()?)));
        all.filter(|(_, conventions)| conventions.domain == domain).collect()
    }

    pub fn of_file(target: &str) -> Option<&'static Dialect> {
        let ending = target.rsplit('.').next().unwrap_or_default();
        DIALECTS.iter().find(|dialect| dialect.ending == ending)
    }

    /// A template filled and set one level deeper. Empty lines stay empty.
    pub fn inside(&self, template: &str, cast: &Cast) -> String {
        let (text, margin) = (cast.fill(template), &self.indent);
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
    use crate::synth::output::words;

    #[test]
    fn every_language_has_what_is_shown_of_it() {
        let domains = [Domain::Software, Domain::Operations, Domain::Analysis];
        let endings: Vec<&str> = domains
            .into_iter()
            .flat_map(Dialect::of_projects)
            .map(|(dialect, _)| {
                let (errors, build) = (dialect.compiler.objections.len(), &dialect.build);
                assert!(!dialect.tests.opening.is_empty() && !build.warnings.is_empty());
                assert!((1..=errors).contains(&build.errors), "{}", dialect.ending);
                dialect.ending.as_str()
            })
            .collect();
        assert_eq!(endings, ["rs", "py", "ts", "yaml", "sql"]);
        for (ending, _) in &RESULTS.neighbours {
            assert!(Dialect::of_file(&format!("x.{ending}")).is_some(), "{ending}");
        }
        let dialect = |file| Dialect::of_file(file).expect("a known language");
        assert!(!dialect("x.go").tests.opening.is_empty());
        assert!(!dialect("x.c").compiler.objections.is_empty());
    }

    #[test]
    fn no_template_has_an_open_slot_or_a_number_that_could_be_a_value() {
        const SLOTS: [&str; 13] = [
            "noun", "other", "Noun", "Other", "thing", "part", "Thing", "Part", "verb", "verbs",
            "act", "small", "large",
        ];
        for dialect in &*DIALECTS {
            let ends = dialect.containers.iter().flat_map(|ends| [&ends.open, &ends.close]);
            let lists = [&dialect.items, &dialect.members, &dialect.statements, &dialect.remarks];
            for template in lists.into_iter().flatten().chain(ends).chain([&dialect.head]) {
                let text = words(&mut Seed(3).rng()).fill(template);
                let mut numbers = text.split(|c: char| !c.is_ascii_digit());
                assert!(!numbers.any(|run| run.len() == 5), "{text}");
                assert!(!SLOTS.iter().any(|slot| text.contains(&format!("{{{slot}}}"))), "{text}");
            }
        }
    }

    #[test]
    fn a_deeper_template_keeps_its_empty_lines_empty() {
        let dialect = Dialect::of_file("x.rs").expect("a known language");
        let set = dialect.inside("fn {verb}() {\n\n}\n", &words(&mut Seed(1).rng()));
        assert!(set.starts_with("    fn ") && set.ends_with("\n\n    }\n"), "{set}");
    }
}
