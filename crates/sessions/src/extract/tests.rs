//! The extractor on small sessions of our own.

use super::*;

/// A log of `tests.txt`, in which this word stands for a text.
fn log_with(name: &str, word: &str, text: &str) -> Log {
    let lines = crate::section(include_str!("tests.txt"), name).replace(word, text);
    let path = Path::new("tests.txt");
    crate::log::format::read_from(lines.as_bytes(), path).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn log(name: &str) -> Log {
    log_with(name, "FILLER", "")
}

fn fact<'a>(truth: &'a Truth, statement: &str) -> Option<&'a Fact> {
    truth.facts.iter().find(|fact| fact.statement == statement)
}

fn demands_of(truth: &Truth, statement: &str) -> Vec<(u32, Origin)> {
    let Some(fact) = fact(truth, statement) else { return Vec::new() };
    let own = truth.demands.iter().filter(|demand| demand.fact == fact.id);
    own.map(|demand| (demand.at.0, demand.origin)).collect()
}

#[test]
fn artifacts_of_calls_and_results_and_rules_of_the_user_become_facts() {
    let truth = extract(&log("artifacts"));
    for (statement, kind, born) in [
        ("valve.rs", FactKind::Path, 1),
        ("open_valve", FactKind::Symbol, 2),
        ("MAX_ROWS = 4096", FactKind::Value, 2),
        ("cargo test valve", FactKind::Command, 3),
        ("TypeError: pump is not a valve", FactKind::Error, 4),
        ("Never push to the harvest branch.", FactKind::SafetyRule, 0),
    ] {
        let fact = fact(&truth, statement).unwrap_or_else(|| panic!("no fact {statement}"));
        let goal = Some(GoalId(0));
        assert_eq!((fact.kind, fact.born.0, fact.goal), (kind, born, goal));
    }
    assert_eq!(truth.goals[0].title, "Water the orchard. Never push to the harvest branch.");
}

#[test]
fn no_fact_is_born_from_a_summary_or_from_injected_text() {
    let facts = extract(&log("injected")).facts;
    let found: Vec<&str> = facts.iter().map(|fact| &*fact.statement).collect();
    assert_eq!(found, ["water the trees"]);
}

#[test]
fn a_demand_is_known_by_its_origin() {
    // Message 5: a person names one, which needs nothing. Message 7 calls with another, long unseen.
    let log = log_with("demands", "FILLER", &"water the old trees ".repeat(25_251));
    let truth = extract(&log);
    assert_eq!(demands_of(&truth, "valve_gate.rs"), []);
    assert_eq!(demands_of(&truth, "pump_gate.rs"), [(7, Origin::Call)]);
    assert_eq!(demands_of(&truth, "far_symbol"), [(7, Origin::Incidental)]);
}

#[test]
fn a_sentence_whose_words_met_before_is_no_fact() {
    let statements: Vec<String> =
        extract(&log("known words")).facts.into_iter().map(|fact| fact.statement).collect();
    assert!(statements.iter().any(|text| text.contains("orchard")), "{statements:?}");
    assert!(!statements.iter().any(|text| text.contains("together")), "{statements:?}");
}

#[test]
fn a_rule_is_needed_where_a_later_turn_touches_its_subject() {
    // Message 0: the rule. 1: a touch in its own turn, which it cannot have left. Message 6 names
    // the file again, twice. Message 11 answers words about the rule's subject.
    let truth = extract(&log("rule"));
    let statement = "never delete rows from src/water_log.rs, the auditors read it";
    assert_eq!(fact(&truth, statement).map(|fact| fact.kind), Some(FactKind::SafetyRule));
    assert_eq!(demands_of(&truth, statement), [(7, Origin::Call), (12, Origin::User)]);
}

#[test]
fn a_read_repeated_after_a_boundary_is_a_reacquisition_once() {
    let demands = demands_of(&extract(&log("read again")), "valve_gate.rs");
    assert_eq!(demands, [(4, Origin::Reacquired)]);
}

#[test]
fn a_value_restated_supersedes_the_one_before() {
    let truth = extract(&log("values"));
    let successor = |statement| {
        let id = fact(&truth, statement)?.superseded_by?;
        Some(truth.facts[id.index()].statement.as_str())
    };
    assert_eq!(successor("MAX_ROWS = 4096"), Some("MAX_ROWS = 8192"));
    // Still named afterwards: two values in two places.
    assert_eq!(successor("MIN_ROWS = 100"), None);
}

#[test]
fn what_nobody_used_again_is_sampled_and_needed_facts_come_first() {
    let names: String = (0..1_200).map(|n| format!("fn generated_name_{n}() {{}}\\n")).collect();
    let truth = extract(&log_with("many", "NAMES", &names));
    assert_eq!(truth.facts.len(), 21);
    assert_eq!(demands_of(&truth, "needed_pump.rs").len(), 1);
}

#[test]
fn the_truth_is_well_formed_and_the_same_every_time() {
    let log = log("sound");
    let truth = extract(&log);
    assert_eq!(truth, extract(&log));
    check_truth(&log, &truth);
    assert_eq!(truth.goals.len(), 1, "a correction continues its goal");
    let decoys: Vec<&str> = truth.decoys.iter().map(|decoy| decoy.statement.as_str()).collect();
    assert!(!decoys.is_empty());
    let text = crate::truth::format::to_text(&truth, "story").unwrap();
    let path = Path::new("x.truth.jsonl");
    let back = crate::truth::format::read_from(text.as_bytes(), path, &log).unwrap();
    assert_eq!(back, truth);
}

fn check_truth(log: &Log, truth: &Truth) {
    let index = NeedleIndex::new(&truth.facts);
    for (number, fact) in truth.facts.iter().enumerate() {
        assert_eq!(fact.id.index(), number);
        assert_eq!(fact.mentions.first(), Some(&fact.born));
        let held = index.search(&fact.statement);
        let own = held.iter().find(|holding| holding.fact == fact.id);
        assert!(own.is_some_and(|holding| holding.present()), "{fact:?}");
        assert_eq!(fact.kind.has_polarity(), !fact.polarity.is_empty());
    }
    let decoys = NeedleIndex::new(&truth.decoys);
    assert!(log.messages.iter().all(|message| decoys.search(&message.content).is_empty()));
    assert!(truth.demands.is_sorted_by_key(|demand| (demand.at, demand.fact)));
    for demand in &truth.demands {
        assert!(truth.facts[demand.fact.index()].born < log.fresh_from(demand.at));
        assert_eq!(log.messages[demand.at.index()].role, Role::Assistant);
    }
}
