use proptest::prelude::*;

use super::*;

const RULES: CacheRules = CacheRules {
    ttl: Millis(100),
    block: Tokens(10),
    minimum: Tokens(20),
    refreshes_on_read: true,
};

/// `system` of 25 tokens and these entries, the key being the tokens.
fn conversation(rules: CacheRules, entries: &[u64]) -> CacheSim {
    let mut sim = CacheSim::new(rules, Tokens(25));
    replace(&mut sim, 0, entries);
    sim
}

fn replace(sim: &mut CacheSim, first: usize, entries: &[u64]) {
    sim.change(first);
    for &tokens in entries {
        sim.push(tokens, Tokens(tokens));
    }
}

/// Cached, written, invalidated, expired.
fn figures(cost: SendCost) -> [u64; 4] {
    [cost.cached.0, cost.written.0, cost.invalidated.0, cost.expired.0]
}

#[test]
fn a_growing_conversation_reads_what_it_sent_before() {
    let mut sim = conversation(RULES, &[30]);
    assert_eq!(figures(sim.send(Millis(0))), [0, 50, 0, 0]);
    sim.push(12, Tokens(12));
    let cost = sim.send(Millis(100));
    assert_eq!(cost.prompt, Tokens(67));
    assert_eq!(figures(cost), [50, 10, 0, 0], "55 tokens are five whole blocks");
}

#[test]
fn an_idle_time_costs_everything_once() {
    let mut sim = conversation(RULES, &[30]);
    sim.send(Millis(0));
    assert_eq!(figures(sim.send(Millis(101))), [0, 50, 0, 50]);
    assert_eq!(figures(sim.send(Millis(102))), [50, 0, 0, 0]);
}

#[test]
fn a_change_costs_what_stands_after_it() {
    let mut sim = conversation(RULES, &[30, 40, 50]);
    sim.send(Millis(0));
    replace(&mut sim, 1, &[15]);
    // Of 140 live tokens, 55 stand before the change.
    assert_eq!(figures(sim.send(Millis(1))), [50, 20, 90, 0]);
}

#[test]
fn a_change_to_the_same_is_no_change() {
    let mut sim = conversation(RULES, &[30, 40, 50]);
    sim.send(Millis(0));
    replace(&mut sim, 0, &[30, 40, 50, 60]);
    assert_eq!(figures(sim.send(Millis(1))), [140, 60, 0, 0]);
}

#[test]
fn what_is_expired_cannot_be_invalidated() {
    let mut sim = conversation(RULES, &[30, 40]);
    sim.send(Millis(0));
    replace(&mut sim, 1, &[15]);
    assert_eq!(figures(sim.send(Millis(200))), [0, 70, 0, 50]);
}

#[test]
fn an_abandoned_branch_is_found_until_its_time_runs_out() {
    for (back_at, cached, written) in [(100, 90, 0), (101, 50, 40)] {
        let mut sim = conversation(RULES, &[30, 40]);
        sim.send(Millis(0));
        replace(&mut sim, 1, &[45]);
        sim.send(Millis(50));
        replace(&mut sim, 1, &[40]);
        // Of the 100 tokens of the branch left behind, 50 are shared.
        assert_eq!(figures(sim.send(Millis(back_at))), [cached, written, 50, 0], "at {back_at}");
    }
}

#[test]
fn a_prefix_under_the_minimum_is_not_kept() {
    let rules = CacheRules { minimum: Tokens(60), ..RULES };
    let mut sim = conversation(rules, &[30]);
    assert_eq!(figures(sim.send(Millis(0))), [0, 0, 0, 0]);
    assert_eq!(figures(sim.send(Millis(1))), [0, 0, 0, 0]);
    sim.push(20, Tokens(20));
    assert_eq!(figures(sim.send(Millis(2))), [0, 70, 0, 0]);
    assert_eq!(figures(sim.send(Millis(3))), [70, 0, 0, 0]);
}

#[test]
fn without_refresh_only_writing_sets_the_time() {
    for (refreshes_on_read, expected) in [(true, [50, 0, 0, 0]), (false, [0, 50, 0, 50])] {
        let mut sim = conversation(CacheRules { refreshes_on_read, ..RULES }, &[30]);
        sim.send(Millis(0));
        sim.send(Millis(80));
        assert_eq!(figures(sim.send(Millis(120))), expected);
    }
}

#[test]
fn a_compaction_that_appends_reads_the_conversation_and_keeps_it_warm() {
    let mut sim = conversation(RULES, &[30, 40]);
    sim.send(Millis(0));
    let cost = sim.read_prefix(1, Tokens(17), Millis(90));
    assert_eq!(cost.prompt, Tokens(72));
    assert_eq!(figures(cost), [50, 20, 0, 0]);
    // The first entry was refreshed, the second was not.
    assert_eq!(figures(sim.send(Millis(120))), [50, 40, 0, 40]);
    assert_eq!(SendCost::fresh(Tokens(72)).cached, Tokens::ZERO);
}

#[test]
fn a_compaction_pays_for_the_idle_time_before_it() {
    let mut sim = conversation(RULES, &[30, 40]);
    sim.send(Millis(0));
    assert_eq!(figures(sim.read_prefix(9, Tokens(5), Millis(300))), [0, 100, 0, 90]);
    assert_eq!(figures(sim.send(Millis(301))), [90, 0, 0, 0]);
}

#[test]
fn the_system_prompt_is_never_removed() {
    let mut sim = conversation(RULES, &[30]);
    sim.send(Millis(0));
    sim.change(0);
    assert_eq!((sim.entries(), sim.tokens()), (0, Tokens(25)));
    assert_eq!(figures(sim.send(Millis(1))), [20, 0, 30, 0]);
}

#[test]
fn what_ran_out_is_forgotten() {
    let mut sim = conversation(RULES, &[30]);
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
    fn new(rules: CacheRules) -> Naive {
        Naive { rules, now: vec![25], previous: Vec::new(), sent: Vec::new() }
    }

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

    fn transmit(&mut self, length: usize, extra: u64, at: Millis, is_send: bool) -> SendCost {
        let prompt = self.now[..length].to_vec();
        let alike = prompt.iter().zip(&self.previous).take_while(|(one, other)| one == other);
        let shared = &prompt[..alike.count()];
        let total = Tokens(prompt.iter().sum::<u64>() + extra);
        let hit = self.live_prefix(&prompt, at).len();
        let cached = self.whole(&prompt[..hit]);
        let live_before = self.live_prefix(&self.previous, at);
        let kept = &live_before[..live_before.len().min(shared.len())];
        let kept = self.live_prefix(kept, at);
        let invalidated = if is_send && live_before.len() > shared.len() {
            self.whole(live_before) - self.whole(kept)
        } else {
            Tokens::ZERO
        };
        let written = self.rules.whole(total) - cached;
        let expired = self.whole(shared) - cached;
        let from = if self.rules.refreshes_on_read { 0 } else { hit };
        for length in from + 1..=prompt.len() {
            self.sent.push((prompt[..length].to_vec(), at));
        }
        if is_send {
            self.previous = prompt;
        }
        SendCost { prompt: total, cached, written, invalidated, expired }
    }
}

#[derive(Clone, Debug)]
enum Act {
    Change(usize),
    Push(u64),
    Send(u64),
    Read(usize, u64, u64),
    CloneAndSend(u64),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        2 => (0..8usize).prop_map(Act::Change),
        // Few keys, so that branches are returned to.
        6 => (1..4u64).prop_map(|key| Act::Push(key * 7)),
        4 => (0..60u64).prop_map(Act::Send),
        1 => (0..8usize, 0..30u64, 0..60u64).prop_map(|(upto, extra, wait)| Act::Read(upto, extra, wait)),
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
        let rules = CacheRules { block: Tokens(block), minimum: Tokens(minimum), refreshes_on_read, ..RULES };
        let mut sim = CacheSim::new(rules, Tokens(25));
        let mut naive = Naive::new(rules);
        let mut at = Millis(0);
        for act in acts {
            match act {
                Act::Change(first) => {
                    sim.change(first);
                    naive.now.truncate(first + 1);
                }
                Act::Push(tokens) => {
                    sim.push(tokens, Tokens(tokens));
                    naive.now.push(tokens);
                }
                Act::Send(wait) => {
                    at = at + Millis(wait);
                    let length = naive.now.len();
                    prop_assert_eq!(sim.send(at), naive.transmit(length, 0, at, true));
                }
                Act::Read(upto, extra, wait) => {
                    at = at + Millis(wait);
                    let length = (upto + 1).min(naive.now.len());
                    let looked_up = sim.cached_prefix(upto, at);
                    let found = sim.read_prefix(upto, Tokens(extra), at);
                    prop_assert_eq!(looked_up, found.cached);
                    prop_assert_eq!(found, naive.transmit(length, extra, at, false));
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
