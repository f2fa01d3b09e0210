//! What a bank of phrases holds: everything that people and agents say, apart
//! from the machinery that says it.
//!
//! Two banks written apart keep a summarizer from being tuned to one author's
//! wording (METRICS 3, "Two phrase banks").

use super::plan::BankName;
use crate::truth::FactKind;

/// A bank of phrases. Every list has at least one entry; slots are named in
/// braces and bound by `names`, `story` and `script`.
#[derive(Debug)]
pub(super) struct Bank {
    pub facts: &'static [&'static [FactForm]],
    pub user: UserPhrases,
    pub agent: AgentPhrases,
    pub system: SystemPhrases,
}

/// What the user says. Slots: `component`, `aspect`, `noun`, `other-component`, `n`.
#[derive(Debug)]
pub(super) struct UserPhrases {
    /// Opens a goal; its first sentence is the goal's title.
    pub open: &'static [&'static str],
    pub clarify: &'static [&'static str],
    pub extend: &'static [&'static str],
    pub follow_up: &'static [&'static str],
    /// Before a change of direction.
    pub turn_round: &'static [&'static str],
    /// Asks for something known without naming it. Slot: `topic`.
    pub need: &'static [&'static str],
    /// Before a value that replaces an earlier one.
    pub replace: &'static [&'static str],
    /// Context that people give besides.
    pub background: &'static [&'static str],
}

/// What the agent says. Slots: `component`, `file`, `symbol`.
#[derive(Debug)]
pub(super) struct AgentPhrases {
    pub read: &'static [&'static str],
    pub search: &'static [&'static str],
    pub edit: &'static [&'static str],
    pub test: &'static [&'static str],
    pub shell: &'static [&'static str],
    /// After a failed call.
    pub after_failure: &'static [&'static str],
    /// Refers to something known without naming it. Slot: `topic`.
    pub refer: &'static [&'static str],
    /// Sums a turn up.
    pub closing: &'static [&'static str],
    /// Further sentences of a long closing.
    pub detail: &'static [&'static str],
}

/// The system prompt. Slots: `project`, `component`, `dir`, `noun`, `thing`.
#[derive(Debug)]
pub(super) struct SystemPhrases {
    pub opening: &'static str,
    pub rules: &'static [&'static str],
    /// Said once of each component.
    pub notes: &'static [&'static str],
    /// Said as often as there is room. Slot: `n`.
    pub history: &'static [&'static str],
}

/// How facts of one kind can be put into words.
#[derive(Debug)]
pub(super) struct FactForm {
    pub kind: FactKind,
    /// Refers to the fact and names none of its needles.
    pub topic: &'static str,
    /// The shortest sentence that holds all needles and the polarity.
    pub statement: &'static str,
    pub needles: &'static [Form],
    pub polarity: &'static [&'static str],
    pub birth: Birth,
    /// How it is first said; the statement where empty. For births in a result,
    /// the line that is planted.
    pub said: &'static [&'static str],
    /// How the user brings the need about, naming no needle. Empty where `need`
    /// of the bank fits, or the agent comes upon the need itself.
    pub tempt: &'static [&'static str],
    /// How the agent names it when it is needed; the statement where empty.
    pub recall: &'static [&'static str],
    /// The call that needs it, with the argument that holds the needles.
    pub call: Option<(Tool, &'static str)>,
}

/// A needle before its slots are filled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Code(&'static str),
    Prose(&'static str),
}

/// Who first says a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Birth {
    /// The user, within a message.
    User,
    /// The agent, along with a call or in a closing.
    Agent,
    /// The agent, at the end of a turn.
    Closing,
    /// A tool result of this shape.
    Result(Shape),
}

/// A tool of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Read,
    Search,
    Edit,
    Test,
    Shell,
}

impl Tool {
    /// Its name in calls.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Read => "read_file",
            Tool::Search => "search",
            Tool::Edit => "edit_file",
            Tool::Test => "run_tests",
            Tool::Shell => "bash",
        }
    }
}

/// What a tool result looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Source,
    Settings,
    Handbook,
    Hits,
    Tests,
    Log,
    Compiler,
    Diff,
}

impl Shape {
    /// The tool that answers so.
    pub fn tool(self) -> Tool {
        match self {
            Shape::Source | Shape::Settings | Shape::Handbook => Tool::Read,
            Shape::Hits => Tool::Search,
            Shape::Tests => Tool::Test,
            Shape::Log | Shape::Compiler => Tool::Shell,
            Shape::Diff => Tool::Edit,
        }
    }
}

impl FactForm {
    /// Whether the user must bring the need about: rules are broken by doing what
    /// was asked, not by looking something up.
    pub fn needs_tempting(&self) -> bool {
        !self.tempt.is_empty()
    }

    /// Whether a later value can replace this one.
    pub fn restatable(&self) -> bool {
        self.kind == FactKind::Value
    }
}

impl Bank {
    /// The bank of this name.
    pub fn named(name: BankName) -> &'static Bank {
        match name {
            BankName::A | BankName::B => &super::bank_a::BANK,
        }
    }

    /// All forms of a kind.
    pub fn forms(&self, kind: FactKind) -> Vec<&'static FactForm> {
        self.facts.iter().copied().flatten().filter(|form| form.kind == kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::{FactId, MsgId, Seed};
    use crate::synth::fill::{Cast, sentence};
    use crate::synth::names::{Names, World};
    use crate::synth::script::STRIDES;
    use crate::truth::{Fact, Holding, Needle, NeedleIndex};

    const BANKS: [BankName; 1] = [BankName::A];

    fn cast(form: &FactForm, seed: u64) -> Cast {
        let mut rng = Seed(seed).rng();
        let world = World::draw(&mut rng);
        let mut cast = Names::default().cast(&world, &world.components[0], &mut rng);
        cast.set("topic", cast.fill(form.topic));
        cast
    }

    fn index(form: &FactForm, cast: &Cast) -> NeedleIndex {
        let needle = |form: &Form| match form {
            Form::Code(text) => Needle::Code(cast.fill(text)),
            Form::Prose(text) => Needle::Prose(cast.fill(text)),
        };
        let prose = |text: &&str| Needle::Prose((*text).to_owned());
        NeedleIndex::new(&[Fact {
            id: FactId(0),
            kind: form.kind,
            goal: None,
            statement: String::new(),
            needles: form.needles.iter().map(needle).collect(),
            polarity: form.polarity.iter().map(prose).collect(),
            born: MsgId(0),
            mentions: Vec::new(),
            superseded_by: None,
        }])
    }

    fn every_form(check: impl Fn(&FactForm, &Cast, &NeedleIndex)) {
        for form in BANKS.iter().flat_map(|&bank| Bank::named(bank).facts).copied().flatten() {
            for seed in 0..8 {
                let cast = cast(form, seed);
                check(form, &cast, &index(form, &cast));
            }
        }
    }

    #[test]
    fn whatever_states_a_fact_holds_it() {
        every_form(|form, cast, index| {
            let planted = matches!(form.birth, Birth::Result(_));
            let said = form.said.iter().map(|line| (*line, planted));
            let spoken = form.recall.iter().chain([&form.statement]).map(|line| (*line, false));
            for (template, planted) in said.chain(spoken) {
                let text = cast.fill(template);
                let text = if planted { text } else { sentence(&text) };
                let found = index.search(&text);
                assert!(found.first().is_some_and(|held| held.present()), "{text}: {found:?}");
                assert!(text.len() <= 400, "{text}");
            }
        });
    }

    #[test]
    fn a_call_that_needs_a_fact_names_it() {
        every_form(|form, cast, index| {
            let Some((_, template)) = form.call else { return };
            let text = cast.fill(template);
            // The argument of a rule's call may leave the sense to the words beside it.
            let subject = |held: &Holding| held.subject;
            assert!(index.search(&text).first().is_some_and(subject), "{text}");
        });
    }

    #[test]
    fn whoever_brings_a_need_about_names_no_needle() {
        every_form(|form, cast, index| {
            let bank = Bank::named(BankName::A);
            let mut asking: Vec<&str> = vec![form.topic];
            asking.extend(form.tempt);
            asking.extend(bank.user.need);
            asking.extend(bank.agent.refer);
            for template in asking {
                let text = cast.fill(template);
                assert_eq!(index.search(&text), [], "{text}");
            }
        });
    }

    #[test]
    fn every_slot_of_a_form_is_bound() {
        every_form(|form, cast, _| {
            let mut all: Vec<&str> = vec![form.topic, form.statement];
            all.extend(form.said.iter().chain(form.tempt).chain(form.recall));
            all.extend(form.call.map(|(_, argument)| argument));
            for template in all {
                let text = cast.fill(template);
                // No template of a form has braces of its own but the Rust declaration.
                let code = cast.get("decl");
                assert!(!text.replace(code, "").contains(['{', '}']), "{text}");
            }
        });
    }

    #[test]
    fn polarity_goes_with_the_kind() {
        every_form(|form, _, _| {
            assert_eq!(form.kind.has_polarity(), !form.polarity.is_empty(), "{}", form.statement);
        });
    }

    #[test]
    fn every_kind_has_a_form_and_a_value_can_be_replaced() {
        for bank in BANKS.map(Bank::named) {
            for kind in FactKind::ALL {
                assert!(!bank.forms(kind).is_empty(), "{}", kind.name());
            }
            let values = bank.forms(FactKind::Value);
            assert!(values.iter().any(|form| form.birth == Birth::User));
        }
    }

    #[test]
    fn no_stride_divides_a_list_that_is_walked() {
        for bank in BANKS.map(Bank::named) {
            for list in [bank.user.background, bank.agent.detail] {
                for stride in STRIDES {
                    assert!(stride == 1 || !list.len().is_multiple_of(stride), "{}", list.len());
                }
            }
        }
    }
}
