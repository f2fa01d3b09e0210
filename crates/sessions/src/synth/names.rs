//! Names made by combination: those of facts have three parts, all others two, so that background
//! text cannot state a fact by accident.

use super::dialect::Conventions;
use super::draw::pick;
use super::fill::{Cast, camel, third_person};
use super::words::{ASPECTS, NOUNS, QUALIFIERS, THINGS, VERBS};
use super::world::{Component, World};
use crate::prelude::*;

/// Units of a setting, of which a double has another.
const UNITS: [&str; 6] = ["ms", "bytes", "rows", "max", "min", "kib"];

#[derive(Debug, Default)]
pub(super) struct Names {
    taken: FxHashSet<String>,
    /// Whether there are so many that no two may be about the same.
    crowded: bool,
}

impl Names {
    /// None handed out yet; `crowded` as there will be many.
    pub fn new(crowded: bool) -> Names {
        Names { crowded, ..Names::default() }
    }

    /// A name that was not handed out before.
    fn fresh(&mut self, rng: &mut ChaCha8Rng, make: impl Fn(&mut ChaCha8Rng) -> String) -> String {
        for _ in 0..1_000 {
            let name = make(rng);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
        let name = format!("{}{}", make(rng), self.taken.len());
        self.taken.insert(name.clone());
        name
    }

    /// All slots of a fact's templates, filled with new names.
    pub fn cast(&mut self, world: &World, component: &Component, rng: &mut ChaCha8Rng) -> Cast {
        let (mut cast, conventions) = (component.cast(), world.conventions);
        cast.set("comment", conventions.comment.as_str());
        if self.crowded {
            let about = |rng: &mut ChaCha8Rng| {
                [pick(rng, &NOUNS), pick(rng, &THINGS), pick(rng, &ASPECTS)].join(" ")
            };
            cast.set("aspect", self.fresh(rng, about));
        } else {
            let place = component.name.as_str();
            let about = |rng: &mut ChaCha8Rng| {
                format!("{place}|{} {}", pick(rng, &NOUNS), pick(rng, &ASPECTS))
            };
            cast.set("aspect", &self.fresh(rng, about)[place.len() + 1..]);
        }
        let file = self.fresh(rng, |rng| three(rng, &QUALIFIERS, "_"));
        cast.set("path", format!("{}/{file}.{}", component.dir, world.ending()));
        cast.set("key", self.fresh(rng, |rng| setting(rng, &component.module)));
        cast.set("command", self.fresh(rng, |rng| command(rng, &conventions.runner)));
        for slot in ["symbol", "test", "code", "thing", "value"] {
            self.renew(&mut cast, slot, conventions, rng);
        }
        cast.draw(&["noun"], rng);
        cast.set("number", rng.random_range(12..900).to_string());
        cast.set("host", "");
        cast.set("line", rng.random_range(8..600).to_string());
        cast
    }

    /// Binds a new name to the slot in which a successor differs.
    pub fn renew(
        &mut self,
        cast: &mut Cast,
        slot: &'static str,
        conventions: &Conventions,
        rng: &mut ChaCha8Rng,
    ) {
        let name = match slot {
            "symbol" => self.fresh(rng, |rng| conventions.cased(&three(rng, &VERBS, "_"))),
            "test" => self.fresh(rng, |rng| test_name(rng, conventions)),
            "code" => self.fresh(rng, error_code),
            "thing" => self.fresh(rng, |rng| three(rng, &QUALIFIERS, " ")),
            "value" => self.fresh(rng, |rng| rng.random_range(10_001..999_999).to_string()),
            _ => return,
        };
        if slot == "symbol" {
            cast.set("decl", conventions.declared(&name, pick(rng, &NOUNS)));
        }
        cast.set(slot, name);
    }

    /// Gives `cast` the artifact of `other`, changed so little that the two are easily confused.
    /// False where every such name is taken, or facts of this kind have no near duplicates.
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
            let names = doubles(slot, other.get(slot), cast.get("dir"), conventions, rng);
            let mut names = names.into_iter().flatten();
            let Some(name) = names.find(|name| self.taken.insert(name.clone())) else {
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

fn three(rng: &mut ChaCha8Rng, first: &[&str], between: &str) -> String {
    let parts = [pick(rng, first), pick(rng, &NOUNS), pick(rng, &THINGS)];
    parts.join(between)
}

fn test_name(rng: &mut ChaCha8Rng, conventions: &Conventions) -> String {
    let endings = ["is_refused", "survives_restart", "is_idempotent", "keeps_order", "times_out"];
    let (prefix, name) = (&conventions.test_prefix, three(rng, &QUALIFIERS, "_"));
    conventions.cased(&format!("{prefix}{name}_{}", pick(rng, &endings)))
}

fn error_code(rng: &mut ChaCha8Rng) -> String {
    let noun = pick(rng, &NOUNS);
    format!("{}-{}", noun[..3].to_uppercase(), rng.random_range(1_000..9_999))
}

fn setting(rng: &mut ChaCha8Rng, module: &str) -> String {
    format!("{module}.{}_{}_{}", pick(rng, &NOUNS), pick(rng, &THINGS), pick(rng, &UNITS))
}

fn command(rng: &mut ChaCha8Rng, runner: &str) -> String {
    Cast::from([("runner", runner)]).drawn("{runner} {verb}-{noun} --{thing} {2..500}", rng)
}

impl Conventions {
    /// A name of words joined by underscores as this language writes it.
    fn cased(&self, snake: &str) -> String {
        match snake.split_once('_') {
            Some((first, rest)) if self.camel => first.to_owned() + &camel(rest),
            _ => snake.to_owned(),
        }
    }

    fn declared(&self, symbol: &str, noun: &str) -> String {
        let slots = [("symbol", symbol), ("noun", noun), ("Noun", &*camel(noun))];
        Cast::from(slots).fill(&self.declaration)
    }
}

/// The slots in which a near duplicate of a fact differs; none for kinds that have none.
pub(super) fn slots_of(kind: FactKind) -> &'static [&'static str] {
    match kind {
        FactKind::Path => &["path"],
        FactKind::Symbol => &["symbol"],
        FactKind::Test => &["test"],
        FactKind::Command => &["command"],
        FactKind::Value => &["key", "value"],
        _ => &[],
    }
}

/// Similar names, the most similar first; none of a name without the parts of its slot.
fn doubles(
    slot: &str,
    name: &str,
    dir: &str,
    conventions: &Conventions,
    rng: &mut ChaCha8Rng,
) -> Option<Vec<String>> {
    let mut names = match slot {
        // The same file elsewhere, or its plural beside it.
        "path" => {
            let (home, file) = name.rsplit_once('/')?;
            let (stem, extension) = file.split_once('.')?;
            vec![format!("{dir}/{file}"), format!("{home}/{}.{extension}", third_person(stem))]
        }
        "symbol" => vec![third_person(name)],
        "test" => {
            let endings = if conventions.camel { ["Twice", "Again"] } else { ["_twice", "_again"] };
            endings.iter().map(|ending| format!("{name}{ending}")).collect()
        }
        "command" => {
            let (start, number) = name.rsplit_once(' ')?;
            let mut numbers = swapped_digits(number);
            numbers.push(format!("{number}{}", rng.random_range(0..10)));
            numbers.into_iter().map(|number| format!("{start} {number}")).collect()
        }
        "key" => {
            let (start, _) = name.rsplit_once('_')?;
            UNITS.iter().map(|unit| format!("{start}_{unit}")).collect()
        }
        _ => swapped_digits(name),
    };
    names.retain(|double| double != name);
    Some(names)
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
    use crate::synth::dialect::{Dialect, Domain};

    #[test]
    fn doubles_differ_in_little() {
        let mut rng = Seed(1).rng();
        let (_, conventions) = Dialect::of_projects(Domain::Software)[0];
        for (slot, name, first) in crate::cases::<(String, String, String)>("doubles") {
            let names = doubles(&slot, &name, "b/src", conventions, &mut rng);
            let names = names.expect("a sound name");
            assert_eq!(names[0], first);
        }
        assert_eq!(swapped_digits("500"), ["500"]);
    }
}
