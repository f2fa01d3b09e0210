//! The prompt as it stands: its prefixes, and when each was last sent.

use crate::unit::{Millis, Tokens};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Hash chain over the keys of its entries.
    pub identity: u64,
    pub upto: Tokens,
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
pub(super) struct Path {
    nodes: Vec<Node>,
    /// In order, without gaps; no two neighbours have the same time.
    runs: Vec<Run>,
}

impl Path {
    pub fn new(system: Tokens) -> Path {
        let system = Node { identity: 0, upto: system };
        Path { nodes: vec![system], runs: vec![Run { end: 1, sent: None }] }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of stretches of different age.
    #[cfg(test)]
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Tokens of the first so many nodes.
    pub fn tokens(&self, length: usize) -> Tokens {
        let last = length.checked_sub(1).and_then(|last| self.nodes.get(last));
        last.map_or(Tokens::ZERO, |node| node.upto)
    }

    /// The node that an entry with this key would make at the end.
    pub fn next(&self, entry_key: u64, tokens: Tokens) -> Node {
        let last = self.nodes.last().copied();
        let (identity, upto) = last.map_or((0, Tokens::ZERO), |node| (node.identity, node.upto));
        let identity = mixed(identity.rotate_left(23) ^ mixed(entry_key));
        Node { identity, upto: Tokens(upto.0.saturating_add(tokens.0)) }
    }

    pub fn push(&mut self, node: Node, sent: Option<Millis>) {
        self.nodes.push(node);
        self.run_to_the_end(sent);
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
    pub fn pop(&mut self) -> Option<(Node, Option<Millis>)> {
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
    pub fn live(&self, length: usize, is_live: impl Fn(Option<Millis>) -> bool) -> usize {
        for (index, run) in self.runs.iter().enumerate().rev() {
            let start = index.checked_sub(1).map_or(0, |before| self.runs[before].end);
            if start < length && is_live(run.sent) {
                return run.end.min(length);
            }
        }
        0
    }

    /// Sets the time of the nodes from `from` on, which is 0 or what [`Path::live`] found.
    pub fn set_time(&mut self, from: usize, at: Millis) {
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
