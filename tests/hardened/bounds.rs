//! No file fills the memory or takes all time, however long it is.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::harness::{proctor, work};

#[test]
fn a_file_without_an_end_is_read_up_to_its_bound() {
    if !Path::new("/dev/zero").exists() {
        crate::harness::skipped("there is no /dev/zero");
        return;
    }
    let work = work();
    let endless = |name: &str| {
        let path = work.path().join(name);
        std::os::unix::fs::symlink("/dev/zero", &path).expect("it is linked");
        path
    };
    let (toml, json) = (endless("e.toml"), endless("e.json"));
    for (words, path) in [
        (&["run"][..], &toml),
        (&["run", "smoke", "--strategies"], &toml),
        (&["run", "smoke", "--prices"], &toml),
        (&["inspect", "--strategy"], &toml),
        (&["run", "replay", "--summarizer", "http", "--endpoint"], &toml),
        (&["gate", "run", "--policy"], &toml),
        (&["import", "--dry-run"], &json),
    ] {
        let bound = ["--max-file-size", "8M"];
        let outcome = proctor(words).arg(path).args(&bound).within(work.path()).run();
        assert!([1, 3].contains(&outcome.code), "{words:?}: {}", outcome.stderr);
        let told = "it is larger than the bound of 8388608 bytes";
        assert!(outcome.stderr.contains(told), "{words:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("`--max-file-size`"), "{words:?}: {}", outcome.stderr);
    }
}

#[test]
fn a_compressed_file_is_bounded_by_what_it_unpacks_to() {
    let work = work();
    let path = work.path().join("bomb.jsonl.gz");
    let mut packed = GzEncoder::new(File::create(&path).expect("it is made"), Compression::fast());
    packed.write_all(b"{\"proctor\"").expect("it is written");
    let letters = vec![b'a'; 1 << 20];
    for _ in 0..64 {
        packed.write_all(&letters).expect("it is written");
    }
    packed.finish().expect("it is written");
    assert!(fs::metadata(&path).expect("it is there").len() < 1 << 20);
    for words in [&["cassette", "show"][..], &["import", "--dry-run"]] {
        let outcome = proctor(words).arg(&path).args(&["--max-file-size", "16M"]).run();
        outcome.fails_with(1, "larger than the bound of 16777216 bytes");
    }
}

#[test]
fn a_line_is_read_up_to_its_bound() {
    let work = work();
    let path = work.path().join("t.jsonl");
    crate::hardened::transcript(&path, 24);
    let long = format!("{{\"note\":\"{}\"}}\n", "x".repeat(20_000));
    let text = fs::read_to_string(&path).expect("it reads");
    fs::write(&path, text + &long).expect("it is written");
    let refused = proctor(&["import", "--dry-run", "--max-line-size", "10K"]).arg(&path).run();
    refused.fails_with(3, "the line is longer than 10240 bytes (`--max-line-size`)");
}

#[test]
fn what_a_suite_multiplies_is_bounded_before_it_is_made() {
    let work = work();
    let path = work.path().join("s.toml");
    let suite = |rest: &str| {
        let text = format!(
            "name = \"s\"\nabout = \"a test\"\nscenarios = [\"pocket\"]\npipelines = [\"truncate\"]\n\
             {rest}\n"
        );
        fs::write(&path, text).expect("it is written");
        proctor(&["run", "--list"]).arg(&path).run()
    };
    suite("seeds = [1]\nreplicates = 4294967295").fails_with(3, "s.toml: replicates: 1 to 1000");
    let seeds: Vec<u32> = (0..200_000).collect();
    let many = format!("seeds = {seeds:?}\nreplicates = 1000");
    suite(&many).fails_with(3, "as many as 200000000 cells: at most 5000000");
    let sample = "seeds = [1]\n[orderings]\nstages = [\"truncate\", \"codex\"]\n\
                  order = { sample = 4000000000 }";
    suite(sample).fails_with(3, "a sample has at most 2000 orders");
}

#[test]
fn an_address_of_a_page_is_that_of_the_web() {
    let work = work();
    for address in ["javascript:alert(1)", "data:text/html,x", "//host", "https://x/<script>"] {
        let refused = proctor(&["site", "history", "--out", "site", "--url", address]);
        refused.within(work.path()).run().fails_with(2, "--url");
    }
}

/// An endless file is not read on where it does not begin as what it should be.
#[test]
fn a_file_that_is_no_cassette_is_read_at_its_beginning_alone() {
    let work = work();
    for begin in ["\0", "[", "{\"other\": 1}\n", "x\n"] {
        let path = work.path().join("c.jsonl");
        fs::write(&path, begin.repeat(3_000_000)).expect("it is written");
        let bound = ["--max-file-size", "1M"];
        let shown = proctor(&["cassette", "show"]).arg(&path).args(&bound).run();
        shown.fails_with(3, "c.jsonl");
        assert!(!shown.stderr.contains("bound"), "{}", shown.stderr);
        let kept = fs::metadata(&path).expect("it is there").len();
        let endpoint = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cassettes/smollm2.toml");
        let line = proctor(&["run", "replay", "--summarizer", "http", "--endpoint", endpoint]);
        let recorded = line.args(&["--base-url", "http://127.0.0.1:9/v1", "--cassette"]).arg(&path);
        assert_ne!(recorded.args(&bound).within(work.path()).run().code, 0);
        assert_eq!(fs::metadata(&path).expect("it is there").len(), kept);
    }
}
