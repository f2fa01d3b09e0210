//! Vocabulary of a synthesized project: names made by combination.
//!
//! Facts get names of three parts, everything else names of two, so that
//! background text cannot state a fact by accident; `check` verifies it.

mod twin;
mod words;

#[cfg(test)]
pub(super) use words::is_word;
pub(super) use words::{NOUNS, THINGS, VERBS};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashSet;

use super::draw::pick;
use super::fill::Cast;
use super::output::Templates;
use words::{ASPECTS, PROJECTS, QUALIFIERS, ROLES};

/// Programming language of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Python,
    TypeScript,
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 3] = [Language::Rust, Language::Python, Language::TypeScript];

    pub fn extension(self) -> &'static str {
        match self {
            Language::Rust => "rs",
            Language::Python => "py",
            Language::TypeScript => "ts",
        }
    }

    fn comment(self) -> &'static str {
        match self {
            Language::Rust | Language::TypeScript => "//",
            Language::Python => "#",
        }
    }

    fn declaration(self, symbol: &str, noun: &str) -> String {
        match self {
            Language::Rust => {
                format!("pub fn {symbol}(&mut self, {noun}: &{}) -> Result<()> {{", camel(noun))
            }
            Language::Python => format!("def {symbol}(self, {noun}, *, strict=False):"),
            Language::TypeScript => {
                format!("export async function {symbol}({noun}: {}): Promise<void> {{", camel(noun))
            }
        }
    }
}

/// One part of the project, e.g. the "ledger gateway".
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub name: String,
    pub dir: String,
    pub module: String,
}

/// The project that the session is about.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub language: Language,
    pub project: String,
    pub components: Vec<Component>,
    /// What its tools print.
    pub templates: &'static Templates,
}

impl World {
    pub fn draw(rng: &mut ChaCha8Rng, templates: &'static Templates) -> World {
        let language = pick(rng, &Language::ALL);
        let mut seen = FxHashSet::default();
        let mut components = Vec::new();
        while components.len() < 9 {
            let (noun, role) = (pick(rng, &NOUNS), pick(rng, &ROLES));
            if seen.insert(noun) {
                components.push(component(language, noun, role));
            }
        }
        let project = pick(rng, &PROJECTS).to_owned();
        World { language, project, components, templates }
    }
}

fn component(language: Language, noun: &str, role: &str) -> Component {
    let dir = match language {
        Language::Rust => format!("crates/{noun}-{role}/src"),
        Language::Python => format!("services/{noun}_{role}"),
        Language::TypeScript => format!("packages/{noun}-{role}/src"),
    };
    Component { name: format!("{noun} {role}"), dir, module: format!("{noun}_{role}") }
}

/// Hands out each name once.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    /// A name that was not handed out before.
    fn fresh(&mut self, rng: &mut ChaCha8Rng, make: impl Fn(&mut ChaCha8Rng) -> String) -> String {
        for _ in 0..1_000 {
            let name = make(rng);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
        let name = format!("{}{}", make(rng), self.taken.len());
        self.taken.insert(name.clone());
        name
    }

    /// All slots of a fact's templates, filled with new names.
    pub fn cast(&mut self, world: &World, component: &Component, rng: &mut ChaCha8Rng) -> Cast {
        let mut cast = Cast::default();
        let language = world.language;
        cast.set("component", component.name.as_str());
        cast.set("module", component.module.as_str());
        cast.set("dir", component.dir.as_str());
        cast.set("comment", language.comment());
        let about = |rng: &mut ChaCha8Rng| format!("{} {}", pick(rng, &NOUNS), pick(rng, &ASPECTS));
        let place = component.name.as_str();
        let aspect = self.fresh(rng, |rng| format!("{place}|{}", about(rng)));
        cast.set("aspect", &aspect[place.len() + 1..]);
        let file = self.fresh(rng, |rng| three(rng, &QUALIFIERS, "_"));
        cast.set("path", format!("{}/{file}.{}", component.dir, language.extension()));
        cast.set("key", self.fresh(rng, |rng| setting(rng, &component.module)));
        cast.set("command", self.fresh(rng, |rng| command(rng, language)));
        for slot in ["symbol", "test", "code", "thing", "value"] {
            self.renew(&mut cast, slot, language, rng);
        }
        cast.set("noun", pick(rng, &NOUNS));
        cast.set("number", rng.random_range(12..900).to_string());
        cast.set("line", rng.random_range(8..600).to_string());
        cast
    }

    /// Binds a new name to the slot in which a successor differs. The other slots
    /// keep theirs.
    pub fn renew(
        &mut self,
        cast: &mut Cast,
        slot: &'static str,
        language: Language,
        rng: &mut ChaCha8Rng,
    ) {
        let name = match slot {
            "symbol" => self.fresh(rng, |rng| function_name(rng, language)),
            "test" => self.fresh(rng, |rng| test_name(rng, language)),
            "code" => self.fresh(rng, error_code),
            "thing" => self.fresh(rng, |rng| three(rng, &QUALIFIERS, " ")),
            "value" => self.fresh(rng, |rng| rng.random_range(10_001..999_999).to_string()),
            _ => return,
        };
        if slot == "symbol" {
            cast.set("decl", language.declaration(&name, pick(rng, &NOUNS)));
        }
        cast.set(slot, name);
    }
}

fn three(rng: &mut ChaCha8Rng, first: &[&str], between: &str) -> String {
    let parts = [pick(rng, first), pick(rng, &NOUNS), pick(rng, &THINGS)];
    parts.join(between)
}

fn function_name(rng: &mut ChaCha8Rng, language: Language) -> String {
    let snake = three(rng, &VERBS, "_");
    if language == Language::TypeScript { lower_camel(&snake) } else { snake }
}

fn test_name(rng: &mut ChaCha8Rng, language: Language) -> String {
    let endings = ["is_refused", "survives_restart", "is_idempotent", "keeps_order", "times_out"];
    let snake = format!("{}_{}", three(rng, &QUALIFIERS, "_"), pick(rng, &endings));
    match language {
        Language::Rust => snake,
        Language::Python => format!("test_{snake}"),
        Language::TypeScript => lower_camel(&snake),
    }
}

fn error_code(rng: &mut ChaCha8Rng) -> String {
    let noun = pick(rng, &NOUNS);
    format!("{}-{}", noun[..3].to_uppercase(), rng.random_range(1_000..9_999))
}

fn setting(rng: &mut ChaCha8Rng, module: &str) -> String {
    format!("{module}.{}_{}_{}", pick(rng, &NOUNS), pick(rng, &THINGS), pick(rng, &twin::UNITS))
}

fn command(rng: &mut ChaCha8Rng, language: Language) -> String {
    let runner = match language {
        Language::Rust => "cargo xtask",
        Language::Python => "python -m tools",
        Language::TypeScript => "pnpm run",
    };
    let (verb, noun, thing) = (pick(rng, &VERBS), pick(rng, &NOUNS), pick(rng, &THINGS));
    let number = rng.random_range(2..500);
    format!("{runner} {verb}-{noun} --{thing} {number}")
}

/// `stale_ledger` as `StaleLedger`.
pub(super) fn camel(snake: &str) -> String {
    snake.split('_').map(super::fill::capitalized).collect()
}

fn lower_camel(snake: &str) -> String {
    let mut parts = snake.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(super::fill::capitalized).collect::<String>()
}
