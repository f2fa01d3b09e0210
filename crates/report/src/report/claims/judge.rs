//! From figures with intervals to verdicts on claims.

use super::list::{Claim, Condition, Test};
use crate::derive::wilson;
use crate::report::figures::{Figure, Figures, Subject};
use crate::report::floors::verdict::ELIMINATED;
use crate::report::number;

/// What a figure says of a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// All of the interval meets it.
    Holds,
    /// None of it does.
    Fails,
    /// It holds where this is so.
    Where(String),
    /// The interval lies on both sides of the bar, or there is none.
    Open,
    /// Why the run does not test it.
    Untested(String),
}

/// A verdict with the figure behind it.
pub struct Judged {
    /// What it comes to.
    pub verdict: Verdict,
    /// With its interval, as written.
    pub figure: String,
    /// Sessions behind it.
    pub n: u32,
}

/// The claim judged on a configuration's sessions under a summarizer.
pub fn judge(figures: &Figures, claim: &Claim, subject: &Subject, summarizer: &str) -> Judged {
    let names = &figures.run.manifest.summarizers;
    // A name of the run's own, which the figures are kept under.
    let name = names.iter().find(|name| *name == summarizer);
    let pooled = |metric: &str| match name {
        Some(name) => figures.pooled(subject, name, metric),
        None => Figure::default(),
    };
    match &claim.test {
        Test::AtLeast(bar, conditions) => at_least(*bar, conditions, pooled),
        Test::AtMost(bar, metric, instead) => at_most(*bar, &pooled(metric), *instead, pooled),
        Test::AboveZero(metric) => {
            let figure = pooled(metric);
            let compare = figure.interval.map(|(low, high)| (low > 0.0, high <= 0.0));
            simple(compare, &figure)
        }
        Test::Always(metric) => always(&pooled(metric)),
        Test::AlwaysWhereFailing(metric) => {
            let cells = figures.cells(subject, figures.main);
            let own = |cell: &str| cells.iter().any(|row| row.key.cell == cell);
            let mut plans = figures.run.compactions.iter();
            match plans.any(|plan| plan.failed_attempts > 0 && own(&plan.cell)) {
                true => always(&pooled(metric)),
                false => untested("no summary request failed in this run"),
            }
        }
        Test::Floor => floor(figures, subject),
        Test::Waiting => waiting(&pooled("claim.within_5s"), &pooled("claim.rate_for_5s")),
        Test::Untestable(why) => untested(why),
    }
}

fn untested(why: &str) -> Judged {
    Judged { verdict: Verdict::Untested(why.to_owned()), figure: String::new(), n: 0 }
}

/// Whether the interval lies wholly on the good or wholly on the bad side.
fn simple(sides: Option<(bool, bool)>, figure: &Figure) -> Judged {
    let Ok(written) = figure.write_with_interval(number::share) else {
        return untested(reason(figure));
    };
    let verdict = match sides {
        Some((true, _)) => Verdict::Holds,
        Some((_, true)) => Verdict::Fails,
        _ => Verdict::Open,
    };
    Judged { verdict, figure: written, n: figure.n }
}

fn reason(figure: &Figure) -> &str {
    if figure.reason.is_empty() { "not measured in this run" } else { &figure.reason }
}

fn at_least(bar: f64, conditions: &[Condition], pooled: impl Fn(&str) -> Figure) -> Judged {
    let found: Vec<(&str, Figure, Judged)> = conditions
        .iter()
        .map(|(condition, metric)| {
            let figure = pooled(metric);
            let sides = figure.interval.map(|(low, high)| (low >= bar, high < bar));
            let judged = simple(sides, &figure);
            (*condition, figure, judged)
        })
        .filter(|(_, figure, _)| figure.value.is_some())
        .collect();
    if found.is_empty() {
        return untested("no session that the claim is about completed");
    }
    let told = found.iter().map(|(condition, _, judged)| match *condition {
        "" => judged.figure.clone(),
        condition => format!("{condition}: {} (n {})", judged.figure, judged.n),
    });
    let told: Vec<String> = told.collect();
    let where_it_is = |wanted: Verdict| -> Vec<&str> {
        let fitting = found.iter().filter(|(_, _, judged)| judged.verdict == wanted);
        fitting.map(|(condition, ..)| *condition).collect()
    };
    let holds = where_it_is(Verdict::Holds);
    let verdict = match (holds.len(), where_it_is(Verdict::Fails).len()) {
        (all, _) if all == found.len() => Verdict::Holds,
        (_, all) if all == found.len() => Verdict::Fails,
        (0, _) => Verdict::Open,
        _ => Verdict::Where(format!("sessions are {}", holds.join(" and "))),
    };
    let n = found.iter().map(|(_, figure, _)| figure.n).sum();
    Judged { verdict, figure: told.join("; "), n }
}

fn at_most(
    bar: f64,
    figure: &Figure,
    (why, instead): Condition,
    pooled: impl Fn(&str) -> Figure,
) -> Judged {
    if figure.value.is_none() {
        let other = pooled(instead);
        let written = other.write_with_interval(number::share);
        return match written {
            Ok(written) => Judged {
                verdict: Verdict::Untested(why.to_owned() + " shown"),
                figure: written,
                n: other.n,
            },
            Err(_) => untested("no session has recorded usage"),
        };
    }
    simple(figure.interval.map(|(low, high)| (high <= bar, low > bar)), figure)
}

/// True of every session, or not. Whatever the figure is pooled for elsewhere, here it is
/// a share of sessions, with the interval that all of these have.
fn always(figure: &Figure) -> Judged {
    let Some(share) = figure.value else { return untested(reason(figure)) };
    let sound = (share * f64::from(figure.n)).round() as usize;
    let around = wilson(sound, figure.n as usize);
    let around = around.map(|ends| number::interval(ends, number::share));
    Judged {
        verdict: if share >= 1.0 { Verdict::Holds } else { Verdict::Fails },
        figure: format!("{sound} of {} sessions {}", figure.n, around.unwrap_or_default()),
        n: figure.n,
    }
}

fn floor(figures: &Figures, subject: &Subject) -> Judged {
    let families = figures.families().into_iter().filter(|family| figures.lengths(family) > 1);
    let verdicts = families
        .map(|family| (family, figures.in_family(family, subject, "floor.verdict")))
        .filter(|(_, verdict)| !verdict.word.is_empty());
    let verdicts: Vec<(&str, Figure)> = verdicts.collect();
    if verdicts.is_empty() {
        return untested("it takes sessions of several lengths: `proctor run floor` drives them");
    }
    let gone = |(family, verdict): &(&str, Figure)| {
        (verdict.word == ELIMINATED).then(|| (*family).to_owned())
    };
    let gone: Vec<String> = verdicts.iter().filter_map(gone).collect();
    let open = verdicts.iter().filter(|(_, verdict)| verdict.word == "inconclusive").count();
    let all = verdicts.len();
    let verdict = match (gone.len(), open) {
        (holds, _) if holds == all => Verdict::Holds,
        (0, open) if open == all => Verdict::Open,
        (0, _) => Verdict::Fails,
        _ => Verdict::Where(format!("sessions are of {}", gone.join(", "))),
    };
    // The verdict is no firmer than that of its weakest family.
    let n = verdicts.iter().map(|(_, verdict)| verdict.n).min().unwrap_or(0);
    let figure = format!(
        "of families of several lengths: eliminated in {} of {all}, {open} inconclusive",
        gone.len()
    );
    Judged { verdict, figure, n }
}

/// What share of a session's firings is soon enough, and the rate that would make 95 %
/// of them so.
fn waiting(within: &Figure, rate: &Figure) -> Judged {
    const SHARE: f64 = 0.95;
    let sides = within.interval.map(|(low, high)| (low >= SHARE, high < SHARE));
    let mut judged = simple(sides, within);
    if within.value.is_none() {
        return judged;
    }
    let needed = rate.value.filter(|_| rate.n == within.n);
    judged.figure.push_str(" of firings are within it");
    if judged.verdict == Verdict::Fails
        && let Some(needed) = needed
    {
        let needed = number::tokens(needed);
        let condition = format!("the summarizer writes {needed} tokens a second or more");
        judged.verdict = Verdict::Where(condition);
    }
    judged
}

/// What the ends of summarizing add to a verdict: where one holds and another does not, it
/// holds under conditions, and these are the summarizers. `shorter` tells that prompts were
/// smaller under both ends than under the main one.
pub fn bracketed(main: &str, verdict: Verdict, ends: &[Under], shorter: bool) -> Verdict {
    if !matches!(verdict, Verdict::Holds | Verdict::Fails) {
        return verdict;
    }
    let own = [(main, &verdict)].into_iter();
    let all = own.chain(ends.iter().map(|end| (end.summarizer, &end.judged.verdict)));
    let all: Vec<(&str, &Verdict)> = all.collect();
    let named = |wanted: &Verdict| -> Vec<&str> {
        all.iter().filter(|(_, own)| *own == wanted).map(|(name, _)| *name).collect()
    };
    let (holds, fails) = (named(&Verdict::Holds), named(&Verdict::Fails));
    if holds.is_empty() || fails.is_empty() {
        return verdict;
    }
    let told = format!("by {}, not by {}", holds.join(" and "), fails.join(" and "));
    // Empty summaries know nothing: where they pass, it is no knowledge that decides.
    Verdict::Where(match fails[..] == [main] && holds.contains(&"null") && shorter {
        true => format!("summaries are short enough: {told}"),
        false => format!("summaries are {told}"),
    })
}

/// A claim judged under another summarizer.
pub struct Under {
    /// Its name.
    pub summarizer: &'static str,
    /// What came of it.
    pub judged: Judged,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: f64, low: f64, high: f64) -> Figure {
        Figure { value: Some(value), interval: Some((low, high)), n: 9, ..Figure::default() }
    }

    fn band(of: fn(&str) -> Figure) -> Verdict {
        at_least(0.4, &[("short", "short"), ("long", "long")], of).verdict
    }

    #[test]
    fn a_claim_holds_where_the_whole_interval_meets_it() {
        assert_eq!(band(|_| figure(0.5, 0.4, 0.6)), Verdict::Holds);
        assert_eq!(band(|_| figure(0.5, 0.39, 0.6)), Verdict::Open);
        assert_eq!(band(|_| figure(0.3, 0.2, 0.39)), Verdict::Fails);
        let mixed = |metric: &str| match metric {
            "short" => figure(0.3, 0.2, 0.35),
            _ => figure(0.7, 0.6, 0.8),
        };
        assert_eq!(band(mixed), Verdict::Where("sessions are long".to_owned()));
        assert!(matches!(band(|_| Figure::default()), Verdict::Untested(_)));
        // One session has no interval, and decides nothing.
        let single = |_: &str| Figure { interval: None, n: 1, ..figure(0.9, 0.9, 0.9) };
        assert_eq!(band(single), Verdict::Open);
    }

    #[test]
    fn what_must_never_happen_fails_with_the_first_session() {
        assert_eq!(always(&figure(1.0, 0.7, 1.0)).verdict, Verdict::Holds);
        let judged = always(&figure(8.0 / 9.0, 0.56, 0.98));
        assert_eq!(judged.verdict, Verdict::Fails);
        assert_eq!(judged.figure, "8 of 9 sessions [57%, 98%]");
        // No spread between sessions is no proof: the interval has a width all the same.
        assert_eq!(always(&figure(1.0, 1.0, 1.0)).figure, "9 of 9 sessions [70%, 100%]");
    }

    #[test]
    fn the_ends_of_summarizing_make_a_verdict_conditional() {
        let end = |summarizer, verdict| Under {
            summarizer,
            judged: Judged { verdict, figure: String::new(), n: 9 },
        };
        let told = |own, null, perfect, shorter| {
            let ends = [end("null", null), end("perfect", perfect)];
            bracketed("extractive", own, &ends, shorter)
        };
        let condition = |says: &str| Verdict::Where(says.to_owned());
        let (holds, fails) = (Verdict::Holds, Verdict::Fails);
        for (own, null, perfect, shorter, expected) in [
            (
                &fails,
                &holds,
                &holds,
                true,
                condition("summaries are short enough: by null and perfect, not by extractive"),
            ),
            (
                &fails,
                &holds,
                &holds,
                false,
                condition("summaries are by null and perfect, not by extractive"),
            ),
            (
                &fails,
                &fails,
                &holds,
                true,
                condition("summaries are by perfect, not by extractive and null"),
            ),
            (
                &holds,
                &holds,
                &fails,
                false,
                condition("summaries are by extractive and null, not by perfect"),
            ),
            (&fails, &fails, &fails, true, Verdict::Fails),
            (&holds, &holds, &Verdict::Open, true, Verdict::Holds),
            (&Verdict::Open, &holds, &fails, true, Verdict::Open),
        ] {
            assert_eq!(told(own.clone(), null.clone(), perfect.clone(), shorter), expected);
        }
        assert_eq!(bracketed("extractive", Verdict::Fails, &[], true), Verdict::Fails);
    }

    #[test]
    fn waiting_too_long_holds_at_the_rate_that_it_would_take() {
        let rate = Figure { value: Some(180.0), n: 9, ..Figure::default() };
        let slow = figure(0.1, 0.0, 0.2);
        assert!(matches!(waiting(&slow, &rate).verdict, Verdict::Where(_)));
        // Some session is too slow at any rate.
        let fewer = Figure { n: 8, ..rate.clone() };
        assert_eq!(waiting(&slow, &fewer).verdict, Verdict::Fails);
        assert_eq!(waiting(&figure(1.0, 0.96, 1.0), &rate).verdict, Verdict::Holds);
    }
}
