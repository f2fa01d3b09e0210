//! Tables: rows, and what each column says of a row. A figure carries its number, so that
//! nothing reads it back from text, and its footnote.

use super::figure::{Figure, Write, estimate};
use crate::chart::each_once;
use crate::prelude::*;

#[derive(Clone, Debug, Serialize)]
pub struct Table {
    pub caption: String,
    /// Its anchor and the name of the file that it is saved as.
    pub id: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
    /// The footnotes of its cells in reading order, each once.
    pub notes: Vec<String>,
    /// Whether it is long and only looked things up in: the page folds it.
    pub folded: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Column {
    pub title: String,
    /// Whether it holds figures, which are aligned to the right and sort by their numbers.
    pub numeric: bool,
    /// Whether the page moves it to a second table, below the one that a screen has room for.
    pub detail: bool,
}

impl Column {
    fn titled(title: &str) -> Column {
        let (detail, title) = title.strip_prefix('+').map_or((false, title), |rest| (true, rest));
        let (numeric, title) = title.strip_prefix('#').map_or((false, title), |rest| (true, rest));
        Column { title: title.to_owned(), numeric, detail }
    }
}

impl Table {
    /// Of titles and rows: a title that begins with `#` is of figures, and one that begins with
    /// `+`, also before that, is a detail.
    pub fn of(
        caption: impl Into<String>,
        titles: impl IntoIterator<Item: AsRef<str>>,
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Table {
        let columns = titles.into_iter().map(|title| Column::titled(title.as_ref()));
        Table::assembled(caption.into(), columns.collect(), rows.into_iter().collect())
    }

    fn assembled(caption: String, columns: Vec<Column>, rows: Vec<Vec<Cell>>) -> Table {
        let notes = each_once(rows.iter().flatten().filter_map(|cell| cell.note.clone()));
        Table { caption, id: String::new(), columns, rows, notes, folded: false }
    }

    pub fn part(&self, caption: String, chosen: impl Fn(usize, &Column) -> bool) -> Table {
        let mut places: Vec<usize> = (0..self.columns.len()).collect();
        places.retain(|place| chosen(*place, &self.columns[*place]));
        let columns = places.iter().map(|place| self.columns[*place].clone()).collect();
        let cells = |row: &Vec<Cell>| places.iter().map(|place| row[*place].clone()).collect();
        Table::assembled(caption, columns, self.rows.iter().map(cells).collect())
    }

    /// Removes a column that reads as another does in every row; returns whether it did.
    pub fn drop_repeated(&mut self, column: usize, kept: usize, write: Write) -> bool {
        let figure = |cell: &Cell| cell.value.map(write);
        let repeats = self.rows.iter().all(|row| figure(&row[column]) == figure(&row[kept]));
        let drops = repeats && !self.rows.is_empty();
        if drops {
            *self = self.part(self.caption.clone(), |place, _| place != column);
        }
        drops
    }
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Cell {
    pub text: String,
    /// The number behind the text, by which the page sorts.
    pub value: Option<f64>,
    pub note: Option<String>,
    pub code: bool,
    pub tone: Tone,
    /// Its own anchor, where names elsewhere link to it.
    pub anchor: Option<String>,
    /// The anchor that its name links to.
    pub link: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    Good,
    #[default]
    Plain,
    Bad,
    Faint,
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }

    pub fn code(text: impl Into<String>) -> Cell {
        Cell { code: true, ..Cell::text(text) }
    }

    pub fn count(count: usize) -> Cell {
        Cell { value: Some(count as f64), ..Cell::text(count.to_string()) }
    }

    /// A field without a figure, and why; nothing where that needs no words.
    pub fn undefined(why: &str) -> Cell {
        let note = (!why.is_empty()).then(|| why.to_owned());
        Cell { note, tone: Tone::Faint, ..Cell::text(UNDEFINED) }
    }

    /// A number as written by `write`, or why there is none.
    pub fn number(value: Option<f64>, write: Write, why: &str) -> Cell {
        match value {
            Some(number) => Cell { value, ..Cell::text(write(number)) },
            None => Cell::undefined(why),
        }
    }

    pub fn figure(figure: &Figure, write: Write) -> Cell {
        Cell::number(figure.value, write, &figure.why())
    }

    /// A figure with its interval, or why there is none.
    pub fn estimate(figure: &Figure, write: Write) -> Cell {
        Cell::figure(figure, write).within(figure.interval, write)
    }

    /// The same with the interval of its number.
    pub fn within(self, interval: Option<(f64, f64)>, write: Write) -> Cell {
        match self.value {
            Some(value) => Cell { text: estimate(value, interval, write), ..self },
            None => self,
        }
    }

    /// A share with the ends of its interval, one per cent sign for all.
    pub fn share(figure: &Figure) -> Cell {
        let cell = Cell::figure(figure, number::share);
        match figure.interval.filter(|(low, high)| figure.value.is_some() && low < high) {
            Some(ends) => cell.followed_by(&number::interval(ends, number::percent)),
            None => cell,
        }
    }

    pub fn followed_by(self, more: &str) -> Cell {
        Cell { text: format!("{} {more}", self.text), ..self }
    }

    pub fn toned(self, tone: Tone) -> Cell {
        Cell { tone, ..self }
    }

    pub fn noted(self, note: impl Into<String>) -> Cell {
        Cell { note: Some(note.into()), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, net and effective; the last is a detail.
    fn table(effective: f64) -> Table {
        let rows = [("a", Some(0.61), Some(effective)), ("none", None, None)];
        let rows = rows.map(|(name, net, effective)| {
            let net = Cell::number(net, number::share, "no floor");
            vec![Cell::code(name), net, Cell::number(effective, number::share, "not checked")]
        });
        Table::of("t", ["Name", "#Net", "+#Effective"], rows)
    }

    #[test]
    fn a_column_that_reads_the_same_as_another_is_dropped() {
        let mut same = table(0.613);
        assert!(same.drop_repeated(1, 2, number::share));
        assert_eq!((same.columns.len(), same.rows[0][1].value), (2, Some(0.613)));
        let mut other = table(0.6);
        assert!(!other.drop_repeated(1, 2, number::share));
        assert_eq!((other.columns.len(), other.rows[0].len()), (3, 3));
    }

    #[test]
    fn a_part_of_a_table_keeps_the_footnotes_that_it_uses() {
        let table = table(0.5);
        let details = table.part(String::new(), |place, column| place == 0 || column.detail);
        assert_eq!(table.notes, ["no floor", "not checked"]);
        assert_eq!(details.columns.len(), 2);
        assert_eq!(details.notes, ["not checked"]);
    }
}
