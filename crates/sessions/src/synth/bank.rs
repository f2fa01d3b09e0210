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
    /// Sets right what the agent got wrong.
    pub correct: &'static [&'static str],
    /// Turns down what the agent proposed.
    pub reject: &'static [&'static str],
    /// Interrupts the agent; the whole message.
    pub stop: &'static [&'static str],
    /// Asks for something known without naming it. Slot: `topic`.
    pub need: &'static [&'static str],
    /// Before a value that replaces an earlier one.
    pub replace: &'static [&'static str],
    /// Before another change of mind.
    pub reconsider: &'static [&'static str],
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
    /// Answers a stop.
    pub halted: &'static [&'static str],
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
    /// The slot of the needle that a successor has anew; the other needles, and
    /// whatever else the sentence names, are the subject and stay. The old fact is
    /// stale wherever its own needle occurs. None where nobody changes their mind.
    pub changes: Option<&'static str>,
    pub birth: Birth,
    /// How it is first said. For births in a result, what is planted: lines that
    /// stay together.
    pub said: &'static [&'static str],
    /// How the user says a successor without announcing it: sentences of another
    /// shape than those of `said`.
    pub revised: &'static [&'static str],
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

    /// Whether the user can state a successor of `old` in this form.
    pub fn succeeds(&self, old: &FactForm) -> bool {
        self.birth == Birth::User
            && old.changes.is_some()
            && (self.changes, self.kind) == (old.changes, old.kind)
            && self.statement == old.statement
    }

    /// Whether it names something made, which can have a double.
    pub fn is_artifact(&self) -> bool {
        use FactKind::{Command, Path, Symbol, Test, Value};
        matches!(self.kind, Path | Symbol | Test | Command | Value)
    }

    /// Every template of the form.
    pub fn templates(&self) -> impl Iterator<Item = &'static str> {
        let lists = [self.said, self.revised, self.tempt, self.recall];
        let argument = self.call.map(|(_, argument)| argument);
        [self.topic, self.statement]
            .into_iter()
            .chain(argument)
            .chain(lists.into_iter().flatten().copied())
    }
}

impl Bank {
    /// The bank of this name.
    pub fn named(name: BankName) -> &'static Bank {
        match name {
            BankName::A => &super::bank_a::BANK,
            BankName::B => &super::bank_b::BANK,
        }
    }

    /// All forms of a kind.
    pub fn forms(&self, kind: FactKind) -> Vec<&'static FactForm> {
        self.facts.iter().copied().flatten().filter(|form| form.kind == kind).collect()
    }

    /// Every template of the bank, slots unfilled.
    pub fn templates(&self) -> Vec<&'static str> {
        let (user, agent, system) = (&self.user, &self.agent, &self.system);
        let lists = [
            user.open,
            user.clarify,
            user.extend,
            user.follow_up,
            user.turn_round,
            user.correct,
            user.reject,
            user.stop,
            user.need,
            user.replace,
            user.reconsider,
            user.background,
            agent.read,
            agent.search,
            agent.edit,
            agent.test,
            agent.shell,
            agent.after_failure,
            agent.refer,
            agent.halted,
            agent.closing,
            agent.detail,
            system.rules,
            system.notes,
            system.history,
        ];
        let spoken = lists.into_iter().flatten().copied().chain([system.opening]);
        let forms = self.facts.iter().copied().flatten();
        forms.flat_map(FactForm::templates).chain(spoken).collect()
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

    const BANKS: [BankName; 2] = [BankName::A, BankName::B];

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

    fn every_form(check: impl Fn(&Bank, &FactForm, &Cast, &NeedleIndex)) {
        for bank in BANKS.map(Bank::named) {
            for form in bank.facts.iter().copied().flatten() {
                for seed in 0..8 {
                    let cast = cast(form, seed);
                    check(bank, form, &cast, &index(form, &cast));
                }
            }
        }
    }

    #[test]
    fn whatever_states_a_fact_holds_it() {
        every_form(|_, form, cast, index| {
            let planted = matches!(form.birth, Birth::Result(_));
            let said = form.said.iter().map(|line| (*line, planted));
            let spoken = form.recall.iter().chain(form.revised).chain([&form.statement]);
            let spoken = spoken.map(|line| (*line, false));
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
        every_form(|_, form, cast, index| {
            let Some((_, template)) = form.call else { return };
            let text = cast.fill(template);
            // The argument of a rule's call may leave the sense to the words beside it.
            let subject = |held: &Holding| held.subject;
            assert!(index.search(&text).first().is_some_and(subject), "{text}");
        });
    }

    #[test]
    fn whoever_brings_a_need_about_names_no_needle() {
        every_form(|bank, form, cast, index| {
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
        every_form(|_, form, cast, _| {
            for template in form.templates() {
                let text = cast.fill(template);
                // No template of a form has braces of its own but the Rust declaration.
                let code = cast.get("decl");
                assert!(!text.replace(code, "").contains(['{', '}']), "{text}");
            }
        });
    }

    #[test]
    fn polarity_goes_with_the_kind() {
        every_form(|_, form, _, _| {
            assert_eq!(form.kind.has_polarity(), !form.polarity.is_empty(), "{}", form.statement);
        });
    }

    #[test]
    fn a_form_is_said_in_four_ways_and_a_kind_has_three_forms() {
        for bank in BANKS.map(Bank::named) {
            for kind in FactKind::ALL {
                let forms = bank.forms(kind);
                let least =
                    if matches!(kind, FactKind::Direction | FactKind::Outcome) { 2 } else { 3 };
                assert!(forms.len() >= least, "{}", kind.name());
                for form in forms {
                    assert!(form.said.len() >= 4, "{}", form.statement);
                }
            }
        }
    }

    /// What a rejection gives birth to, and what the other births need.
    #[test]
    fn the_user_and_others_state_dead_ends() {
        for bank in BANKS.map(Bank::named) {
            let forms = bank.forms(FactKind::DeadEnd);
            let by_user = forms.iter().filter(|form| form.birth == Birth::User).count();
            assert!(by_user >= 1 && by_user < forms.len());
        }
    }

    #[test]
    fn what_changes_can_be_replaced_and_is_told_by_its_needle() {
        for bank in BANKS.map(Bank::named) {
            for old in bank.facts.iter().copied().flatten() {
                let Some(slot) = old.changes else {
                    assert!(old.revised.is_empty(), "{}", old.statement);
                    continue;
                };
                let forms: Vec<&FactForm> =
                    bank.forms(old.kind).into_iter().filter(|form| form.succeeds(old)).collect();
                assert!(!forms.is_empty(), "{}", old.statement);
                assert!(forms.iter().all(|form| form.revised.len() >= 4), "{}", old.statement);
                let braced = format!("{{{slot}}}");
                let changing = |form: &Form| match form {
                    Form::Code(text) | Form::Prose(text) => *text == braced,
                };
                assert_eq!(old.needles.iter().filter(|form| changing(form)).count(), 1);
            }
        }
    }

    #[test]
    fn the_banks_share_no_template_and_no_polarity() {
        let [a, b] = BANKS.map(Bank::named);
        // Beyond slots and punctuation there must be words.
        let bare = |template: &&str| {
            let outside = template.split('{').map(|part| part.split('}').next_back().unwrap_or(""));
            outside.flat_map(str::chars).any(char::is_alphabetic)
        };
        let of_a: std::collections::BTreeSet<&str> =
            a.templates().into_iter().filter(bare).collect();
        for template in b.templates() {
            assert!(!of_a.contains(template), "{template}");
        }
        let senses = |bank: &Bank| {
            let forms = bank.facts.iter().copied().flatten();
            forms.flat_map(|form| form.polarity).copied().collect::<Vec<&str>>()
        };
        let of_a = senses(a);
        assert!(senses(b).iter().all(|sense| !of_a.contains(sense)));
    }

    /// The subject must not give a fact its sense.
    #[test]
    fn no_name_is_made_of_a_word_of_polarity() {
        for bank in BANKS.map(Bank::named) {
            for form in bank.facts.iter().copied().flatten() {
                for sense in form.polarity {
                    assert!(!crate::synth::names::is_word(sense), "{sense}");
                }
            }
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
