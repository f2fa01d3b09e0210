//! Decoys: names that the session could have, and has not.

use crate::ident::FactId;
use crate::log::{BoundaryAction, Log};
use crate::truth::{Fact, FactKind, Needle, NeedleIndex};

const MOST: usize = 40;

/// A shorter name may be said by chance.
const SHORTEST: usize = 9;

/// Made by crossing two artifacts of a kind; each occurs nowhere, recorded summaries included.
pub(super) fn decoys(log: &Log, facts: &[Fact]) -> Vec<Fact> {
    let mut made: Vec<Fact> = Vec::new();
    for kind in [FactKind::Path, FactKind::Symbol, FactKind::Test] {
        let of_kind: Vec<&Fact> = facts.iter().filter(|fact| fact.kind == kind).collect();
        let pairs = of_kind.iter().zip(of_kind.iter().skip(1));
        let crossed = pairs.filter_map(|(one, other)| cross(&one.statement, &other.statement));
        made.extend(crossed.map(|name| decoy(kind, &name)));
    }
    made.sort_by(|a, b| (a.kind, &a.statement).cmp(&(b.kind, &b.statement)));
    made.dedup_by(|a, b| a.statement == b.statement);
    number(&mut made);
    let mut absent = without_occurring(log, made);
    absent.sort_by_cached_key(|decoy| super::sample_key("decoy", &decoy.statement));
    absent.truncate(MOST);
    number(&mut absent);
    absent
}

fn decoy(kind: FactKind, name: &str) -> Fact {
    Fact::new(FactId(0), kind, name, vec![Needle::Code(name.to_owned())])
}

fn number(decoys: &mut [Fact]) {
    for (index, decoy) in decoys.iter_mut().enumerate() {
        decoy.id = FactId(index as u32);
    }
}

fn without_occurring(log: &Log, mut decoys: Vec<Fact>) -> Vec<Fact> {
    let index = NeedleIndex::new(&decoys);
    let contents = log.messages.iter().map(|message| &message.content);
    let args = log.messages.iter().flat_map(|m| &m.calls).map(|call| &call.args);
    let summaries = log.boundaries.iter().filter_map(|boundary| match &boundary.action {
        BoundaryAction::Summary(text) => Some(text),
        BoundaryAction::Clear(_) | BoundaryAction::Nothing => None,
    });
    let all = contents.chain(args).chain(summaries).chain([&log.system, &log.tools]);
    let occurring: std::collections::BTreeSet<FactId> =
        all.flat_map(|text| index.search(text)).map(|holding| holding.fact).collect();
    decoys.retain(|decoy| !occurring.contains(&decoy.id));
    decoys
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
        for (one, other, expected) in [
            ("retry_budget", "open_valve_now", Some("retry_now")),
            ("openValve", "closeReservoir", Some("openReservoir")),
            ("src/water_pump.rs", "lib/valve_test.rs", Some("src/water_test.rs")),
            ("retry_budget", "closeTap", None),
            ("valve", "tap", None),
        ] {
            assert_eq!(cross(one, other).as_deref(), expected, "{one} {other}");
        }
    }
}
