//! A prefix-cache simulator. A prompt reads, in whole blocks, the longest prefix that it shares
//! with one sent within the time-to-live. Entries are atomic, and a step costs what changed in it.

mod path;

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::unit::{Millis, Tokens};
use path::{Node, Path};

/// How a provider's prefix cache works, as the price sheet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheRules {
    /// How long a prefix can be read after its time was last set, to the millisecond.
    pub ttl: Millis,
    /// Tokens are read and written in whole blocks of this many.
    pub block: Tokens,
    /// The shortest prefix that is kept.
    pub minimum: Tokens,
    /// Whether reading a prefix sets its time anew, or only writing does.
    pub refreshes_on_read: bool,
}

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
    /// Read from the cache.
    pub cached: Tokens,
    /// Written to the cache.
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
            path: Path::new(system),
            shared: 0,
            lost: Vec::new(),
            abandoned: FxHashMap::default(),
            prune_at: PRUNE_FROM,
        }
    }

    /// Number of entries after the system prompt.
    pub fn entries(&self) -> usize {
        self.path.len() - 1
    }

    /// The prompt is different from this position on. What is removed stays cached for its time.
    pub fn change(&mut self, first: usize) {
        let keep = first.saturating_add(1);
        while self.path.len() > keep {
            let Some((node, sent)) = self.path.pop() else { break };
            if let Some(sent) = sent {
                self.abandoned.insert(node.identity, sent);
            }
            if self.path.len() < self.shared {
                self.shared = self.path.len();
                self.lost.push((node, sent));
            }
        }
    }

    /// Appends an entry. The key stands for content and role: equal keys have equal tokens.
    pub fn push(&mut self, entry_key: u64, tokens: Tokens) {
        let node = self.path.next(entry_key, tokens);
        let sent = self.abandoned.remove(&node.identity);
        let was_here = self.lost.last().is_some_and(|(lost, _)| lost.identity == node.identity);
        if was_here && self.shared == self.path.len() {
            self.lost.pop();
            self.shared += 1;
        }
        self.path.push(node, sent);
    }

    /// Sends the prompt as it stands.
    pub fn send(&mut self, at: Millis) -> SendCost {
        let length = self.path.len();
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
        let length = upto.saturating_add(1).min(self.path.len());
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

#[cfg(test)]
mod tests;
