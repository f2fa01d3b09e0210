//! The words that names are made of, one a line in `data/words`.

use std::sync::LazyLock;

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)+) => {$(
        $(#[$doc])*
        pub(super) static $name: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
            include_str!(concat!("data/words/", $file)).lines().collect()
        });
    )+};
}

words! {
    NOUNS = "nouns.txt";
    VERBS = "verbs.txt";
    THINGS = "things.txt";
    /// What singles one thing out of several.
    QUALIFIERS = "qualifiers.txt";
    ROLES = "roles.txt";
    ASPECTS = "aspects.txt";
    PROJECTS = "projects.txt";
}

/// Whether names are made of this word.
#[cfg(test)]
pub(super) fn is_word(word: &str) -> bool {
    let lists = [&NOUNS, &VERBS, &THINGS, &QUALIFIERS, &ROLES, &ASPECTS];
    lists.iter().any(|list| list.contains(&word))
}
