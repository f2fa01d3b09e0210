//! Numbers as reports write them.

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

/// Dollars with three significant digits, never an exponent.
pub fn dollars(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}${}", significant(value.abs(), 3))
}

/// A share of 1 in per cent; the first decimal where it matters.
pub fn share(value: f64) -> String {
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
    format!("{}%", figure.replace('-', "−"))
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

/// An interval, each end written like the figure itself.
pub fn interval((low, high): (f64, f64), write: fn(f64) -> String) -> String {
    format!("[{}, {}]", write(low), write(high))
}

/// This many significant digits without an exponent: `0.00123`, `12.3`, `457`.
fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (digits - 1 - value.abs().log10().floor() as i32).clamp(0, 12);
    format!("{value:.*}", decimals as usize)
}

fn unsigned_zero(figure: String) -> String {
    if figure == "-0" { "0".to_owned() } else { figure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_the_way_people_write_them() {
        for (written, expected) in [
            (tokens(0.0), "0"),
            (tokens(999.4), "999"),
            (tokens(999.6), "1.0k"),
            (tokens(12_345.0), "12.3k"),
            (tokens(999_960.0), "1.00M"),
            (tokens(1_240_000.0), "1.24M"),
            (change(12.34), "+12.3"),
            (change(-0.5), "−0.500"),
            (change(0.0), "0"),
            (change(1_234.0), "+1.2k"),
            (dollars(0.001_234), "$0.00123"),
            (dollars(12.0), "$12.0"),
            (dollars(1234.5), "$1234"),
            (dollars(-0.5), "−$0.500"),
            (share(0.0), "0%"),
            (share(1.0), "100%"),
            (share(0.614), "61%"),
            (share(0.0514), "5.1%"),
            (share(0.9996), "99.9%"),
            (share(0.000_1), "<0.1%"),
            (share(-0.2), "−20%"),
            (count(3.0), "3"),
            (count(2.333), "2.3"),
            (count(12_345.0), "12.3k"),
            (interval((0.1, 0.2), share), "[10%, 20%]"),
        ] {
            assert_eq!(written, expected);
        }
    }
}
