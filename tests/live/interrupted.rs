//! Runs that are interrupted or killed go on without repeating a recorded call.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Command};
use std::time::Duration;

use proctor::summarize::cassette::RequestKey;

use crate::harness::identity;
use crate::live::server::{Act, Server};
use crate::live::setting::{Setting, answer, key};

const PIPELINES: [&str; 6] =
    ["none", "full-replace", "split-half-unsafe", "forge-adr", "forge-head", "goat-code"];

/// A server that answers after a while, so that some calls are always in flight.
fn server() -> Server {
    Server::start(|_, seen| Act::says(&answer(seen)).after(Duration::from_millis(15)))
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.expect("`kill` is there").success());
}

/// Waits until the server was asked so often, while the run goes on.
fn until_asked(server: &Server, calls: usize, child: &mut Child) {
    while server.seen().len() < calls {
        let ended = child.try_wait().expect("it can be asked");
        assert!(ended.is_none(), "the run ended before it was interrupted: {ended:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// How often each request was put.
fn asked(server: &Server) -> BTreeMap<RequestKey, usize> {
    let mut asked = BTreeMap::new();
    for seen in server.seen() {
        *asked.entry(key(&seen)).or_default() += 1;
    }
    asked
}

fn repeated(asked: &BTreeMap<RequestKey, usize>) -> Vec<RequestKey> {
    asked.iter().filter(|(_, times)| **times > 1).map(|(key, _)| *key).collect()
}

#[test]
fn an_interrupted_and_a_killed_run_resume_without_repeating_a_recorded_call() {
    let setting = Setting::new(&PIPELINES, 6);
    let whole = server();
    setting.run(&whole, "whole").run().succeeds();
    let all = asked(&whole);
    assert!(all.len() > 120, "{} calls are too few to interrupt", all.len());
    assert_eq!(repeated(&all), [], "equal requests are asked once");

    for name in ["-INT", "-KILL"] {
        let (server, out) = (server(), &name[1..]);
        let mut known = Known::default();
        for (calls, more) in [(40, &[][..]), (90, &["--resume"])] {
            let mut child = setting.run(&server, out).args(more).spawn();
            until_asked(&server, calls, &mut child);
            signal(&child, name);
            let status = child.wait().expect("it ends");
            known.asks_nothing_again(&server, name);
            let kept = setting.cassette(out);
            if name == "-INT" {
                assert_eq!(status.code(), Some(7));
                assert_eq!(kept.cut_off, None);
                let asked = asked(&server);
                let missing = asked.keys().filter(|key| !kept.entries.contains_key(key));
                assert_eq!(missing.count(), 0, "calls in flight end and are recorded");
            }
            known =
                Known { calls: server.seen().len(), recorded: kept.entries.into_keys().collect() };
        }
        setting.run(&server, out).args(&["--resume"]).run().succeeds();
        known.asks_nothing_again(&server, name);
        let asked = asked(&server);
        if name == "-INT" {
            assert_eq!(repeated(&asked), []);
        }
        assert_eq!(asked.keys().collect::<Vec<_>>(), all.keys().collect::<Vec<_>>());
        assert_eq!(identity(&setting.path(out)), identity(&setting.path("whole")), "{name}");
    }
}

/// What was there when a run was stopped.
#[derive(Default)]
struct Known {
    /// Requests that the server had been given.
    calls: usize,
    /// Those that were in the cassette.
    recorded: BTreeSet<RequestKey>,
}

impl Known {
    /// No later request is for what was recorded then.
    fn asks_nothing_again(&self, server: &Server, name: &str) {
        let later = server.seen().split_off(self.calls);
        let again = later.iter().map(key).filter(|key| self.recorded.contains(key));
        assert_eq!(again.collect::<Vec<_>>(), [], "{name}");
    }
}
