//! Comparing a table as it is with the table as it should be, field by field as text.

use csv::StringRecord;

use crate::verify::{Check, Difference};

/// Compares rows. `header` stands before both texts where they have none of their own.
pub(super) fn table(
    check: &mut Check,
    file: &str,
    cell: &str,
    (found, expected): (&str, &str),
    header: &str,
) {
    if found == expected {
        check.compared += rows(expected, header);
        return;
    }
    let (found_rows, expected_rows) = (parse(found, header), parse(expected, header));
    let column = |place: usize| expected_rows.first().and_then(|head| head.get(place));
    let say = |cell: &str, column: String, found: &str, expected: &str| Difference {
        file: file.to_owned(),
        cell: cell.to_owned(),
        column,
        found: found.to_owned(),
        expected: expected.to_owned(),
    };
    let (n, m) = (found_rows.len(), expected_rows.len());
    if n != m {
        let count = |rows: usize| format!("{} rows", rows.saturating_sub(1));
        check.put(Some(say(cell, String::new(), &count(n), &count(m))));
    }
    let before = check.differ;
    for (number, (found, expected)) in found_rows.iter().zip(&expected_rows).enumerate() {
        let different = (0..found.len().max(expected.len()))
            .find(|place| found.get(*place) != expected.get(*place));
        let difference = different.map(|place| {
            let name = column(place).unwrap_or("field");
            let name = if m > 2 { format!("{name} (row {number})") } else { name.to_owned() };
            let id = if cell.is_empty() { &subject(expected, &expected_rows[0]) } else { cell };
            let absent = "(none)";
            say(id, name, found.get(place).unwrap_or(absent), expected.get(place).unwrap_or(absent))
        });
        // The header is no row, unless something is wrong with it.
        if number > 0 || difference.is_some() {
            check.put(difference);
        }
    }
    if n == m && check.differ == before {
        let said = "the same fields, written in another way";
        check.put(Some(say(cell, String::new(), said, "the bytes that the run writes")));
    }
}

/// What a row of a table over several cells is about.
fn subject(row: &StringRecord, header: &StringRecord) -> String {
    let named = header.iter().position(|name| name == "subject" || name == "cell");
    row.get(named.unwrap_or(0)).unwrap_or_default().to_owned()
}

fn parse(text: &str, header: &str) -> Vec<StringRecord> {
    let whole = format!("{header}{text}");
    let reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(whole.as_bytes());
    // OK to skip what does not parse: the texts are UTF-8, which is all that can be wrong.
    reader.into_records().filter_map(Result::ok).collect()
}

fn rows(text: &str, header: &str) -> usize {
    parse(text, header).len().saturating_sub(1)
}

/// Compares whole texts, such as pages: the first line that differs is named.
pub fn text(check: &mut Check, file: &str, cell: &str, found: &str, expected: &str) {
    if found == expected {
        check.put(None);
        return;
    }
    let (mut found_lines, mut expected_lines) = (found.lines(), expected.lines());
    for number in 1.. {
        let (one, two) = (found_lines.next(), expected_lines.next());
        if one == two && one.is_some() {
            continue;
        }
        check.put(Some(Difference {
            file: file.to_owned(),
            cell: cell.to_owned(),
            column: format!("line {number}"),
            found: around(one, two),
            expected: around(two, one),
        }));
        return;
    }
}

/// A line from a little before the place where it differs from another.
fn around(line: Option<&str>, other: Option<&str>) -> String {
    const BEFORE: usize = 24;
    const SHOWN: usize = 90;
    let Some(line) = line else { return "(the text ends)".to_owned() };
    let other = other.unwrap_or_default();
    let same = line.chars().zip(other.chars()).take_while(|(one, two)| one == two).count();
    let from = same.saturating_sub(BEFORE);
    let shown: String = line.chars().skip(from).take(SHOWN).collect();
    let cut = line.chars().count() > from + SHOWN;
    format!("{}{shown}{}", if from > 0 { "…" } else { "" }, if cut { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(found: &str, expected: &str) -> Check {
        let mut check = Check::new("t.csv", "rows");
        table(&mut check, "t.csv", "a", (found, expected), "cell,n,m\n");
        check
    }

    #[test]
    fn rows_are_compared_as_text_and_the_first_field_is_named() {
        let same = compared("a,1,2\na,3,4\n", "a,1,2\na,3,4\n");
        assert_eq!((same.compared, same.differ), (2, 0));
        for (found, column, value, expected) in [
            ("a,1,2\na,3,5\n", "m (row 2)", "5", "4"),
            ("a,1.0,2\na,3,4\n", "n (row 1)", "1.0", "1"),
            ("a,1,2\n", "", "1 rows", "2 rows"),
            ("", "", "0 rows", "2 rows"),
            ("a,\"1\",2\na,3,4\n", "", "the same fields", "the bytes"),
            ("a,1,2\na,3\n", "m (row 2)", "(none)", "4"),
        ] {
            let check = compared(found, "a,1,2\na,3,4\n");
            let first = &check.differences[0];
            assert_eq!(first.column, column, "{found}");
            assert!(
                first.found.starts_with(value) && first.expected.starts_with(expected),
                "{first:?}"
            );
        }
    }

    #[test]
    fn pages_are_compared_line_by_line() {
        let mut check = Check::new("report.md", "pages");
        text(&mut check, "report.md", "", "one\ntwo 3\n", "one\ntwo 4\n");
        text(&mut check, "report.md", "", "one\n", "one\n");
        text(&mut check, "report.md", "", "one\n", "one\ntwo\n");
        assert_eq!((check.compared, check.differ), (3, 2));
        assert_eq!(check.differences[0].column, "line 2");
        assert_eq!(check.differences[1].found, "(the text ends)");
    }
}
