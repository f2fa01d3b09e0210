//! Figures as the site writes them.

use crate::prelude::*;

pub fn unit(id: &str) -> &'static str {
    MetricId::named(id).map_or("", |metric| metric.metric().unit)
}

pub fn definition(id: &str) -> &'static str {
    let metric = MetricId::named(id).map(MetricId::metric);
    metric.map_or("A figure that this version does not define.", |metric| metric.definition)
}

/// A figure in its unit, with three significant digits.
pub fn figure(id: &str, value: f64) -> String {
    written(id, value, 3)
}

/// Two figures, with as many digits as it takes to tell them apart.
pub fn pair(id: &str, from: f64, to: f64) -> (String, String) {
    let mut pairs = (3..=9).map(|digits| (written(id, from, digits), written(id, to, digits)));
    let apart = pairs.find(|(from, to)| from != to);
    let (from, to) = apart.unwrap_or_else(|| (figure(id, from), figure(id, to)));
    (filled(&from, &to), filled(&to, &from))
}

/// A figure with as many decimals as the other one, where both are in the same thousands:
/// `19.3k` beside `19.32k` is `19.30k`.
fn filled(figure: &str, other: &str) -> String {
    let parts = |text: &str| {
        let end = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
        let decimals = text[..end].split_once('.').map_or(0, |(_, decimals)| decimals.len());
        (end, decimals)
    };
    let ((end, own), (other_end, wanted)) = (parts(figure), parts(other));
    if own >= wanted || figure[end..] != other[other_end..] {
        return figure.to_owned();
    }
    let point = if own == 0 { "." } else { "" };
    format!("{}{point}{}{}", &figure[..end], "0".repeat(wanted - own), &figure[end..])
}

fn written(id: &str, value: f64, digits: i32) -> String {
    let figure = number::scaled(value, digits);
    match (unit(id), figure.strip_prefix('−')) {
        ("dollars", Some(size)) => format!("−${size}"),
        ("dollars", None) => format!("${figure}"),
        _ => figure,
    }
}

/// The change as a share of where it came from: `+12%`, `−0.3%`; nothing from 0.
pub fn share_of(from: f64, to: f64) -> Option<String> {
    let share = (to - from) / from.abs() * 100.0;
    if !share.is_finite() {
        return None;
    }
    let sign = if share < 0.0 { "−" } else { "+" };
    let size = share.abs();
    Some(match size {
        size if size < 0.05 => format!("{sign}<0.1%"),
        size if size < 9.95 => format!("{sign}{size:.1}%"),
        size => format!("{sign}{size:.0}%"),
    })
}

pub fn chance(p: f64) -> String {
    match p {
        p if p < 0.0001 => "p < 0.0001".to_owned(),
        p => format!("p = {}", number::scaled(p, 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_pairs_are_told_apart() {
        for (id, value, expected) in [
            ("recall_at_need", 0.823_456, "0.823"),
            ("cost.usd", 1.5, "$1.5"),
            ("cost.usd", 0.0, "$0"),
            ("savings.net", -0.042, "−0.042"),
            ("tokens.mean_prompt", 46_012.3, "46k"),
            ("tokens.mean_prompt", 1_234_567.0, "1.23M"),
            ("floor.one_pass", 812.0, "812"),
        ] {
            assert_eq!(figure(id, value), expected);
        }
        let (from, to) = pair("recall_at_need", 0.5, 0.500_001);
        assert_eq!((from.as_str(), to.as_str()), ("0.500000", "0.500001"));
        let (from, to) = pair("tokens.mean_prompt", 19_320.0, 19_301.0);
        assert_eq!((from.as_str(), to.as_str()), ("19.32k", "19.30k"));
        assert_eq!(share_of(0.8, 0.6).as_deref(), Some("−25%"));
        assert_eq!(share_of(0.0, 0.6), None);
        assert_eq!(chance(1e-9), "p < 0.0001");
    }
}
