//! A strict reading of the page's markup: it knows only what the templates write, and
//! whatever else stands there is an error. So text that became markup cannot hide.

/// A start tag with its attributes, or a run of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Tag {
        name: String,
        attributes: Vec<(String, String)>,
    },
    End(String),
    Text(String),
    /// The text of a `style` or `script` element.
    Raw(String),
}

/// The pieces of a page.
pub fn pieces(page: &str) -> Result<Vec<Piece>, String> {
    let mut found = Vec::new();
    let mut rest = page.strip_prefix("<!doctype html>").ok_or("no doctype")?;
    while let Some(start) = rest.find('<') {
        if start > 0 {
            found.push(Piece::Text(plain(&rest[..start])?));
        }
        rest = &rest[start + 1..];
        if let Some(end) = rest.strip_prefix('/') {
            let (name, after) = end.split_once('>').ok_or("an end tag without end")?;
            found.push(Piece::End(word(name)?));
            rest = after;
            continue;
        }
        let (tag, after) = tag(rest)?;
        rest = after;
        let Piece::Tag { name, .. } = &tag else { return Err("no tag".to_owned()) };
        let raw = ["style", "script"].contains(&name.as_str()).then(|| name.clone());
        found.push(tag);
        if let Some(name) = raw {
            let end = rest.find("</").ok_or("raw text without end")?;
            found.push(Piece::Raw(rest[..end].to_owned()));
            rest = &rest[end..];
            if !rest.starts_with(&format!("</{name}>")) {
                return Err(format!("`</` inside of {name}"));
            }
        }
    }
    if rest.trim().is_empty() { Ok(found) } else { Err(format!("text at the end: {rest}")) }
}

/// A start tag after its `<`: a name, then attributes in double quotes.
fn tag(text: &str) -> Result<(Piece, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).ok_or("a tag without end")?;
    let (name, mut rest) = (word(&text[..end])?, &text[end..]);
    let mut attributes = Vec::new();
    loop {
        let spaced = rest.trim_start();
        if let Some(after) = spaced.strip_prefix('>').or_else(|| spaced.strip_prefix("/>")) {
            return Ok((Piece::Tag { name, attributes }, after));
        }
        if spaced.len() == rest.len() {
            return Err(format!("`{name}` goes on with {rest:.40}"));
        }
        let end = spaced
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == ':'))
            .ok_or("an attribute without end")?;
        if end == 0 {
            return Err(format!("`{name}` has {spaced:.40}"));
        }
        let (attribute, after) = spaced.split_at(end);
        let Some(quoted) = after.strip_prefix("=\"") else {
            attributes.push((attribute.to_owned(), String::new()));
            rest = after;
            continue;
        };
        let (value, after) = quoted.split_once('"').ok_or("a value without end")?;
        if value.contains('<') {
            return Err(format!("`<` in {attribute} of {name}: {value}"));
        }
        attributes.push((attribute.to_owned(), plain(value)?));
        rest = after;
    }
}

fn word(name: &str) -> Result<String, String> {
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if plain { Ok(name.to_owned()) } else { Err(format!("a tag named {name:.40}")) }
}

/// Text with its references resolved; a bare `&` is an error.
fn plain(text: &str) -> Result<String, String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        plain.push_str(&rest[..start]);
        let (name, after) = rest[start + 1..].split_once(';').ok_or("a bare ampersand")?;
        plain.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" | "#34" => '"',
            "#x27" | "#39" | "apos" => '\'',
            "#x2f" => '/',
            other => return Err(format!("the reference &{other:.20};")),
        });
        rest = after;
    }
    plain.push_str(rest);
    Ok(plain)
}
