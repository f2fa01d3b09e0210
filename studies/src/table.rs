//! Tables and numbers of the committed pages, as Markdown.

use std::fmt::Write;

use proctor_eval::stats::resample::Interval;

#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    caption: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A heading that begins with `#` is of a column of numbers, which is set to the right.
    pub fn new<T: AsRef<str>>(caption: impl Into<String>, head: &[T]) -> Table {
        let head = head.iter().map(|title| title.as_ref().to_owned()).collect();
        Table { caption: caption.into(), head, rows: Vec::new() }
    }

    pub fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table with its caption above it and an empty line below.
    pub fn markdown(&self) -> String {
        let mut text = match self.caption.as_str() {
            "" => String::new(),
            caption => format!("{caption}:\n\n"),
        };
        let titles = self.head.iter().map(|title| title.strip_prefix('#').unwrap_or(title));
        line(&mut text, &cells_of(titles));
        let rules =
            self.head.iter().map(|title| if title.starts_with('#') { "---:|" } else { "---|" });
        line(&mut text, &format!("|{}", rules.collect::<String>()));
        for cells in &self.rows {
            line(&mut text, &cells_of(cells));
        }
        text.push('\n');
        text
    }
}

fn cells_of<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    let cells = cells.into_iter().map(|cell| cell.as_ref().replace('|', "\\|"));
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}

pub trait Shown {
    fn shown(&self) -> String;
}

impl<T: Shown + ?Sized> Shown for &T {
    fn shown(&self) -> String {
        (**self).shown()
    }
}

macro_rules! shown_as_it_is {
    ($($type:ty),+) => {$(
        impl Shown for $type {
            fn shown(&self) -> String {
                self.to_string()
            }
        }
    )+};
}
shown_as_it_is!(str, String, u32, usize);

impl Shown for f64 {
    fn shown(&self) -> String {
        number(*self)
    }
}

macro_rules! row {
    ($($cell:expr),+ $(,)?) => { [$($crate::table::Shown::shown(&$cell)),+] };
}
pub(crate) use row;

pub fn line(page: &mut String, text: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(page, "{text}");
}

/// A page that ends with one line end.
pub fn finished(mut page: String) -> String {
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// A number as people read it: three digits that count, thousands apart.
pub fn number(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        _ if !value.is_finite() => return "–".to_owned(),
        1_000.0.. => return thousands(value),
        0.0 | 100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    };
    let text = match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.'),
        None => &text,
    };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A share of 1 in per cent. Nothing short of all is written as all.
pub fn percent(share: f64) -> String {
    let figure = number(share * 100.0);
    if figure == "100" && share < 1.0 { "99.9 %".to_owned() } else { format!("{figure} %") }
}

/// A figure with its interval behind it, where it has one.
pub fn with_ends(value: f64, ends: Option<Interval>, write: impl Fn(f64) -> String) -> String {
    let ends = ends.map(|ends| format!(" [{}, {}]", write(ends.low), write(ends.high)));
    write(value) + &ends.unwrap_or_default()
}

fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut grouped = if value < 0.0 { "-".to_owned() } else { String::new() };
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use proctor_core::testkit;

    use super::*;

    #[test]
    fn numbers_have_three_digits_that_count() {
        let cases = include_str!("../data/numbers.toml");
        for (value, expected) in testkit::cases::<(f64, String)>(cases, "numbers") {
            assert_eq!(number(value), expected, "{value}");
        }
    }
}
