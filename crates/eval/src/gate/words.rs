//! Figures of findings as people read them: with their unit, from what to what.

use super::finding::Finding;
use crate::measure::{Direction, MetricId};
use crate::number;

/// What people call a metric.
pub fn called(metric: MetricId) -> &'static str {
    metric.metric().called.unwrap_or(metric.name())
}

/// What a metric means, in a few words.
pub(super) fn means(metric: MetricId) -> Option<&'static str> {
    metric.metric().means
}

/// A figure: `82.6%`, `$1.23`, `12.3k`, `4 demands`.
pub fn figure(metric: MetricId, value: f64) -> String {
    match metric.metric().unit {
        "share" => percent(value),
        "dollars" => number::dollars(value),
        "tokens" => number::short(value),
        unit => counted(value, unit),
    }
}

/// The size of a difference: `24.2 points`, `1.2k tokens`.
pub fn amount(metric: MetricId, value: f64) -> String {
    match metric.metric().unit {
        "share" => match trimmed(value * 100.0).as_str() {
            "1" => "1 point".to_owned(),
            points => format!("{points} points"),
        },
        "tokens" => format!("{} tokens", number::short(value)),
        _ => figure(metric, value),
    }
}

fn counted(value: f64, unit: &str) -> String {
    format!("{} {unit}", number::short(value))
}

fn percent(value: f64) -> String {
    format!("{}%", trimmed(value * 100.0))
}

/// One decimal, unless it is nought.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).trim_start_matches("-0").to_owned()
}

/// From what to what: `82.6% → 58.4%`, `3 → 14 violations`.
pub(super) fn moved(metric: MetricId, from: f64, to: f64) -> String {
    let unit = metric.metric().unit;
    if !["share", "dollars", "tokens"].contains(&unit) {
        return format!("{} → {}", number::short(from), figure(metric, to));
    }
    format!("{} → {}", figure(metric, from), figure(metric, to))
}

/// How much a figure moved: shares in points, others in per cent where that can be said.
pub(super) fn change(metric: MetricId, from: f64, to: f64) -> String {
    let sign = if to < from { "−" } else { "+" };
    let size = (to - from).abs();
    if metric.metric().unit == "share" {
        return format!("{sign}{}", amount(metric, size));
    }
    match from.abs() {
        0.0 => format!("{sign}{}", amount(metric, size)),
        from => format!("{sign}{}%", trimmed(100.0 * size / from)),
    }
}

/// What a finding says in figures, without its verdict: `82.6% → 58.4% (−24.2 points; the margin
/// is 5 points)`. `None` where it compares nothing.
pub(super) fn compared(finding: &Finding) -> Option<String> {
    let (metric, from, to) = (finding.metric?, finding.baseline?, finding.candidate?);
    let margin = finding.margin.map(|margin| {
        let relative = 100.0 * margin / from.abs();
        match metric.metric().unit == "share" || !relative.is_finite() {
            true => format!("; the margin is {}", amount(metric, margin)),
            false => format!("; the margin is {}%", trimmed(relative)),
        }
    });
    let change = change(metric, from, to);
    Some(format!("{} ({change}{})", moved(metric, from, to), margin.unwrap_or_default()))
}

/// Whether a figure became worse.
pub(super) fn is_worse(metric: MetricId, from: f64, to: f64) -> bool {
    match metric.metric().better {
        Direction::Higher => to < from,
        Direction::Lower => to > from,
        Direction::Neither => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_units_that_people_read() {
        let moved = |metric, from, to| (moved(metric, from, to), change(metric, from, to));
        for (metric, from, to, expected) in [
            (MetricId::RecallAtNeed, 0.826, 0.584, ("82.6% → 58.4%", "−24.2 points")),
            (MetricId::RecallAtNeed, 0.5, 1.0, ("50% → 100%", "+50 points")),
            (MetricId::CostUsd, 1.5, 1.215, ("$1.50 → $1.22", "−19%")),
            (MetricId::TokensMeanPrompt, 12_340.0, 900.0, ("12.3k → 900", "−92.7%")),
            (MetricId::CostReacquire, 0.0, 1_072.0, ("0 → 1072", "+1072 tokens")),
            (MetricId::DemandsInverted, 1.0, 2.5, ("1 → 2.5 demands", "+150%")),
        ] {
            let (line, size) = moved(metric, from, to);
            assert_eq!((line.as_str(), size.as_str()), expected);
        }
        assert!(is_worse(MetricId::RecallAtNeed, 0.5, 0.4));
        assert!(is_worse(MetricId::CostUsd, 0.4, 0.5));
    }

    #[test]
    fn every_metric_of_the_shipped_policy_has_plain_words() {
        let policy = super::super::Policy::embedded().expect("it parses");
        for metric in policy.metrics() {
            assert!(metric.metric().called.is_some(), "{metric}");
            assert!(means(metric).is_some(), "{metric}");
        }
    }
}
