//! The embedded scenarios: that they parse, that their sessions are sound, and
//! that they stay the same bytes.

mod suite;

use std::collections::BTreeSet;

use proctor::error::Error;
use proctor::ident::{Digest, MsgId, Seed};
use proctor::log::{self, Log, Message, Role};
use proctor::scenario::{EMBEDDED, Scenario, Session, SessionSource};
use proctor::synth::mentions;
use proctor::token::{TokenTable, Tokenizer};
use proctor::truth::{self, Fact, Holding, NeedleIndex};
use proctor::unit::Tokens;
use proptest::prelude::*;
use rayon::prelude::*;

fn session(name: &str, seed: u64) -> Session {
    let scenario = Scenario::embedded(name).expect("an embedded scenario");
    scenario.session(Seed(seed)).expect("a sound session")
}

fn text_of(message: &Message) -> String {
    let mut text = message.content.to_string();
    for call in &message.calls {
        text.push('\n');
        text.push_str(&call.args);
    }
    text
}

/// Messages between the demand's call and the call before it.
fn appended_before(log: &Log, at: MsgId) -> Vec<MsgId> {
    let earlier = log.messages[..at.index()].iter().rev();
    earlier.take_while(|m| m.role != Role::Assistant).map(|m| m.id).collect()
}

#[test]
fn every_scenario_file_parses() {
    for (file, text) in EMBEDDED {
        for scenario in Scenario::parse_all(file, text).unwrap() {
            assert_eq!(Scenario::embedded(&scenario.name).unwrap(), scenario);
        }
    }
}

#[test]
fn the_floor_tables_stand_for_five_lengths_of_seven_shapes() {
    let names = Scenario::embedded_names();
    let floor: Vec<&String> = names.iter().filter(|name| name.starts_with("floor-")).collect();
    assert_eq!(floor.len(), 35);
    assert_eq!((floor[0].as_str(), floor[34].as_str()), ("floor-p0-t50", "floor-p20-t1600"));
    let scenario = Scenario::embedded("floor-p8-t400").unwrap();
    assert_eq!(scenario.family.as_deref(), Some("floor-p8"));
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
}

#[test]
fn an_unknown_scenario_names_its_neighbour() {
    let error = Scenario::embedded("long-codign").unwrap_err();
    assert_eq!(error.to_string(), "unknown scenario `long-codign`");
    assert_eq!(error.hint(), Some("did you mean `long-coding`?"));
}

fn fingerprint(name: &str, scenario: &Scenario, session: &Session) -> String {
    let log = log::format::to_text(&session.log).unwrap();
    let truth = truth::format::to_text(&session.truth, &session.log.id).unwrap();
    let [log, truth] = [log, truth].map(|text| Digest::of(text.as_bytes()));
    format!("{name}: scenario {} log {log} truth {truth}", scenario.digest())
}

/// An intended change of the synthesizer or of a scenario updates this snapshot in
/// the same commit and says so; any other change of it is a mistake.
#[test]
fn sessions_keep_their_fingerprints() {
    let ready = suite::ready();
    let line = |name: String| match ready.get(&name) {
        Some(known) => fingerprint(&name, &known.scenario, &known.session),
        None => {
            let scenario = Scenario::embedded(&name).unwrap();
            fingerprint(&name, &scenario, &scenario.session(Seed(1)).unwrap())
        }
    };
    let lines: Vec<String> = Scenario::embedded_names().into_par_iter().map(line).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_floor_session_has_exactly_its_shape() {
    for (pairs, turns) in [(0, 200), (1, 400), (3, 200), (5, 800), (8, 200), (12, 200), (20, 200)] {
        let log = session(&format!("floor-p{pairs}-t{turns}"), 3).log;
        assert_eq!(log.messages.len(), turns * (1 + 2 * pairs + 1), "p = {pairs}, T = {turns}");
        let spans = log.turns();
        assert_eq!(spans.len(), turns);
        for span in spans {
            let roles: Vec<Role> = log.messages[span.clone()].iter().map(|m| m.role).collect();
            let mut expected = vec![Role::User];
            expected.extend([Role::Assistant, Role::Tool].repeat(pairs));
            expected.push(Role::Assistant);
            assert_eq!(roles, expected);
            let last = &log.messages[span.end - 1];
            assert_eq!(last.calls.len(), 1);
        }
        assert!(log.messages.iter().all(|m| m.role != Role::Assistant || m.calls.len() == 1));
    }
}

#[test]
fn floor_messages_have_about_their_nominal_size() {
    let log = session("floor-p5-t200", 1).log;
    let table = TokenTable::new(&log, Tokenizer::O200k);
    let mean = |role: Role| {
        let of_role = log.messages.iter().filter(|message| message.role == role);
        let tokens: Vec<f64> =
            of_role.map(|m| table.messages[m.id.index()].total().as_f64()).collect();
        tokens.iter().sum::<f64>() / tokens.len() as f64
    };
    assert!((135.0..=165.0).contains(&mean(Role::User)), "{}", mean(Role::User));
    assert!((20.0..=40.0).contains(&mean(Role::Assistant)), "{}", mean(Role::Assistant));
    assert!((108.0..=140.0).contains(&mean(Role::Tool)), "{}", mean(Role::Tool));
}

/// A small session with everything that a plan can ask for, and much of it.
fn crowded(bank: &str, seed: u64) -> Session {
    let keys = "[session.synth]\ncorrections = 0.1\nrejections = 0.2\nstops = 0.1\n\
                paraphrased = 0.5\nnear-duplicates = 0.4\n";
    let text = smoke()
        .replace("[session.synth]", &format!("{keys}bank = \"{bank}\""))
        .replace("facts = { min = 5, max = 8 }", "facts = { min = 20, max = 60 }");
    let scenarios = Scenario::parse_all("crowded.toml", &text).expect("a sound file");
    scenarios[0].session(Seed(seed)).expect("a sound session")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// For every fact f and demand d of a session:
    /// mentions(f)[0] = born(f); f is present in its own statement;
    /// some message before d holds f (the control recalls all), none appended since
    /// the call before d does, and the call at d names its needles; f is not superseded at d;
    /// no decoy is present anywhere.
    #[test]
    fn a_session_keeps_its_word(seed in any::<u64>(), which in 0usize..6) {
        let name = ["smoke", "floor-p1-t200", "floor-p0-t200", "stale-values"].get(which);
        let bank = ["a", "b", "c"][which % 3];
        let Session { log, truth } =
            name.map_or_else(|| crowded(bank, seed), |name| session(name, seed));
        let index = NeedleIndex::new(&truth.facts);
        let found = |text: &str| index.search(text);
        let at: Vec<_> = log.messages.iter().map(|message| found(&text_of(message))).collect();
        let holds = |fact: &Fact, found: &[Holding]| {
            found.iter().any(|found| found.fact == fact.id && found.present())
        };
        // A call names a fact without saying what it is about.
        let names = |fact: &Fact, found: &[Holding]| {
            let mut of_it = found.iter().filter(|found| found.fact == fact.id);
            of_it.any(|found| found.found as usize == fact.needles.len())
        };
        prop_assert!(!truth.demands.is_empty());
        for (number, fact) in truth.facts.iter().enumerate() {
            prop_assert_eq!(fact.id.index(), number);
            prop_assert_eq!(fact.mentions.first(), Some(&fact.born));
            prop_assert!(fact.mentions.is_sorted());
            prop_assert!(holds(fact, &at[fact.born.index()]), "{}", fact.statement);
            prop_assert!(holds(fact, &found(&fact.statement)), "{}", fact.statement);
            prop_assert!(fact.statement.len() <= 400);
        }
        for demand in &truth.demands {
            let fact = &truth.facts[demand.fact.index()];
            prop_assert!(fact.born < demand.at);
            prop_assert!(names(fact, &at[demand.at.index()]), "{}", fact.statement);
            for id in appended_before(&log, demand.at) {
                prop_assert!(!holds(fact, &at[id.index()]), "{}", fact.statement);
            }
            if let Some(next) = fact.superseded_by {
                prop_assert!(truth.facts[next.index()].born > demand.at);
            }
        }
        prop_assert!(mentions(&log, &truth.decoys).iter().all(Vec::is_empty));
    }

    /// Every result answers a call of the last assistant message, call ids are
    /// unique, and time does not run backwards.
    #[test]
    fn a_log_is_well_formed(seed in any::<u64>(), which in 0usize..3) {
        let name = ["smoke", "repeated-calls", "oversized-message"][which];
        let log = session(name, seed).log;
        let mut seen = BTreeSet::new();
        let mut open = Vec::new();
        let mut now = log.messages[0].at;
        for (number, message) in log.messages.iter().enumerate() {
            prop_assert_eq!(message.id.index(), number);
            prop_assert!(message.at >= now);
            now = message.at;
            match &message.answers {
                Some(id) => {
                    prop_assert_eq!(message.role, Role::Tool);
                    prop_assert!(!open.is_empty());
                    prop_assert_eq!(id, &open.remove(0));
                }
                None => prop_assert!(open.is_empty()),
            }
            for call in &message.calls {
                prop_assert!(seen.insert(call.id.clone()));
                prop_assert!(serde_json::from_str::<serde_json::Value>(&call.args).is_ok());
                open.push(call.id.clone());
            }
        }
    }
}

fn smoke() -> &'static str {
    EMBEDDED.iter().find(|(file, _)| *file == "smoke").expect("it is embedded").1
}

/// The smoke scenario with one text replaced by another.
fn broken(from: &str, to: &str) -> Error {
    let text = smoke();
    assert!(text.contains(from), "{from}");
    Scenario::parse_all("bad.toml", &text.replacen(from, to, 1)).expect_err("a mistake")
}

#[test]
fn a_mistake_in_a_file_is_pointed_at() {
    for (from, to, rule, hint) in [
        ("window =", "windwo =", "unknown field `windwo`", Some("did you mean `window`?")),
        ("turns = 40", "tunrs = 40", "unknown field `tunrs`", Some("did you mean `turns`?")),
        (
            "wire = \"text\"",
            "wire = \"txt\"",
            "unknown variant `txt`",
            Some("did you mean `text`?"),
        ),
        ("window = 20_000", "window = \"20k\"", "invalid type: string \"20k\", expected u64", None),
        (
            "narration = 0.6",
            "narration = 1.6",
            "1.6 is out of range: expected a share from 0 to 1",
            None,
        ),
        ("max = 6 }", "max = 0 }", "min 1 must not exceed max 0", None),
        (
            "turns = 40",
            "",
            "missing field `turns`",
            Some("`proctor new scenario NAME` writes one that has every key"),
        ),
        (
            "[session.synth]",
            "[session.sinth]",
            "unknown variant `sinth`",
            Some("did you mean `synth`?"),
        ),
    ] {
        let error = broken(from, to);
        let Error::Toml { rule: found, hint: found_hint, span, .. } = error else {
            panic!("{to}: not a TOML error: {error}")
        };
        assert!(found.starts_with(rule), "{to}: {found}");
        assert_eq!(found_hint.as_deref(), hint, "{to}");
        assert!(!span.is_empty(), "{to}: no place");
    }
}

#[test]
fn a_value_out_of_range_is_named_with_its_rule() {
    for (from, to, message) in [
        (
            "turns = 40",
            "turns = 0",
            "bad.toml: session.synth.turns: 0 is out of range: expected 1 to 10000",
        ),
        (
            "window = 20_000",
            "window = 5",
            "bad.toml: window: 5 is out of range: expected 1000 to 100000000",
        ),
        (
            "max-output = 4_096",
            "max-output = 20_000",
            "bad.toml: max-output: 20000 is out of range: expected 1 to 19999, less than the window",
        ),
        (
            "name = \"smoke\"",
            "name = \"Smoke\"",
            "bad.toml: name: `Smoke` is no name: expected a-z, 0-9, `-`, `_` and `.`",
        ),
        (
            "decoys = 20",
            "decoys = 5_000",
            "bad.toml: session.synth.decoys: 5000 is out of range: expected 0 to 1000",
        ),
        (
            "redirects = 0.2",
            "redirects = 0.9",
            "bad.toml: session.synth.redirects: redirects, clarifications, extensions, corrections, rejections and stops are 1.25 together: expected at most 1",
        ),
        ("expects = \"Every", "expects = \"\" # \"Every", "bad.toml: expects: must not be empty"),
        (
            "[session.synth]",
            "[vary]\npairs = [1]\nturns = [3]\n[session.synth]",
            "bad.toml: session.synth.pairs: given twice: `vary` sets it too",
        ),
        (
            "[session.synth]\nturns = 40",
            "[vary]\nturns = [3]\nbursts = [0, 2]\n[session.synth]",
            "bad.toml: name: `smoke` must hold {bursts} and {turns}",
        ),
        (
            "[session.synth]\nturns = 40",
            "[vary]\nturns = []\n[session.synth]",
            "bad.toml: vary.turns: expected a list or a table of at least one value",
        ),
        (
            "[session.synth]\nturns = 40",
            "[vary]\nturns = [3, 3]\n[session.synth]",
            "bad.toml: vary.turns: the same value stands twice",
        ),
    ] {
        assert_eq!(broken(from, to).to_string(), message, "{to}");
    }
}

#[test]
fn a_file_varies_any_key_and_names_say_how() {
    let vary =
        "[vary]\nbursts = [0, 2]\nresult-tokens = { short = 40, long = { min = 40, max = 900 } }";
    let (head, body) = smoke().split_once("[session.synth]").expect("a synthesized session");
    let (before, rest) = body.split_once("result-tokens = [").expect("a list of ranges");
    let (_, after) = rest.split_once("]\n").expect("its end");
    let text = format!("{head}{vary}\n[session.synth]{before}{after}");
    let text = text.replace("name = \"smoke\"", "name = \"s-{result-tokens}-b{bursts}\"");
    let all = Scenario::parse_all("own.toml", &text).unwrap_or_else(|error| panic!("{error:?}"));
    let names: Vec<&str> = all.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(names, ["s-long-b0", "s-short-b0", "s-long-b2", "s-short-b2"]);
    let plans = all.iter().map(|scenario| match &scenario.source {
        SessionSource::Synth(plan) => (plan.work.result_tokens.bounds(), plan.work.habits.bursts),
        SessionSource::Transcript(_) => panic!("it is synthesized"),
    });
    let plans: Vec<_> = plans.collect();
    assert_eq!(plans, [((40, 900), 0), ((40, 40), 0), ((40, 900), 2), ((40, 40), 2)]);
}

#[test]
fn a_scenario_may_have_the_sessions_of_another() {
    let session = |name: &str| {
        let scenario = Scenario::embedded(name).expect("an embedded scenario");
        scenario.session(Seed(1)).expect("a sound session")
    };
    let (plain, more) = (session("multi-goal-arcs"), session("fixed-prompt-21"));
    assert_eq!(plain.log.messages, more.log.messages);
    assert_eq!(
        (&plain.truth.facts, &plain.truth.demands),
        (&more.truth.facts, &more.truth.demands)
    );
    assert!(more.log.tools.len() > 4 * plain.log.tools.len());
}

#[test]
fn a_bare_transcript_gets_the_default_scenario() {
    let path = std::path::Path::new("a/session.jsonl");
    let scenario = Scenario::for_transcript(path, "a-session");
    assert_eq!((scenario.window, scenario.max_output), (Tokens(100_000), Tokens(8_192)));
    assert_eq!(scenario.source, SessionSource::Transcript(path.to_owned()));
    assert_ne!(scenario.digest(), Scenario::embedded("smoke").unwrap().digest());
}

#[test]
fn a_transcript_lies_beside_its_scenario_file() {
    let folder = tempfile::tempdir().unwrap();
    let head = smoke().split("[session.synth]").next().unwrap();
    let file = folder.path().join("own.toml");
    std::fs::write(&file, format!("{head}[session.transcript]\npath = \"own.jsonl\"\n")).unwrap();
    let scenario = Scenario::load(&file).unwrap();
    assert_eq!(scenario.source, SessionSource::Transcript(folder.path().join("own.jsonl")));
}

/// Two small sessions, one of them compacted, and a file that is no session.
fn folder_of_sessions() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let formats =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/sessions/tests/formats");
    std::fs::create_dir(folder.path().join("logs")).unwrap();
    for name in ["pi.jsonl", "openai-chat.json"] {
        std::fs::copy(formats.join(name), folder.path().join("logs").join(name)).unwrap();
    }
    std::fs::write(folder.path().join("logs/notes.json"), "{\"no\": \"session\"}").unwrap();
    folder
}

fn of_transcripts(folder: &std::path::Path, keys: &str) -> proctor::error::Result<Vec<Scenario>> {
    let prose = "purpose = \"a\"\nshows = \"b\"\ncannot-show = \"c\"\nexpects = \"d\"\n";
    let file = folder.join("own.toml");
    let text = format!(
        "name = \"own\"\n{prose}admits = \"prompt-plus-output\"\nwire = \"text\"\n\
         [session.transcript]\n{keys}"
    );
    std::fs::write(&file, text).unwrap();
    Scenario::load_all(&file)
}

#[test]
fn a_scenario_stands_for_each_session_of_a_directory_or_pattern_that_its_filter_takes() {
    let folder = folder_of_sessions();
    let names = |keys: &str| -> Vec<String> {
        let all = of_transcripts(folder.path(), keys).unwrap();
        all.into_iter().map(|scenario| scenario.name).collect()
    };
    assert_eq!(names("path = \"logs\"\n"), ["own-openai-chat", "own-pi"]);
    assert_eq!(names("path = \"logs/*.jsonl\"\n"), ["own-pi"]);
    assert_eq!(names("path = \"logs\"\ncompacted = true\n"), ["own-pi"]);
    assert_eq!(names("path = \"logs/pi.jsonl\"\n"), ["own"]);
    let none = of_transcripts(folder.path(), "path = \"logs\"\nmin-tokens = 1000000\n");
    assert!(none.unwrap_err().to_string().contains("none of the 2 sessions in 3 files is taken"));
    let counted =
        of_transcripts(folder.path(), "path = \"logs/pi.jsonl\"\ncounter = 2.0\n").unwrap();
    assert_eq!(counted[0].session(Seed(1)).unwrap().log.ratio, Some(2.0));
    let wrong = of_transcripts(folder.path(), "path = \"logs\"\ncounter = 0.0\n");
    assert!(format!("{:?}", wrong.unwrap_err()).contains("expected 0.1 to 10"));
}

#[test]
fn files_must_have_the_digests_that_a_scenario_names() {
    let folder = folder_of_sessions();
    let bytes = std::fs::read(folder.path().join("logs/pi.jsonl")).unwrap();
    let digest = Digest::of(&bytes);
    let with = |name: &str, digest: &str| {
        let keys = format!(
            "path = \"logs/*.jsonl\"\n[session.transcript.digests]\n\"{name}\" = \"{digest}\"\n"
        );
        of_transcripts(folder.path(), &keys)
    };
    assert_eq!(with("logs/pi.jsonl", &digest.to_string()).unwrap().len(), 1);
    let zeros = "0".repeat(32);
    let changed = with("logs/pi.jsonl", &zeros).unwrap_err().to_string();
    assert!(changed.contains(&format!("`logs/pi.jsonl` has changed: it is {digest}")), "{changed}");
    let unnamed = with("logs/other.jsonl", &zeros).unwrap_err().to_string();
    assert!(unnamed.contains("`logs/pi.jsonl` has none"), "{unnamed}");
}
