//! Near duplicates: names that differ little from another name.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Names, UNITS};
use crate::synth::dialect::Conventions;
use crate::synth::fill::{Cast, third_person};
use crate::truth::FactKind;

/// The slots in which a near duplicate of a fact differs; none for kinds that have none.
pub(in crate::synth) fn slots_of(kind: FactKind) -> &'static [&'static str] {
    match kind {
        FactKind::Path => &["path"],
        FactKind::Symbol => &["symbol"],
        FactKind::Test => &["test"],
        FactKind::Command => &["command"],
        FactKind::Value => &["key", "value"],
        FactKind::Error
        | FactKind::Decision
        | FactKind::Constraint
        | FactKind::Preference
        | FactKind::SafetyRule
        | FactKind::DeadEnd
        | FactKind::Direction
        | FactKind::Outcome
        | FactKind::Pending => &[],
    }
}

impl Names {
    /// Gives `cast` the artifact of `other`, changed so little that the two are easily confused. False
    /// where every such name is taken, or facts of this kind have no near duplicates.
    pub fn twin(
        &mut self,
        kind: FactKind,
        other: &Cast,
        cast: &mut Cast,
        conventions: &Conventions,
        rng: &mut ChaCha8Rng,
    ) -> bool {
        let slots = slots_of(kind);
        let mut changed = Vec::new();
        for &slot in slots {
            let candidates = doubles(slot, other.get(slot), cast.get("dir"), conventions, rng);
            let Some(name) = candidates.into_iter().find(|name| self.taken.insert(name.clone()))
            else {
                return false;
            };
            changed.push((slot, name));
        }
        for (slot, name) in changed {
            if slot == "symbol" {
                cast.set("decl", conventions.declared(&name, cast.get("noun")));
            }
            cast.set(slot, name);
        }
        !slots.is_empty()
    }
}

/// Similar names, the most similar first.
fn doubles(
    slot: &str,
    name: &str,
    dir: &str,
    conventions: &Conventions,
    rng: &mut ChaCha8Rng,
) -> Vec<String> {
    let mut names = match slot {
        "path" => paths(name, dir),
        "symbol" => vec![third_person(name)],
        "test" => tests(name, conventions),
        "command" => commands(name, rng),
        "key" => keys(name),
        _ => swapped_digits(name),
    };
    names.retain(|double| double != name);
    names
}

/// The same file elsewhere, or its plural beside it.
fn paths(path: &str, dir: &str) -> Vec<String> {
    let Some((home, file)) = path.rsplit_once('/') else { return Vec::new() };
    let Some((stem, extension)) = file.split_once('.') else { return Vec::new() };
    vec![format!("{dir}/{file}"), format!("{home}/{}.{extension}", third_person(stem))]
}

fn tests(name: &str, conventions: &Conventions) -> Vec<String> {
    let endings = if conventions.camel { ["Twice", "Again"] } else { ["_twice", "_again"] };
    endings.iter().map(|ending| format!("{name}{ending}")).collect()
}

fn commands(command: &str, rng: &mut ChaCha8Rng) -> Vec<String> {
    let Some((start, number)) = command.rsplit_once(' ') else { return Vec::new() };
    let mut numbers = swapped_digits(number);
    numbers.push(format!("{number}{}", rng.random_range(0..10)));
    numbers.into_iter().map(|number| format!("{start} {number}")).collect()
}

fn keys(key: &str) -> Vec<String> {
    let Some((start, unit)) = key.rsplit_once('_') else { return Vec::new() };
    UNITS.iter().filter(|&&other| other != unit).map(|other| format!("{start}_{other}")).collect()
}

/// Two neighbouring digits swapped, from the end; a leading zero is no number.
fn swapped_digits(number: &str) -> Vec<String> {
    let digits: Vec<char> = number.chars().collect();
    (1..digits.len())
        .rev()
        .map(|at| {
            let mut swapped = digits.clone();
            swapped.swap(at - 1, at);
            swapped.into_iter().collect::<String>()
        })
        .filter(|swapped| !swapped.starts_with('0'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::{FactId, Seed};
    use crate::synth::dialect::Dialect;
    use crate::synth::world::World;
    use crate::truth::{Fact, Needle, NeedleIndex};

    fn index_of(kind: FactKind, name: &str) -> NeedleIndex {
        let needles = vec![Needle::Code(name.to_owned())];
        NeedleIndex::new(&[Fact::new(FactId(0), kind, "", needles)])
    }

    #[test]
    fn doubles_differ_in_little() {
        let mut rng = Seed(1).rng();
        let (_, conventions) = Dialect::of_projects()[0];
        for (slot, name, first) in [
            ("path", "a/src/stale_ledger_row.rs", "b/src/stale_ledger_row.rs"),
            ("symbol", "parse_ledger_entry", "parse_ledger_entries"),
            ("test", "stale_row_is_rejected", "stale_row_is_rejected_twice"),
            ("command", "cargo xtask seal --row 47", "cargo xtask seal --row 74"),
            ("key", "ledger_agent.row_limit_ms", "ledger_agent.row_limit_bytes"),
            ("value", "84412", "84421"),
        ] {
            let names = doubles(slot, name, "b/src", conventions, &mut rng);
            assert_eq!(names[0], first);
        }
        assert_eq!(swapped_digits("500"), ["500"]);
    }

    #[test]
    fn no_double_holds_the_other() {
        for seed in 0..40 {
            let mut rng = Seed(seed).rng();
            let world = World::draw(&mut rng);
            let mut names = Names::default();
            for kind in FactKind::ALL.into_iter().filter(|kind| !slots_of(*kind).is_empty()) {
                let one = names.cast(&world, &world.components[0], &mut rng);
                let mut two = names.cast(&world, &world.components[1], &mut rng);
                assert!(names.twin(kind, &one, &mut two, world.conventions, &mut rng));
                for slot in slots_of(kind) {
                    for (name, other) in [(&one, &two), (&two, &one)] {
                        let index = index_of(kind, name.get(slot));
                        assert_eq!(index.search(other.get(slot)), [], "{}", other.get(slot));
                    }
                }
            }
        }
    }
}
