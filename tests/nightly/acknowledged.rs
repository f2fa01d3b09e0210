//! Changes that somebody wrote are known.

use std::fs;
use std::path::Path;

use proctor::error::{Error, ExitCode};
use proctor::gate::Policy;
use proctor::history::{Acknowledged, Finding, History, State, assemble, findings};
use proctor::site::{self, Options};

use crate::nightly::simulated::Plan;

/// Twelve nights of which recall of `codex` falls on the eighth, 2026-01-08.
fn fallen() -> History {
    let plan = Plan { noise: 0.0, ..Plan::plausible(12) };
    let nights = plan.write(|night, configuration, metric| {
        if (configuration, metric) == ("codex", "recall_at_need") && night >= 7 { 0.8 } else { 1.0 }
    });
    History { nights }
}

const ENTRY: &str = "[[change]]\nmetric = \"recall_at_need\"\nconfiguration = \"codex\"\n\
                     night = \"2026-01-08\"\nreason = \"Shorter summaries, for <cost>.\"\n";

fn found(text: &str) -> Result<Vec<Finding>, Error> {
    let history = fallen();
    let policy = Policy::embedded().expect("a policy");
    let mut found = findings(&assemble(&history.nights), 11, &policy);
    Acknowledged::parse("known.toml", text)?.apply(&mut found, &history.nights)?;
    Ok(found)
}

#[test]
fn a_change_that_is_acknowledged_stands_no_more_and_is_listed_with_its_reason() {
    assert!(found("").expect("none").iter().any(|one| one.stands));
    let found = found(ENTRY).expect("matched");
    let reason = State::Acknowledged("Shorter summaries, for <cost>.".to_owned());
    assert_eq!((&found[0].state, found[0].stands), (&reason, false));
    assert!(found[0].parts.len() == 3 && found[0].parts.iter().all(|part| part.state == reason));
    let out = tempfile::tempdir().expect("a directory");
    let acknowledged = Acknowledged::parse("known.toml", ENTRY).expect("an entry");
    let options = Options { acknowledged, ..Options::default() };
    let site = site::render(&fallen(), out.path(), &options).expect("a site");
    assert_eq!((site.standing, site.verdict.as_str()), (0, "No figure is worse than before"));
    for page in ["index.html", "configurations/codex.html"] {
        let text = fs::read_to_string(out.path().join(page)).expect("a page");
        assert!(text.contains("Acknowledged: Shorter summaries, for &lt;cost&gt;."), "{page}");
    }
    let feed = fs::read_to_string(out.path().join("atom.xml")).expect("a feed");
    assert!(!feed.contains("recall_at_need of codex"), "{feed}");
}

#[test]
fn one_scenario_can_be_acknowledged_and_the_others_stand() {
    let one = format!("{ENTRY}scenario = \"mixed\"\n");
    let found = found(&one).expect("matched");
    assert!(found[0].stands);
    let known = found[0].parts.iter().filter(|part| !part.is_announced());
    let known: Vec<_> = known.filter_map(|part| part.key.scenario.as_deref()).collect();
    assert_eq!(known, ["mixed"]);
}

#[test]
fn what_matches_nothing_or_is_malformed_is_named_with_its_place() {
    for (from, to, place, says, hint) in [
        ("recall_at_need", "recall_at_ned", "recall_at_ned", "no change of", "recall_at_need"),
        ("codex", "codec", "codec", "no change of", "mean `codex`?"),
        ("2026-01-08", "2026-01-09", "2026-01-09", "is of this night", "found on 2026-01-08"),
        ("2026-01-08", "2026-02-30", "2026-02-30", "YYYY-MM-DD", ""),
        ("Shorter summaries, for <cost>.", " ", " ", "empty reason", "write why"),
        ("reason", "because", "because", "unknown field", "reason"),
    ] {
        let text = ENTRY.replace(from, to);
        match found(&text) {
            Err(Error::Toml { file, text, span, rule, hint: told, .. }) => {
                assert!(rule.contains(says) && file == "known.toml", "{to}: {rule}");
                assert!(text[span.clone()].contains(place), "{to}: {}", &text[span]);
                let known = format!("{rule} {}", told.unwrap_or_default());
                assert!(known.contains(hint), "{to}: {known}");
            }
            other => panic!("{to}: {other:?}"),
        }
    }
    let whole = ENTRY.replace("reason = \"Shorter summaries, for <cost>.\"\n", "");
    assert!(matches!(found(&whole), Err(Error::Toml { .. })));
}

fn nightly(directory: &Path, more: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_proctor"));
    command.args(more).current_dir(directory).output().expect("the binary runs")
}

/// Through the binary: a run added to a history whose figures fell before it.
#[test]
fn strict_history_fails_until_the_change_is_acknowledged() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    fs::create_dir(path.join("run")).expect("a directory");
    crate::fixture::write(&path.join("run"), &crate::fixture::ORDINARY);
    let night = |date: &str, more: &[&str]| {
        let words = ["nightly", "--from", "run", "--history", "nights", "--site", "site"];
        let words = [&words[..], &["--date", date], more].concat();
        nightly(path, &words).status.code()
    };
    let strict = ["--strict-history"];
    assert_eq!(night("2026-11-21", &strict), Some(0));
    assert_eq!(night("2026-11-22", &strict), Some(0));
    // The first night is made one of better recall: the second is then worse.
    let mut history = History::load(&path.join("nights")).expect("a history");
    let first = &mut history.nights[0];
    for group in &mut first.groups {
        if let Some(figure) = group.figures.get_mut("recall_at_need") {
            figure.mean += 0.3;
        }
    }
    let bytes = first.written().expect("bytes");
    fs::write(path.join("nights").join(first.name()), bytes).expect("written");
    assert_eq!(night("2026-11-23", &[]), Some(0));
    assert_eq!(night("2026-11-23", &strict), Some(i32::from(ExitCode::REGRESSION)));
    let names: std::collections::BTreeSet<String> = history.nights[0]
        .groups
        .iter()
        .filter(|group| group.figures.contains_key("recall_at_need"))
        .map(|group| group.configuration.clone())
        .collect();
    let entries: String = names
        .iter()
        .map(|name| ENTRY.replace("codex", name).replace("2026-01-08", "2026-11-22"))
        .collect();
    fs::write(path.join("nights/acknowledged.toml"), &entries).expect("written");
    assert_eq!(night("2026-11-23", &strict), Some(0));
    fs::write(path.join("nights/acknowledged.toml"), entries.replace("11-22", "11-21"))
        .expect("written");
    assert_eq!(night("2026-11-23", &strict), Some(i32::from(ExitCode::INVALID_INPUT)));
}
