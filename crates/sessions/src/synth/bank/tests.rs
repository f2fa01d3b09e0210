use super::*;
use crate::synth::fill::{Cast, sentence};
use crate::synth::names::Names;
use crate::synth::script::STRIDES;
use crate::synth::words::is_word;
use crate::synth::world::World;

fn banks() -> [&'static Bank; 5] {
    BankName::ALL.map(Bank::named)
}

fn cast(bank: &'static Bank, form: &FactForm, seed: u64) -> Cast {
    let mut rng = Seed(seed).rng();
    let world = World::draw(&bank.domain, &mut rng);
    let mut cast = Names::default().cast(&world, &world.components[0], &mut rng);
    cast.set("topic", cast.fill(&form.topic));
    cast
}

fn index(form: &FactForm, cast: &Cast) -> NeedleIndex {
    NeedleIndex::new(&[form.fact(cast)])
}

fn every_form(check: impl Fn(&Bank, &FactForm, &Cast, &NeedleIndex)) {
    for bank in banks() {
        for form in &bank.facts {
            for seed in 0..8 {
                let cast = cast(bank, form, seed);
                check(bank, form, &cast, &index(form, &cast));
            }
        }
    }
}

#[test]
fn whatever_states_a_fact_holds_it() {
    every_form(|_, form, cast, index| {
        let planted = matches!(form.birth, Birth::Result(_));
        let said = form.said.iter().map(|line| (line, planted));
        let spoken = form.recall.iter().chain(&form.revised).chain([&form.statement]);
        let spoken = spoken.map(|line| (line, false));
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
fn a_call_names_its_fact_and_whoever_brings_a_need_about_does_not() {
    every_form(|bank, form, cast, index| {
        for call in form.call.iter().chain(&form.uses) {
            let text = cast.fill(&call.argument);
            // The argument of a rule's call may leave the sense to the words beside it.
            let subject = |held: &Holding| held.subject();
            assert!(index.search(&text).first().is_some_and(subject), "{text}");
        }
        let asking = form.tempt.iter().chain(&bank.user.need).chain(&bank.agent.refer);
        let asking = asking.chain(&form.ask).chain(form.signs.iter().map(|(_, line)| line));
        for template in asking.chain([&form.topic]) {
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
fn banks_have_enough_of_everything_and_polarity_where_it_belongs() {
    for bank in banks() {
        assert!(bank.phrases().all(|list| !list.is_empty()));
        for kind in FactKind::ALL {
            let forms = bank.forms(kind);
            let least = if matches!(kind, FactKind::Direction | FactKind::Outcome) { 2 } else { 3 };
            assert!(forms.len() >= least, "{}", kind.name());
            for form in forms {
                assert!(form.said.len() >= 4, "{}", form.statement);
                let read = Read::of(form);
                assert!(read.said.len() >= 2, "{} {:?}", form.statement, form.birth);
                assert!(form.revised.is_empty() || !read.revised.is_empty(), "{}", form.statement);
                assert_eq!(kind.has_polarity(), !form.polarity.is_empty(), "{}", form.statement);
                let is_used = form.using(0).is_some() || kind == FactKind::Preference;
                assert!(is_used && !form.asking().is_empty(), "{}", form.statement);
                assert_eq!(form.is_named_in_code(), !form.signs.is_empty(), "{}", form.statement);
                // The subject must not give a fact its sense.
                assert!(!form.polarity.iter().any(|sense| is_word(sense)), "{}", form.statement);
            }
        }
        // What a rejection gives birth to, and what the other births need.
        let dead_ends = bank.forms(FactKind::DeadEnd);
        let by_user = dead_ends.iter().filter(|form| form.birth == Birth::User).count();
        assert!(by_user >= 1 && by_user < dead_ends.len());
        for list in [&bank.user.background, &bank.agent.detail] {
            for stride in STRIDES {
                assert!(stride == 1 || !list.len().is_multiple_of(stride), "{}", list.len());
            }
        }
    }
}

#[test]
fn what_changes_can_be_replaced_and_is_told_by_its_needle() {
    for bank in banks() {
        for old in &bank.facts {
            let Some(slot) = &old.changes else {
                assert!(old.revised.is_empty(), "{}", old.statement);
                continue;
            };
            let forms: Vec<&FactForm> =
                bank.forms(old.kind).into_iter().filter(|form| form.succeeds(old)).collect();
            assert!(!forms.is_empty(), "{}", old.statement);
            assert!(forms.iter().all(|form| form.revised.len() >= 4), "{}", old.statement);
            let braced = format!("{{{slot}}}");
            let changing = old.needles.iter().filter(|form| form.trim_matches('`') == braced);
            assert_eq!(changing.count(), 1);
        }
    }
}

/// What a bank says in words, beyond slots and punctuation.
fn worded(bank: &'static Bank) -> BTreeSet<&'static str> {
    let has_words = |template: &&str| {
        let outside = template.split('{').map(|part| part.split('}').next_back().unwrap_or(""));
        outside.flat_map(str::chars).any(char::is_alphabetic)
    };
    bank.templates().into_iter().filter(has_words).collect()
}

#[test]
fn the_banks_share_no_template_and_no_polarity() {
    let [a, held_back @ ..] = banks();
    let of_a = worded(a);
    for template in held_back.iter().flat_map(|bank| bank.templates()) {
        assert!(!of_a.contains(template), "{template}");
    }
    let senses = |bank: &Bank| {
        bank.facts.iter().flat_map(|form| form.polarity.clone()).collect::<Vec<String>>()
    };
    let of_a = senses(a);
    assert!(held_back.iter().flat_map(|bank| senses(bank)).all(|sense| !of_a.contains(&sense)));
}

/// The domains take over sentences of bank B; bank C has all of its own.
#[test]
fn bank_c_shares_nothing_with_any_other() {
    let own = Bank::named(BankName::C);
    for name in BankName::ALL.into_iter().filter(|name| *name != BankName::C) {
        let other = Bank::named(name);
        let shared: Vec<&str> = worded(own).intersection(&worded(other)).copied().collect();
        assert!(shared.is_empty(), "{name:?}: {shared:?}");
        let senses = |bank: &Bank| -> BTreeSet<String> {
            bank.facts.iter().flat_map(|form| form.polarity.clone()).collect()
        };
        assert!(senses(own).is_disjoint(&senses(other)), "{name:?}");
    }
}

#[test]
fn a_form_takes_over_what_it_does_not_say_and_mistakes_are_named() {
    let read = |facts: &str| {
        let text = format!("[words]\nforbids = [\"never\"]\n{facts}");
        let mut table: Table = toml::from_str(&text).expect("sound TOML");
        let facts = table.remove("fact").expect("facts").try_into().expect("tables");
        let words = table["words"].as_table().expect("words").clone();
        complete(facts, &words)
    };
    let base = "[[fact]]\nname = \"rule\"\nkind = \"constraint\"\ntopic = \"it\"\nbirth = \"user\"\n\
        statement = \"{thing}\"\nneedles = [\"{thing}\", \"`{path}`\"]\npolarity = \"forbids\"\nsaid = []\n";
    let like = "[[fact]]\nlike = \"rule\"\nbirth = { result = \"log\" }\n";
    let forms = read(&format!("{base}{like}")).expect("sound forms");
    assert_eq!(forms[1].birth, Birth::Result(Look::Log));
    assert_eq!(forms[1].topic, forms[0].topic);
    assert_eq!(forms[1].polarity, ["never"]);
    let needles = [Needle::Prose("{thing}".to_owned()), Needle::Code("{path}".to_owned())];
    assert_eq!(forms[1].needles(&Cast::default()), needles);
    for (facts, rule) in [
        (like.to_owned(), "fact 0: no fact before is \"rule\""),
        (base.replace("forbids", "obliges"), "fact 0: no list of words is \"obliges\""),
        (base.replace("topic", "topics"), "fact 0: unknown field `topics`"),
    ] {
        let error = read(&facts).expect_err("a broken form").to_string();
        assert!(error.starts_with(rule), "{error}");
    }
}
