//! Words of the pages: few of many, counts, names of files.

use minijinja::{Value, context};

/// The first of a list as `shown`, and how many `more` there are.
pub fn few<T: Into<Value>>(all: impl IntoIterator<Item = T>, most: usize) -> Value {
    let mut shown: Vec<Value> = all.into_iter().map(Into::into).collect();
    let more = shown.len().saturating_sub(most);
    shown.truncate(most);
    context! { shown, more }
}

pub fn counted(number: usize, what: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {what}{end}")
}

/// `better`, `worse`, or nothing where neither.
pub fn worth(better: Option<bool>) -> Option<&'static str> {
    better.map(|better| if better { "better" } else { "worse" })
}

/// A name as a file: itself where it is plain, else its plain letters and a digest.
pub fn file(name: &str) -> String {
    const LONGEST: usize = 60;
    let is_plain = crate::ident::is_name(name)
        && name.len() <= LONGEST
        && !name.contains("--")
        && !name.contains("..");
    if is_plain {
        return name.to_owned();
    }
    let plain = name.to_ascii_lowercase();
    let kept = plain.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let kept: String = kept.take(LONGEST).collect();
    let digest = crate::ident::Digest::of(name.as_bytes()).0;
    format!("x-{}--{}", kept.trim_matches('-'), &digest[..12])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain_and_apart() {
        assert_eq!(file("forge-adr"), "forge-adr");
        for name in ["../../etc/passwd", "a--b", "A b", "ünï", "", "a/b", "con\0", "..", "a.."] {
            let file = file(name);
            assert!(file.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-'), "{name}: {file}");
            assert!(file.starts_with("x-"), "{name}: {file}");
        }
        assert_ne!(file("a b"), file("a/b"));
    }
}
