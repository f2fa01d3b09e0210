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
