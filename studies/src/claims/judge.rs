//! From figures with intervals to verdicts on claims.

use std::collections::{BTreeMap, BTreeSet};

use proctor_eval::frame::{Frame, Scope};
use proctor_eval::measure::floor::verdict::Verdict as OfFloor;
use proctor_eval::measure::{MetricId, Word};
use serde::Deserialize;

use super::figures::{Figure, Pooled, any_failure, pooled, savings};
use crate::run::{Cell, Run};
use crate::saving;
use crate::table::{number, percent, with_ends};

#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Holds,
    Fails,
    Where(String),
    /// The interval lies on both sides of the bar, or there is none.
    Open,
    /// Why the run does not test it.
    Untested(String),
}

pub struct Judged {
    pub verdict: Verdict,
    /// With its interval, as written.
    pub figure: String,
    pub n: usize,
}

pub struct Subject<'a> {
    pub configuration: &'a str,
    pub summarizer: &'a str,
    pub cells: Vec<&'a Cell>,
}

impl Verdict {
    pub fn words(&self) -> String {
        match self {
            Verdict::Holds => "holds".to_owned(),
            Verdict::Fails => "does not hold".to_owned(),
            Verdict::Where(condition) => format!("holds where {condition}"),
            Verdict::Open => "not decided".to_owned(),
            Verdict::Untested(why) => format!("not tested: {why}"),
        }
    }
}

impl Judged {
    /// Without a figure; why the run does not test it.
    pub fn untested(why: &str) -> Judged {
        Judged { verdict: Verdict::Untested(why.to_owned()), figure: String::new(), n: 0 }
    }
}

/// What decides a claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Test {
    /// The whole interval of each figure is at or above the bar.
    AtLeast {
        bar: f64,
        figures: Vec<Part>,
    },
    /// The same below it. Without the figure another is shown, and why it cannot decide.
    AtMost {
        bar: f64,
        figure: Figure,
        instead: Figure,
        why: String,
    },
    /// ADR-0014's saving, without or with the tokens of the summarizer.
    Saving(Saving),
    AboveZero(Figure),
    Always(Figure),
    /// The same, where a summary request failed at all.
    AlwaysWhereFailing(Figure),
    Floor,
    /// The share of firings that are soon enough, and the rate that would make all so.
    Waiting {
        within: Figure,
        rate: Figure,
    },
    /// No replay can tell, and why.
    Untestable(String),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Saving {
    Gross,
    Net,
}

/// A figure over some of the sessions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    figure: Figure,
    /// Which sessions; empty where all.
    #[serde(default)]
    of: String,
}

pub fn judge(run: &Run, facts: &Frame, test: &Test, subject: &Subject) -> Judged {
    // As group figures name it.
    let name = format!("{}/deployed/{}", subject.configuration, subject.summarizer);
    let pooled = |figure: &Figure| pooled(facts, *figure, &subject.cells);
    match test {
        Test::AtLeast { bar, figures } => {
            let parts = figures.iter().map(|part| (part.of.as_str(), pooled(&part.figure)));
            at_least(*bar, parts.collect())
        }
        Test::AtMost { bar, figure, instead, why } => {
            let figure = pooled(figure);
            if figure.value.is_some() {
                return simple(figure, |low, high| (high <= *bar, low > *bar));
            }
            let shown = pooled(instead);
            let Some(figure) = written(&shown) else {
                return Judged::untested("no session has recorded usage");
            };
            Judged { verdict: Verdict::Untested(why.clone()), figure, n: shown.n }
        }
        Test::Saving(kind) => {
            let metric = match kind {
                Saving::Gross => MetricId::SavingsGross,
                Saving::Net => MetricId::SavingsNet,
            };
            saving::judged(savings(facts, metric, &subject.cells))
        }
        Test::AboveZero(figure) => simple(pooled(figure), |low, high| (low > 0.0, high <= 0.0)),
        Test::Always(figure) => always(&pooled(figure)),
        Test::AlwaysWhereFailing(figure) => match any_failure(facts, &subject.cells) {
            true => always(&pooled(figure)),
            false => Judged::untested("no summary request failed in this run"),
        },
        Test::Floor => floor(run, &name),
        Test::Waiting { within, rate } => waiting(pooled(within), &pooled(rate)),
        Test::Untestable(why) => Judged::untested(why),
    }
}

/// Whether the floor is gone: the verdicts of a run on families of several lengths.
fn floor(run: &Run, subject: &str) -> Judged {
    let mut lengths: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for cell in run.data.measurements.iter().filter(|cell| !cell.is_twin()) {
        lengths.entry(&cell.key.family).or_default().insert(cell.key.turns);
    }
    lengths.retain(|_, lengths| lengths.len() > 1);
    let verdict = |family: &str| {
        let subject = format!("{family}/{subject}");
        let row = run.derived(Scope::Group, &subject, MetricId::FloorVerdict)?;
        Some((row.n, row.as_word()?))
    };
    let verdicts = lengths.into_keys().filter_map(|family| Some((family, verdict(family)?)));
    let verdicts: Vec<_> = verdicts.collect();
    // The verdict is no firmer than that of its weakest family.
    let Some(n) = verdicts.iter().map(|(_, (n, _))| *n as usize).min() else {
        let why = "it takes sessions of several lengths: `proctor run floor` drives them";
        return Judged::untested(why);
    };
    let with = |wanted: OfFloor| -> Vec<&str> {
        let own = verdicts.iter().filter(|(_, (_, word))| *word == Word::Floor(wanted));
        own.map(|(family, _)| *family).collect()
    };
    let open = [OfFloor::Inconclusive, OfFloor::NotShown].map(|word| with(word).len());
    let (gone, open) = (with(OfFloor::Eliminated), open.iter().sum::<usize>());
    let all = verdicts.len();
    let verdict = match (gone.len(), open) {
        (holds, _) if holds == all => Verdict::Holds,
        (0, open) if open == all => Verdict::Open,
        (0, _) => Verdict::Fails,
        _ => Verdict::Where(format!("sessions are of {}", gone.join(", "))),
    };
    let gone = gone.len();
    let of = "of families of several lengths: eliminated in";
    Judged { verdict, figure: format!("{of} {gone} of {all}, {open} inconclusive"), n }
}

fn written(figure: &Pooled) -> Option<String> {
    Some(with_ends(figure.value?, figure.interval, percent))
}

/// `sides` tells of an interval whether it lies wholly on the good, or wholly on the bad side.
fn simple(figure: Pooled, sides: impl Fn(f64, f64) -> (bool, bool)) -> Judged {
    let Some(written) = written(&figure) else {
        return Judged::untested("no session that the claim is about has the figure");
    };
    let verdict = match figure.interval.map(|ends| sides(ends.low, ends.high)) {
        Some((true, _)) => Verdict::Holds,
        Some((_, true)) => Verdict::Fails,
        Some((false, false)) | None => Verdict::Open,
    };
    Judged { verdict, figure: written, n: figure.n }
}

/// Each part against the bar. What holds for the parts that were driven holds for those alone.
pub fn at_least(bar: f64, parts: Vec<(&str, Pooled)>) -> Judged {
    let all = parts.len();
    let known = parts.into_iter().filter(|(_, figure)| figure.value.is_some());
    let judged =
        known.map(|(of, figure)| (of, simple(figure, |low, high| (low >= bar, high < bar))));
    let judged: Vec<(&str, Judged)> = judged.collect();
    if judged.is_empty() {
        return Judged::untested("no session that the claim is about completed");
    }
    let written = judged.iter().map(|(of, one)| match *of {
        "" => one.figure.clone(),
        of => format!("{of}: {} (n {})", one.figure, one.n),
    });
    let written: Vec<String> = written.collect();
    let with = |wanted: Verdict| -> Vec<&str> {
        judged.iter().filter(|(_, one)| one.verdict == wanted).map(|(of, _)| *of).collect()
    };
    let holds = with(Verdict::Holds);
    let verdict = match (holds.len(), with(Verdict::Fails).len()) {
        (holds, _) if holds == all => Verdict::Holds,
        (_, fails) if fails == judged.len() => Verdict::Fails,
        (0, _) => Verdict::Open,
        _ => Verdict::Where(format!("sessions are {}", holds.join(" and "))),
    };
    let n = judged.iter().map(|(_, one)| one.n).sum();
    Judged { verdict, figure: written.join("; "), n }
}

fn always(figure: &Pooled) -> Judged {
    let Some((share, ends)) = figure.value.zip(figure.interval) else {
        return Judged::untested("no session that the claim is about has the figure");
    };
    let sound = (share * figure.n as f64).round();
    let ends = format!("[{}, {}]", percent(ends.low), percent(ends.high));
    Judged {
        verdict: if share >= 1.0 { Verdict::Holds } else { Verdict::Fails },
        figure: format!("{sound} of {} sessions {ends}", figure.n),
        n: figure.n,
    }
}

/// The share of firings that are soon enough, and the rate that would make 95 % of them so.
fn waiting(within: Pooled, rate: &Pooled) -> Judged {
    const SHARE: f64 = 0.95;
    let mut judged = simple(within, |low, high| (low >= SHARE, high < SHARE));
    if within.value.is_none() {
        return judged;
    }
    judged.figure.push_str(" of firings are within it");
    // Sessions that no rate makes fast enough are not among those of the rate.
    let needed = rate.value.filter(|_| rate.n == within.n);
    if let (Verdict::Fails, Some(needed)) = (&judged.verdict, needed) {
        let needed = number(needed);
        let condition = format!("the summarizer writes {needed} tokens a second or more");
        judged.verdict = Verdict::Where(condition);
    }
    judged
}

/// A verdict that holds under one summarizer and fails under another holds under these.
pub fn bracketed(main: (&str, &Verdict), ends: &[(&str, Judged)]) -> Verdict {
    let all = || {
        let ends = ends.iter().map(|(name, judged)| (*name, &judged.verdict));
        [main].into_iter().chain(ends)
    };
    let named = |wanted: &Verdict| {
        let names = all().filter(|(_, own)| *own == wanted).map(|(name, _)| name);
        names.collect::<Vec<&str>>().join(" and ")
    };
    let (holds, fails) = (named(&Verdict::Holds), named(&Verdict::Fails));
    let decided = matches!(main.1, Verdict::Holds | Verdict::Fails);
    if !decided || holds.is_empty() || fails.is_empty() {
        return main.1.clone();
    }
    Verdict::Where(format!("summaries are by {holds}, not by {fails}"))
}

#[cfg(test)]
mod tests {
    use proctor_eval::stats::resample::Interval;

    use super::*;

    fn figure(value: f64, low: f64, high: f64) -> Pooled {
        Pooled { value: Some(value), interval: Some(Interval { low, high }), n: 9 }
    }

    fn band(short: Pooled, long: Pooled) -> Verdict {
        at_least(0.4, vec![("short", short), ("long", long)]).verdict
    }

    #[test]
    fn a_claim_holds_where_the_whole_interval_meets_it() {
        let alike = |one: Pooled| band(one, one);
        assert_eq!(alike(figure(0.5, 0.4, 0.6)), Verdict::Holds);
        assert_eq!(alike(figure(0.5, 0.39, 0.6)), Verdict::Open);
        assert_eq!(alike(figure(0.3, 0.2, 0.39)), Verdict::Fails);
        let mixed = band(figure(0.3, 0.2, 0.35), figure(0.7, 0.6, 0.8));
        assert_eq!(mixed, Verdict::Where("sessions are long".to_owned()));
        assert!(matches!(alike(Pooled::default()), Verdict::Untested(_)));
        // One session has no interval, and decides nothing.
        assert_eq!(alike(Pooled { value: Some(0.9), interval: None, n: 1 }), Verdict::Open);
    }

    #[test]
    fn what_must_never_happen_fails_with_the_first_session() {
        assert_eq!(always(&figure(1.0, 0.7, 1.0)).verdict, Verdict::Holds);
        let judged = always(&figure(8.0 / 9.0, 0.565, 0.98));
        assert_eq!(judged.verdict, Verdict::Fails);
        assert_eq!(judged.figure, "8 of 9 sessions [56.5 %, 98 %]");
    }

    #[test]
    fn other_summarizers_make_a_verdict_conditional() {
        let (holds, fails, open) = (Verdict::Holds, Verdict::Fails, Verdict::Open);
        for (own, null, perfect, expected) in [
            (&fails, &holds, &holds, "by empty and perfect, not by extractive"),
            (&fails, &fails, &holds, "by perfect, not by extractive and empty"),
            (&holds, &holds, &fails, "by extractive and empty, not by perfect"),
            (&fails, &fails, &fails, ""),
            (&holds, &holds, &open, ""),
            (&open, &holds, &fails, ""),
        ] {
            let end =
                |verdict: &Verdict| Judged { verdict: verdict.clone(), ..Judged::untested("") };
            let ends = [("empty", end(null)), ("perfect", end(perfect))];
            let found = bracketed(("extractive", own), &ends);
            match expected {
                "" => assert_eq!(found, *own),
                by => assert_eq!(found, Verdict::Where(format!("summaries are {by}"))),
            }
        }
    }

    #[test]
    fn waiting_too_long_holds_at_the_rate_that_it_would_take() {
        let rate = Pooled { value: Some(180.0), interval: None, n: 9 };
        let slow = figure(0.1, 0.0, 0.2);
        assert!(matches!(waiting(slow, &rate).verdict, Verdict::Where(_)));
        // Some session is too slow at any rate.
        assert_eq!(waiting(slow, &Pooled { n: 8, ..rate }).verdict, Verdict::Fails);
        assert_eq!(waiting(figure(1.0, 0.96, 1.0), &rate).verdict, Verdict::Holds);
    }
}
