//! Arguments of calls as Python has them: their `repr`, which LangChain's counter measures, and
//! `json.dumps`, which its prompt shows.

use std::fmt::{self, Write};

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

/// A value of JSON. Tables keep their order, as Python's do; of two equal keys the last counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    None,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Table(Vec<(String, Value)>),
}

/// Counts characters.
pub(super) struct Length(pub(super) usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.chars().count();
        Ok(())
    }

    fn write_char(&mut self, _: char) -> fmt::Result {
        self.0 += 1;
        Ok(())
    }
}

impl Value {
    /// Arguments as `parse_tool_call` reads them: what is empty or zero is an empty table, and what
    /// is no table makes the call an invalid one.
    pub(super) fn arguments(text: &str) -> Option<Value> {
        if text.is_empty() {
            return Some(Value::Table(Vec::new()));
        }
        match serde_json::from_str(text).ok()? {
            value if value == Value::Table(Vec::new()) || value.is_nothing() => {
                Some(Value::Table(Vec::new()))
            }
            value @ Value::Table(_) => Some(value),
            _ => None,
        }
    }

    /// What Python takes for false.
    fn is_nothing(&self) -> bool {
        match self {
            Value::None => true,
            Value::Bool(value) => !value,
            Value::Integer(value) => *value == 0,
            Value::Float(value) => *value == 0.0,
            Value::Text(text) => text.is_empty(),
            Value::List(all) => all.is_empty(),
            Value::Table(all) => all.is_empty(),
        }
    }

    /// `repr(value)`.
    pub(super) fn repr(&self, out: &mut impl Write) -> fmt::Result {
        match self {
            Value::None => out.write_str("None"),
            Value::Bool(value) => out.write_str(if *value { "True" } else { "False" }),
            Value::Text(text) => repr(text, out),
            Value::List(_) | Value::Table(_) => self.nested(out, repr, Value::repr),
            Value::Integer(_) | Value::Float(_) => self.number(out),
        }
    }

    /// `json.dumps(value, ensure_ascii=False)`.
    pub(super) fn dumps(&self, out: &mut impl Write) -> fmt::Result {
        match self {
            Value::None => out.write_str("null"),
            Value::Bool(value) => write!(out, "{value}"),
            Value::Text(text) => quoted(text, out),
            Value::List(_) | Value::Table(_) => self.nested(out, quoted, Value::dumps),
            Value::Integer(_) | Value::Float(_) => self.number(out),
        }
    }

    fn nested<W: Write>(
        &self,
        out: &mut W,
        key: fn(&str, &mut W) -> fmt::Result,
        value: fn(&Value, &mut W) -> fmt::Result,
    ) -> fmt::Result {
        let is_list = matches!(self, Value::List(_));
        let (open, close) = if is_list { ('[', ']') } else { ('{', '}') };
        out.write_char(open)?;
        match self {
            Value::List(all) => {
                for (number, one) in all.iter().enumerate() {
                    out.write_str(if number > 0 { ", " } else { "" })?;
                    value(one, out)?;
                }
            }
            Value::Table(all) => {
                for (number, (name, one)) in all.iter().enumerate() {
                    out.write_str(if number > 0 { ", " } else { "" })?;
                    key(name, out)?;
                    out.write_str(": ")?;
                    value(one, out)?;
                }
            }
            _ => {}
        }
        out.write_char(close)
    }

    fn number(&self, out: &mut impl Write) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(out, "{value}"),
            Value::Float(value) => float(*value, out),
            _ => Ok(()),
        }
    }
}

/// The shortest digits that read back, with an exponent below 1e-4 and from 1e16 on.
fn float(value: f64, out: &mut impl Write) -> fmt::Result {
    let size = value.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        return write!(out, "{value:?}");
    }
    let digits = format!("{value:e}");
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    write!(out, "{mantissa}e{sign}{exponent:0>2}")
}

/// `json.dumps` of a text.
fn quoted(text: &str, out: &mut impl Write) -> fmt::Result {
    // OK because a text can always be written as JSON.
    out.write_str(&serde_json::to_string(text).unwrap_or_default())
}

/// `repr` of a text.
pub(super) fn repr(text: &str, out: &mut impl Write) -> fmt::Result {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.write_char(quote)?;
    for one in text.chars() {
        match one {
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            _ if one == quote || one == '\\' => write!(out, "\\{one}")?,
            _ if is_printable(one) => out.write_char(one)?,
            '\0'..='\u{ff}' => write!(out, "\\x{:02x}", u32::from(one))?,
            '\u{100}'..='\u{ffff}' => write!(out, "\\u{:04x}", u32::from(one))?,
            _ => write!(out, "\\U{:08x}", u32::from(one))?,
        }
    }
    out.write_char(quote)
}

/// As `str.isprintable` has it: Rust's table of what is printed as it is has the same categories.
/// A combining mark counts behind another character only.
fn is_printable(one: char) -> bool {
    if one.is_ascii() {
        return !one.is_ascii_control();
    }
    !['a', one].iter().collect::<String>().escape_debug().any(|shown| shown == '\\')
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::None)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = list.next_element()? {
            all.push(one);
        }
        Ok(Value::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Value, A::Error> {
        let mut all: Vec<(String, Value)> = Vec::new();
        while let Some((name, one)) = table.next_entry::<String, Value>()? {
            match all.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = one,
                None => all.push((name, one)),
            }
        }
        Ok(Value::Table(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::cases;

    #[test]
    fn values_are_written_as_python_writes_them() {
        let values: Vec<[String; 3]> = cases(include_str!("cases.toml"), "values");
        for [json, repr, dumps] in values {
            let value = Value::arguments(&json).expect("a table");
            let (mut is, mut dumped) = (String::new(), String::new());
            value
                .repr(&mut is)
                .and_then(|()| value.dumps(&mut dumped))
                .expect("a string takes all");
            assert_eq!((is, dumped), (repr, dumps), "{json}");
        }
        for json in ["", "[]", "0", "null", "\"\"", "{}", "false", "-0.0"] {
            assert_eq!(Value::arguments(json), Some(Value::Table(Vec::new())), "{json}");
        }
        for json in ["[1]", "\"x\"", "{", "7"] {
            assert_eq!(Value::arguments(json), None, "{json}");
        }
    }
}
