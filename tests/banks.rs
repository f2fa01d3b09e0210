//! The phrase banks: that nothing a strategy or the offline summarizer looks for occurs
//! in bank B, and what sessions in each bank are made of. Bank C may hold cues, as its author
//! had not seen any: for it there is no such test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proctor::ident::{MsgId, Seed};
use proctor::log::Role;
use proctor::scenario::{EMBEDDED, Scenario, Session};
use proctor::summarize::extractive::cues;
use proctor::synth::{BankName, templates};
use proctor::truth::{Fact, FactKind, Needle, NeedleIndex};
use regex::Regex;

/// What the offline summarizer takes for idle talk when a sentence opens with it
/// (`opens_idly` in `summarize/extractive/rank.rs`).
const IDLE: [&str; 14] = [
    "Let me",
    "Now let me",
    "I'll",
    "I will",
    "Sure",
    "Great",
    "Okay",
    "OK",
    "Perfect",
    "Looking at",
    "Now I",
    "Certainly",
    "Good",
    "Here is",
];

/// Whether the phrase occurs in the text as words of its own, case apart.
fn says(text: &str, phrase: &str) -> bool {
    let (text, phrase) = (text.to_lowercase(), phrase.to_lowercase());
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(&phrase).any(|(start, found)| {
        let before = text[..start].chars().next_back();
        let after = text[start + found.len()..].chars().next();
        !word(before) && !word(after)
    })
}

/// What is said in the banks on which nothing is developed.
fn held_back() -> Vec<&'static str> {
    [BankName::B, BankName::Operations, BankName::Analysis]
        .into_iter()
        .flat_map(templates)
        .collect()
}

/// The policy: no cue is excused. A cue that is a single everyday word counts like
/// any other; bank B says it in another way. Should the summarizer come to look for
/// a word that English cannot do without (an article, "of", "not"), it is the cue
/// that has to go, since it tells nothing.
#[test]
fn no_cue_of_the_summarizer_occurs_in_bank_b() {
    let templates = held_back();
    assert!(templates.len() > 700 && cues().count() > 100);
    let hits = cues().flat_map(|cue| {
        let hit = templates.iter().filter(move |template| says(template, cue));
        hit.map(move |template| format!("{cue}: {template}"))
    });
    let hits: BTreeSet<String> = hits.collect();
    assert!(hits.is_empty(), "{hits:#?}");
}

/// Names and accounts are shared by the banks: no cue may come in with them. What a
/// user pastes from a terminal, and code that an agent quotes, is a machine's output
/// as tool results are: left out here.
#[test]
fn no_cue_is_heard_from_anybody_in_a_session_of_bank_b() {
    let keys = [
        ("bank", "\"b\""),
        ("facts", "40"),
        ("corrections", "0.1"),
        ("rejections", "0.1"),
        ("stops", "0.05"),
        ("paraphrased", "0.5"),
        ("near-duplicates", "0.3"),
        ("pastes", "0"),
    ];
    for seed in 0..3 {
        let log = session("multi-goal-arcs", &keys, seed).log;
        let spoken = log.messages.iter().filter(|message| message.role != Role::Tool);
        let heard: String = spoken.map(|message| format!("{}\n", message.content)).collect();
        // Every other part lies between fences.
        let heard: String = heard.split("```").step_by(2).collect();
        let heard = heard + &log.system;
        let cues: Vec<&str> = cues().filter(|cue| says(&heard, cue)).collect();
        assert!(heard.len() > 50_000 && cues.is_empty(), "{cues:?}");
    }
}

#[test]
fn no_sentence_of_bank_b_opens_like_idle_talk() {
    for template in held_back() {
        for sentence in template.split(['.', '!', '?', '\n']).map(str::trim_start) {
            let idle = IDLE.iter().find(|opening| sentence.starts_with(*opening));
            assert_eq!(idle, None, "{template}");
        }
    }
}

/// Text prefixes and markers: every literal of a strategy that has a bracket in it,
/// and the labels by which the summarizer tells speakers.
#[test]
fn no_marker_of_a_strategy_occurs_in_bank_b() {
    let literal = Regex::new(r#""((?:[^"\\]|\\.)*)""#).expect("a pattern");
    let mut markers: BTreeSet<String> = ["user", "human", "assistant", "agent", "model", "tool"]
        .iter()
        .flat_map(|speaker| [format!("[{speaker}]"), format!("{speaker}:")])
        .collect();
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/strategies/src")) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        for found in literal.captures_iter(&text) {
            let marker = found[1].replace("\\n", "\n").trim().to_owned();
            let letters = marker.chars().filter(|c| c.is_alphabetic()).count();
            if marker.contains(['[', '<']) && letters >= 4 {
                markers.insert(marker);
            }
        }
    }
    assert!(markers.contains("[SUMMARIZED]") && markers.contains("[GOAL BATCH]"), "{markers:?}");
    for template in held_back() {
        for marker in &markers {
            assert!(!template.to_lowercase().contains(&marker.to_lowercase()), "{template}");
        }
        for line in template.lines() {
            assert!(!line.starts_with(['[', '<']) && !line.starts_with("# "), "{template}");
        }
    }
}

fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// A session of an embedded scenario with these keys of its table set anew.
fn session(name: &str, keys: &[(&str, &str)], seed: u64) -> Session {
    let (file, text) = EMBEDDED.iter().find(|(file, _)| *file == name).expect("it is embedded");
    let mut text = (*text).to_owned();
    for (key, value) in keys {
        let line = format!("{key} = {value}");
        let old = Regex::new(&format!("(?m)^{key} = .*$")).expect("a pattern");
        text = if old.is_match(&text) {
            old.replace(&text, line).into_owned()
        } else {
            text.replacen("[session.synth]", &format!("[session.synth]\n{line}"), 1)
        };
    }
    let scenarios = Scenario::parse_all(file, &text).expect("a sound file");
    scenarios[0].session(Seed(seed)).expect("a sound session")
}

fn role(session: &Session, born: MsgId) -> Role {
    session.log.messages[born.index()].role
}

#[test]
fn users_agents_and_tools_each_give_birth_to_facts_in_every_bank() {
    for bank in ["\"a\"", "\"b\"", "\"c\""] {
        let session = session("multi-goal-arcs", &[("bank", bank)], 1);
        let facts = &session.truth.facts;
        for of in [Role::User, Role::Assistant, Role::Tool] {
            let born = facts.iter().filter(|fact| role(&session, fact.born) == of).count();
            assert!(born * 5 >= facts.len(), "{bank}: {of:?} {born} of {}", facts.len());
        }
    }
}

#[test]
fn a_rejection_gives_birth_to_a_dead_end_said_by_the_user() {
    for bank in ["\"a\"", "\"b\"", "\"c\""] {
        let said = |rejections| {
            let keys = [("bank", bank), ("rejections", rejections), ("redirects", "0.1")];
            let session = session("smoke", &keys, 1);
            let facts = session.truth.facts.iter();
            facts
                .filter(|fact| fact.kind == FactKind::DeadEnd)
                .filter(|fact| role(&session, fact.born) == Role::User)
                .count()
        };
        assert_eq!(said("0"), 0);
        assert!(said("0.3") >= 5, "{bank}: {}", said("0.3"));
    }
}

/// In half of the messages of bank C that hold more than one sentence, the background comes first.
#[test]
fn what_matters_comes_late_as_often_as_early_in_bank_c() {
    let session = session("mixed", &[("bank", "\"c\""), ("shadows", "0"), ("pastes", "0")], 1);
    let (mut early, mut late) = (0, 0);
    for goal in &session.truth.goals {
        let said = &session.log.messages[goal.arc[0].index()].content;
        let opening = said.find(&*goal.title).expect("it opens the goal");
        if said.len() > goal.title.len() {
            early += usize::from(opening == 0);
            late += usize::from(opening > 0);
        }
    }
    assert!(early >= 3 && late >= 3, "{early} {late}");
}

#[test]
fn a_stop_cuts_the_turn_before_it_short() {
    let session = session("smoke", &[("stops", "0.3"), ("redirects", "0.1")], 1);
    let messages = &session.log.messages;
    let stops: Vec<usize> = (1..messages.len())
        .filter(|&at| messages[at].role == Role::User && messages[at - 1].role == Role::Tool)
        .collect();
    assert!(stops.len() >= 3, "{}", stops.len());
    for at in stops {
        assert!(messages[at].content.len() < 60, "{}", messages[at].content);
        assert_eq!(messages[at + 1].role, Role::Assistant);
        assert!(messages[at + 1].calls.is_empty());
    }
}

#[test]
fn whatever_is_replaced_is_told_from_its_successor_by_needles() {
    for (bank, paraphrased) in [("\"a\"", "0"), ("\"b\"", "1"), ("\"c\"", "1")] {
        let keys = [("bank", bank), ("paraphrased", paraphrased), ("restated", "1")];
        let session = session("multi-goal-arcs", &keys, 2);
        let facts = &session.truth.facts;
        let index = NeedleIndex::new(facts);
        let mut kinds: BTreeMap<FactKind, usize> = BTreeMap::new();
        for old in facts {
            let Some(new) = old.superseded_by.map(|id| &facts[id.index()]) else { continue };
            *kinds.entry(old.kind).or_default() += 1;
            assert_eq!(old.kind, new.kind);
            let own = |one: &Fact, other: &Fact| {
                one.needles.iter().filter(|needle| !other.needles.contains(needle)).count()
            };
            assert_eq!(
                (own(old, new), own(new, old)),
                (1, 1),
                "{} / {}",
                old.statement,
                new.statement
            );
            assert_eq!(role(&session, new.born), Role::User);
            let said = &session.log.messages[new.born.index()].content;
            let held = index.search(said);
            let holds =
                |fact: &Fact| held.iter().any(|found| found.fact == fact.id && found.present());
            assert!(holds(new) && !holds(old), "{said}");
        }
        for kind in [FactKind::Value, FactKind::Decision, FactKind::Constraint] {
            assert!(kinds.contains_key(&kind), "{bank}: {kinds:?}");
        }
    }
}

#[test]
fn doubles_differ_in_little_and_both_are_needed() {
    let keys = [
        ("near-duplicates", "0.5"),
        ("facts", "14"),
        ("shadows", "0"),
        ("kinds", "{ path = 1, symbol = 1, value = 1, test = 1, command = 1 }"),
    ];
    let session = session("smoke", &keys, 1);
    let facts = &session.truth.facts;
    let first = |fact: &Fact| fact.needles.first().map(Needle::text).unwrap_or_default().to_owned();
    let file = |name: String| name.rsplit('/').next().unwrap_or_default().to_owned();
    let demanded: BTreeSet<_> = session.truth.demands.iter().map(|demand| demand.fact).collect();
    let (mut doubles, mut needed) = (0, 0);
    for (at, one) in facts.iter().enumerate() {
        for two in facts[at + 1..].iter().filter(|two| two.kind == one.kind) {
            let (a, b) = (file(first(one)), file(first(two)));
            if first(one) != first(two) && strsim::levenshtein(&a, &b) <= 6 && a[..4] == b[..4] {
                doubles += 1;
                needed += usize::from(demanded.contains(&one.id) && demanded.contains(&two.id));
            }
        }
    }
    assert!(doubles * 5 >= facts.len(), "{doubles} of {}", facts.len());
    assert!(needed * 2 >= doubles, "{needed} of {doubles}");
}

/// What a plan asks for is there: so many facts in a goal, and most of the demands.
#[test]
fn a_plan_that_asks_for_many_facts_gets_them() {
    for (facts, bank, demanded) in [("60", "\"a\"", 0.6), ("200", "\"b\"", 0.3)] {
        let keys = [
            ("facts", facts),
            ("bank", bank),
            ("demands", "2"),
            ("restated", "0"),
            ("shadows", "0"),
        ];
        let session = session("long-coding", &keys, 1);
        let truth = &session.truth;
        let wanted = truth.goals.len() * facts.parse::<usize>().expect("a number");
        // The last goal may be cut to a turn, in which not everything has a place.
        assert!(truth.facts.len() * 20 >= wanted * 19, "{} of {wanted}", truth.facts.len());
        let share = truth.demands.len() as f64 / (2 * truth.facts.len()) as f64;
        assert!(share >= demanded, "{facts} facts: {share} of the demands");
    }
}
