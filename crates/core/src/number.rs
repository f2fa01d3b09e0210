//! Numbers as people read them, in reports, charts, pages and on the terminal.

/// What stands for a figure that does not exist.
pub const UNDEFINED: &str = "–";

/// Tokens: `812`, `12.3k`, `1.24M`.
pub fn tokens(value: f64) -> String {
    let size = value.abs();
    if size < 999.5 {
        unsigned_zero(format!("{value:.0}"))
    } else if size < 999_950.0 {
        format!("{:.1}k", value / 1e3)
    } else {
        format!("{:.2}M", value / 1e6)
    }
}

/// A change with its sign: `+12.3`, `−0.42`, `+1.2k`.
pub fn change(value: f64) -> String {
    let size = value.abs();
    let figure = if size >= 999.5 { tokens(size) } else { significant(size, 3) };
    match value {
        0.0 => figure,
        below if below < 0.0 => format!("−{figure}"),
        _ => format!("+{figure}"),
    }
}

/// A difference of shares in points: `+12.3`, `−0.42`.
pub fn points(share: f64) -> String {
    change(share * 100.0)
}

/// The same in whole points: `+12`, `−1`.
pub fn whole_points(share: f64) -> String {
    match (share * 100.0).round() {
        0.0 => "0".to_owned(),
        points => format!("{points:+.0}").replace('-', "−"),
    }
}

/// Dollars with three significant digits, never an exponent.
pub fn dollars(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}${}", significant(value.abs(), 3))
}

/// A share of 1 in per cent; the first decimal where it matters.
pub fn share(value: f64) -> String {
    format!("{}%", percent(value))
}

/// The same without its sign.
pub fn percent(value: f64) -> String {
    let percent = value * 100.0;
    let size = percent.abs();
    let near_the_ends = (size > 0.0 && size < 9.95) || (size > 99.0 && size < 100.0);
    let figure = if near_the_ends { format!("{percent:.1}") } else { format!("{percent:.0}") };
    // Nothing short of all is written as all, nothing above none as none.
    let figure = match figure.as_str() {
        "100.0" => "99.9".to_owned(),
        "0.0" | "-0.0" => "<0.1".to_owned(),
        _ => unsigned_zero(figure),
    };
    figure.replace('-', "−")
}

/// A count or a mean of counts.
pub fn count(value: f64) -> String {
    let whole = value.round();
    let figure = if (value - whole).abs() < 0.05 { whole } else { value };
    match figure {
        large if large.abs() >= 9_999.5 => tokens(large),
        whole if whole.fract() == 0.0 => unsigned_zero(format!("{whole:.0}")),
        mean => format!("{mean:.1}"),
    }
}

/// Milliseconds as seconds.
pub fn seconds(milliseconds: f64) -> String {
    count(milliseconds / 1e3)
}

/// An interval, each end written like the figure itself.
pub fn interval((low, high): (f64, f64), write: fn(f64) -> String) -> String {
    format!("[{}, {}]", write(low), write(high))
}

/// Three significant digits, thousands above ten of them: `0.0123`, `457`, `12.3k`.
pub fn short(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => UNDEFINED.to_owned(),
        size if size >= 10_000.0 => format!("{:.1}k", value / 1e3),
        size => {
            let digits =
                if size == 0.0 { 0 } else { (2 - size.log10().floor() as i32).clamp(0, 6) };
            decimal(value, digits as usize)
        }
    }
}

/// A probability; none is 0.
pub fn probability(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { short(p) }
}

/// So many significant digits without zeros at the end, scaled: `0.823`, `46k`, `1.23M`.
pub fn scaled(value: f64, digits: i32) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    let (size, unit) = match value.abs() {
        size if !size.is_finite() => (0.0, ""),
        size if size >= 999_500.0 => (size / 1e6, "M"),
        size if size >= 9_995.0 => (size / 1e3, "k"),
        size => (size, ""),
    };
    format!("{sign}{}{unit}", trimmed(significant(size, digits)))
}

/// A count as axes show it: `0`, `750`, `2.5k`, `40k`, `2M`.
pub fn axis(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 999_950_000.0 => (value / 1e9, "G"),
        size if size >= 999_950.0 => (value / 1e6, "M"),
        size if size >= 1_000.0 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    format!("{}{unit}", decimal(scaled, 2))
}

/// A share of 1 as axes show it in per cent: `0%`, `−12%`, `62%`.
pub fn axis_percent(value: f64) -> String {
    format!("{}%", decimal(value * 100.0, 0)).replace('-', "−")
}

/// Dollars as axes show them: `$0`, `$0.25`, `$12`, with cents only where there are any.
pub fn axis_dollars(value: f64) -> String {
    let whole = (value - value.round()).abs() < 0.005;
    if whole || value >= 100.0 { format!("${value:.0}") } else { format!("${value:.2}") }
}

/// So many decimals, without zeros at the end.
pub fn decimal(value: f64, places: usize) -> String {
    unsigned_zero(trimmed(format!("{value:.places$}")))
}

fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (digits - 1 - value.abs().log10().floor() as i32).clamp(0, 12);
    format!("{value:.*}", decimals as usize)
}

fn trimmed(figure: String) -> String {
    match figure.contains('.') {
        true => figure.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => figure,
    }
}

fn unsigned_zero(figure: String) -> String {
    if figure == "-0" { "0".to_owned() } else { figure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_the_way_people_write_them() {
        for (writer, value, expected) in crate::cases::<(String, f64, String)>("numbers") {
            let write: fn(f64) -> String = match writer.as_str() {
                "tokens" => tokens,
                "change" => change,
                "dollars" => dollars,
                "share" => share,
                "count" => count,
                "short" => short,
                "probability" => probability,
                "scaled" => |value| scaled(value, 3),
                "axis" => axis,
                "axis-dollars" => axis_dollars,
                _ => axis_percent,
            };
            assert_eq!(write(value), expected, "{writer}");
        }
        assert_eq!(interval((0.1, 0.2), share), "[10%, 20%]");
    }
}
