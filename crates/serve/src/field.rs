//! Keys of a request. What breaks a rule is named with its place; unknown keys are let pass, as the
//! providers' newest ones would be.

use crate::prelude::*;

/// A value of a request and the path to it.
#[derive(Clone)]
pub(crate) struct Field<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> Field<'a> {
    /// The whole body, which is an object.
    pub(crate) fn body(value: &'a Value) -> Result<Field<'a>, Fault> {
        if value.is_object() {
            return Ok(Field { path: String::new(), value });
        }
        Err(Fault::new(Kind::Invalid, "the body is not a JSON object"))
    }

    /// The value of a key, where it is there and not null.
    pub(crate) fn get(&self, key: &str) -> Option<Field<'a>> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        let path =
            if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Some(Field { path, value })
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&self, key: &str) -> Result<Field<'a>, Fault> {
        self.get(key).ok_or_else(|| {
            let path = if self.path.is_empty() { "" } else { "." };
            Fault::at(format!("{}{path}{key}", self.path), "it is missing")
        })
    }

    /// The values of a list.
    pub(crate) fn list(&self) -> Result<Vec<Field<'a>>, Fault> {
        let values = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        let field = |(place, value)| Field { path: format!("{}[{place}]", self.path), value };
        Ok(values.iter().enumerate().map(field).collect())
    }

    pub(crate) fn text(&self) -> Result<&'a str, Fault> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    pub(crate) fn count(&self) -> Result<u64, Fault> {
        let count = self.value.as_u64().filter(|count| *count > 0);
        count.ok_or_else(|| self.wrong("a whole number above 0"))
    }

    pub(crate) fn raw(&self) -> &'a Value {
        self.value
    }

    pub(crate) fn is_text(&self) -> bool {
        self.value.is_string()
    }

    /// The text of a key, where it is there.
    pub(crate) fn text_of(&self, key: &str) -> Result<Option<&'a str>, Fault> {
        self.get(key).map(|field| field.text()).transpose()
    }

    /// The text of a key that must be there.
    pub(crate) fn needed_text(&self, key: &str) -> Result<&'a str, Fault> {
        self.need(key)?.text()
    }

    /// The number of a key, where it is there.
    pub(crate) fn count_of(&self, key: &str) -> Result<Option<u64>, Fault> {
        self.get(key).map(|field| field.count()).transpose()
    }

    /// Whether a key is `true`.
    pub(crate) fn flag(&self, key: &str) -> Result<bool, Fault> {
        let Some(field) = self.get(key) else { return Ok(false) };
        field.value.as_bool().ok_or_else(|| field.wrong("true or false"))
    }

    /// The value breaks a rule.
    pub(crate) fn wrong(&self, rule: &str) -> Fault {
        Fault::at(self.path.clone(), format!("it is not {rule}"))
    }

    /// The value asks for what is not spoken.
    pub(crate) fn unspoken(&self, rule: impl std::fmt::Display) -> Fault {
        Fault::unspoken(self.path.clone(), rule)
    }

    /// What is between this and the next is text; other parts are refused. `texts` are the types of
    /// parts that hold one, in their key `text`.
    pub(crate) fn words(&self, texts: &[&str]) -> Result<String, Fault> {
        if self.is_text() {
            return self.text().map(str::to_owned);
        }
        let mut words = String::new();
        for part in self.list()? {
            let kind = part.needed_text("type")?;
            match kind {
                _ if texts.contains(&kind) => words.push_str(part.needed_text("text")?),
                "refusal" => words.push_str(part.needed_text("refusal")?),
                _ => return Err(part.not_text(kind)),
            }
        }
        Ok(words)
    }

    /// A part of another kind than text.
    pub(crate) fn not_text(&self, kind: &str) -> Fault {
        self.unspoken(format!("parts of type `{kind}` are not spoken here, only text"))
    }

    /// Refuses keys that ask for more than text.
    pub(crate) fn refuse(&self, keys: &[(&str, &str)]) -> Result<(), Fault> {
        keys.iter().try_for_each(|(key, rule)| match self.get(key) {
            Some(field) if !field.says_nothing() => Err(field.unspoken(rule)),
            _ => Ok(()),
        })
    }

    fn says_nothing(&self) -> bool {
        match self.value {
            Value::Bool(flag) => !flag,
            Value::Array(values) => values.is_empty(),
            _ => false,
        }
    }

    /// The tools that are offered. They are let pass, since a summarizer answers with text whatever
    /// it is offered.
    pub(crate) fn tools(&self) -> Result<Vec<Tool>, Fault> {
        let Some(tools) = self.get("tools") else { return Ok(Vec::new()) };
        let tool = |field: Field| {
            let value = field.value;
            let named = [value.pointer("/function/name"), value.get("name"), value.get("type")];
            let name = named.into_iter().flatten().find_map(Value::as_str).unwrap_or_default();
            Tool { name: name.to_owned(), definition: value.to_string() }
        };
        Ok(tools.list()?.into_iter().map(tool).collect())
    }
}
