//! The gate's script passes nothing that it could not judge.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::work;

const SUITE: &str = "name = \"own\"\nabout = \"a test\"\nscenarios = [\"pocket\"]\n\
                     pipelines = [\"strategies/mine.toml\"]\nwindowless = [\"none\"]\nseeds = [1]\n";

fn git(directory: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=gate", "-c", "user.email=gate@example.org"])
        .args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"])
        .args(words)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git is there");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A repository whose last commit replaces a strategy by one that never acts, and its first commit.
fn repository(work: &Path) -> (PathBuf, String) {
    let repository = work.join("repository");
    fs::create_dir_all(repository.join("strategies")).expect("it is made");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("scenarios/strategies/full-replace.toml"));
    let text = text.expect("it reads").replace("name = \"full-replace\"", "name = \"mine\"");
    let mine = repository.join("strategies/mine.toml");
    fs::write(&mine, &text).expect("it is written");
    fs::write(repository.join("suite.toml"), SUITE).expect("it is written");
    git(&repository, &["init", "--quiet"]);
    git(&repository, &["add", "."]);
    git(&repository, &["commit", "--quiet", "--message", "A strategy"]);
    let base = git(&repository, &["rev-parse", "HEAD"]);
    let idle = fs::read_to_string(root.join("scenarios/strategies/none.toml")).expect("it reads");
    fs::write(&mine, idle.replace("name = \"none\"", "name = \"mine\"")).expect("it is written");
    git(&repository, &["commit", "--quiet", "--all", "--message", "It never acts"]);
    (repository, base)
}

/// The script's exit code and words.
fn gate(directory: &Path, candidate: &str, base: &str, suite: Option<&str>) -> (i32, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/actions/gate/gate.sh");
    let mut command = Command::new("bash");
    command
        .arg(script)
        .current_dir(directory)
        .env("PROCTOR", env!("CARGO_BIN_EXE_proctor"))
        .env("CANDIDATE", candidate)
        .env("BASE_REF", base)
        .env("OUT", directory.join("out"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GITHUB_STEP_SUMMARY");
    match suite {
        Some(suite) => command.env("SUITE", suite),
        None => command.env_remove("SUITE"),
    };
    let output = command.output().expect("bash is there");
    let said = [&output.stdout[..], &output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn what_cannot_be_judged_is_code_24() {
    let work = work();
    let (repository, base) = repository(work.path());
    for (candidate, base) in [
        ("strategies/mine.toml", "0000000000000000000000000000000000000000"),
        ("strategies/mine.toml", "no-such-branch"),
        ("strategies/mine.toml", "--output=x"),
        ("strategies/none.toml", base.as_str()),
    ] {
        let (code, said) = gate(&repository, candidate, base, Some("smoke"));
        assert_eq!(code, 24, "{candidate} {base}: {said}");
        assert!(said.contains("::error ") && said.contains("hint: "), "{said}");
    }
}

#[test]
fn a_shallow_clone_and_an_odd_path_are_judged() {
    let work = work();
    let (repository, base) = repository(work.path());
    let address = format!("file://{}", repository.display());
    git(work.path(), &["clone", "--quiet", "--depth=1", &address, "shallow"]);
    let shallow = work.path().join("shallow");
    for (directory, candidate) in
        [(&shallow, "strategies/mine.toml"), (&repository, "strategies//mine.toml")]
    {
        let (code, said) = gate(directory, candidate, &base, Some("smoke"));
        assert!((20..30).contains(&code) && said.contains("verdict: "), "{code}: {said}");
    }
}

#[test]
fn a_suite_takes_the_files_that_it_names_from_its_own_side() {
    let work = work();
    let (repository, base) = repository(work.path());
    let (code, said) = gate(&repository, "suite.toml", &base, None);
    assert!((20..30).contains(&code) && code != 24, "{code}: {said}");
    // What is as it was is judged without a drive.
    git(&repository, &["checkout", "--quiet", &base]);
    let (code, said) = gate(&repository, "suite.toml", &base, None);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("suite.toml is what it was at"), "{said}");
}

#[test]
fn a_candidate_that_is_a_link_shows_nothing_of_another_file() {
    let work = work();
    let (repository, base) = repository(work.path());
    let (mine, secret) = (repository.join("strategies/mine.toml"), work.path().join("secret"));
    fs::write(&secret, "hunter2 = hunter2\n").expect("it is written");
    fs::remove_file(&mine).expect("it is removed");
    std::os::unix::fs::symlink(&secret, &mine).expect("it is linked");
    let (code, said) = gate(&repository, "strategies/mine.toml", &base, Some("smoke"));
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("is a link") && !said.contains("hunter2"), "{said}");
}
