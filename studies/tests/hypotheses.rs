//! The study of hypotheses out of the real binary: repeated, and every verdict explained.

use std::fs;
use std::process::{Command, Output};

fn hypotheses(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proctor-studies"));
    command.arg("hypotheses").args(words).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Constructed sessions and few drawn ones: a matter of seconds.
const QUICK: &str = "H12,H18,H19";

#[test]
fn verdicts_are_the_same_bytes_whatever_the_number_of_jobs() {
    let work = tempfile::tempdir().expect("a directory");
    let mut pages = Vec::new();
    for jobs in ["1", "2"] {
        let page = work.path().join(format!("page-{jobs}.md"));
        let path = page.to_str().expect("a plain path");
        let run = hypotheses(&["--only", QUICK, "--jobs", jobs, "--output", path]);
        assert!(run.status.success(), "{}", text(&run.stderr));
        assert!(text(&run.stderr).contains("ord-long-p10-t28"), "{}", text(&run.stderr));
        pages.push(fs::read_to_string(page).expect("it was written"));
    }
    assert_eq!(pages[0], pages[1]);
    for section in pages[0].split("\n### ").skip(1) {
        let heading = section.lines().next().expect("a heading");
        let explained = heading.ends_with(": holds") || section.contains("**Remark.**");
        assert!(explained && !section.contains("None was written"), "{heading}");
        assert!(section.contains("**Expected.**") && section.contains("**Tested.**"), "{heading}");
    }
}

#[test]
fn an_unknown_hypothesis_is_an_error_of_usage() {
    let run = hypotheses(&["--only", "H99"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("unknown hypothesis `H99`"), "{}", text(&run.stderr));
}
