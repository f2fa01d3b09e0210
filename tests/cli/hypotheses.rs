//! The suite of hypotheses: that it is whole, and that its verdicts come out of the real
//! binary, the same every time and explained where they have to be.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};

use proctor::hypothesis::{self, Verdict};

/// Those of section 20 that need no language model.
fn numbers() -> impl Iterator<Item = u32> {
    (1..=20).chain(26..=29).chain(31..=34)
}

#[test]
fn every_hypothesis_that_needs_no_language_model_is_there() {
    let found: BTreeSet<u32> = hypothesis::all().iter().map(|one| one.number()).collect();
    let missing: Vec<u32> = numbers().filter(|number| !found.contains(number)).collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
    let unknown: Vec<&u32> =
        found.iter().filter(|found| !numbers().any(|n| n == **found)).collect();
    assert!(unknown.is_empty(), "not in the list: {unknown:?}");
}

fn hypotheses(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proctor"));
    command.arg("hypotheses").args(words).env("NO_COLOR", "1").output().expect("it starts")
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
        assert!(text(&run.stdout).contains("H18"), "{}", text(&run.stdout));
        assert!(text(&run.stderr).contains("ord-long-p10-t28"), "{}", text(&run.stderr));
        pages.push(fs::read_to_string(page).expect("it was written"));
    }
    assert_eq!(pages[0], pages[1]);
    explained(&pages[0]);
}

/// Every verdict other than `confirmed` has its remark.
fn explained(page: &str) {
    let missing = "None was written for this verdict yet.";
    assert!(!page.contains(missing), "{page}");
    for section in page.split("\n### ").skip(1) {
        let heading = section.lines().next().expect("a heading");
        let confirmed = heading.ends_with(Verdict::Confirmed.name());
        assert!(confirmed || section.contains("**Remark.**"), "{heading}");
        assert!(section.contains("**Expected.**") && section.contains("**Tested.**"), "{heading}");
    }
}

/// The committed page was made with the code as it stands, as far as that can be seen
/// without driving it all again: the same hypotheses, none without its remark.
#[test]
fn the_committed_page_has_every_hypothesis_and_every_remark() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/hypotheses.md");
    let page = fs::read_to_string(path).expect("the page is committed");
    explained(&page);
    for one in hypothesis::all() {
        let heading = format!("### {} {}: ", one.id, one.title);
        let verdict = page.split(&heading).nth(1).and_then(|rest| rest.lines().next());
        let verdict = verdict.unwrap_or_else(|| panic!("{} is not on the page", one.id));
        assert!(page.contains(one.expects) && page.contains(one.method), "{}", one.id);
        let known =
            [Verdict::Confirmed, Verdict::Mixed, Verdict::Contradicted, Verdict::NotDecidable];
        let verdict = known.into_iter().find(|known| known.name() == verdict);
        let remark = one.remark(verdict.expect("a known verdict"));
        assert!(remark.is_none_or(|remark| page.contains(remark)), "{}: another remark", one.id);
    }
}

#[test]
fn an_unknown_hypothesis_is_said_so() {
    let run = hypotheses(&["--only", "H99"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("unknown hypothesis `H99`"), "{}", text(&run.stderr));
}
