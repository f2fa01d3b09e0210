//! Templates of prose, filled with typed values and read as blocks.
//!
//! A small part of Markdown: paragraphs, `- ` items, `### ` headings, `! ` banners, `code`,
//! `**strong**`; and `= tone | label | answer | reason` tiles.
//! Values are text of a run: nothing in them is read as markup.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

use super::document::{Block, Chart, Prose, Span, Tile};
use super::table::{Table, Tone};
use crate::chart::Rendered;
use crate::prelude::*;

/// Begins and ends the place of a table or chart; no sanitized value holds it.
const PLACE: char = '\u{1}';
/// Parts the number of a chart from its caption.
const CAPTION: char = '\u{2}';
/// Letters that mean something in a template, and what stands for them in values.
const LITERALS: [(char, char); 6] = [
    ('`', '\u{11}'),
    ('*', '\u{12}'),
    ('#', '\u{13}'),
    ('-', '\u{14}'),
    (' ', '\u{15}'),
    ('|', '\u{16}'),
];

/// What a template is filled with: values by name, and the tables and charts among them.
#[derive(Default)]
pub struct Parts {
    values: BTreeMap<&'static str, Value>,
    blocks: Vec<Block>,
}

impl Parts {
    pub fn value(mut self, name: &'static str, value: impl Serialize) -> Parts {
        self.values.insert(name, Value::from(Serde(value)));
        self
    }

    pub fn table(mut self, name: &'static str, table: Table) -> Parts {
        let place = self.place(table);
        self.values.insert(name, place);
        self
    }

    /// Adds a chart under the name of its files; it may not be there.
    pub fn chart(mut self, name: &'static str, file: &str, drawn: Option<Rendered>) -> Parts {
        let place = self.place_chart(file, drawn);
        self.values.insert(name, place);
        self
    }

    /// Of a section that holds this table and nothing else; `None` where it has no rows.
    pub fn alone(name: &'static str, table: Table) -> Option<Parts> {
        (!table.rows.is_empty()).then(|| Parts::default().table(name, table))
    }

    pub fn place(&mut self, table: Table) -> Value {
        if table.rows.is_empty() { Value::from(()) } else { self.push(Block::Table(table)) }
    }

    pub fn place_chart(&mut self, file: &str, drawn: Option<Rendered>) -> Value {
        let Some(drawn) = drawn else { return Value::from(()) };
        self.push(Block::Chart(Chart {
            name: file.to_owned(),
            caption: String::new(),
            svg: drawn.svg,
            narrow: drawn.narrow,
            png: drawn.png,
            pdf: drawn.pdf,
        }))
    }

    fn push(&mut self, block: Block) -> Value {
        self.blocks.push(block);
        let number = self.blocks.len() - 1;
        Value::from_safe_string(format!("\n\n{PLACE}{number}{PLACE}\n\n"))
    }
}

pub struct Templates(Environment<'static>);

impl Templates {
    pub fn new(texts: impl IntoIterator<Item = (&'static str, &'static str)>) -> Result<Templates> {
        let mut environment = environment(&[])?;
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        // What macros and blocks give is markup already; all else is written as a literal.
        environment.set_auto_escape_callback(|_| AutoEscape::Custom("prose".into()));
        environment.set_formatter(|out, _, value| match value.is_safe() {
            // A table that is not there.
            _ if value.is_none() => Ok(()),
            true => Ok(out.write_str(&value.to_string())?),
            false => Ok(out.write_str(&literal(value))?),
        });
        environment.add_filter("code", |value: &Value| {
            Value::from_safe_string(format!("`{}`", literal(value)))
        });
        environment.add_filter("strong", |value: &Value| {
            Value::from_safe_string(format!("**{}**", literal(value)))
        });
        environment.add_filter("names", names);
        environment.add_filter("chart", chart);
        environment.add_filter("tokens", number::tokens);
        environment.add_filter("share", number::share);
        environment.add_filter("count", number::count);
        environment.add_filter("dollars", number::dollars);
        environment.add_filter("points", number::points);
        environment.add_filter("whole_points", number::whole_points);
        for (name, text) in texts {
            environment.add_template(name, text).map_err(broken)?;
        }
        Ok(Templates(environment))
    }

    pub fn blocks(&self, name: &str, parts: &Parts) -> Result<Vec<Block>> {
        let template = self.0.get_template(name).map_err(broken)?;
        let text = template.render(Serde(&parts.values)).map_err(broken)?;
        let paragraphs = text.split("\n\n").map(str::trim).filter(|text| !text.is_empty());
        Ok(paragraphs.filter_map(|text| block(text, &parts.blocks)).collect())
    }
}

/// An environment with these templates, whose tags stand on lines of their own.
pub fn environment(templates: &[(&'static str, &'static str)]) -> Result<Environment<'static>> {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(broken)?);
    for (name, text) in templates {
        environment.add_template(name, text).map_err(broken)?;
    }
    Ok(environment)
}

/// The error of a template that is broken or names a value that is not there.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
pub fn broken(error: minijinja::Error) -> Error {
    Error::invalid("template", format!("{error:#}"))
}

/// The text with every letter of one side of [`LITERALS`] replaced by that of the other.
fn replaced(text: &str, pairs: &[(char, char)]) -> String {
    let other = |letter| pairs.iter().find(|(from, _)| *from == letter).map(|(_, to)| *to);
    text.chars().map(|letter| other(letter).unwrap_or(letter)).collect()
}

/// A value as text in which nothing is markup.
fn literal(value: &Value) -> String {
    replaced(&sanitize::line(&value.to_string()), &LITERALS)
}

fn without_stand_ins(text: &str) -> String {
    replaced(text, &LITERALS.map(|(markup, own)| (own, markup)))
}

/// Names as code: `a`, `b` and `c`.
fn names(values: &Value) -> std::result::Result<Value, minijinja::Error> {
    let names: Vec<String> =
        values.try_iter()?.map(|name| format!("`{}`", literal(&name))).collect();
    Ok(Value::from_safe_string(match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }))
}

/// Gives a chart its caption, or says why there is none.
fn chart(caption: &Value, place: &Value, why_not: &str) -> Value {
    if place.kind() == ValueKind::None {
        return Value::from_safe_string(format!("\n\nNo chart here: {why_not}.\n\n"));
    }
    let place = place.to_string();
    let number = place.trim().trim_matches(PLACE);
    let caption = on_one_line(&caption.to_string());
    Value::from_safe_string(format!("\n\n{PLACE}{number}{CAPTION}{caption}{PLACE}\n\n"))
}

/// A paragraph as a block; `None` where it stands for a table that is not there.
fn block(text: &str, blocks: &[Block]) -> Option<Block> {
    if let Some(place) = text.strip_prefix(PLACE) {
        let place = place.trim_end_matches(PLACE);
        let (number, caption) = place.split_once(CAPTION).unwrap_or((place, ""));
        let mut block = blocks.get(number.parse::<usize>().ok()?)?.clone();
        if let Block::Chart(chart) = &mut block {
            chart.caption = plain(caption);
        }
        return Some(block);
    }
    if let Some(heading) = text.strip_prefix("### ") {
        return Some(Block::Heading(plain(heading)));
    }
    if let Some(banner) = text.strip_prefix("! ") {
        return Some(Block::Banner(inline(banner)));
    }
    if let Some(tiles) = text.strip_prefix("= ") {
        return Some(Block::Tiles(tiles.split("\n= ").filter_map(tile).collect()));
    }
    match text.strip_prefix("- ") {
        Some(items) => Some(Block::List(items.split("\n- ").map(inline).collect())),
        None => Some(Block::Prose(inline(text))),
    }
}

fn tile(text: &str) -> Option<Tile> {
    let mut parts = text.splitn(4, '|').map(str::trim);
    let tone = match parts.next()? {
        "good" => Tone::Good,
        "bad" => Tone::Bad,
        _ => Tone::Plain,
    };
    let [label, head, why] = [parts.next()?, parts.next()?, parts.next()?];
    Some(Tile { tone, label: plain(label), head: inline(head), why: inline(why) })
}

/// Text without the line breaks and spaces that conditions of a template leave.
fn on_one_line(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

fn inline(text: &str) -> Prose {
    let text = on_one_line(text);
    let strong = |(place, part): (usize, &str)| match place % 2 {
        0 => Span::Plain(without_stand_ins(part)),
        _ => Span::Strong(without_stand_ins(part)),
    };
    let spans = text.split('`').enumerate().flat_map(|(place, part)| match place % 2 {
        0 => part.split("**").enumerate().map(strong).collect(),
        _ => vec![Span::Code(without_stand_ins(part))],
    });
    spans.filter(|span| !span.text().is_empty()).collect()
}

fn plain(text: &str) -> String {
    inline(text).iter().map(Span::text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::Cell;

    fn blocks(template: &'static str, parts: &Parts) -> Vec<Block> {
        Templates::new([("t", template)]).unwrap().blocks("t", parts).unwrap()
    }

    #[test]
    fn a_template_is_read_as_blocks() {
        let table = Table::of("caption", ["Name"], [vec![Cell::code("a")]]);
        let parts = Parts::default().value("n", 3).value("all", ["a", "b", "c"]).table("t", table);
        let found = blocks(
            "A **strong** word\nand {{ n }} `names`:  {{ all|names }}.\n\n### Head\n{{ t }}\n\
             - one\n  more\n- {{ 0.5|share }}\n",
            &parts,
        );
        let [Block::Prose(prose), Block::Heading(head), Block::Table(_), Block::List(items)] =
            &found[..]
        else {
            panic!("{found:?}")
        };
        let words = |prose: &Prose| prose.iter().map(Span::text).collect::<String>();
        assert_eq!(words(prose), "A strong word and 3 names: a, b and c.");
        assert_eq!(prose[1], Span::Strong("strong".to_owned()));
        assert_eq!(prose[3], Span::Code("names".to_owned()));
        assert_eq!(head, "Head");
        assert_eq!(items.iter().map(words).collect::<Vec<_>>(), ["one more", "50%"]);
    }

    #[test]
    fn nothing_of_a_value_is_markup() {
        let hostile = "- `a` **b** ### c {{ n }}\n\n\u{1}0\u{1}";
        let parts = Parts::default().value("x", hostile);
        let found = blocks("{{ x }}\n\n{{ x|code }} {{ x|strong }}", &parts);
        let [Block::Prose(first), Block::Prose(second)] = &found[..] else { panic!("{found:?}") };
        let shown = "- `a` **b** ### c {{ n }}  \u{FFFD}0\u{FFFD}".to_owned();
        assert_eq!(first[..], [Span::Plain(shown.clone())]);
        assert_eq!((&second[0], &second[2]), (&Span::Code(shown.clone()), &Span::Strong(shown)));
    }

    #[test]
    fn a_chart_has_its_caption_or_says_why_it_is_missing() {
        let svg = "<svg/>".to_owned();
        let drawn = Rendered {
            narrow: svg.clone(),
            svg,
            png: Vec::new(),
            pdf: Vec::new(),
            width: 1,
            height: 1,
        };
        let template = "{% filter chart(c, \"nothing fired\") %}One\n`caption`.{% endfilter %}";
        let found = blocks(template, &Parts::default().chart("c", "file", Some(drawn)));
        let [Block::Chart(chart)] = &found[..] else { panic!("{found:?}") };
        assert_eq!((chart.name.as_str(), chart.caption.as_str()), ("file", "One caption."));
        let found = blocks(template, &Parts::default().chart("c", "file", None));
        let [Block::Prose(prose)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(prose[..], [Span::Plain("No chart here: nothing fired.".to_owned())]);
        // A value that is not there at all is an error.
        let templates = Templates::new([("t", "{{ missing }}")]).unwrap();
        assert!(templates.blocks("t", &Parts::default()).is_err());
    }
}
