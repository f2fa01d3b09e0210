//! How good the extractor is: precision and recall against what readers marked in recorded sessions
//! and in excerpts of our own, and how far the readers agree. The figures are in the snapshots;
//! minima hold them. Recorded sessions are skipped where they are not at hand.

mod excerpt;
mod labels;
mod said;
mod score;

use std::io::Write;
use std::path::Path;

use self::labels::Label;
use self::said::Marked;
use self::score::{ARTIFACTS, SAID, Score};
use proctor_core::ident::FactId;
use proctor_core::log::{Log, Role};
use proctor_core::truth::{Fact, FactKind};
use proctor_core::unit::Tokens;
use proctor_sessions::extract::extract;
use proctor_sessions::extract::labels::{extract as extract_marked, marks, request};
use proctor_sessions::import::{self, places};

fn told(text: &str) {
    // Shown with `--nocapture`; there is nothing to do about a failure.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The score over sessions, `None` where one is not at hand. `EXTRACTION_REMARKS=1` shows each miss
/// and each wrong fact of those that may be looked at.
fn score_of(which: impl Fn(&Marked) -> bool) -> Option<Score> {
    let mut total = Score::default();
    for marked in said::all().iter().filter(|marked| which(marked)) {
        let Some((log, mut own)) = marked.load() else {
            told(&format!("skipped: {} is not at hand", marked.session));
            return None;
        };
        own.extend(marked.labels(&log));
        let facts = extract(&log).facts.into_iter().filter(|fact| {
            let said = fact.kind.is_said();
            (said || marked.is_own()) && (!said || marked.saw(&log, fact))
        });
        let facts: Vec<Fact> =
            facts.zip(0..).map(|(fact, id)| Fact { id: FactId(id), ..fact }).collect();
        let (score, remarks) = labels::against_labels(&facts, &own, |fact| {
            log.messages[fact.born.index()].role != Role::Assistant
        });
        total.add(&score);
        if marked.is_at_hand() && std::env::var_os("EXTRACTION_REMARKS").is_some() {
            told(&format!("{}:\n  {}", marked.session, remarks.join("\n  ")));
        }
    }
    Some(total)
}

#[test]
fn facts_of_excerpts_at_hand_are_found() {
    let score = score_of(|marked| marked.is_own() && marked.is_at_hand()).expect("excerpts");
    insta::assert_snapshot!("develop", score.table(&[]));
}

#[test]
fn facts_of_excerpts_never_looked_at_are_found() {
    let score = score_of(|marked| marked.is_own() && !marked.is_at_hand()).expect("excerpts");
    insta::assert_snapshot!("held_out", score.table(&[]));
    let artifacts = score.sum(&ARTIFACTS);
    assert!(artifacts.recall().is_some_and(|share| share >= 0.60), "{artifacts:?}");
    assert!(artifacts.precision().is_some_and(|share| share >= 0.90), "{artifacts:?}");
}

#[test]
fn what_is_said_in_recorded_sessions_at_hand_is_found() {
    let Some(score) = score_of(|marked| !marked.is_own() && marked.is_at_hand()) else { return };
    insta::assert_snapshot!("recorded_develop", score.table(&ARTIFACTS));
}

/// The targets: of what is said at least 0.6 are found, and of what is found at least 0.8 are right.
#[test]
fn what_is_said_in_sessions_never_looked_at_is_found() {
    let Some(score) = score_of(|marked| !marked.is_at_hand()) else { return };
    insta::assert_snapshot!("recorded_held_out", score.table(&ARTIFACTS));
}

/// Over the whole labelled set, of what users say at least 0.6 are found and 0.8 of what is found are
/// right. Of what agents say neither holds: it has no form of its own.
#[test]
fn what_users_say_is_found() {
    let Some(score) = score_of(|_| true) else { return };
    insta::assert_snapshot!("all", score.table(&ARTIFACTS));
    let [agents, users] = score.said;
    assert!(users.recall().is_some_and(|share| share >= 0.65), "{users:?}");
    assert!(users.precision().is_some_and(|share| share >= 0.80), "{users:?}");
    assert!(agents.recall().is_some_and(|share| share >= 0.25), "{agents:?}");
    assert!(agents.precision().is_some_and(|share| share >= 0.55), "{agents:?}");
}

/// What a language model marked in the excerpts that are held out, asked with the request of
/// `proctor import --label`: `labeller/` has its answers (README.md says how they came about). `EXTRACTION_REQUESTS=DIR` writes the
/// requests.
#[test]
fn what_a_model_marks_is_what_readers_marked() {
    let mut total = Score::default();
    for marked in said::all().iter().filter(|one| one.is_own() && !one.is_at_hand()) {
        let (log, _) = marked.load().expect("an excerpt");
        let name = marked.session.trim_start_matches("held-out/");
        if let Some(folder) = std::env::var_os("EXTRACTION_REQUESTS") {
            let request = request(&log, Tokens(8_192)).messages[0].text();
            std::fs::write(Path::new(&folder).join(name), request).expect("it writes");
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/extraction/labeller");
        let answer = std::fs::read_to_string(folder.join(format!("{name}.jsonl")));
        let (marks, refused) = marks(&answer.expect("an answer"), &log);
        assert_eq!(refused, 0, "{name}");
        let said = extract_marked(&log, &marks).facts.into_iter();
        let said = said.filter(|fact| fact.kind.is_said()).zip(0..);
        let facts: Vec<Fact> = said.map(|(fact, id)| Fact { id: FactId(id), ..fact }).collect();
        let (score, _) = labels::against_labels(&facts, &marked.labels(&log), |fact| {
            log.messages[fact.born.index()].role != Role::Assistant
        });
        total.add(&score);
    }
    insta::assert_snapshot!("labeller", total.table(&ARTIFACTS));
    let said = total.of_any_kind();
    assert!(said.recall().is_some_and(|share| share >= 0.75), "{said:?}");
    assert!(said.precision().is_some_and(|share| share >= 0.90), "{said:?}");
}

/// Whether a person or a call names the fact after it was first seen.
fn is_used(log: &Log, fact: &Fact) -> bool {
    let later = fact.mentions.iter().filter(|mention| **mention > fact.born);
    later.into_iter().any(|mention| {
        let message = &log.messages[mention.index()];
        let name = fact
            .needles
            .iter()
            .all(|needle| message.calls.iter().any(|call| call.args.contains(needle.text())));
        name || !message.words().is_empty()
    })
}

#[test]
fn artifacts_of_recorded_sessions_are_used_later() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/sessions");
    let (mut all, mut used) = (0, 0);
    for path in places::below(&folder) {
        let Ok(sessions) = import::load_named(&path) else { continue };
        for (_, one) in sessions {
            let facts = extract(&one.log).facts;
            let artifacts: Vec<&Fact> = facts.iter().filter(|fact| !fact.kind.is_said()).collect();
            let later = artifacts.iter().filter(|fact| is_used(&one.log, fact)).count();
            if artifacts.len() > 20 {
                told(&format!("{}: {later} of {}", path.display(), artifacts.len()));
            }
            all += artifacts.len();
            used += later;
        }
    }
    told(&format!("{used} of {all} artifacts are used later"));
    assert!(all == 0 || used * 10 >= all * 6, "{used} of {all}");
}

#[test]
fn two_readers_agree_on_what_is_said() {
    let marked = said::all();
    let mut table = "kind          first  second  both    F1\n".to_owned();
    for kind in SAID.into_iter().map(Some).chain([None]) {
        let sum = marked.iter().map(|marked| marked.agreement(kind));
        let [both, first, second] = sum.fold([0; 3], |sum: [usize; 3], one| {
            [sum[0] + one[0], sum[1] + one[1], sum[2] + one[2]]
        });
        let f1 = 2.0 * both as f64 / (first + second) as f64;
        let name = kind.map_or("of any kind", FactKind::name);
        table += &format!("{name:<12} {first:>6} {second:>7} {both:>5}  {f1:.2}\n");
        assert!(f1 >= 0.8, "{name}: {f1}");
    }
    insta::assert_snapshot!("agreement", table);
}

#[test]
fn marks_are_taken_out_of_the_text_and_may_stand_in_one_another() {
    let text = "remark\n== user\n⟦constraint|keep ⟦path|a/b.rs⟧⟧ so\n== call Edit\nfile = x\n| y\n== result\nok";
    let (log, labels) = excerpt::parse("x", text);
    let shown: Vec<&str> = log.messages.iter().map(|m| &*m.content).collect();
    assert_eq!(shown, ["keep a/b.rs so", "", "ok"]);
    assert_eq!(&*log.messages[1].calls[0].args, r#"{"file":"x\ny"}"#);
    let labels: Vec<(FactKind, &str)> =
        labels.iter().map(|label| (label.kind, label.text.as_str())).collect();
    assert_eq!(labels, [(FactKind::Path, "a/b.rs"), (FactKind::Constraint, "keep a/b.rs")]);
}

#[test]
fn a_fact_is_right_where_a_label_of_its_kind_holds_it_whole() {
    let label = |kind, text: &str| Label { kind, text: text.to_owned(), by_user: true };
    let marked = [
        label(FactKind::Path, "src/valve.rs"),
        label(FactKind::Value, "rows = 12"),
        label(FactKind::Symbol, "open_valve"),
        label(FactKind::Direction, "open the valve slowly"),
    ];
    let facts = [
        labels::fact(0, FactKind::Path, &["valve.rs"]),
        labels::fact(1, FactKind::Value, &["rows", "13"]),
        labels::fact(2, FactKind::Path, &["open_valve"]),
        labels::fact(3, FactKind::Constraint, &["valve", "slowly"]),
    ];
    let (score, remarks) = labels::against_labels(&facts, &marked, |_| true);
    let count = score.sum(&FactKind::ALL);
    assert_eq!((count.labels, count.found, count.given, count.right), (4, 1, 4, 1));
    assert_eq!(
        (score.said[1].found, score.of_any_kind().right, score.sum(&SAID).labels),
        (1, 1, 1)
    );
    assert_eq!(remarks.len(), 6);
}
