//! Comparing the files of a run with those of the same run driven again.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::error::{Error, Result};
use crate::record::{Column, Line};
use crate::run_dir::tables::{LineReader, open_text};
use crate::verify::{Check, Difference};

/// Which cells are compared.
pub(super) enum Chosen<'a> {
    /// All.
    All,
    /// Only these.
    Only(&'a BTreeSet<&'a str>),
}

impl Chosen<'_> {
    pub(super) fn holds(&self, cell: &str) -> bool {
        match self {
            Chosen::All => true,
            Chosen::Only(cells) => cells.contains(cell),
        }
    }
}

/// Compares a table row by row, value by value.
pub(super) fn table(
    file: &str,
    columns: &[Column],
    [found, expected]: [&Path; 2],
    chosen: &Chosen,
) -> Result<Check> {
    let mut check = Check::new(file, "rows");
    let mut expected = Side::open(&expected.join(file), columns)?;
    let mut found = match Side::open(&found.join(file), columns) {
        Ok(found) => found,
        Err(error) => {
            check.same([file, "", ""], &error.to_string(), "a table");
            return Ok(check);
        }
    };
    loop {
        let more = match found.next(chosen) {
            Ok(more) => more,
            Err(error) => {
                check.same([file, "", ""], &error.to_string(), "a row");
                return Ok(check);
            }
        };
        match (more, expected.next(chosen)?) {
            (true, true) => check.put(different(file, columns, &found, &expected)),
            (false, false) => return Ok(check),
            (true, false) => check.same([file, &found.name(), ""], "a row", "no further row"),
            (false, true) => check.same([file, &expected.name(), ""], "no further row", "a row"),
        }
    }
}

/// A table that is being compared.
struct Side {
    reader: LineReader,
    /// Where the cell, or what else a row is about, stands.
    name: usize,
    line: Line,
}

impl Side {
    fn open(path: &Path, columns: &[Column]) -> Result<Side> {
        let is_name = |column: &Column| column.name == "cell" || column.name == "subject";
        let name = columns.iter().position(is_name).unwrap_or(0);
        Ok(Side { reader: LineReader::open(path, columns)?, name, line: Line::default() })
    }

    /// Goes on to the next row of a chosen cell; whether there is one.
    fn next(&mut self, chosen: &Chosen) -> Result<bool> {
        while self.reader.next(&mut self.line)? {
            if chosen.holds(&self.name()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn name(&self) -> String {
        self.line.get(self.name).to_string()
    }
}

/// The first value in which two rows differ.
fn different(file: &str, columns: &[Column], found: &Side, expected: &Side) -> Option<Difference> {
    let place =
        (0..columns.len()).find(|place| found.line.get(*place) != expected.line.get(*place))?;
    Some(Difference {
        file: file.to_owned(),
        cell: expected.name(),
        column: columns[place].name.to_owned(),
        found: found.line.get(place).to_string(),
        expected: expected.line.get(place).to_string(),
    })
}

/// Compares a file line by line; in one with a line for each cell, those of chosen cells.
pub(super) fn lines(file: &str, dirs: [&Path; 2], chosen: &Chosen) -> Result<Check> {
    let mut check = Check::new(file, "lines");
    let read = |dir: &Path| -> Result<Vec<String>> {
        let path = dir.join(file);
        let lines = BufReader::new(open_text(&path)?).lines();
        let wanted = |line: &std::io::Result<String>| {
            line.as_ref().map_or(true, |line| chosen.holds(cell_of(line).unwrap_or_default()))
        };
        let lines = lines.filter(|line| matches!(chosen, Chosen::All) || wanted(line));
        lines.collect::<std::io::Result<_>>().map_err(|source| Error::io("read", &path, source))
    };
    let expected = read(dirs[1])?;
    let found = match read(dirs[0]) {
        Ok(found) => found,
        Err(error) => {
            check.same([file, "", ""], &error.to_string(), "lines");
            return Ok(check);
        }
    };
    for number in 0..found.len().max(expected.len()) {
        let pair = [&found, &expected].map(|lines| lines.get(number).map(String::as_str));
        let cell = pair[1].or(pair[0]).and_then(cell_of).unwrap_or_default();
        check.put((pair[0] != pair[1]).then(|| Difference {
            file: file.to_owned(),
            cell: cell.to_owned(),
            column: format!("line {}", number + 1),
            found: around(pair[0], pair[1]),
            expected: around(pair[1], pair[0]),
        }));
    }
    Ok(check)
}

/// The cell that a line of JSON begins with; ids hold nothing that JSON escapes.
fn cell_of(line: &str) -> Option<&str> {
    line.strip_prefix("{\"cell\":\"")?.split('"').next()
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
    use crate::record::ColumnType;

    fn compared(found: &str, expected: &str, chosen: &Chosen) -> Check {
        let dirs = [found, expected].map(|text| {
            let dir = tempfile::tempdir().expect("a directory");
            std::fs::write(dir.path().join("t.csv"), format!("cell,n,m\n{text}")).expect("written");
            dir
        });
        let columns =
            ["cell", "n", "m"].map(|name| Column::new(name, ColumnType::String, "", "a column"));
        table("t.csv", &columns, [dirs[0].path(), dirs[1].path()], chosen).expect("it is compared")
    }

    #[test]
    fn rows_are_compared_and_the_first_field_is_named() {
        let same = compared("a,1,2\na,3,4\n", "a,1,2\na,3,4\n", &Chosen::All);
        assert_eq!((same.compared, same.differ), (2, 0));
        for (found, column, value, expected) in [
            ("a,1,2\na,3,5\n", "m", "5", "4"),
            ("a,1.0,2\na,3,4\n", "n", "1.0", "1"),
            ("a,1,2\n", "", "no further row", "a row"),
            ("a,1,2\na,3,4\na,5,6\n", "", "a row", "no further row"),
        ] {
            let check = compared(found, "a,1,2\na,3,4\n", &Chosen::All);
            let first = &check.differences[0];
            let told = (first.column.as_str(), first.found.as_str(), first.expected.as_str());
            assert_eq!(told, (column, value, expected), "{found}");
        }
        let check = compared("a,1,2\na,3\n", "a,1,2\na,3,4\n", &Chosen::All);
        assert!(check.differences[0].found.contains("the line has 2 fields"));
    }

    #[test]
    fn rows_of_other_cells_are_passed_over() {
        let only = BTreeSet::from(["b"]);
        let check = compared("a,1,2\nb,3,4\n", "b,3,4\nc,5,6\n", &Chosen::Only(&only));
        assert_eq!((check.compared, check.differ), (1, 0));
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
