//! Verdicts on the floor, in words that cannot be taken for others.

use super::super::document::{Cell, Tone};
use super::super::figures::{Figure, Figures, Subject};
use super::super::number;

/// How files write that a floor is eliminated.
pub const ELIMINATED: &str = "eliminated";
/// How files write that some session of a family ended before its last checkpoint.
const NOT_REACHED: &str = "not reached";

/// The series that a verdict rests on: what ends their metrics, and what they are called.
pub const SERIES: [(&str, &str); 2] = [("", "one pass"), (".low_water", "low water")];

/// The verdict on a configuration's floor in one family of sessions.
pub struct Verdict {
    /// As reports word it.
    pub says: String,
    /// Why it is no firmer, and what it rests on.
    pub reason: String,
    /// Whether it rests on too few sessions to be a firm one.
    pub small: bool,
    tone: Tone,
}

impl Verdict {
    /// `None` where there is no verdict.
    pub fn of(figures: &Figures, family: &str, subject: &Subject) -> Option<Verdict> {
        let found = figures.in_family(family, subject, "floor.verdict");
        if found.word.is_empty() {
            return None;
        }
        let small = is_small(&found);
        let firm = !small && figures.lengths(family) > 1;
        let rising = match found.word.as_str() {
            ELIMINATED => rising(figures, family, subject),
            _ => Vec::new(),
        };
        let mut reason = found.reason;
        if !rising.is_empty() {
            let before = if reason.is_empty() { "" } else { "; " };
            let parts = rising.join(", ");
            reason.push_str(&format!("{before}ever more slowly, but it still rises: {parts}"));
        }
        let tone = match found.word.as_str() {
            ELIMINATED if firm && rising.is_empty() => Tone::Good,
            "grown" | "eliminated by forgetting" | NOT_REACHED => Tone::Bad,
            _ => Tone::Plain,
        };
        let says = match rising.is_empty() {
            true => said(&found.word),
            false => "eliminated but still rising",
        };
        Some(Verdict { says: says.to_owned(), reason, small, tone })
    }

    /// As a field of a table.
    pub fn cell(&self) -> Cell {
        Cell::text(&self.says).toned(self.tone)
    }
}

/// Whether a verdict rests on too few sessions to be a firm one.
pub fn is_small(verdict: &Figure) -> bool {
    verdict.reason.contains("n too small")
}

/// The word of the files as reports write it: by itself "not reached" could be read as
/// good news.
fn said(word: &str) -> &str {
    if word == NOT_REACHED { "session ended early" } else { word }
}

/// The series that follow a logarithm and whose slope lies above zero all the same.
fn rising(figures: &Figures, family: &str, subject: &Subject) -> Vec<String> {
    let series = SERIES.into_iter().filter_map(|(suffix, name)| {
        let growth = figures.in_family(family, subject, &format!("floor.growth{suffix}"));
        let slope = figures.in_family(family, subject, &format!("floor.slope{suffix}"));
        let rises = growth.word == "logarithmic" && slope.interval.is_some_and(|one| one.0 > 0.0);
        let written = slope.write_with_interval(number::change).ok().filter(|_| rises)?;
        Some(format!("{name} {written} tokens a turn"))
    });
    series.collect()
}

/// Verdicts of a configuration over the families of a run, the most frequent first.
#[derive(Default)]
pub struct Tally {
    /// Each verdict as reports word it, with the families that have it.
    pub counts: Vec<(String, usize)>,
    /// Families with a verdict.
    pub families: usize,
    /// Whether some verdict rests on too few sessions.
    pub small: bool,
    tone: Tone,
}

impl Tally {
    /// Counts them.
    pub fn of(figures: &Figures, subject: &Subject) -> Tally {
        let mut tally = Tally::default();
        let families = figures.families().into_iter();
        for verdict in families.filter_map(|family| Verdict::of(figures, family, subject)) {
            tally.families += 1;
            tally.small |= verdict.small;
            // It stands in the table only where all families agree.
            tally.tone = verdict.tone;
            match tally.counts.iter_mut().find(|(known, _)| *known == verdict.says) {
                Some((_, count)) => *count += 1,
                None => tally.counts.push((verdict.says, 1)),
            }
        }
        tally.counts.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        if tally.counts.len() > 1 {
            tally.tone = Tone::Plain;
        }
        tally
    }

    /// The one verdict, or each with its families: `grown in 2, inconclusive in 1`.
    pub fn says(&self) -> String {
        match &self.counts[..] {
            [(only, _)] => only.clone(),
            several => {
                let parts = several.iter().map(|(says, count)| format!("{says} in {count}"));
                parts.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// As a field of a table.
    pub fn cell(&self) -> Cell {
        Cell::text(self.says()).toned(self.tone)
    }
}

/// The steepest slope of a configuration's floor whose interval lies above zero: its
/// family, the series, and the slope as written.
pub fn steepest<'a>(
    figures: &Figures<'a>,
    subject: &Subject,
) -> Option<(&'a str, &'static str, String)> {
    let families = figures.families().into_iter();
    let slopes = families.flat_map(|family| SERIES.map(|(suffix, name)| (family, suffix, name)));
    let rising = slopes.filter_map(|(family, suffix, name)| {
        let slope = figures.in_family(family, subject, &format!("floor.slope{suffix}"));
        let rises = slope.interval.is_some_and(|(low, _)| low > 0.0);
        Some((family, name, slope.value.filter(|_| rises)?, slope))
    });
    let (family, name, _, slope) = rising.max_by(|one, other| one.2.total_cmp(&other.2))?;
    Some((family, name, slope.write_with_interval(number::change).ok()?))
}
