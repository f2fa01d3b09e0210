//! A prefix-cache simulator. A prompt reads, in whole blocks, the longest prefix that it shares
//! with one sent within the time-to-live. Entries are atomic, and a step costs what changed in it.

use rustc_hash::FxHashMap;

use crate::prelude::*;
use crate::price::CacheRules;

impl CacheRules {
    /// The tokens of a prefix of this length that the cache can hold.
    fn whole(&self, prefix: Tokens) -> Tokens {
        let block = self.block.0.max(1);
        let whole = Tokens(prefix.0 / block * block);
        if whole < self.minimum { Tokens::ZERO } else { whole }
    }

    fn is_live(&self, sent: Option<Millis>, at: Millis) -> bool {
        sent.is_some_and(|sent| at - sent <= self.ttl)
    }
}

/// What one prompt cost in terms of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SendCost {
    /// All tokens of the prompt: `cached + written +` those at the plain price.
    pub prompt: Tokens,
    pub cached: Tokens,
    pub written: Tokens,
    /// Live tokens of the previous prompt after the first entry that changed since.
    pub invalidated: Tokens,
    /// Tokens shared with the previous prompt and not read, because their time had run out.
    pub expired: Tokens,
}

/// The cache as one conversation sees it. Positions count the entries of the view; the system
/// prompt and the schemas stand before position 0 and never change.
#[derive(Clone, Debug)]
pub struct CacheSim {
    rules: CacheRules,
    path: Path,
    /// How many nodes at the front of the path belong to the previous prompt too.
    shared: usize,
    /// The rest of the previous prompt, last node first.
    lost: Vec<(Node, Option<Millis>)>,
    /// Prefixes that were sent and are off the path now, with their time.
    abandoned: FxHashMap<u64, Millis>,
    /// Size of `abandoned` at which it is pruned next.
    prune_at: usize,
}

/// Below this many abandoned prefixes pruning is not worth its while.
const PRUNE_FROM: usize = 1024;

impl CacheSim {
    /// A conversation of which only the system prompt and schemas exist.
    pub fn new(rules: CacheRules, system: Tokens) -> CacheSim {
        CacheSim {
            rules,
            path: Path {
                nodes: vec![Node { identity: 0, upto: system }],
                runs: vec![Run { end: 1, sent: None }],
            },
            shared: 0,
            lost: Vec::new(),
            abandoned: FxHashMap::default(),
            prune_at: PRUNE_FROM,
        }
    }

    /// Number of entries after the system prompt.
    pub fn entries(&self) -> usize {
        self.path.nodes.len() - 1
    }

    /// The prompt is different from this position on. What is removed stays cached for its time.
    pub fn change(&mut self, first: usize) {
        let keep = first.saturating_add(1);
        while self.path.nodes.len() > keep {
            let Some((node, sent)) = self.path.pop() else { break };
            if let Some(sent) = sent {
                self.abandoned.insert(node.identity, sent);
            }
            if self.path.nodes.len() < self.shared {
                self.shared = self.path.nodes.len();
                self.lost.push((node, sent));
            }
        }
    }

    /// Appends an entry. The key stands for content and role: equal keys have equal tokens.
    pub fn push(&mut self, entry_key: u64, tokens: Tokens) {
        let node = self.path.next(entry_key, tokens);
        let sent = self.abandoned.remove(&node.identity);
        let was_here = self.lost.last().is_some_and(|(lost, _)| lost.identity == node.identity);
        if was_here && self.shared == self.path.nodes.len() {
            self.lost.pop();
            self.shared += 1;
        }
        self.path.nodes.push(node);
        self.path.run_to_the_end(sent);
    }

    pub fn send(&mut self, at: Millis) -> SendCost {
        let length = self.path.nodes.len();
        let mut cost = self.transmit(length, at);
        cost.invalidated = self.invalidated(at);
        cost.expired = self.rules.whole(self.path.tokens(self.shared)) - cost.cached;
        let live = |sent| self.rules.is_live(sent, at);
        let from = if self.rules.refreshes_on_read { 0 } else { self.path.live(length, live) };
        self.path.set_time(from, at);
        self.shared = length;
        self.lost.clear();
        self.prune(at);
        cost
    }

    /// What a call that sends the entries before position `upto` would read.
    pub fn cached_prefix(&self, upto: usize, at: Millis) -> Tokens {
        let length = upto.saturating_add(1).min(self.path.nodes.len());
        self.transmit(length, at).cached
    }

    /// Prompt, cached and written tokens of a prompt of this many nodes.
    fn transmit(&self, length: usize, at: Millis) -> SendCost {
        let prompt = self.path.tokens(length);
        let live = self.path.live(length, |sent| self.rules.is_live(sent, at));
        let cached = self.rules.whole(self.path.tokens(live));
        let written = self.rules.whole(prompt) - cached;
        SendCost { prompt, cached, written, ..SendCost::default() }
    }

    /// The live tokens of the previous prompt beyond the part that is shared.
    fn invalidated(&self, at: Millis) -> Tokens {
        let live = |sent| self.rules.is_live(sent, at);
        let Some((last, _)) = self.lost.iter().find(|(_, sent)| live(*sent)) else {
            return Tokens::ZERO;
        };
        let kept = self.path.tokens(self.path.live(self.shared, live));
        self.rules.whole(last.upto) - self.rules.whole(kept)
    }

    /// Forgets what can never be read again, whenever the number has doubled.
    fn prune(&mut self, now: Millis) {
        if self.abandoned.len() < self.prune_at {
            return;
        }
        let rules = self.rules;
        self.abandoned.retain(|_, sent| rules.is_live(Some(*sent), now));
        self.prune_at = (2 * self.abandoned.len()).max(PRUNE_FROM);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    /// Hash chain over the keys of its entries.
    identity: u64,
    upto: Tokens,
}

/// Neighbouring prefixes of one time.
#[derive(Clone, Copy, Debug)]
struct Run {
    end: usize,
    /// `None` where never sent.
    sent: Option<Millis>,
}

/// The prefixes of the current prompt, shortest first, from the system prompt on. Times are kept by
/// runs: sending a conversation sets the time of all its prefixes at once.
#[derive(Clone, Debug)]
struct Path {
    nodes: Vec<Node>,
    /// In order, without gaps; no two neighbours have the same time.
    runs: Vec<Run>,
}

impl Path {
    /// Tokens of the first so many nodes.
    fn tokens(&self, length: usize) -> Tokens {
        let last = length.checked_sub(1).and_then(|last| self.nodes.get(last));
        last.map_or(Tokens::ZERO, |node| node.upto)
    }

    /// The node that an entry with this key would make at the end.
    fn next(&self, entry_key: u64, tokens: Tokens) -> Node {
        let last = self.nodes.last().copied();
        let (identity, upto) = last.map_or((0, Tokens::ZERO), |node| (node.identity, node.upto));
        let identity = mixed(identity.rotate_left(23) ^ mixed(entry_key));
        Node { identity, upto: Tokens(upto.0.saturating_add(tokens.0)) }
    }

    /// All nodes behind the runs have this time.
    fn run_to_the_end(&mut self, sent: Option<Millis>) {
        let end = self.nodes.len();
        match self.runs.last_mut() {
            Some(last) if last.sent == sent => last.end = end,
            _ => self.runs.push(Run { end, sent }),
        }
    }

    /// Removes the last node; the system prompt stays.
    fn pop(&mut self) -> Option<(Node, Option<Millis>)> {
        if self.nodes.len() < 2 {
            return None;
        }
        let node = self.nodes.pop()?;
        let start = self.runs.len().checked_sub(2).map_or(0, |before| self.runs[before].end);
        let last = self.runs.last_mut()?;
        let sent = last.sent;
        last.end -= 1;
        if last.end == start {
            self.runs.pop();
        }
        Some((node, sent))
    }

    /// The longest prefix of at most this many nodes whose time is live; 0 without.
    fn live(&self, length: usize, is_live: impl Fn(Option<Millis>) -> bool) -> usize {
        for (index, run) in self.runs.iter().enumerate().rev() {
            let start = index.checked_sub(1).map_or(0, |before| self.runs[before].end);
            if start < length && is_live(run.sent) {
                return run.end.min(length);
            }
        }
        0
    }

    /// Sets the time of the nodes from `from` on, which is 0 or what [`Path::live`] found.
    fn set_time(&mut self, from: usize, at: Millis) {
        self.runs.truncate(self.runs.partition_point(|run| run.end <= from));
        if from < self.nodes.len() {
            self.run_to_the_end(Some(at));
        }
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood, "Fast Splittable PRNGs", 2014).
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests;
