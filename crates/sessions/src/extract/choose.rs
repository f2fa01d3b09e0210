//! Which facts a session keeps (what was asked for, what was needed, and a sample), and decoys:
//! names that the session could have, and has not.

use std::cmp::Reverse;

use super::{Use, sample_key};
use crate::prelude::*;

/// Most facts of one session. More would make a retention figure of what nobody needs.
const MOST: usize = 400;
/// What this share of the messages mentions, and so many at least, cannot be forgotten: no fact.
const FREQUENT: (f64, usize) = (0.25, 12);

/// Artifacts that nobody used again: most of them beside three that somebody did, and so many at
/// least of a session.
const UNUSED: (usize, usize) = (2, 20);

/// The kept facts, born in log order with ids anew, and their demands: what is said, artifacts by
/// their use, and a sample of those that nobody used again. Artifacts that were only listed are none.
pub(super) fn choose(
    facts: Vec<Fact>,
    demands: Vec<Demand>,
    use_of: impl Fn(&Fact) -> Use,
    messages: usize,
) -> (Vec<Fact>, Vec<Demand>) {
    let frequent = FREQUENT.1.max((messages as f64 * FREQUENT.0) as usize);
    let needed = demands.iter().filter(|demand| demand.origin != Origin::Incidental);
    let needed: BTreeSet<FactId> = needed.map(|demand| demand.fact).collect();
    let is_rare = |fact: &&Fact| (1..=frequent).contains(&fact.mentions.len());
    let rare = facts.iter().filter(is_rare);
    let rare = rare.map(|fact| (fact, if fact.kind.is_said() { Use::Again } else { use_of(fact) }));
    let mut ranked: Vec<(&Fact, Use)> = rare.filter(|(_, used)| *used > Use::Listed).collect();
    ranked.sort_by_cached_key(|(fact, used)| {
        // Said and needed first, then either, then by use, then the sample.
        let class = u8::from(!fact.kind.is_said()) + u8::from(!needed.contains(&fact.id));
        (class, Reverse(*used), sample_key("fact", &fact.statement), fact.id)
    });
    let used = ranked.iter().filter(|(fact, used)| !fact.kind.is_said() && *used == Use::Again);
    let mut unused = UNUSED.1.max(used.count() * UNUSED.0 / 3);
    let mut kept: BTreeSet<FactId> = BTreeSet::new();
    for (fact, used) in ranked {
        if used < Use::Again && unused == 0 {
            continue;
        }
        unused -= usize::from(used < Use::Again);
        // A superseded fact needs its successor, or it would seem to hold still.
        let new = successors(&facts, fact.id).filter(|id| !kept.contains(id)).collect::<Vec<_>>();
        if kept.len() + new.len() <= MOST {
            kept.extend(new);
        }
    }
    renumbered(facts, demands, &kept)
}

/// The fact, its successor, and so on. Births ascend, so the chain ends.
fn successors(facts: &[Fact], id: FactId) -> impl Iterator<Item = FactId> {
    std::iter::successors(Some(id), |id| facts[id.index()].superseded_by)
}

fn renumbered(
    mut facts: Vec<Fact>,
    demands: Vec<Demand>,
    kept: &BTreeSet<FactId>,
) -> (Vec<Fact>, Vec<Demand>) {
    facts.retain(|fact| kept.contains(&fact.id));
    facts.sort_by(|a, b| {
        (a.born, a.kind, &a.statement, a.id).cmp(&(b.born, b.kind, &b.statement, b.id))
    });
    let ids: BTreeMap<FactId, FactId> =
        facts.iter().enumerate().map(|(index, fact)| (fact.id, FactId(index as u32))).collect();
    for fact in &mut facts {
        fact.id = ids[&fact.id];
        fact.superseded_by = fact.superseded_by.and_then(|id| ids.get(&id).copied());
    }
    let demands = demands.into_iter().filter_map(|demand| {
        let fact = ids.get(&demand.fact).copied()?;
        Some(Demand { fact, ..demand })
    });
    let mut demands: Vec<Demand> = demands.collect();
    demands.sort_by_key(|demand| (demand.at, demand.fact));
    (facts, demands)
}

const DECOYS: usize = 40;

const SHORTEST: usize = 9;

/// Made by crossing two artifacts of a kind; each occurs nowhere, recorded summaries included.
pub(super) fn decoys(log: &Log, facts: &[Fact]) -> Vec<Fact> {
    let mut made: Vec<(FactKind, String)> = Vec::new();
    for kind in [FactKind::Path, FactKind::Symbol, FactKind::Test] {
        let of_kind: Vec<&Fact> = facts.iter().filter(|fact| fact.kind == kind).collect();
        let crossed =
            of_kind.windows(2).filter_map(|two| cross(&two[0].statement, &two[1].statement));
        made.extend(crossed.map(|name| (kind, name)));
    }
    made.sort();
    made.dedup_by(|a, b| a.1 == b.1);
    let index = NeedleIndex::new(&numbered(&made));
    let contents = log.messages.iter().map(|message| &message.content);
    let args = log.messages.iter().flat_map(|m| &m.calls).map(|call| &call.args);
    let summaries = log.boundaries.iter().filter_map(|boundary| match &boundary.action {
        BoundaryAction::Summary(text) => Some(text),
        BoundaryAction::Clear(_) | BoundaryAction::Nothing => None,
    });
    let all = contents.chain(args).chain(summaries).chain([&log.system, &log.tools]);
    let occurring: BTreeSet<FactId> =
        all.flat_map(|text| index.search(text)).map(|holding| holding.fact).collect();
    let absent = (0..).map(FactId).zip(made).filter(|(id, _)| !occurring.contains(id));
    let mut absent: Vec<(FactKind, String)> = absent.map(|(_, made)| made).collect();
    absent.sort_by_cached_key(|(_, name)| sample_key("decoy", name));
    absent.truncate(DECOYS);
    numbered(&absent)
}

fn numbered(names: &[(FactKind, String)]) -> Vec<Fact> {
    let needles = |name: &String| vec![Needle::Code(name.clone())];
    let decoys = (0..).map(FactId).zip(names);
    decoys.map(|(id, (kind, name))| Fact::new(id, *kind, name.as_str(), needles(name))).collect()
}

/// The beginning of one name with the end of another, cut between words.
fn cross(one: &str, other: &str) -> Option<String> {
    let (directory, one) = one.rsplit_once('/').map_or(("", one), |(d, name)| (d, name));
    let other = other.rsplit('/').next()?;
    let (stem, extension) = one.split_once('.').map_or((one, ""), |(stem, rest)| (stem, rest));
    let head = &stem[..word_starts(stem).next()?];
    let other = other.split('.').next()?;
    let tail = &other[word_starts(other).last()?..];
    let joined = head.ends_with('_') || head.ends_with('-');
    let tail = tail.trim_start_matches(['_', '-']);
    let upper = tail.starts_with(|c: char| c.is_ascii_uppercase());
    // A snake needs a snake's tail, a hump a hump's.
    if tail.is_empty() || joined == upper || head.len() + tail.len() < SHORTEST {
        return None;
    }
    let slash = if directory.is_empty() { "" } else { "/" };
    let dot = if extension.is_empty() { "" } else { "." };
    Some(format!("{directory}{slash}{head}{tail}{dot}{extension}"))
}

fn word_starts(name: &str) -> impl Iterator<Item = usize> {
    let bytes = name.as_bytes();
    (1..bytes.len()).filter(move |&at| {
        let (last, this) = (bytes[at - 1], bytes[at]);
        matches!(last, b'_' | b'-') && this.is_ascii_alphanumeric()
            || last.is_ascii_lowercase() && this.is_ascii_uppercase()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_crossed_between_words() {
        for (one, other, expected) in crate::cases::<(String, String, Vec<String>)>("crossed") {
            assert_eq!(cross(&one, &other).as_slice(), expected, "{one} {other}");
        }
    }
}
