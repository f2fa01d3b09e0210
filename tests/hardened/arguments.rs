//! A file that the command line names is looked for, also where nothing is driven.

use crate::harness::{proctor, work};

#[test]
fn a_file_that_is_not_there_is_told_where_nothing_is_driven() {
    let work = work();
    let http = ["run", "replay", "--summarizer", "http", "--list"];
    for flag in ["--endpoint", "--replay", "--api-key-file"] {
        let line = proctor(&http).args(&[flag, "nothing"]).within(work.path());
        line.run().fails_with(1, "failed to read `nothing`");
    }
    for flag in ["--prices", "--replay-strategies", "--strategies", "--pipeline"] {
        let line = proctor(&["run", "smoke", "--list", flag, "nothing.toml"]).within(work.path());
        let outcome = line.run();
        assert!([1, 3].contains(&outcome.code), "{flag}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("nothing.toml"), "{flag}: {}", outcome.stderr);
    }
    let run = work.path().join("run");
    proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&run).run().succeeds();
    for flag in ["--cassette", "--sessions"] {
        let line = proctor(&["verify"]).arg(&run).args(&[flag, "nothing"]).within(work.path());
        let outcome = line.run();
        assert_ne!(outcome.code, 0, "{flag}: {}", outcome.stdout);
        assert!(outcome.stderr.contains("nothing"), "{flag}: {}", outcome.stderr);
    }
}

/// A name of a file need not be UTF-8, and a run that holds nothing that a rule of the shipped policy
/// judges is refused with what to do: nobody can edit that policy.
#[cfg(target_os = "linux")]
#[test]
fn a_transcript_of_any_name_is_driven_and_what_cannot_be_judged_is_told() {
    use std::os::unix::ffi::OsStrExt;

    let work = work();
    let name = std::path::Path::new(std::ffi::OsStr::from_bytes(b"a\xff.jsonl"));
    let log = r#"{"proctor":"log","version":1,"id":"one","source":"by hand","system":"","tools":"","overhead":0}
{"message":{"id":0,"role":"user","author":"human","at":0,"content":"Hello."}}
{"message":{"id":1,"role":"assistant","author":"agent","at":9,"content":"Good day."}}
"#;
    std::fs::write(work.path().join(name), log).expect("it is written");
    let run = work.path().join("run");
    let drive = proctor(&["run", "--strategies", "none", "--out"]).arg(&run).arg(name);
    drive.within(work.path()).run().succeeds();
    let bless = proctor(&["bless", "--why", "first", "--to", "base.json"]).arg(&run);
    bless.within(work.path()).run().fails_with(3, "this is the policy that ships");
}
