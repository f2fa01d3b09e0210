//! The TOML of a policy, and the rules that its values keep.

use std::ops::Range;

use toml::Spanned;

use super::{Demand, Hard, LEVEL, Of, Pattern, PerScenario, Policy, Response, Rule, Soft};
use crate::config;
use crate::drive::Mode;
use crate::ident::{did_you_mean, is_name};
use crate::measure::{Direction, METRICS, MetricId, Needs};
use crate::prelude::*;

const WHAT: &str = "gate policy";

const MAIN: &str = "main";

/// The share of sessions that chance may end earlier, where a policy names none.
const EARLY_ENDS: f64 = 0.05;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WirePolicy {
    name: Spanned<String>,
    #[serde(default, rename = "about")]
    _about: String,
    #[serde(default = "warn")]
    undecided: Response,
    #[serde(default)]
    no_baseline: Response,
    #[serde(default)]
    per_scenario: PerScenario,
    chance_of_early_ends: Option<Spanned<f64>>,
    #[serde(default)]
    family: BTreeMap<Spanned<String>, WireFamily>,
    #[serde(default, rename = "rule")]
    rules: Vec<WireRule>,
}

fn warn() -> Response {
    Response::Warn
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WireFamily {
    level: Spanned<f64>,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
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
    #[serde(default)]
    may_stay_open: bool,
    margin: Option<Spanned<f64>>,
    margin_relative: Option<Spanned<f64>>,
    family: Option<Spanned<String>>,
    at_most: Option<Spanned<f64>>,
    at_least: Option<Spanned<f64>>,
    of: Option<Spanned<Of>>,
    rise: Option<Spanned<f64>>,
}

impl Policy {
    /// Parses and checks a policy; [`Error::Toml`], drawn at the key or value that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Policy> {
        let wire: WirePolicy = config::parse(WHAT, file, text)?;
        let check = Check { file, text };
        if !is_name(wire.name.get_ref()) {
            let rule = format!("`{}` is not a name", wire.name.get_ref());
            let hint = "use lower-case letters, digits, `-`, `.` and `_`";
            return Err(check.broken(wire.name.span(), rule, hint));
        }
        if wire.rules.is_empty() {
            return Err(check.broken(0..0, "it holds no rule", "add a `[[rule]]`"));
        }
        let mut names = BTreeSet::new();
        for rule in &wire.rules {
            if !names.insert(rule.name.get_ref()) {
                let says = format!("a second rule `{}`", rule.name.get_ref());
                return Err(check.broken(rule.name.span(), says, None));
            }
        }
        let rules: Vec<Rule> =
            wire.rules.iter().map(|rule| check.rule(rule)).collect::<Result<_>>()?;
        Ok(Policy {
            name: wire.name.get_ref().clone(),
            digest: Digest::of(text.as_bytes()),
            file: Some(file.to_owned()),
            undecided: wire.undecided,
            no_baseline: wire.no_baseline,
            per_scenario: wire.per_scenario,
            chance_of_early_ends: check.chance(wire.chance_of_early_ends.as_ref())?,
            spends: 1.0,
            families: check.families(&wire.family, &rules)?,
            rules,
            text: text.to_owned(),
        })
    }
}

/// A policy's text, which errors draw, and what it is called.
pub(super) struct Check<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

impl Check<'_> {
    fn chance(&self, given: Option<&Spanned<f64>>) -> Result<f64> {
        let Some(given) = given else { return Ok(EARLY_ENDS) };
        let share = *given.get_ref();
        if share > 0.0 && share < 1.0 {
            return Ok(share);
        }
        let says = format!("`chance-of-early-ends`: {share} is no share between 0 and 1");
        let hint = "it is used only where the summarizer draws lots";
        Err(self.broken(given.span(), says, hint))
    }

    fn rule(&self, wire: &WireRule) -> Result<Rule> {
        let metrics = wire.metric.iter().chain(&wire.metrics);
        let metrics: Vec<MetricId> =
            metrics.map(|id| self.metric(id, wire.kind)).collect::<Result<_>>()?;
        if metrics.is_empty() {
            let hint = "write `metric = \"...\"` or `metrics = [...]`";
            return Err(self.broken(wire.name.span(), "names no metric", hint));
        }
        let is_worse = |id: &&MetricId| id.metric().better == Direction::Lower;
        if let (Some(rise), Some(id)) =
            (&wire.rise, metrics.iter().find(|id| wire.kind == Kind::Hard && !is_worse(id)))
        {
            let says = format!("`rise`: a higher `{id}` is not worse");
            return Err(self.broken(rise.span(), says, "a soft rule judges what may only fall"));
        }
        let everything = || vec![Pattern("*".to_owned())];
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
            may_stay_open: wire.may_stay_open,
            demand: self.demand(wire)?,
            span: wire.name.span(),
        })
    }

    fn metric(&self, id: &Spanned<String>, kind: Kind) -> Result<MetricId> {
        let name = id.get_ref();
        let Some(found) = MetricId::named(name).map(MetricId::metric) else {
            let hint = did_you_mean(name, METRICS.iter().map(|metric| metric.name));
            return Err(self.broken(id.span(), format!("`{name}` is no metric"), hint.as_deref()));
        };
        let (says, hint) = if found.unit == "word" {
            ("is a word, and no number", "gate a metric that is a number")
        } else if found.needs == Needs::Sessions {
            let hint = "gate a figure that each session has, such as `floor.one_pass`";
            ("is a figure of several sessions together", hint)
        } else if kind == Kind::Soft && found.better == Direction::Neither {
            let hint = "a hard rule may bound it with `at-most` and `at-least`";
            ("describes and does not rank: there is no better or worse", hint)
        } else {
            return Ok(found.id);
        };
        Err(self.broken(id.span(), format!("`{name}` {says}"), hint))
    }

    fn demand(&self, wire: &WireRule) -> Result<Demand> {
        let span = |value: &Option<Spanned<f64>>| value.as_ref().map(Spanned::span);
        let of_bounds = [
            ("at-most", span(&wire.at_most)),
            ("at-least", span(&wire.at_least)),
            ("of", wire.of.as_ref().map(Spanned::span)),
        ];
        let rise = ("rise", span(&wire.rise));
        let of_hard = of_bounds.iter().cloned().chain([rise]).collect();
        let of_soft = vec![
            ("margin", span(&wire.margin)),
            ("margin-relative", span(&wire.margin_relative)),
            ("family", wire.family.as_ref().map(Spanned::span)),
        ];
        let (foreign, why, kind): (Vec<_>, _, _) = match wire.kind {
            Kind::Soft => (of_hard, "a soft rule compares with the baseline", "hard"),
            Kind::Hard => (of_soft, "a hard rule is absolute", "soft"),
        };
        if let Some((key, span)) = foreign.into_iter().find_map(|(key, span)| Some((key, span?))) {
            let hint = format!("`{key}` belongs to rules of `kind = \"{kind}\"`");
            return Err(self.broken(span, format!("`{key}`: {why}"), hint.as_str()));
        }
        let Some(rise) = &wire.rise else {
            return match wire.kind {
                Kind::Soft => self.soft(wire).map(Demand::Soft),
                Kind::Hard => self.hard(wire).map(Demand::Hard),
            };
        };
        if let Some((key, span)) = of_bounds.into_iter().find_map(|(key, span)| Some((key, span?)))
        {
            let hint = "write one rule for the bound and another for the rise";
            return Err(self.broken(span, format!("`{key}` beside `rise`"), hint));
        }
        match *rise.get_ref() {
            share if share.is_finite() && share >= 0.0 => Ok(Demand::Held(share)),
            _ => Err(self.broken(rise.span(), "`rise` is not a share from 0 on", None)),
        }
    }

    fn soft(&self, wire: &WireRule) -> Result<Soft> {
        let [margin, margin_relative] = [&wire.margin, &wire.margin_relative];
        for (key, value) in [("margin", margin), ("margin-relative", margin_relative)] {
            let is_positive = |value: f64| value.is_finite() && value > 0.0;
            if let Some(value) = value.as_ref().filter(|value| !is_positive(*value.get_ref())) {
                let hint = "with a margin of nothing no number of sessions could show a pass";
                return Err(self.broken(value.span(), format!("`{key}` is not above 0"), hint));
            }
        }
        if margin.is_none() && margin_relative.is_none() {
            let hint = "write `margin` in the metric's unit, or `margin-relative` as a share of \
                        the baseline's mean";
            return Err(self.broken(wire.name.span(), "a soft rule without a margin", hint));
        }
        let family = wire.family.as_ref().map_or(MAIN, |family| family.get_ref()).to_owned();
        let [margin, margin_relative] =
            [margin, margin_relative].map(|value| value.as_ref().map(|value| *value.get_ref()));
        Ok(Soft { margin, margin_relative, family })
    }

    fn hard(&self, wire: &WireRule) -> Result<Hard> {
        let mut bounds = wire.at_most.iter().chain(&wire.at_least);
        if let Some(bound) = bounds.find(|bound| !bound.get_ref().is_finite()) {
            return Err(self.broken(bound.span(), "the bound is not finite", None));
        }
        if wire.at_most.is_none() && wire.at_least.is_none() {
            let hint = "write `at-most` or `at-least`, or `rise` beside the baseline";
            return Err(self.broken(wire.name.span(), "a hard rule without a bound", hint));
        }
        let [at_most, at_least] = [&wire.at_most, &wire.at_least]
            .map(|bound| bound.as_ref().map(|bound| *bound.get_ref()));
        Ok(Hard { at_most, at_least, of: wire.of.as_ref().map_or(Of::Cell, |of| *of.get_ref()) })
    }

    fn mode(&self, mode: Option<&Spanned<String>>) -> Result<Mode> {
        let Some(mode) = mode else { return Ok(Mode::Deployed) };
        let name = mode.get_ref();
        Mode::named(name).ok_or_else(|| {
            let hint = did_you_mean(name, Mode::ALL.map(Mode::name));
            self.broken(mode.span(), format!("`{name}` is no mode"), hint.as_deref())
        })
    }

    fn families(
        &self,
        wire: &BTreeMap<Spanned<String>, WireFamily>,
        rules: &[Rule],
    ) -> Result<BTreeMap<String, f64>> {
        let named = rules.iter().filter_map(|rule| match &rule.demand {
            Demand::Soft(soft) => Some(soft.family.as_str()),
            Demand::Hard(_) | Demand::Held(_) => None,
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
                let says = format!("no soft rule is of the family `{}`", name.get_ref());
                let hint = did_you_mean(name.get_ref(), named.clone());
                return Err(self.broken(name.span(), says, hint.as_deref()));
            };
            *known = level;
        }
        Ok(families)
    }

    pub(super) fn broken<'h>(
        &self,
        span: Range<usize>,
        rule: impl Into<String>,
        hint: impl Into<Option<&'h str>>,
    ) -> Error {
        config::broken(WHAT, (self.file, self.text), span, rule, hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOFT: &str = "name = \"p\"\n[[rule]]\nname = \"recall\"\nkind = \"soft\"\n\
                        metric = \"recall_at_need\"\nmargin = 0.02\n";
    const HELD: &str = "name = \"p\"\n[[rule]]\nname = \"rules\"\nkind = \"hard\"\n\
                        metric = \"violations\"\nrise = 0.1\n";
    const HARD: &str = "name = \"p\"\n[[rule]]\nname = \"rules\"\nkind = \"hard\"\n\
                        metrics = [\"violations\", \"completion\"]\nat-most = 0\n";

    #[test]
    fn a_rule_says_little_and_means_the_usual() {
        let policy = Policy::parse("p.toml", SOFT).expect("it parses");
        let rule = &policy.rules[0];
        assert_eq!((rule.line, rule.mode), (3, Mode::Deployed));
        assert!(rule.takes_configuration("forge-adr") && rule.takes_scenario("smoke"));
        assert_eq!(policy.families, BTreeMap::from([("main".to_owned(), 0.05)]));
        assert_eq!((policy.undecided, policy.no_baseline), (Response::Warn, Response::Fail));
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

    #[test]
    fn what_is_wrong_is_pointed_at_with_its_remedy() {
        // A policy, what in it becomes what, where that is drawn, what is said, the remedy.
        let mode = "margin = 1\nmode = \"forcd\"";
        let family = |text| format!("[family.{text}\n[[rule]]");
        let [misspelt, sure] = ["mian]\nlevel = 0.01", "main]\nlevel = 1"].map(family);
        let twice = SOFT[11..].repeat(2);
        for (text, from, to, at, rule, hint) in [
            (SOFT, "recall_at_need", "recal_at_need", "recal_at_need", "no metric", "recall_at"),
            (SOFT, "recall_at_need", "steps_total", "steps_total", "does not rank", "a hard rule"),
            (SOFT, "recall_at_need", "ended_by", "ended_by", "is a word", "a number"),
            (SOFT, "recall_at_need", "floor.horizon", "floor.horizon", "several", "each session"),
            (SOFT, "margin = 0.02", "", "recall", "a soft rule without a margin", "margin"),
            (SOFT, "0.02", "0", "0", "`margin` is not above 0", "no number of sessions"),
            (SOFT, "0.02", "1\nat-most = 0", "0", "`at-most`: a soft rule", "kind = \"hard\""),
            (SOFT, "margin = 0.02", mode, "forcd", "`forcd` is no mode", "mean `forced`?"),
            (SOFT, "margin =", "margins =", "margins", "unknown field", "mean `margin`?"),
            (SOFT, "[[rule]]", &misspelt, "mian", "of the family `mian`", "mean `main`?"),
            (SOFT, "[[rule]]", &sure, "1", "`level`: `1` is not between 0 and 1", ""),
            (SOFT, "metric = \"recall_at_need\"", "", "recall", "no metric", "metric = "),
            (SOFT, &SOFT[11..], "", "", "it holds no rule", "[[rule]]"),
            (SOFT, &SOFT[11..], &twice, "recall", "a second rule `recall`", ""),
            (HARD, "at-most = 0", "", "rules", "a hard rule without a bound", "at-most"),
            (HARD, "at-most = 0", "at-most = inf", "inf", "the bound is not finite", ""),
            (HARD, "= 0", "= 0\nmargin = 1", "1", "`margin`: a hard rule", "kind = \"soft\""),
            (HARD, "\"p\"", "\"A Policy\"", "A Policy", "is not a name", "lower-case"),
            (SOFT, "0.02", "1\nrise = 0", "0", "`rise`: a soft rule", "kind = \"hard\""),
            (HELD, "0.1", "0.1\nat-most = 0", "0", "`at-most` beside `rise`", "for the rise"),
            (HELD, "0.1", "-0.1", "-0.1", "`rise` is not a share", ""),
            (HELD, "violations", "completion", "0.1", "a higher `completion` is not", "soft rule"),
        ] {
            let text = text.replacen(from, to, 1);
            let error = Policy::parse("p.toml", &text).expect_err(to);
            let Error::Toml { span, rule: found, hint: given, .. } = error else {
                panic!("{to}: {error}")
            };
            assert!(found.contains(rule), "{found} has no `{rule}`");
            assert_eq!(text[span].trim_matches('"'), at, "{found}");
            assert!(given.unwrap_or_default().contains(hint), "{found}: no `{hint}`");
        }
    }
}
