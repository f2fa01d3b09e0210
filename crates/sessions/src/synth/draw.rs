//! How amounts are drawn, and how a scenario file writes them.

use std::fmt;

use crate::prelude::*;
use serde::Deserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};

/// A distribution over whole numbers: `5`, `{ min = 3, max = 9 }`, or a weighted list of ranges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Draw {
    parts: Vec<Part>,
}

/// One range of a [`Draw`]; both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Part {
    /// How often this range is drawn, against the others of the list.
    #[serde(default = "one")]
    weight: u32,
    min: u32,
    max: u32,
}

fn one() -> u32 {
    1
}

impl Draw {
    /// Always this number.
    pub fn fixed(value: u32) -> Draw {
        Draw { parts: vec![Part { weight: 1, min: value, max: value }] }
    }

    /// The least and the greatest number that can be drawn.
    pub fn bounds(&self) -> (u32, u32) {
        let least = self.parts.iter().map(|part| part.min).min();
        let greatest = self.parts.iter().map(|part| part.max).max();
        (least.unwrap_or(0), greatest.unwrap_or(0))
    }

    pub(super) fn mean(&self) -> f64 {
        let total: f64 = self.parts.iter().map(|part| f64::from(part.weight)).sum();
        let middle = |part: &Part| f64::midpoint(f64::from(part.min), f64::from(part.max));
        let sum: f64 = self.parts.iter().map(|part| f64::from(part.weight) * middle(part)).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    }

    pub(super) fn sample(&self, rng: &mut ChaCha8Rng) -> u32 {
        let part = weighted(rng, &self.parts, |part| part.weight);
        part.map_or(0, |part| rng.random_range(part.min..=part.max))
    }

    fn checked<E: de::Error>(parts: Vec<Part>) -> Result<Draw, E> {
        if let Some(part) = parts.iter().find(|part| part.min > part.max) {
            return Err(E::custom(format!("min {} must not exceed max {}", part.min, part.max)));
        }
        if parts.iter().any(|part| part.weight > 1_000_000) {
            return Err(E::custom("a weight must not exceed 1000000"));
        }
        if parts.len() > 100 || parts.iter().all(|part| part.weight == 0) {
            return Err(E::custom("a list of ranges needs 1 to 100 entries, one with a weight"));
        }
        Ok(Draw { parts })
    }
}

impl<'de> Deserialize<'de> for Draw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Draw, D::Error> {
        deserializer.deserialize_any(DrawVisitor)
    }
}

/// By hand, as an untagged enum would answer every mistake with the same empty sentence.
struct DrawVisitor;

impl<'de> Visitor<'de> for DrawVisitor {
    type Value = Draw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a range `{ min, max }` or a list of `{ weight, min, max }`")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Draw, E> {
        let rule = |_| E::custom(format!("{value} is out of range: expected 0 to {}", u32::MAX));
        u32::try_from(value).map(Draw::fixed).map_err(rule)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Draw, A::Error> {
        let part = Part::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Draw::checked(vec![part])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Draw, A::Error> {
        Draw::checked(Vec::deserialize(de::value::SeqAccessDeserializer::new(seq))?)
    }
}

/// A share or probability between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(f64);

impl Share {
    /// All of it.
    pub const WHOLE: Share = Share(1.0);

    /// As a float.
    pub fn get(self) -> f64 {
        self.0
    }

    pub(super) fn happens(self, rng: &mut ChaCha8Rng) -> bool {
        rng.random_bool(self.0)
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> f64 {
        share.0
    }
}

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(value: f64) -> Result<Share, String> {
        let whole = (0.0..=1.0).contains(&value).then_some(Share(value));
        whole.ok_or_else(|| format!("{value} is out of range: expected a share from 0 to 1"))
    }
}

/// One of these. The slice must not be empty.
pub(super) fn pick<T: Copy>(rng: &mut ChaCha8Rng, from: &[T]) -> T {
    *pick_ref(rng, from)
}

/// As [`pick`], by reference.
pub(super) fn pick_ref<'a, T>(rng: &mut ChaCha8Rng, from: &'a [T]) -> &'a T {
    // The width is fixed: a draw over `usize` would differ between platforms.
    &from[rng.random_range(0..from.len() as u32) as usize]
}

/// One of these by their weights; `None` where nothing has any.
pub(super) fn weighted<'a, T>(
    rng: &mut ChaCha8Rng,
    from: &'a [T],
    weight: impl Fn(&T) -> u32,
) -> Option<&'a T> {
    let total: u32 = from.iter().map(&weight).sum();
    let mut at = rng.random_range(0..total.max(1));
    from.iter().find(|one| {
        let own = weight(one);
        let found = at < own;
        at = at.saturating_sub(own);
        found
    })
}

/// One of these phrases. The slice must not be empty.
pub(super) fn pick_line<'a>(rng: &mut ChaCha8Rng, from: &'a [String]) -> &'a str {
    pick_ref::<String>(rng, from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct File {
        a: Draw,
    }

    fn read(text: &str) -> Result<Draw, String> {
        toml::from_str::<File>(text).map(|file| file.a).map_err(|e| e.message().to_owned())
    }

    #[test]
    fn a_number_a_range_and_a_list_are_read() {
        assert_eq!(read("a = 5").unwrap().bounds(), (5, 5));
        assert_eq!(read("a = { min = 3, max = 9 }").unwrap().bounds(), (3, 9));
        let list = "a = [{ weight = 3, min = 0, max = 2 }, { min = 12, max = 20 }]";
        assert_eq!(read(list).unwrap().bounds(), (0, 20));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, rule) in crate::cases::<(String, String)>("amounts") {
            assert_eq!(read(&text).unwrap_err(), rule, "{text}");
        }
    }

    #[test]
    fn a_sample_lies_within_the_bounds() {
        let draw = read("a = [{ weight = 3, min = 0, max = 2 }, { min = 12, max = 20 }]").unwrap();
        let mut rng = Seed(1).rng();
        let drawn: Vec<u32> = (0..400).map(|_| draw.sample(&mut rng)).collect();
        assert!(drawn.iter().all(|n| (0..=2).contains(n) || (12..=20).contains(n)));
        assert!(drawn.contains(&2) && drawn.contains(&20));
    }
}
