//! Where an artifact is shown in another form than that of its needle: a file by a shorter or
//! another path, a name inside a longer one. Who saw it there does not need it from memory.

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use super::data::ARTIFACTS;
use super::leaves::is_compound;
use crate::prelude::*;

/// Per fact, in log order: the messages that show it in any form.
pub(super) fn shown(log: &Log, facts: &[Fact]) -> Vec<Vec<MsgId>> {
    let mut owners: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    for fact in facts {
        forms(fact).for_each(|form| owners.entry(form).or_default().push(fact));
    }
    let mut shown = vec![Vec::new(); facts.len()];
    // OK to go without: then only the facts' own forms count.
    let Ok(matcher) = AhoCorasick::new(owners.keys()) else { return shown };
    let owners: Vec<&Vec<&Fact>> = owners.values().collect();
    let of = |message: &Message| -> BTreeSet<FactId> {
        let args = message.calls.iter().map(|call| &*call.args);
        let texts = args.chain([&*message.content]);
        let mut shown = BTreeSet::new();
        for text in texts {
            for found in matcher.find_overlapping_iter(text) {
                let alone = stands_alone(text.as_bytes(), found.start(), found.end());
                let of = owners[found.pattern().as_usize()].iter();
                let of = of.filter(|fact| alone || fact.kind != FactKind::Path);
                shown.extend(of.map(|fact| fact.id));
            }
        }
        shown
    };
    let held: Vec<BTreeSet<FactId>> = log.messages.par_iter().map(of).collect();
    for (message, held) in log.messages.iter().zip(held) {
        held.iter().for_each(|fact| shown[fact.index()].push(message.id));
    }
    shown
}

/// Whether a file's name is not a part of a longer one: `auth.ts` is none of `oauth.ts`.
fn stands_alone(text: &[u8], start: usize, end: usize) -> bool {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = start.checked_sub(1).map(|at| &text[at]);
    let before = before.is_some_and(|byte| word(byte) || matches!(byte, b'-' | b'.'));
    !before && !text.get(end).is_some_and(word)
}

/// The forms in which a text may show a fact, besides its needle.
fn forms(fact: &Fact) -> impl Iterator<Item = &str> {
    let text: &str = &fact.statement;
    let forms = match fact.kind {
        FactKind::Path => of_path(text),
        FactKind::Symbol | FactKind::Test => [Some(text), None],
        _ => [None, None],
    };
    forms.into_iter().flatten()
}

/// Its name, with the directory where every project has such a file, and its stem where that is no
/// plain word: imports leave the ending out.
fn of_path(path: &str) -> [Option<&str>; 2] {
    let mut cuts = path.rmatch_indices('/').map(|(place, _)| &path[place + 1..]);
    let (name, longer) = (cuts.next().unwrap_or(path), cuts.next().unwrap_or(path));
    if ARTIFACTS.common_files.contains(name) {
        return [Some(longer), None];
    }
    let stem = name.rsplit_once('.').map(|(stem, _)| stem);
    let stem = stem.filter(|stem| is_compound(stem) || stem.contains(['-', '.']));
    [Some(name), stem]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_inside_a_longer_one_is_another_file() {
        for (text, alone) in [
            ("see src/auth.ts", true),
            ("import './auth.ts'", true),
            ("oauth.ts", false),
            ("my-auth.ts", false),
            ("auth.tsx", false),
        ] {
            let start = text.find("auth.ts").expect("it is there");
            assert_eq!(stands_alone(text.as_bytes(), start, start + 7), alone, "{text}");
        }
    }

    #[test]
    fn a_file_is_shown_by_its_name_and_a_common_one_by_its_directory_too() {
        for (path, forms) in [
            ("src/pumps/valve-driver.ts", [Some("valve-driver.ts"), Some("valve-driver")]),
            ("src/open.dto.ts", [Some("open.dto.ts"), Some("open.dto")]),
            ("src/pumps/valve.ts", [Some("valve.ts"), None]),
            ("garden/pumps/README.md", [Some("pumps/README.md"), None]),
            ("README.md", [Some("README.md"), None]),
        ] {
            assert_eq!(of_path(path), forms, "{path}");
        }
    }
}
