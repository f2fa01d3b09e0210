//! Which lines of which file a call reads, with a tool for it or in a shell.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::log::calls::{command, file, is_read};
use crate::log::{Call, Message};

/// A part of a file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) file: String,
    pub(super) lines: Range<u64>,
}

/// `sed -n '10,40p'`, `head -40`, `head -n 40`.
static PART: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\d+),(\d+)p|^head -(?:n ?)?(\d+)").ok());

impl Read {
    /// What a call reads; its result tells how much there was.
    pub(super) fn of(call: &Call, result: Option<&Message>) -> Option<Read> {
        let (file, lines) = match file(call).filter(|_| is_read(call)) {
            Some(file) => (file, asked(call)),
            None => in_shell(&command(call)?)?,
        };
        let shown = result.map_or(u64::MAX, |result| result.content.lines().count() as u64);
        let end = lines.end.min(lines.start.saturating_add(shown));
        Some(Read { file, lines: lines.start..end })
    }

    /// Whether another names the same file: one path may be the other's tail.
    pub(super) fn is_of(&self, path: &str) -> bool {
        let ends = |long: &str, short: &str| {
            let rest = long.strip_suffix(short.trim_start_matches("./"));
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        ends(&self.file, path) || ends(path, &self.file)
    }

    /// The share of its lines that earlier ones read.
    pub(super) fn covered<'a>(&self, earlier: impl Iterator<Item = &'a Read>) -> f64 {
        let within = earlier.filter(|other| self.is_of(&other.file)).map(|other| {
            other.lines.start.max(self.lines.start)..other.lines.end.min(self.lines.end)
        });
        let mut parts: Vec<Range<u64>> = within.filter(|part| !part.is_empty()).collect();
        parts.sort_by_key(|part| part.start);
        let (mut covered, mut reached) = (0, self.lines.start);
        for part in parts {
            covered += part.end.saturating_sub(part.start.max(reached));
            reached = reached.max(part.end);
        }
        let all = self.lines.end.saturating_sub(self.lines.start);
        if all == 0 { 0.0 } else { covered as f64 / all as f64 }
    }
}

/// The lines that a tool is asked for; all of them where it names none.
fn asked(call: &Call) -> Range<u64> {
    let Ok(args) = serde_json::from_str::<Value>(&call.args) else { return 0..u64::MAX };
    let number = |key: &str| args.get(key).and_then(Value::as_u64);
    let from = number("offset").unwrap_or(0);
    from..number("limit").map_or(u64::MAX, |limit| from.saturating_add(limit))
}

/// The file and the lines that a command shows.
fn in_shell(command: &str) -> Option<(String, Range<u64>)> {
    let of = |part: &str| -> Option<(String, Range<u64>)> {
        let part = part.trim();
        let mut words = part.split_whitespace();
        let tool = words.next()?;
        let shows = match tool {
            "cat" | "head" | "nl" | "less" | "bat" => true,
            "sed" => words.clone().next() == Some("-n"),
            _ => false,
        };
        let file = words.last().map(|word| word.trim_matches(['\'', '"']))?;
        let writes = part.contains(['>', '<', '\n']);
        let named = shows && !writes && file.contains(['.', '/']) && !file.contains(['*', '$']);
        let lines = PART.as_ref()?.captures(part).map_or(0..u64::MAX, |found| {
            let number = |at: usize| found.get(at)?.as_str().parse::<u64>().ok();
            match number(3) {
                Some(first) => 0..first,
                None => number(1).unwrap_or(0)..number(2).unwrap_or(u64::MAX),
            }
        });
        named.then(|| (file.to_owned(), lines))
    };
    // `nl -ba pump.rs | sed -n '10,40p'` shows a part of what `nl` reads.
    let last = command.split(" && ").flat_map(|part| part.split("; ")).last()?;
    let mut pipe = last.split(" | ");
    let (file, lines) = of(pipe.next()?)?;
    // What another tool makes of it is no part that can be told.
    let lines = match pipe.next() {
        Some(next) => of(&format!("{next} {file}"))?.1,
        None => lines,
    };
    Some((file, lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_shows_a_file_or_lines_of_it() {
        for (command, expected) in [
            ("cat src/pump.rs", Some(("src/pump.rs", 0..u64::MAX))),
            ("cd garden && sed -n '10,40p' src/pump.rs", Some(("src/pump.rs", 10..40))),
            ("nl -ba pump.rs | sed -n '1,80p'", Some(("pump.rs", 1..80))),
            ("head -n 30 pump.rs", Some(("pump.rs", 0..30))),
            ("cat > pump.rs <<'EOF'", None),
            ("cat > pump.py <<'EOF'\nopen()\nEOF\npython3 pump.py", None),
            ("cat pump.rs | grep valve", None),
            ("cat pump.json | jq .valve", None),
            ("grep valve pump.rs", None),
            ("sed -i 's/a/b/' pump.rs", None),
            ("cat *.rs", None),
        ] {
            let expected = expected.map(|(file, lines)| (file.to_owned(), lines));
            assert_eq!(in_shell(command), expected, "{command}");
        }
    }

    #[test]
    fn lines_are_covered_by_all_that_was_read_before() {
        let read = |file: &str, lines| Read { file: file.to_owned(), lines };
        let now = read("src/pump.rs", 0..100);
        let before =
            [read("/w/src/pump.rs", 0..40), read("pump.rs", 30..60), read("valve.rs", 0..100)];
        assert_eq!(now.covered(before.iter()), 0.6);
        assert_eq!(now.covered([].iter()), 0.0);
    }
}
