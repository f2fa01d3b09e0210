//! Banks of phrases: everything that people and agents say. The files say what each list is for.
//! Two banks show how much a summarizer owes to the wording that it was developed on.

use std::sync::OnceLock;

use toml::{Table, Value};

use super::dialect::{Domain, DomainForm, Log};
use super::draw::{Share, pick, pick_line};
use super::fill::Cast;
use super::look::{Look, Tool};
use super::names::Names;
use super::plan::BankName;
use super::world::World;
use crate::prelude::*;

/// Defines a table of phrase lists, with all of its lists in one.
macro_rules! phrases {
    ($(#[$doc:meta])* $name:ident { $($list:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub(super) struct $name {
            $(pub $list: Vec<String>,)+
        }

        impl $name {
            fn lists(&self) -> impl Iterator<Item = &Vec<String>> {
                [$(&self.$list),+].into_iter()
            }
        }
    };
}

phrases! {
    /// Slots: `component`, `aspect`, `noun`, `other-component`, `n`; in `need`: `topic`.
    UserPhrases {
        open, clarify, extend, follow_up, turn_round, correct, reject, stop, need, replace,
        reconsider, background, concerns, concerns_aspect,
    }
}

phrases! {
    /// What the agent says. Slots: `component`, `file`, `symbol`; in `refer`: `topic`.
    AgentPhrases {
        read, search, edit, test, shell, after_failure, refer, halted, closing, detail,
    }
}

phrases! {
    /// The system prompt. Slots: `project`, `component`, `dir`, `noun`, `thing`, `n`.
    SystemPhrases { opening, rules, notes, history }
}

#[derive(Debug)]
pub(super) struct Bank {
    pub domain: DomainForm,
    /// Share of messages of users, and of closings, in which what matters comes last.
    pub late: Share,
    pub user: UserPhrases,
    pub agent: AgentPhrases,
    pub system: SystemPhrases,
    pub facts: Vec<FactForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Phrases {
    #[serde(default)]
    domain: Domain,
    #[serde(default)]
    late: Share,
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default)]
    targets: BTreeMap<Look, String>,
    health: Option<String>,
    #[serde(default)]
    logs: Vec<Log>,
    user: UserPhrases,
    agent: AgentPhrases,
    system: SystemPhrases,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FactForm {
    pub kind: FactKind,
    /// Refers to the fact and names none of its needles.
    pub topic: String,
    /// The shortest sentence that holds all needles and the polarity.
    pub statement: String,
    /// Code stands in back quotes.
    pub needles: Vec<String>,
    #[serde(default)]
    pub polarity: Vec<String>,
    /// Words of which any must stand with it: what a rule forbids, the part that a direction is for.
    #[serde(default)]
    pub context: Vec<String>,
    /// The slot of the needle in which a successor differs; the rest stays. The old fact is stale
    /// wherever its own needle occurs. None where nobody changes their mind.
    pub changes: Option<String>,
    pub birth: Birth,
    /// How it is first said; for births in a result lines that stay together.
    pub said: Vec<String>,
    /// How the user says a successor as if in passing: sentences of another shape.
    #[serde(default)]
    pub revised: Vec<String>,
    /// How the user creates the need without a needle; empty where `need` fits or the agent finds
    /// it.
    #[serde(default)]
    pub tempt: Vec<String>,
    /// How the agent names it when it is needed; the statement where empty.
    #[serde(default)]
    pub recall: Vec<String>,
    pub call: Option<CallForm>,
    /// How the user asks for what takes the fact, where needs are uses.
    #[serde(default)]
    pub ask: Vec<String>,
    /// Lines of results after which the agent takes the fact up, where needs are uses.
    #[serde(default)]
    pub signs: Vec<(Look, String)>,
    /// A line of a result, with its look, that makes the agent say it right after, where commands
    /// answer from the state of the project.
    pub cause: Option<(Look, String)>,
    /// The calls that use it, where needs are uses.
    #[serde(default, rename = "use")]
    pub uses: Vec<CallForm>,
    #[serde(skip)]
    read: OnceLock<Read>,
}

/// Of ways to say a fact, the places of those that alone are read as the fact with its topic.
#[derive(Debug)]
pub(super) struct Read {
    pub said: Vec<usize>,
    pub revised: Vec<usize>,
}

impl Read {
    fn of(form: &FactForm) -> Read {
        let mut rng = Seed(0).rng();
        let world = World::draw(&Bank::named(BankName::A).domain, &mut rng);
        let cast = Names::default().cast(&world, &world.components[0], &mut rng);
        let fact = form.in_relation(&cast, form.fact(&cast));
        let index = NeedleIndex::new(&[fact]);
        let is_read = |line: &String| {
            index.search(&cast.fill(line)).first().is_some_and(|held| held.present())
        };
        let read =
            |lines: &[String]| (0..lines.len()).filter(|place| is_read(&lines[*place])).collect();
        Read { said: read(&form.said), revised: read(&form.revised) }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallForm {
    pub tool: Tool,
    pub argument: String,
    /// Of an edit that says it: its file, and what it replaces there. Of a command: a file that it
    /// adds a `line` to.
    pub file: Option<String>,
    pub line: Option<String>,
    /// Of a command that commits: what the commit is called.
    pub commits: Option<String>,
    #[serde(default)]
    pub old: String,
    /// Lines that its result shows.
    #[serde(default)]
    pub shows: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Birth {
    /// The user, within a message.
    User,
    /// The agent, along with a call or in a closing.
    Agent,
    Closing,
    /// A tool result of this shape.
    Result(Look),
}

impl FactForm {
    /// The fact that it is with its slots filled, not yet placed or stated.
    pub fn fact(&self, cast: &Cast) -> Fact {
        let polarity = self.polarity.iter().cloned().map(Needle::Prose).collect();
        Fact { polarity, ..Fact::new(FactId(0), self.kind, "", self.needles(cast)) }
    }

    /// The needles with their slots filled.
    pub fn needles(&self, cast: &Cast) -> Vec<Needle> {
        let needle = |form: &String| {
            let code = form.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
            let prose = || Needle::Prose(cast.fill(form));
            code.map_or_else(prose, |code| Needle::Code(cast.fill(code)))
        };
        self.needles.iter().map(needle).collect()
    }

    /// Whether it is about an aspect of a part of the project, and not the whole part.
    pub fn has_aspect(&self) -> bool {
        self.topic.contains("{aspect}")
    }

    /// A way to say it for the first time that is read as the fact and, as far as there are any,
    /// names its aspect.
    pub fn naming(&self, rng: &mut ChaCha8Rng) -> &str {
        let read = self.read.get_or_init(|| Read::of(self)).said.iter();
        let read: Vec<&str> = read.map(|place| &*self.said[*place]).collect();
        let naming: Vec<&str> =
            read.iter().copied().filter(|line| line.contains("{aspect}")).collect();
        pick(rng, if naming.is_empty() { &read } else { &naming })
    }

    /// A way to say it for the first time. One that is `read` says what the fact is about as well.
    pub fn saying(&self, read: bool, rng: &mut ChaCha8Rng) -> &str {
        self.line(&self.said, &self.read.get_or_init(|| Read::of(self)).said, read, rng)
    }

    /// A way to say a successor as if in passing.
    pub fn revising(&self, read: bool, rng: &mut ChaCha8Rng) -> &str {
        self.line(&self.revised, &self.read.get_or_init(|| Read::of(self)).revised, read, rng)
    }

    fn line<'a>(
        &self,
        all: &'a [String],
        read: &[usize],
        only_read: bool,
        rng: &mut ChaCha8Rng,
    ) -> &'a str {
        if only_read && !read.is_empty() { &all[pick(rng, read)] } else { pick_line(rng, all) }
    }

    pub fn is_named_in_code(&self) -> bool {
        use FactKind::{Command, Error, Path, Symbol, Test, Value};
        matches!(self.kind, Path | Symbol | Command | Value | Error | Test)
    }

    /// Phrases of which any names what the fact is about: of what is named in code its aspect, of a
    /// setting its key as well, of all else its first needle.
    pub fn topics(&self, cast: &Cast) -> Vec<Needle> {
        let aspect = Needle::Prose(cast.get("aspect").to_owned());
        match self.kind {
            FactKind::Value => vec![aspect, Needle::Code(cast.get("key").to_owned())],
            _ if self.is_named_in_code() => vec![aspect],
            _ => self.needles(cast).into_iter().take(1).collect(),
        }
    }

    /// A fact with what it takes to be read in relation.
    pub fn in_relation(&self, cast: &Cast, fact: Fact) -> Fact {
        let context = self.context.iter().map(|word| Needle::Prose(cast.fill(word))).collect();
        Fact { topic: self.topics(cast), context, ..fact }
    }

    /// Whether the user must create the need, as a rule is broken by doing what was asked.
    pub fn needs_tempting(&self) -> bool {
        !self.tempt.is_empty()
    }

    /// How the user brings about the use of it.
    pub fn asking(&self) -> &[String] {
        if self.ask.is_empty() { &self.tempt } else { &self.ask }
    }

    /// The call that uses it for the nth time. What is looked up or run is so again and again, all
    /// else as often as there are calls.
    pub fn using(&self, nth: usize) -> Option<&CallForm> {
        let again = self.call.as_ref().filter(|_| self.uses.is_empty());
        again.or_else(|| self.uses.get(if self.is_named_in_code() { 0 } else { nth }))
    }

    /// Whether the user can state a successor of `old` in this form.
    pub fn succeeds(&self, old: &FactForm) -> bool {
        self.birth == Birth::User
            && old.changes.is_some()
            && (&self.changes, self.kind) == (&old.changes, old.kind)
            && self.statement == old.statement
    }

    pub fn templates(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.said, &self.revised, &self.tempt, &self.recall, &self.ask];
        let calls = self.call.iter().chain(&self.uses);
        let calls = calls.flat_map(|call| call.shows.iter().chain([&call.argument]));
        let texts = [&self.topic, &self.statement].into_iter().chain(calls);
        let lines = self.signs.iter().chain(&self.cause);
        let texts = texts.chain(lines.map(|(_, line)| line));
        texts.chain(lists.into_iter().flatten()).map(String::as_str)
    }
}

impl Bank {
    pub fn named(name: BankName) -> &'static Bank {
        static BANKS: LazyLock<BTreeMap<BankName, Bank>> =
            LazyLock::new(|| BankName::ALL.map(|name| (name, Bank::parse(name))).into());
        &BANKS[&name]
    }

    fn parse(name: BankName) -> Bank {
        let (mut phrases, facts) = read(name);
        phrases.remove("words");
        // OK because the text is constant and the tests parse every bank.
        let phrases: Phrases = phrases.try_into().expect("sound phrases");
        let Phrases { domain, late, roles, targets, health, logs, user, agent, system } = phrases;
        let domain = DomainForm { domain, roles, targets, health, logs };
        Bank { domain, late, user, agent, system, facts }
    }

    pub fn forms(&self, kind: FactKind) -> Vec<&FactForm> {
        self.facts.iter().filter(|form| form.kind == kind).collect()
    }

    /// The lists of what is said apart from facts.
    fn phrases(&self) -> impl Iterator<Item = &Vec<String>> {
        self.user.lists().chain(self.agent.lists()).chain(self.system.lists())
    }

    pub fn templates(&self) -> Vec<&str> {
        let spoken = self.phrases().flatten().map(String::as_str);
        self.facts.iter().flat_map(FactForm::templates).chain(spoken).collect()
    }
}

/// The tables of a bank but its facts, and its forms. A bank has what it lacks from the one that it
/// extends: lists by name, forms by their kind.
fn read(name: BankName) -> (Table, Vec<FactForm>) {
    let mut own: Table = match name {
        BankName::A => crate::parsed("bank-a.toml", include_str!("data/bank-a.toml")),
        BankName::B => crate::parsed("bank-b.toml", include_str!("data/bank-b.toml")),
        BankName::C => crate::parsed("bank-c.toml", include_str!("data/bank-c.toml")),
        BankName::Operations => {
            crate::parsed("bank-operations.toml", include_str!("data/bank-operations.toml"))
        }
        BankName::Analysis => {
            crate::parsed("bank-analysis.toml", include_str!("data/bank-analysis.toml"))
        }
    };
    // OK because the texts are constant and the tests parse every bank.
    let facts = own.remove("fact").map(|facts| facts.try_into().expect("tables of facts"));
    let extended = own.remove("extends").map(|base| base.try_into().expect("a bank"));
    let (mut tables, mut forms) = extended.map(read).unwrap_or_default();
    for (key, value) in own {
        match (tables.get_mut(&key), value) {
            (Some(Value::Table(lists)), Value::Table(more)) => lists.extend(more),
            (_, value) => {
                tables.insert(key, value);
            }
        }
    }
    let words = tables.get("words").and_then(Value::as_table).cloned().unwrap_or_default();
    let own = complete(facts.unwrap_or_default(), &words).expect("sound facts");
    forms.retain(|form| own.iter().all(|other| other.kind != form.kind));
    forms.extend(own);
    (tables, forms)
}

/// The forms of a bank, with what each shares with the one it is `like`, and its polarity words.
fn complete(facts: Vec<Table>, words: &Table) -> Result<Vec<FactForm>> {
    let mut named: BTreeMap<String, Table> = BTreeMap::new();
    let mut forms = Vec::new();
    for (number, mut fact) in facts.into_iter().enumerate() {
        let broken = |rule: String| Error::invalid(format!("fact {number}"), rule);
        let name = fact.remove("name");
        if let Some(like) = fact.remove("like") {
            let base = like.as_str().and_then(|like| named.get(like));
            for (key, value) in base.ok_or_else(|| broken(format!("no fact before is {like}")))? {
                fact.entry(key).or_insert_with(|| value.clone());
            }
        }
        if let Some(Value::String(name)) = name {
            named.insert(name, fact.clone());
        }
        if let Some(list) = fact.get_mut("polarity") {
            let found = list.as_str().and_then(|list| words.get(list));
            *list = found.ok_or_else(|| broken(format!("no list of words is {list}")))?.clone();
        }
        let form = fact.try_into();
        forms.push(form.map_err(|error: toml::de::Error| broken(error.message().to_owned()))?);
    }
    Ok(forms)
}

#[cfg(test)]
mod tests;
