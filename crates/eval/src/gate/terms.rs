//! What a pipeline file says to the gate, in its table `gate`: what it is derived from, and the
//! losses that are intended. Neither changes what the pipeline does.

use toml::Spanned;

use super::detail::{Acceptance, Outcome, Place};
use super::finding::{Finding, Judgement};
use super::policy::Policy;
use super::verdict::Verdict;
use super::words;
use crate::config;
use crate::ident::did_you_mean;
use crate::measure::{METRICS, MetricId};
use crate::prelude::*;

const WHAT: &str = "pipeline";

/// The table `gate` of a pipeline file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terms {
    /// The pipeline, by name or file, beside which a file is judged that has no earlier version.
    pub derived_from: Option<String>,
    /// The intended losses.
    pub accepts: Vec<Acceptance>,
}

#[derive(Deserialize)]
struct WireFile {
    #[serde(default)]
    gate: WireTerms,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WireTerms {
    derived_from: Option<String>,
    #[serde(default)]
    accept: Vec<WireAcceptance>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WireAcceptance {
    metric: Spanned<String>,
    scenario: Option<String>,
    up_to: Option<Spanned<f64>>,
    up_to_relative: Option<Spanned<f64>>,
    until: Spanned<String>,
    because: Spanned<String>,
}

impl Terms {
    /// Reads the table of a pipeline file; [`Error::Toml`], drawn at the value that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Terms> {
        let wire: WireFile = config::parse(WHAT, file, text)?;
        let read = |one: &WireAcceptance| acceptance(file, text, one);
        Ok(Terms {
            derived_from: wire.gate.derived_from,
            accepts: wire.gate.accept.iter().map(read).collect::<Result<_>>()?,
        })
    }
}

fn acceptance(file: &str, text: &str, wire: &WireAcceptance) -> Result<Acceptance> {
    let broken = |span, rule: String, hint: Option<&str>| {
        config::broken(WHAT, (file, text), span, rule, hint)
    };
    let name = wire.metric.get_ref();
    let metric = MetricId::named(name).ok_or_else(|| {
        let hint = did_you_mean(name, METRICS.iter().map(|metric| metric.name));
        broken(wire.metric.span(), format!("`{name}` is no metric"), hint.as_deref())
    })?;
    if metric.is_completion() {
        let rule = "sessions that end earlier are not accepted".to_owned();
        return Err(broken(wire.metric.span(), rule, None));
    }
    for limit in [&wire.up_to, &wire.up_to_relative].into_iter().flatten() {
        if !(limit.get_ref().is_finite() && *limit.get_ref() > 0.0) {
            return Err(broken(limit.span(), "the limit is a number above 0".to_owned(), None));
        }
    }
    if wire.up_to.is_none() && wire.up_to_relative.is_none() {
        let hint = "write `up-to = 0.05` (in the metric's unit) or `up-to-relative = 0.10`";
        return Err(broken(wire.metric.span(), "it has no limit".to_owned(), Some(hint)));
    }
    let until = wire.until.get_ref();
    if chrono::NaiveDate::parse_from_str(until, "%Y-%m-%d").is_err() || until.len() != 10 {
        let rule = format!("`{until}` is no day");
        return Err(broken(wire.until.span(), rule, Some("write it as \"2027-01-31\"")));
    }
    let because = wire.because.get_ref().trim();
    if because.is_empty() {
        let rule = "it does not say why the loss is wanted".to_owned();
        return Err(broken(wire.because.span(), rule, None));
    }
    let start = wire.metric.span().start.min(text.len());
    Ok(Acceptance {
        metric,
        scenario: wire.scenario.clone(),
        up_to: wire.up_to.as_ref().map(|limit| *limit.get_ref()),
        up_to_relative: wire.up_to_relative.as_ref().map(|limit| *limit.get_ref()),
        until: until.clone(),
        because: because.to_owned(),
        place: Place {
            file: file.replace('\\', "/"),
            line: 1 + text[..start].matches('\n').count(),
        },
        outcome: Outcome::Unneeded,
    })
}

impl Acceptance {
    fn limit(&self, finding: &Finding) -> f64 {
        let relative = self.up_to_relative.zip(finding.baseline);
        let relative = relative.map_or(0.0, |(share, mean)| share * mean.abs());
        self.up_to.unwrap_or(0.0).max(relative)
    }

    /// Whether it is about a finding that fails the gate.
    fn is_about(&self, finding: &Finding, configuration: &str) -> bool {
        finding.fails()
            && finding.verdict == Verdict::Regression
            && finding.metric == Some(self.metric)
            && finding.configuration.as_deref() == Some(configuration)
            && (self.scenario.is_none() || self.scenario == finding.scenario)
    }
}

impl Judgement {
    /// Lets the losses of a configuration pass that its file accepts, as of a day (2026-11-26), and
    /// lists every entry with what came of it.
    pub fn accept(&mut self, configuration: &str, terms: &Terms, today: &str, policy: &Policy) {
        for entry in &terms.accepts {
            let mut entry = entry.clone();
            let is_over = entry.until.as_str() < today;
            for finding in &mut self.findings {
                if !entry.is_about(finding, configuration) {
                    continue;
                }
                let limit = entry.limit(finding);
                let (most, loss) = (
                    words::amount(entry.metric, limit),
                    words::amount(entry.metric, finding.difference.unwrap_or(0.0).abs()),
                );
                let allowed = format!("{}:{} accepts {most}", entry.place.file, entry.place.line);
                if is_over {
                    entry.outcome = Outcome::Expired;
                    let reason = format!("{}; {allowed}, until {}", finding.reason, entry.until);
                    finding.reason = reason;
                } else if finding.difference.unwrap_or(f64::INFINITY).abs() > limit {
                    entry.outcome = Outcome::Exceeded;
                    finding.reason = format!("{}; {allowed} only", finding.reason);
                } else {
                    if entry.outcome == Outcome::Unneeded {
                        entry.outcome = Outcome::Accepted;
                    }
                    let reason = format!("worse by {loss}, and {allowed}: {}", entry.because);
                    finding.decide(Verdict::Pass, reason, policy);
                    (finding.counts, finding.accepted) = (true, true);
                }
            }
            self.accepts.push(entry);
        }
        self.settle();
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Made, POLICY, ended_well};
    use super::super::{Baseline, judge};
    use super::*;

    const FILE: &str = "name = \"mine\"\n[gate]\nderived-from = \"forge-adr\"\naccept = [\n  \
        { metric = \"recall_at_need\", up-to = 0.25, until = \"2027-01-31\", because = \"price\" },\n]\n";

    fn judged(loss: f64) -> Judgement {
        let policy = Policy::parse("p.toml", POLICY).expect("it parses");
        let made = Made { configurations: vec!["mine".to_owned()], ..Made::small() };
        let before = |seed: u64| 0.6 + (seed % 3) as f64 / 50.0;
        let base = Baseline::of(&made.run(|_, _, seed| ended_well(before(seed))), &policy);
        let spread = |seed: u64| (seed % 2) as f64 / 1e3;
        let run = made.run(|_, _, seed| ended_well(before(seed) - loss - spread(seed)));
        judge(Some(&base), &run, &policy).expect("it judges")
    }

    fn accepted(loss: f64, file: &str, today: &str) -> Judgement {
        let policy = Policy::parse("p.toml", POLICY).expect("it parses");
        let terms = Terms::parse("mine.toml", file).expect("it parses");
        let mut judgement = judged(loss);
        judgement.accept("mine", &terms, today, &policy);
        judgement
    }

    #[test]
    fn a_loss_passes_within_its_limit_until_its_last_day_and_is_listed() {
        let relative = FILE.replace("up-to = 0.25", "up-to-relative = 0.10");
        let elsewhere = FILE.replace("up-to", "scenario = \"other\", up-to");
        for (loss, file, today, verdict, outcome) in [
            (0.2, FILE, "2026-11-26", Verdict::Pass, Outcome::Accepted),
            (0.2, FILE, "2027-01-31", Verdict::Pass, Outcome::Accepted),
            (0.2, FILE, "2027-02-01", Verdict::Regression, Outcome::Expired),
            (0.3, FILE, "2026-11-26", Verdict::Regression, Outcome::Exceeded),
            (0.2, &relative, "2026-11-26", Verdict::Regression, Outcome::Exceeded),
            (0.2, &elsewhere, "2026-11-26", Verdict::Regression, Outcome::Unneeded),
            (0.0, FILE, "2026-11-26", Verdict::Pass, Outcome::Unneeded),
        ] {
            let judgement = accepted(loss, file, today);
            assert_eq!(judgement.verdict, verdict, "{loss} {today} {judgement:?}");
            assert_eq!(judgement.accepts[0].outcome, outcome, "{loss} {today}");
            assert_eq!(judgement.accepts[0].place.line, 5);
            let passes = judgement.findings.iter().any(|finding| finding.accepted);
            assert_eq!(passes, outcome == Outcome::Accepted);
        }
    }

    #[test]
    fn an_entry_that_cannot_be_meant_is_drawn_at_its_value() {
        for (from, to, says) in [
            ("recall_at_need", "recall_at_ned", "is no metric"),
            ("recall_at_need", "completion", "sessions that end earlier"),
            ("up-to = 0.25, ", "", "it has no limit"),
            ("0.25", "-0.25", "above 0"),
            ("2027-01-31", "2027-02-31", "is no day"),
            ("2027-01-31", "next year", "is no day"),
            ("\"price\"", "\" \"", "why the loss is wanted"),
            ("because", "reason", "unknown field"),
            ("derived-from", "derived", "unknown field"),
        ] {
            let error = Terms::parse("mine.toml", &FILE.replace(from, to)).expect_err(from);
            let Error::Toml { rule, .. } = &error else { panic!("{error}") };
            assert!(rule.contains(says), "{from}: {rule}");
        }
        let terms = Terms::parse("mine.toml", FILE).expect("it parses");
        assert_eq!(terms.derived_from.as_deref(), Some("forge-adr"));
        assert_eq!(Terms::parse("a.toml", "name = \"a\"").expect("it parses"), Terms::default());
    }
}
