//! The TOML of a policy, and the rules that its values keep.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::{Demand, Hard, LEVEL, Of, Pattern, PerScenario, Policy, Response, Rule, Soft};
use crate::config;
use crate::drive::Mode;
use crate::error::{Error, Result};
use crate::ident::{Digest, is_name, nearest};
use crate::measure::{Direction, METRICS, Metric, MetricId, Needs};

pub(super) const WHAT: &str = "gate policy";

/// The family of rules that name none.
const MAIN: &str = "main";

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WirePolicy {
    name: Spanned<String>,
    #[serde(default)]
    about: String,
    #[serde(default)]
    inconclusive: Response,
    #[serde(default)]
    no_baseline: Response,
    #[serde(default)]
    per_scenario: PerScenario,
    #[serde(default)]
    family: BTreeMap<Spanned<String>, WireFamily>,
    #[serde(default, rename = "rule")]
    rules: Vec<WireRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WireFamily {
    level: Spanned<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Soft,
    Hard,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WireRule {
    name: Spanned<String>,
    kind: Kind,
    metric: Option<Spanned<String>>,
    #[serde(default)]
    metrics: Vec<Spanned<String>>,
    configurations: Option<Vec<Pattern>>,
    #[serde(default)]
    except: Vec<Pattern>,
    scenarios: Option<Vec<Pattern>>,
    mode: Option<Spanned<String>>,
    summarizer: Option<String>,
    #[serde(default)]
    may_match_nothing: bool,
    margin: Option<Spanned<f64>>,
    margin_relative: Option<Spanned<f64>>,
    family: Option<Spanned<String>>,
    at_most: Option<Spanned<f64>>,
    at_least: Option<Spanned<f64>>,
    of: Option<Spanned<Of>>,
}

pub(super) fn parse(file: &str, text: &str) -> Result<Policy> {
    let wire: WirePolicy = config::parse(WHAT, file, text)?;
    let check = Check { file, text };
    if !is_name(wire.name.get_ref()) {
        let rule = format!("`{}` is not a name", wire.name.get_ref());
        let hint = "use lower-case letters, digits, `-`, `.` and `_`";
        return Err(check.broken(wire.name.span(), rule, Some(hint.to_owned())));
    }
    if wire.rules.is_empty() {
        let hint = "add a `[[rule]]`";
        return Err(check.broken(0..0, "it holds no rule".to_owned(), Some(hint.to_owned())));
    }
    let mut names = BTreeSet::new();
    for rule in &wire.rules {
        if !names.insert(rule.name.get_ref()) {
            let says = format!("a second rule `{}`", rule.name.get_ref());
            return Err(check.broken(rule.name.span(), says, None));
        }
    }
    let rules: Vec<Rule> = wire.rules.iter().map(|rule| check.rule(rule)).collect::<Result<_>>()?;
    Ok(Policy {
        name: wire.name.get_ref().clone(),
        about: wire.about,
        digest: Digest::of(text.as_bytes()),
        file: Some(file.to_owned()),
        inconclusive: wire.inconclusive,
        no_baseline: wire.no_baseline,
        per_scenario: wire.per_scenario,
        families: check.families(&wire.family, &rules)?,
        rules,
        text: text.to_owned(),
    })
}

/// Checks values, and draws those that break a rule at their place in the file.
struct Check<'a> {
    file: &'a str,
    text: &'a str,
}

impl Check<'_> {
    fn rule(&self, wire: &WireRule) -> Result<Rule> {
        let metrics: Vec<MetricId> = wire
            .metric
            .iter()
            .chain(&wire.metrics)
            .map(|id| Ok(self.metric(id, &wire.kind)?.id))
            .collect::<Result<_>>()?;
        if metrics.is_empty() {
            let hint = "write `metric = \"...\"` or `metrics = [...]`".to_owned();
            return Err(self.broken(wire.name.span(), "names no metric".to_owned(), Some(hint)));
        }
        let everything = || vec![Pattern("*".to_owned())];
        let demand = match wire.kind {
            Kind::Soft => Demand::Soft(self.soft(wire)?),
            Kind::Hard => Demand::Hard(self.hard(wire)?),
        };
        Ok(Rule {
            name: wire.name.get_ref().clone(),
            line: self.text[..wire.name.span().start.min(self.text.len())].lines().count().max(1),
            metrics,
            configurations: wire.configurations.clone().unwrap_or_else(everything),
            except: wire.except.clone(),
            scenarios: wire.scenarios.clone().unwrap_or_else(everything),
            mode: self.mode(wire.mode.as_ref())?,
            summarizer: wire.summarizer.clone(),
            may_match_nothing: wire.may_match_nothing,
            demand,
            span: wire.name.span(),
        })
    }

    fn metric(&self, id: &Spanned<String>, kind: &Kind) -> Result<&'static Metric> {
        let name = id.get_ref();
        let Some(found) = MetricId::named(name).map(MetricId::metric) else {
            let near = nearest(name, METRICS.iter().map(|metric| metric.name));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            return Err(self.broken(id.span(), format!("`{name}` is no metric"), hint));
        };
        let refused = |says: &str, hint: &str| {
            Err(self.broken(id.span(), format!("`{name}` {says}"), Some(hint.to_owned())))
        };
        if found.unit == "word" {
            return refused("is a word, and no number", "gate a metric that is a number");
        }
        if found.needs == Needs::Sessions {
            let hint = "gate a figure that each session has, such as `floor.one_pass`";
            return refused("is a figure of several sessions together", hint);
        }
        if matches!(kind, Kind::Soft) && found.better == Direction::Neither {
            let hint = "a hard rule may bound it with `at-most` and `at-least`";
            return refused("describes and does not rank: there is no better or worse", hint);
        }
        Ok(found)
    }

    fn soft(&self, wire: &WireRule) -> Result<Soft> {
        for (key, span) in [
            ("at-most", wire.at_most.as_ref().map(Spanned::span)),
            ("at-least", wire.at_least.as_ref().map(Spanned::span)),
            ("of", wire.of.as_ref().map(Spanned::span)),
        ] {
            self.not_here(key, span, "a soft rule compares with the baseline", "hard")?;
        }
        let positive = |key: &str, value: &Option<Spanned<f64>>| match value {
            Some(value) if !(value.get_ref().is_finite() && *value.get_ref() > 0.0) => {
                let says = format!("`{key}` is not above 0");
                let hint = "with a margin of nothing no number of sessions could show a pass";
                Err(self.broken(value.span(), says, Some(hint.to_owned())))
            }
            value => Ok(value.as_ref().map(|value| *value.get_ref())),
        };
        let margin = positive("margin", &wire.margin)?;
        let margin_relative = positive("margin-relative", &wire.margin_relative)?;
        if margin.is_none() && margin_relative.is_none() {
            let hint = "write `margin` in the metric's unit, or `margin-relative` as a share of \
                        the baseline's mean";
            let says = "a soft rule without a margin".to_owned();
            return Err(self.broken(wire.name.span(), says, Some(hint.to_owned())));
        }
        let family = wire.family.as_ref().map_or(MAIN, |family| family.get_ref());
        Ok(Soft { margin, margin_relative, family: family.to_owned() })
    }

    fn hard(&self, wire: &WireRule) -> Result<Hard> {
        for (key, span) in [
            ("margin", wire.margin.as_ref().map(Spanned::span)),
            ("margin-relative", wire.margin_relative.as_ref().map(Spanned::span)),
            ("family", wire.family.as_ref().map(Spanned::span)),
        ] {
            self.not_here(key, span, "a hard rule is absolute", "soft")?;
        }
        for bound in wire.at_most.iter().chain(&wire.at_least) {
            if !bound.get_ref().is_finite() {
                let says = "the bound is not finite".to_owned();
                return Err(self.broken(bound.span(), says, None));
            }
        }
        if wire.at_most.is_none() && wire.at_least.is_none() {
            let says = "a hard rule without a bound".to_owned();
            let hint = "write `at-most` or `at-least`".to_owned();
            return Err(self.broken(wire.name.span(), says, Some(hint)));
        }
        Ok(Hard {
            at_most: wire.at_most.as_ref().map(|bound| *bound.get_ref()),
            at_least: wire.at_least.as_ref().map(|bound| *bound.get_ref()),
            of: wire.of.as_ref().map_or(Of::Cell, |of| *of.get_ref()),
        })
    }

    fn not_here(&self, key: &str, span: Option<Range<usize>>, why: &str, kind: &str) -> Result<()> {
        let Some(span) = span else { return Ok(()) };
        let hint = format!("`{key}` belongs to rules of `kind = \"{kind}\"`");
        Err(self.broken(span, format!("`{key}`: {why}"), Some(hint)))
    }

    fn mode(&self, mode: Option<&Spanned<String>>) -> Result<String> {
        let Some(mode) = mode else { return Ok(Mode::Deployed.name().to_owned()) };
        let name = mode.get_ref();
        if Mode::ALL.iter().any(|known| known.name() == name) {
            return Ok(name.clone());
        }
        let near = nearest(name, Mode::ALL.iter().map(|mode| mode.name()));
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        Err(self.broken(mode.span(), format!("`{name}` is no mode"), hint))
    }

    fn families(
        &self,
        wire: &BTreeMap<Spanned<String>, WireFamily>,
        rules: &[Rule],
    ) -> Result<BTreeMap<String, f64>> {
        let named = rules.iter().filter_map(|rule| match &rule.demand {
            Demand::Soft(soft) => Some(soft.family.as_str()),
            Demand::Hard(_) => None,
        });
        let mut families: BTreeMap<String, f64> =
            named.clone().map(|name| (name.to_owned(), LEVEL)).collect();
        for (name, family) in wire {
            let level = *family.level.get_ref();
            if !(level > 0.0 && level < 1.0) {
                let says = format!("`level`: `{level}` is not between 0 and 1");
                return Err(self.broken(family.level.span(), says, None));
            }
            let Some(known) = families.get_mut(name.get_ref()) else {
                let near = nearest(name.get_ref(), named.clone());
                let hint = near.map(|near| format!("did you mean `{near}`?"));
                let says = format!("no soft rule is of the family `{}`", name.get_ref());
                return Err(self.broken(name.span(), says, hint));
            };
            *known = level;
        }
        Ok(families)
    }

    fn broken(&self, span: Range<usize>, rule: String, hint: Option<String>) -> Error {
        Error::Toml {
            what: WHAT,
            file: self.file.to_owned(),
            text: self.text.to_owned(),
            span,
            rule,
            hint,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOFT: &str = "name = \"p\"\n[[rule]]\nname = \"recall\"\nkind = \"soft\"\n\
                        metric = \"recall_at_need\"\nmargin = 0.02\n";
    const HARD: &str = "name = \"p\"\n[[rule]]\nname = \"rules\"\nkind = \"hard\"\n\
                        metrics = [\"violations\", \"completion\"]\nat-most = 0\n";

    #[test]
    fn what_ships_parses_and_is_no_file() {
        let policy = Policy::embedded().expect("it parses");
        assert_eq!((policy.name.as_str(), policy.file), ("default", None));
        assert!(policy.rules.iter().any(|rule| matches!(rule.demand, Demand::Hard(_))));
    }

    #[test]
    fn a_rule_says_little_and_means_the_usual() {
        let policy = parse("p.toml", SOFT).expect("it parses");
        let rule = &policy.rules[0];
        assert_eq!((rule.line, rule.mode.as_str()), (3, "deployed"));
        assert!(rule.takes_configuration("forge-adr") && rule.takes_scenario("smoke"));
        assert_eq!(policy.families, BTreeMap::from([("main".to_owned(), 0.05)]));
        assert_eq!(policy.inconclusive, Response::Fail);
    }

    #[test]
    fn the_larger_of_two_margins_counts() {
        let soft =
            |margin, margin_relative| Soft { margin, margin_relative, family: "main".to_owned() };
        for (soft, mean, expected) in [
            (soft(Some(2.0), None), 100.0, 2.0),
            (soft(None, Some(0.05)), -100.0, 5.0),
            (soft(Some(2.0), Some(0.05)), 100.0, 5.0),
            (soft(Some(2.0), Some(0.05)), 0.0, 2.0),
        ] {
            assert_eq!(soft.margin_at(mean), expected);
        }
    }

    /// A policy, what in it becomes what, where that is drawn, what is said, and the remedy.
    type Wrong =
        (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

    const WRONG: &[Wrong] = &[
        (
            SOFT,
            "\"recall_at_need\"",
            "\"recal_at_need\"",
            "\"recal_at_need\"",
            "`recal_at_need` is no metric",
            "did you mean `recall_at_need`?",
        ),
        (
            SOFT,
            "recall_at_need",
            "steps_total",
            "\"steps_total\"",
            "`steps_total` describes and does not rank",
            "a hard rule may bound it",
        ),
        (SOFT, "recall_at_need", "ended_by", "\"ended_by\"", "`ended_by` is a word", "a number"),
        (
            SOFT,
            "recall_at_need",
            "floor.horizon",
            "\"floor.horizon\"",
            "`floor.horizon` is a figure of several sessions",
            "each session has",
        ),
        (SOFT, "margin = 0.02", "", "\"recall\"", "a soft rule without a margin", "margin"),
        (SOFT, "0.02", "0", "0", "`margin` is not above 0", "no number of sessions"),
        (
            SOFT,
            "margin = 0.02",
            "margin = 1\nat-most = 0",
            "0",
            "`at-most`: a soft rule compares",
            "kind = \"hard\"",
        ),
        (
            SOFT,
            "margin = 0.02",
            "margin = 1\nmode = \"forcd\"",
            "\"forcd\"",
            "`forcd` is no mode",
            "did you mean `forced`?",
        ),
        (
            SOFT,
            "margin = 0.02",
            "margins = 0.02",
            "margins",
            "unknown field `margins`",
            "did you mean `margin`?",
        ),
        (
            SOFT,
            "[[rule]]",
            "[family.mian]\nlevel = 0.01\n[[rule]]",
            "mian",
            "no soft rule is of the family `mian`",
            "did you mean `main`?",
        ),
        (
            SOFT,
            "[[rule]]",
            "[family.main]\nlevel = 1\n[[rule]]",
            "1",
            "`level`: `1` is not between 0 and 1",
            "",
        ),
        (SOFT, "metric = \"recall_at_need\"", "", "\"recall\"", "names no metric", "metric = "),
        (HARD, "at-most = 0", "", "\"rules\"", "a hard rule without a bound", "at-most"),
        (HARD, "at-most = 0", "at-most = inf", "inf", "the bound is not finite", ""),
        (
            HARD,
            "at-most = 0",
            "at-most = 0\nmargin = 1",
            "1",
            "`margin`: a hard rule",
            "kind = \"soft\"",
        ),
        (HARD, "\"p\"", "\"A Policy\"", "\"A Policy\"", "`A Policy` is not a name", "lower-case"),
    ];

    #[test]
    fn what_is_wrong_is_pointed_at_with_its_remedy() {
        for (text, from, to, at, rule, hint) in WRONG {
            let text = text.replacen(from, to, 1);
            let error = parse("p.toml", &text).expect_err(to);
            let Error::Toml { span, rule: found, hint: given, .. } = error else {
                panic!("{to}: {error}")
            };
            assert!(found.contains(rule), "{found} has no `{rule}`");
            assert_eq!(&text[span], *at, "{found}");
            assert!(given.unwrap_or_default().contains(hint), "{found}: no `{hint}`");
        }
    }

    #[test]
    fn rules_have_names_of_their_own_and_there_is_one_at_least() {
        for text in ["name = \"p\"\n".to_owned(), format!("{SOFT}{}", &SOFT[11..])] {
            assert!(matches!(parse("p.toml", &text), Err(Error::Toml { .. })), "{text}");
        }
    }
}
