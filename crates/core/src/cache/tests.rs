use proptest::prelude::*;

use super::*;
use Act::{Change, Push, Sent};

const RULES: CacheRules = CacheRules {
    ttl: Millis(100),
    block: Tokens(10),
    minimum: Tokens(20),
    refreshes_on_read: true,
};

const SYSTEM: u64 = 25;

#[derive(Clone, Debug)]
enum Act {
    Change(usize),
    /// An entry of so many tokens, which are its key too.
    Push(u64),
    Sent(u64),
    LookUp(usize, u64),
    /// A copy of the conversation goes its own way.
    CloneAndSend(u64),
}

/// Cached, written, invalidated, expired of every prompt that is sent.
fn figures(rules: CacheRules, acts: &[Act]) -> Vec<[u64; 4]> {
    let mut sim = CacheSim::new(rules, Tokens(SYSTEM));
    let (mut at, mut sent) = (Millis(0), Vec::new());
    for act in acts {
        match *act {
            Change(first) => sim.change(first),
            Push(tokens) => sim.push(tokens, Tokens(tokens)),
            Sent(wait) => {
                at = at + Millis(wait);
                let cost = sim.send(at);
                sent.push([cost.cached, cost.written, cost.invalidated, cost.expired].map(|t| t.0));
            }
            Act::LookUp(..) | Act::CloneAndSend(_) => {}
        }
    }
    sent
}

/// What is shown, the rules, what happens, and the figures of every prompt that is sent.
type Case = (&'static str, CacheRules, Vec<Act>, Vec<[u64; 4]>);

fn check(cases: impl IntoIterator<Item = Case>) {
    for (what, rules, acts, expected) in cases {
        assert_eq!(figures(rules, &acts), expected, "{what}");
    }
}

#[test]
fn a_change_costs_what_stands_after_it() {
    check([
        (
            "a conversation that grows reads what it sent before, in whole blocks",
            RULES,
            vec![Push(30), Sent(0), Push(12), Sent(100)],
            vec![[0, 50, 0, 0], [50, 10, 0, 0]],
        ),
        (
            "of 140 live tokens, 55 stand before the change",
            RULES,
            vec![Push(30), Push(40), Push(50), Sent(0), Change(1), Push(15), Sent(1)],
            vec![[0, 140, 0, 0], [50, 20, 90, 0]],
        ),
        (
            "a change to the same is no change",
            RULES,
            vec![Push(30), Push(40), Sent(0), Change(0), Push(30), Push(40), Push(60), Sent(1)],
            vec![[0, 90, 0, 0], [90, 60, 0, 0]],
        ),
        (
            "the system prompt is never removed",
            RULES,
            vec![Push(30), Sent(0), Change(0), Sent(1)],
            vec![[0, 50, 0, 0], [20, 0, 30, 0]],
        ),
        (
            "a prefix under the minimum is not kept",
            CacheRules { minimum: Tokens(60), ..RULES },
            vec![Push(30), Sent(0), Sent(1), Push(20), Sent(1), Sent(1)],
            vec![[0, 0, 0, 0], [0, 0, 0, 0], [0, 70, 0, 0], [70, 0, 0, 0]],
        ),
    ]);
}

#[test]
fn a_prefix_is_read_until_its_time_runs_out() {
    let left = vec![Push(30), Push(40), Sent(0), Change(1), Push(45), Sent(50)];
    let back = [Change(1), Push(40), Sent(50), Change(1), Push(45), Sent(51)];
    check([
        (
            "an idle time costs everything once",
            RULES,
            vec![Push(30), Sent(0), Sent(101), Sent(1)],
            vec![[0, 50, 0, 0], [0, 50, 0, 50], [50, 0, 0, 0]],
        ),
        (
            "what is expired cannot be invalidated",
            RULES,
            vec![Push(30), Push(40), Sent(0), Change(1), Push(15), Sent(200)],
            vec![[0, 90, 0, 0], [0, 70, 0, 50]],
        ),
        (
            "a branch that was left is found until then",
            RULES,
            left.into_iter().chain(back).collect(),
            vec![[0, 90, 0, 0], [50, 50, 40, 0], [90, 0, 50, 0], [50, 50, 40, 0]],
        ),
        (
            "reading keeps a prefix warm",
            RULES,
            vec![Push(30), Sent(0), Sent(80), Sent(40)],
            vec![[0, 50, 0, 0], [50, 0, 0, 0], [50, 0, 0, 0]],
        ),
        (
            "without refresh only writing does",
            CacheRules { refreshes_on_read: false, ..RULES },
            vec![Push(30), Sent(0), Sent(80), Sent(40)],
            vec![[0, 50, 0, 0], [50, 0, 0, 0], [0, 50, 0, 50]],
        ),
    ]);
}

#[test]
fn what_ran_out_is_forgotten() {
    let mut sim = CacheSim::new(RULES, Tokens(SYSTEM));
    for step in 0..10_000 {
        sim.change(1);
        sim.push(step, Tokens(10));
        sim.send(Millis(step));
    }
    assert!(sim.abandoned.len() <= 2 * PRUNE_FROM, "{} kept", sim.abandoned.len());
    assert_eq!(sim.path.runs(), 1);
}

/// Keeps every prompt in full and compares them entry by entry.
struct Naive {
    rules: CacheRules,
    now: Vec<u64>,
    previous: Vec<u64>,
    /// Every prefix ever sent with its time.
    sent: Vec<(Vec<u64>, Millis)>,
}

impl Naive {
    fn whole(&self, prefix: &[u64]) -> Tokens {
        self.rules.whole(Tokens(prefix.iter().sum()))
    }

    fn live_prefix<'a>(&self, prompt: &'a [u64], at: Millis) -> &'a [u64] {
        let is_live = |prefix: &[u64]| {
            let last = self.sent.iter().rev().find(|(sent, _)| sent == prefix);
            last.is_some_and(|(_, time)| at - *time <= self.rules.ttl)
        };
        let lengths = (1..=prompt.len()).rev();
        let longest = lengths.map(|length| &prompt[..length]).find(|prefix| is_live(prefix));
        longest.unwrap_or(&[])
    }

    fn send(&mut self, at: Millis) -> SendCost {
        let now = self.now.clone();
        let alike = now.iter().zip(&self.previous).take_while(|(one, other)| one == other);
        let shared = &now[..alike.count()];
        let hit = self.live_prefix(&now, at).len();
        let cached = self.whole(&now[..hit]);
        let live_before = self.live_prefix(&self.previous, at);
        let kept = self.live_prefix(&live_before[..live_before.len().min(shared.len())], at);
        let lost = live_before.len() > shared.len();
        let lost = if lost { self.whole(live_before) - self.whole(kept) } else { Tokens::ZERO };
        let cost = SendCost {
            prompt: Tokens(now.iter().sum()),
            cached,
            written: self.whole(&now) - cached,
            invalidated: lost,
            expired: self.whole(shared) - cached,
        };
        let from = if self.rules.refreshes_on_read { 0 } else { hit };
        self.sent.extend((from + 1..=now.len()).map(|length| (now[..length].to_vec(), at)));
        self.previous = now;
        cost
    }
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        2 => (0..8usize).prop_map(Change),
        // Few keys, so that branches are returned to.
        6 => (1..4u64).prop_map(|key| Push(key * 7)),
        4 => (0..60u64).prop_map(Sent),
        1 => (0..8usize, 0..60u64).prop_map(|(upto, wait)| Act::LookUp(upto, wait)),
        1 => (0..200u64).prop_map(Act::CloneAndSend),
    ];
    proptest::collection::vec(act, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// ∀ sequences of changes and calls: incremental cost = cost over all prompts in full.
    #[test]
    fn the_simulator_agrees_with_one_that_keeps_every_prompt(
        acts in acts(),
        refreshes_on_read: bool,
        block in 1..12u64,
        minimum in 0..60u64,
    ) {
        let (block, minimum) = (Tokens(block), Tokens(minimum));
        let rules = CacheRules { block, minimum, refreshes_on_read, ..RULES };
        let mut sim = CacheSim::new(rules, Tokens(SYSTEM));
        let (now, previous, sent) = (vec![SYSTEM], Vec::new(), Vec::new());
        let mut naive = Naive { rules, now, previous, sent };
        let mut at = Millis(0);
        for act in acts {
            match act {
                Change(first) => {
                    sim.change(first);
                    naive.now.truncate(first + 1);
                }
                Push(tokens) => {
                    sim.push(tokens, Tokens(tokens));
                    naive.now.push(tokens);
                }
                Sent(wait) => {
                    at = at + Millis(wait);
                    prop_assert_eq!(sim.send(at), naive.send(at));
                }
                Act::LookUp(upto, wait) => {
                    at = at + Millis(wait);
                    let prefix = &naive.now[..(upto + 1).min(naive.now.len())];
                    let held = naive.whole(naive.live_prefix(prefix, at));
                    prop_assert_eq!(sim.cached_prefix(upto, at), held);
                }
                Act::CloneAndSend(wait) => {
                    // A copy that goes its own way leaves the original as it was.
                    let mut copy = sim.clone();
                    copy.push(1, Tokens(1));
                    copy.send(at + Millis(wait));
                }
            }
            prop_assert_eq!(sim.entries() + 1, naive.now.len());
        }
    }
}
