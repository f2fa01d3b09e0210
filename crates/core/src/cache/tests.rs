use proptest::prelude::*;

use super::*;
use Act::{Change, Push, Sent};

const RULES: CacheRules = CacheRules {
    ttl: Millis(100),
    block: Tokens(10),
    minimum: Tokens(20),
    refreshes_on_read: true,
};

/// The system prompt of every conversation here.
const SYSTEM: u64 = 25;

#[derive(Clone, Debug)]
enum Act {
    Change(usize),
    /// An entry of so many tokens, which are its key too.
    Push(u64),
    /// The prompt is sent, so long after the last act.
    Sent(u64),
    LookUp(usize, u64),
    CloneAndSend(u64),
}

/// Cached, written, invalidated, expired of every `s` among acts such as `c1`, `p30`, `s100`.
fn figures(rules: CacheRules, acts: &str) -> String {
    let mut sim = CacheSim::new(rules, Tokens(SYSTEM));
    let (mut at, mut sent) = (Millis(0), Vec::new());
    for act in acts.split(' ') {
        let number: u64 = act[1..].parse().expect("a number");
        match &act[..1] {
            "c" => sim.change(number as usize),
            "p" => sim.push(number, Tokens(number)),
            _ => {
                at = at + Millis(number);
                let SendCost { cached, written, invalidated, expired, .. } = sim.send(at);
                sent.push(format!("{cached}/{written}/{invalidated}/{expired}"));
            }
        }
    }
    sent.join(" ")
}

#[test]
fn a_change_costs_what_stands_after_it_and_time_costs_everything() {
    let large = CacheRules { minimum: Tokens(60), ..RULES };
    let written = CacheRules { refreshes_on_read: false, ..RULES };
    for [what, rules, acts, expected] in crate::cases::<[String; 4]>("cache") {
        let rules = match rules.as_str() {
            "large" => large,
            "written" => written,
            _ => RULES,
        };
        assert_eq!(figures(rules, &acts), expected, "{what}");
    }
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
    assert_eq!(sim.path.runs.len(), 1);
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
