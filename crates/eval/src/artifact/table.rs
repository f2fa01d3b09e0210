//! Rates of survival by kind and place, one column per source.

use super::{Kind, Place, Sighting};

/// Fewer sightings than this give no rate.
const LEAST: usize = 10;

/// What a line of the table is about.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Kind.
    pub kind: Kind,
    /// Which of that kind, in words.
    pub which: &'static str,
    holds: Test,
}

/// Whether a sighting belongs to a line.
type Test = fn(&Sighting) -> bool;

/// One source of sightings.
#[derive(Clone, Debug)]
pub struct Column {
    /// `recorded`, or the summarizer.
    pub name: String,
    /// What was seen.
    pub sightings: Vec<Sighting>,
}

impl Column {
    /// Share of the line's sightings that survived, and their number.
    pub fn rate(&self, line: &Line) -> Option<(f64, usize)> {
        let (mut survived, mut all) = (0, 0);
        for one in self.sightings.iter().filter(|one| one.kind == line.kind && (line.holds)(one)) {
            survived += usize::from(one.survived);
            all += 1;
        }
        (all >= LEAST).then(|| (survived as f64 / all as f64, all))
    }
}

fn any(_: &Sighting) -> bool {
    true
}

fn user(one: &Sighting) -> bool {
    one.place == Some(Place::User)
}

fn text(one: &Sighting) -> bool {
    one.place == Some(Place::Text)
}

fn call(one: &Sighting) -> bool {
    one.place == Some(Place::Call)
}

fn result(one: &Sighting) -> bool {
    one.place == Some(Place::Result)
}

/// The lines of the table, by kind.
pub fn lines() -> Vec<Line> {
    let places: [(&'static str, Test); 5] = [
        ("all", any),
        ("named by the user", user),
        ("in the agent's words", text),
        ("in a tool call", call),
        ("in tool results only", result),
    ];
    let mut lines = Vec::new();
    let mut add = |kind, which, holds| lines.push(Line { kind, which, holds });
    for kind in [Kind::Path, Kind::Symbol, Kind::Test, Kind::Value] {
        for (which, holds) in places {
            add(kind, which, holds);
        }
        if kind == Kind::Path {
            add(kind, "neither read nor edited", |one| !one.read && !one.edited);
            add(kind, "read", |one| one.read && !one.edited);
            add(kind, "edited and read", |one| one.read && one.edited);
        }
    }
    add(Kind::Error, "all", any);
    add(Kind::Command, "all", any);
    add(Kind::UserSentence, "typed", |one| !one.pasted);
    add(Kind::UserSentence, "pasted", |one| one.pasted);
    lines
}

/// Spearman's rank correlation of two columns over the lines that both have, and how
/// many those are. Ties share their mean rank.
pub fn rank_correlation(one: &Column, other: &Column) -> Option<(f64, usize)> {
    let pairs: Vec<(f64, f64)> =
        lines().iter().filter_map(|line| Some((one.rate(line)?.0, other.rate(line)?.0))).collect();
    let first = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let second = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    correlation(&first, &second).map(|value| (value, pairs.len()))
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count() as f64;
    let equal = |value: f64| values.iter().filter(|other| **other == value).count() as f64;
    values.iter().map(|value| below(*value) + (equal(*value) + 1.0) / 2.0).collect()
}

fn correlation(one: &[f64], other: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (first, second) = (mean(one), mean(other));
    let products = one.iter().zip(other).map(|(a, b)| (a - first) * (b - second)).sum::<f64>();
    let spread = |values: &[f64], mean: f64| values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    let scale = (spread(one, first) * spread(other, second)).sqrt();
    (scale > 0.0).then(|| products / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_share_ties_and_correlate() {
        assert_eq!(ranks(&[0.3, 0.1, 0.3]), [2.5, 1.0, 2.5]);
        let same = correlation(&ranks(&[1.0, 5.0, 9.0]), &ranks(&[2.0, 3.0, 4.0]));
        assert!(same.is_some_and(|value| (value - 1.0).abs() < 1e-12));
        let opposite = correlation(&ranks(&[1.0, 5.0, 9.0]), &ranks(&[4.0, 3.0, 2.0]));
        assert!(opposite.is_some_and(|value| (value + 1.0).abs() < 1e-12));
        assert_eq!(correlation(&[1.0, 1.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn a_line_of_few_sightings_has_no_rate() {
        let one = Sighting {
            kind: Kind::Path,
            place: Some(Place::Result),
            edited: false,
            read: true,
            pasted: false,
            survived: true,
        };
        let of = |count| Column { name: String::new(), sightings: vec![one; count] };
        let line = &lines()[0];
        assert_eq!(of(9).rate(line), None);
        assert_eq!(of(10).rate(line), Some((1.0, 10)));
        let named = lines().into_iter().find(|line| line.which == "read");
        assert_eq!(named.and_then(|line| of(12).rate(&line)), Some((1.0, 12)));
    }
}
