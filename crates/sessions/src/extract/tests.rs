//! The extractor on small sessions of our own.

use proctor_core::testkit::{Line, message};

use super::*;
use crate::log::{Boundary, BoundaryAction, Role, Text, Trigger};
use crate::truth::{NeedleIndex, Origin};

struct LogBuilder(Log);

impl LogBuilder {
    fn new() -> LogBuilder {
        LogBuilder(Log::new("story", "test"))
    }

    fn add(&mut self, line: Line) -> &mut LogBuilder {
        self.0.messages.push(message(self.0.messages.len(), line));
        self
    }

    fn user(&mut self, text: &str) -> &mut LogBuilder {
        self.add(Line::User(text))
    }

    fn call(&mut self, tool: &str, args: &str, result: &str) -> &mut LogBuilder {
        let id = format!("call{}", self.0.messages.len());
        self.add(Line::Calls("", &[(&id, tool, args)])).add(Line::Output(&id, result))
    }

    fn read(&mut self, path: &str, result: &str) -> &mut LogBuilder {
        self.call("Read", &format!("{{\"file_path\":\"{path}\"}}"), result)
    }

    fn filler(&mut self, tokens: usize) -> &mut LogBuilder {
        self.add(Line::Says(&"water the old trees ".repeat(tokens / 4 + 1)))
    }

    fn compact(&mut self, summary: &str) -> &mut LogBuilder {
        self.0.boundaries.push(Boundary {
            before: MsgId(self.0.messages.len() as u32),
            trigger: Trigger::Auto,
            action: BoundaryAction::Summary(Text::from(summary)),
            pre_tokens: None,
            post_tokens: None,
        });
        self
    }
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
    let mut log = LogBuilder::new();
    log.user("Water the orchard. Never push to the harvest branch.")
        .read("/home/u/src/valve.rs", "pub fn open_valve() {}\nMAX_ROWS=4096\n")
        .call("Bash", r#"{"command":"cargo test valve"}"#, "TypeError: pump is not a valve");
    let truth = extract(&log.0);
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
    let mut log = LogBuilder::new();
    log.user("water the trees")
        .compact("The user said: never open src/hidden_gate.rs; call close_gate_now.")
        .add(Line::Injected("never touch src/injected_pump.rs"))
        .user(
            "<system-reminder>always read src/reminder_pump.rs</system-reminder> go on please now",
        );
    assert_eq!(extract(&log.0).facts, []);
}

#[test]
fn a_demand_is_known_by_its_origin() {
    let mut log = LogBuilder::new();
    log.read("src/valve_gate.rs", "x")
        .read("src/pump_gate.rs", "fn far_symbol() {}")
        .filler(101_000);
    // Message 5: a person names one; 6 answers. Message 7 calls with another, long unseen.
    log.user("what of src/valve_gate.rs today").filler(4);
    let args = r#"{"file_path":"src/pump_gate.rs","new":"y"}"#;
    log.call("Edit", args, "fn far_symbol() {}");
    let truth = extract(&log.0);
    assert_eq!(demands_of(&truth, "valve_gate.rs"), [(6, Origin::User)]);
    assert_eq!(demands_of(&truth, "pump_gate.rs"), [(7, Origin::Call)]);
    assert_eq!(demands_of(&truth, "far_symbol"), [(7, Origin::Incidental)]);
}

#[test]
fn a_sentence_whose_words_met_before_is_no_fact() {
    let mut log = LogBuilder::new();
    log.user("water the trees").read("src/a_pump.rs", "not shown: open, valve, gate, together");
    log.user("never open the valve and the gate together");
    log.user("never flood the eastern orchard");
    let statements: Vec<String> =
        extract(&log.0).facts.into_iter().map(|fact| fact.statement).collect();
    assert!(statements.iter().any(|text| text.contains("orchard")), "{statements:?}");
    assert!(!statements.iter().any(|text| text.contains("together")), "{statements:?}");
}

#[test]
fn a_rule_is_needed_where_a_later_turn_touches_its_subject() {
    let mut log = LogBuilder::new();
    // Message 0: the rule. 1: a touch in its own turn, which it cannot have left.
    log.user("never delete rows from src/water_log.rs, the auditors read it");
    log.read("src/water_log.rs", "x");
    log.user("now tidy the pump room").read("src/pump_room.rs", "x");
    // Message 6 names the file again, twice.
    log.user("and shrink the log").read("src/water_log.rs", "x").read("src/water_log.rs", "x");
    // Message 11 answers words about the rule's subject.
    log.user("may I delete some old rows on sundays").filler(4);
    let truth = extract(&log.0);
    let statement = "never delete rows from src/water_log.rs, the auditors read it";
    assert_eq!(fact(&truth, statement).map(|fact| fact.kind), Some(FactKind::SafetyRule));
    assert_eq!(demands_of(&truth, statement), [(7, Origin::Call), (12, Origin::User)]);
}

#[test]
fn a_read_repeated_after_a_boundary_is_a_reacquisition_once() {
    let mut log = LogBuilder::new();
    log.read("src/valve_gate.rs", "x").read("src/valve_gate.rs", "x").compact("s");
    log.read("src/valve_gate.rs", "x").read("src/valve_gate.rs", "x");
    assert_eq!(demands_of(&extract(&log.0), "valve_gate.rs"), [(4, Origin::Reacquired)]);
}

#[test]
fn a_value_restated_supersedes_the_one_before() {
    let mut log = LogBuilder::new();
    log.read("a_file.toml", "MAX_ROWS=4096\n").read("a_file.toml", "MAX_ROWS=8192\n");
    log.read("b_file.toml", "MIN_ROWS=100\n").read("c_file.toml", "MIN_ROWS=200\n");
    log.read("b_file.toml", "MIN_ROWS=100\n");
    let truth = extract(&log.0);
    let successor = |statement| {
        let id = fact(&truth, statement)?.superseded_by?;
        Some(truth.facts[id.index()].statement.as_str())
    };
    assert_eq!(successor("MAX_ROWS = 4096"), Some("MAX_ROWS = 8192"));
    // Still named afterwards: two values in two places.
    assert_eq!(successor("MIN_ROWS = 100"), None);
}

#[test]
fn the_number_of_facts_is_bounded_and_needed_ones_come_first() {
    let mut log = LogBuilder::new();
    log.read("src/needed_pump.rs", "x");
    for part in 0..20 {
        let names: Vec<String> =
            (0..60).map(|n| format!("fn generated_name_{part}_{n}() {{}}")).collect();
        log.read(&format!("src/part_{part}.rs"), &names.join("\n"));
    }
    log.user("look at src/needed_pump.rs again").filler(1);
    let truth = extract(&log.0);
    assert!((390..=400).contains(&truth.facts.len()), "{}", truth.facts.len());
    assert_eq!(demands_of(&truth, "needed_pump.rs").len(), 1);
}

#[test]
fn the_truth_is_well_formed_and_the_same_every_time() {
    let mut log = LogBuilder::new();
    log.user("Fix src/valve_gate.rs, but never delete the water_log table.")
        .read(
            "src/valve_gate.rs",
            "fn open_valve_gate() {}\nfn close_pump_gate() {}\nfn test_water_flow() {}",
        )
        .user("no, only use the small pump for that")
        .read("lib/pump_room.rs", "error: the pump room is flooded again\nfn test_pump_room() {}");
    let truth = extract(&log.0);
    assert_eq!(truth, extract(&log.0));
    check_truth(&log.0, &truth);
    assert_eq!(truth.goals.len(), 1, "a correction continues its goal");
    let decoys: Vec<&str> = truth.decoys.iter().map(|decoy| decoy.statement.as_str()).collect();
    assert!(!decoys.is_empty());
    let text = crate::truth::format::to_text(&truth, "story").unwrap();
    let path = std::path::Path::new("x.truth.jsonl");
    let back = crate::truth::format::read_from(text.as_bytes(), path, &log.0).unwrap();
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
        assert!(truth.facts[demand.fact.index()].born < demand.at);
        assert_eq!(log.messages[demand.at.index()].role, Role::Assistant);
    }
}
