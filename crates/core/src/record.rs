//! Records: what a row of a table holds, as a type. The fields of a [`record!`](crate::record!) are
//! the columns, their doc comments the meanings, their types say how values are written, read and
//! counted: so the tables, their reader and `datapackage.json` cannot disagree.

use std::fmt::{Display, Formatter};

use crate::prelude::*;
use crate::unit::float;

/// How a column's values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnType {
    /// A whole number.
    Integer,
    /// A decimal number with at most nine significant digits.
    Number,
    /// Text, or one of the column's words.
    String,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in the header.
    pub name: &'static str,
    /// How its values are written.
    pub kind: ColumnType,
    /// What its values are counted in, e.g. `tokens`; empty where in nothing.
    pub unit: &'static str,
    /// What it says.
    pub meaning: String,
    /// The only words that it holds; empty where it may hold any.
    pub words: Vec<&'static str>,
    /// Whether it may be empty.
    pub optional: bool,
}

impl Column {
    /// A column that is never empty. `meaning` may be the raw text of doc comments.
    pub fn new(name: &'static str, kind: ColumnType, unit: &'static str, meaning: &str) -> Column {
        let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
        Column { name, kind, unit, meaning, words: Vec::new(), optional: false }
    }

    /// A column that holds one of these words.
    pub fn of_words(name: &'static str, meaning: &str, words: Vec<&'static str>) -> Column {
        Column { words, ..Column::new(name, ColumnType::String, "", meaning) }
    }
}

/// A value of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Nothing.
    Empty,
    /// A whole number.
    Integer(u64),
    /// A decimal number.
    Number(f64),
    /// Text.
    Text(&'a str),
}

impl Display for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Empty => Ok(()),
            Value::Integer(value) => value.fmt(f),
            Value::Number(value) => f.write_str(&float(*value)),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// A line of a table: its values one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    values: Vec<Stored>,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Stored {
    Empty,
    Integer(u64),
    Number(f64),
    Text(usize, usize),
}

impl Line {
    /// Appends a value.
    pub fn push(&mut self, value: Value) {
        let stored = match value {
            Value::Empty => Stored::Empty,
            Value::Integer(value) => Stored::Integer(value),
            Value::Number(value) => Stored::Number(value),
            Value::Text(text) => {
                let start = self.text.len();
                self.text.push_str(text);
                Stored::Text(start, self.text.len())
            }
        };
        self.values.push(stored);
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.values.clear();
        self.text.clear();
    }

    /// The value at a place.
    pub fn get(&self, place: usize) -> Value<'_> {
        match self.values.get(place) {
            None | Some(Stored::Empty) => Value::Empty,
            Some(Stored::Integer(value)) => Value::Integer(*value),
            Some(Stored::Number(value)) => Value::Number(*value),
            Some(Stored::Text(start, end)) => Value::Text(&self.text[*start..*end]),
        }
    }

    /// The values in order.
    pub fn values(&self) -> impl Iterator<Item = Value<'_>> {
        (0..self.values.len()).map(|place| self.get(place))
    }
}

/// A line that is being read as a record.
#[derive(Debug)]
pub struct Values<'a> {
    line: &'a Line,
    next: usize,
}

/// A value that a column does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadValue {
    /// The place of its column in the record.
    pub column: usize,
    /// What is wrong with it.
    pub rule: String,
}

impl<'a> Values<'a> {
    /// From the first value on.
    pub fn new(line: &'a Line) -> Values<'a> {
        Values { line, next: 0 }
    }

    /// The value that is read next.
    pub fn peek(&self) -> Value<'a> {
        self.line.get(self.next)
    }

    /// The next value.
    pub fn value(&mut self) -> Value<'a> {
        self.next += 1;
        self.line.get(self.next - 1)
    }

    /// The next value as text; nothing is the empty text.
    pub fn text(&mut self) -> &'a str {
        match self.value() {
            Value::Text(text) => text,
            Value::Empty | Value::Integer(_) | Value::Number(_) => "",
        }
    }

    /// One of these, by its name; [`BadValue`] where none has it.
    pub fn word<T: Copy>(&mut self, all: &[T], name: fn(T) -> &'static str) -> Result<T, BadValue> {
        let value = self.text();
        let found = all.iter().copied().find(|one| name(*one) == value);
        found.ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
            self.bad(format!("`{value}` is none of {}", names.join(", ")))
        })
    }

    /// The value that was read last is not what its column holds.
    pub fn bad(&self, rule: String) -> BadValue {
        BadValue { column: self.next.saturating_sub(1), rule }
    }
}

/// A value of a record: one column, or several where its type says so.
pub trait Field: Sized {
    /// Its columns. `name` and `meaning` are the field's; a type with several columns has its own.
    fn columns(name: &'static str, meaning: &str) -> Vec<Column>;

    /// Appends its values to a line.
    fn write(&self, line: &mut Line);

    /// Reads it from a line; [`BadValue`] where a value is not what its column holds.
    fn read(values: &mut Values) -> Result<Self, BadValue>;
}

/// The columns of a record.
pub fn columns<R: Field>() -> Vec<Column> {
    R::columns("", "")
}

macro_rules! number_fields {
    ($($type:ty: $kind:ident, $unit:literal, $write:expr, $read:expr;)+) => { $(
        impl Field for $type {
            fn columns(name: &'static str, meaning: &str) -> Vec<Column> {
                vec![Column::new(name, ColumnType::$kind, $unit, meaning)]
            }

            fn write(&self, line: &mut Line) {
                let write: fn($type) -> _ = $write;
                line.push(Value::$kind(write(*self)));
            }

            fn read(values: &mut Values) -> Result<$type, BadValue> {
                let value = values.value();
                let Value::$kind(number) = value else {
                    return Err(values.bad(format!("`{value}` is not a number of this column")));
                };
                let read: fn(_) -> Option<$type> = $read;
                read(number).ok_or_else(|| values.bad(format!("`{value}` is out of range")))
            }
        }
    )+ };
}

number_fields! {
    u8: Integer, "", |number| u64::from(number), |value: u64| value.try_into().ok();
    u32: Integer, "", |number| u64::from(number), |value: u64| value.try_into().ok();
    u64: Integer, "", |number| number, Some;
    Tokens: Integer, "tokens", |tokens| tokens.0, |value| Some(Tokens(value));
    Millis: Integer, "milliseconds", |millis| millis.0, |value| Some(Millis(value));
    FactId: Integer, "", |id| u64::from(id.0), |value: u64| value.try_into().ok().map(FactId);
    bool: Integer, "1 for yes, 0 for no", |flag| u64::from(flag), |value| {
        [false, true].into_iter().find(|flag| u64::from(*flag) == value)
    };
    f64: Number, "", |number| number, Some;
    Usd: Number, "US dollars", |usd| usd.0, |value| Some(Usd(value));
}

impl Field for String {
    fn columns(name: &'static str, meaning: &str) -> Vec<Column> {
        vec![Column::new(name, ColumnType::String, "", meaning)]
    }

    fn write(&self, line: &mut Line) {
        line.push(Value::Text(self));
    }

    fn read(values: &mut Values) -> Result<String, BadValue> {
        Ok(values.text().to_owned())
    }
}

/// Nothing is written as an empty value; so a type of several columns cannot be optional.
impl<T: Field> Field for Option<T> {
    fn columns(name: &'static str, meaning: &str) -> Vec<Column> {
        let mut columns = T::columns(name, meaning);
        columns.iter_mut().for_each(|column| column.optional = true);
        columns
    }

    fn write(&self, line: &mut Line) {
        match self {
            Some(value) => value.write(line),
            None => line.push(Value::Empty),
        }
    }

    fn read(values: &mut Values) -> Result<Option<T>, BadValue> {
        if values.peek() == Value::Empty {
            values.value();
            return Ok(None);
        }
        T::read(values).map(Some)
    }
}

/// Declares a record: a struct whose fields are the columns of a table.
#[macro_export]
macro_rules! record {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $( $(#[doc = $doc:literal])+ pub $field:ident: $type:ty, )+
        }
    ) => {
        $(#[$attribute])*
        pub struct $name {
            $( $(#[doc = $doc])+ pub $field: $type, )+
        }

        impl $crate::record::Field for $name {
            fn columns(_: &'static str, _: &str) -> Vec<$crate::record::Column> {
                [$(
                    <$type as $crate::record::Field>::columns(
                        stringify!($field),
                        concat!($($doc),+),
                    ),
                )+]
                .concat()
            }

            fn write(&self, line: &mut $crate::record::Line) {
                $( $crate::record::Field::write(&self.$field, line); )+
            }

            fn read(
                values: &mut $crate::record::Values,
            ) -> Result<$name, $crate::record::BadValue> {
                $( let $field = $crate::record::Field::read(values)?; )+
                Ok($name { $($field),+ })
            }
        }
    };
}

pub use schemars::{JsonSchema, Schema, SchemaGenerator};

/// The schema of a closed set of words.
pub fn one_of(words: &[&str]) -> Schema {
    schemars::json_schema!({ "type": "string", "enum": words })
}

/// Declares a closed set of words: an enum whose variants have names in files and tables. As a
/// field of a record it is a column of these words.
#[macro_export]
macro_rules! words {
    (
        $(#[$attribute:meta])*
        pub enum $type:ident {
            $( $(#[$of_variant:meta])* $variant:ident = $name:literal, )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            ::serde::Serialize, ::serde::Deserialize,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum $type {
            $( $(#[$of_variant])* #[doc = concat!("`", $name, "`")] $variant, )+
        }

        impl $type {
            /// All in the order that tables list them.
            pub const ALL: [$type; [$($name),+].len()] = [$( $type::$variant ),+];

            /// Name in files and tables.
            pub const fn name(self) -> &'static str {
                match self {
                    $( $type::$variant => $name, )+
                }
            }

            /// The one of this name.
            pub fn named(name: &str) -> Option<$type> {
                $type::ALL.into_iter().find(|word| word.name() == name)
            }
        }

        impl $crate::record::JsonSchema for $type {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut $crate::record::SchemaGenerator) -> $crate::record::Schema {
                $crate::record::one_of(&$type::ALL.map($type::name))
            }
        }

        impl $crate::record::Field for $type {
            fn columns(name: &'static str, meaning: &str) -> Vec<$crate::record::Column> {
                let words = $type::ALL.map($type::name).to_vec();
                vec![$crate::record::Column::of_words(name, meaning, words)]
            }

            fn write(&self, line: &mut $crate::record::Line) {
                line.push($crate::record::Value::Text(self.name()));
            }

            fn read(
                values: &mut $crate::record::Values,
            ) -> Result<$type, $crate::record::BadValue> {
                values.word(&$type::ALL, $type::name)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    record! {
        /// One of each.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Sample {
            /// A count over two lines.
            pub count: u32,
            /// A share.
            pub share: Option<f64>,
            /// A flag.
            pub flag: bool,
            /// Dollars.
            pub usd: Usd,
            /// A name.
            pub name: String,
        }
    }

    #[test]
    fn a_record_is_read_as_it_is_written() {
        let one =
            Sample { count: 3, share: None, flag: true, usd: Usd(0.1 + 0.2), name: "a".into() };
        let mut line = Line::default();
        one.write(&mut line);
        let written: Vec<String> = line.values().map(|value| value.to_string()).collect();
        assert_eq!(written, ["3", "", "1", "0.3", "a"]);
        assert_eq!(Sample::read(&mut Values::new(&line)), Ok(one));
    }

    #[test]
    fn columns_are_the_fields_with_their_doc_comments() {
        let columns = columns::<Sample>();
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        assert_eq!(names, ["count", "share", "flag", "usd", "name"]);
        assert_eq!(columns[0].meaning, "A count over two lines.");
        assert_eq!((columns[1].kind, columns[1].optional), (ColumnType::Number, true));
        assert_eq!(columns[3].unit, "US dollars");
    }

    #[test]
    fn a_value_that_a_column_does_not_hold_names_its_column() {
        use Value::{Empty, Integer, Number, Text};
        let good = [Integer(1), Empty, Integer(1), Number(0.0), Text("")];
        for (column, value, rule) in [
            (0, Text("x"), "`x` is not a number of this column"),
            (0, Integer(1 << 40), "`1099511627776` is out of range"),
            (1, Text("much"), "`much` is not a number of this column"),
            (2, Integer(2), "`2` is out of range"),
            (3, Empty, "`` is not a number of this column"),
        ] {
            let mut line = Line::default();
            let values = good.iter().enumerate();
            values.for_each(|(at, good)| line.push(if at == column { value } else { *good }));
            let read = Sample::read(&mut Values::new(&line));
            assert_eq!(read, Err(BadValue { column, rule: rule.to_owned() }));
        }
    }
}
