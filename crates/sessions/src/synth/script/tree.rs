//! The files of the project as far as the session has seen them: a file that is read again shows what
//! it holds now, an edit stays, and a search finds what is there.

use std::fmt::Write;

use crate::synth::output;
use crate::synth::prelude::*;

/// The shortest name that is worth a search.
const NAME: usize = 8;
/// Lines of a search at most.
const HITS: usize = 60;
/// How often the file before is taken in place of the latest.
const LATEST: f64 = 0.5;
/// One of so many parts of a file is read to check what is known, as recorded (0.18 of it).
const PART: usize = 6;
/// Lines of the shortest part.
const SHORT: usize = 8;

struct Line {
    text: String,
    /// Whether it states a fact. Such a line is not edited away.
    stated: bool,
}

#[derive(Default)]
pub(super) struct Tree {
    files: BTreeMap<String, Vec<Line>>,
    /// Those that were read or edited, the latest last.
    touched: Vec<String>,
}

/// Lines of a file that is read in part: the first, and how many.
pub(super) type Part = (usize, usize);

impl Tree {
    /// A file of the work at hand, more likely one that was touched lately.
    pub fn recent(&self, files: &[String], rng: &mut ChaCha8Rng) -> Option<String> {
        let own = self.touched.iter().rev().filter(|file| files.contains(file));
        let own: Vec<&String> = own.collect();
        let last = own.len().checked_sub(1)?;
        let mut place = 0;
        while place < last && rng.random_bool(LATEST) {
            place += 1;
        }
        Some(own[place].clone())
    }

    /// A part of a file that was seen, as agents check what they know.
    pub fn part(&self, file: &str, rng: &mut ChaCha8Rng) -> Option<Part> {
        let lines = self.files.get(file)?.len();
        let count = (lines / PART).max(SHORT).min(lines);
        Some((rng.random_range(0..=(lines - count) as u32) as usize, count))
    }

    /// The numbered lines of a part.
    pub fn show(&mut self, file: &str, (from, count): Part) -> String {
        self.touch(file);
        let lines = self.files.get(file).map_or(&[][..], Vec::as_slice);
        numbered(lines.iter().enumerate().skip(from).take(count))
    }

    fn touch(&mut self, file: &str) {
        self.touched.retain(|one| one != file);
        self.touched.push(file.to_owned());
    }

    /// What reading a file shows: its lines, numbered. One that nobody has seen is written first, of
    /// about so many tokens; what is stated in it is put in.
    pub fn read(
        &mut self,
        look: Look,
        subject: &output::Subject<'_>,
        tokens: u32,
        stated: &[String],
        rng: &mut ChaCha8Rng,
    ) -> String {
        let lines = self.files.entry(subject.target.to_owned()).or_insert_with(|| {
            let text = output::plain(look, subject, tokens, rng);
            text.lines().map(|line| Line { text: line.to_owned(), stated: false }).collect()
        });
        for text in stated {
            let at = rng.random_range(0..=lines.len() as u32) as usize;
            let stated = text.lines().map(|text| Line { text: text.to_owned(), stated: true });
            lines.splice(at..at, stated);
        }
        let shown = numbered(lines.iter().enumerate());
        self.touch(subject.target);
        shown
    }

    /// A few lines of a file that an edit may replace; none of an empty one.
    pub fn passage(&self, file: &str, tokens: u32, rng: &mut ChaCha8Rng) -> Option<String> {
        let lines = self.files.get(file)?;
        let is_open = |line: &Line| !line.stated && !line.text.trim().is_empty();
        let open: Vec<usize> = (0..lines.len()).filter(|at| is_open(&lines[*at])).collect();
        let from = *open.get(rng.random_range(0..open.len().max(1) as u32) as usize)?;
        let room = 4 * tokens as usize;
        let mut text = String::new();
        for line in lines[from..].iter().take_while(|line| !line.stated) {
            if !text.is_empty() && text.len() + line.text.len() > room {
                break;
            }
            let end = if text.is_empty() { "" } else { "\n" };
            text.push_str(end);
            text.push_str(&line.text);
        }
        Some(text)
    }

    /// Puts one passage of a file in the place of another, where it is there.
    pub fn edit(&mut self, file: &str, (old, new): (&str, &str)) {
        self.touch(file);
        if old.is_empty() {
            self.files.entry(file.to_owned()).or_default();
        }
        let Some(lines) = self.files.get_mut(file) else { return };
        let wanted: Vec<&str> = old.lines().collect();
        let is_there = |at: &usize| {
            lines[*at..].iter().zip(&wanted).all(|(line, wanted)| line.text == **wanted)
        };
        let places = 0..(lines.len() + 1).saturating_sub(wanted.len().max(1));
        let Some(at) = places.into_iter().find(is_there) else { return };
        let new = new.lines().map(|line| Line { text: line.to_owned(), stated: false });
        lines.splice(at..at + wanted.len(), new);
    }

    /// A name that stands in a file that was seen.
    pub fn name(&self, rng: &mut ChaCha8Rng) -> Option<String> {
        let files: Vec<&Vec<Line>> =
            self.files.values().filter(|lines| !lines.is_empty()).collect();
        let lines = files.get(rng.random_range(0..files.len().max(1) as u32) as usize)?;
        let from = rng.random_range(0..lines.len() as u32) as usize;
        let mut names =
            lines[from..].iter().chain(&lines[..from]).filter(|line| !line.stated).flat_map(
                |line| {
                    line.text
                        .split(|c: char| !c.is_alphanumeric() && c != '_')
                        .filter(|name| name.len() >= NAME)
                },
            );
        names.next().map(str::to_owned)
    }

    /// The lines that hold a name, as a search prints them, after those of files that nobody saw.
    pub fn hits(&self, name: &str, unseen: &[String]) -> String {
        let all = self.files.iter().flat_map(|(file, lines)| {
            let found = (1..).zip(lines).filter(|(_, line)| line.text.contains(name));
            found.map(move |(number, line)| format!("{file}:{number}:{}", line.text))
        });
        let all: Vec<String> = unseen.iter().cloned().chain(all).collect();
        let shown = all[..all.len().min(HITS)].join("\n");
        let count = all.len();
        format!("{shown}\n{count} {}", if count == 1 { "match" } else { "matches" })
    }
}

fn numbered<'a>(lines: impl Iterator<Item = (usize, &'a Line)>) -> String {
    let mut shown = String::new();
    for (place, line) in lines {
        let end = if shown.is_empty() { "" } else { "\n" };
        // OK because writing to a string cannot fail.
        let _ = write!(shown, "{end}{:>6}→{}", place + 1, line.text);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_shows_what_it_holds_now() {
        let mut rng = Seed(1).rng();
        let world = World::draw(&mut rng);
        let component = &world.components[0];
        let subject = output::Subject { world: &world, component, target: "src/a.rs", edit: None };
        let mut tree = Tree::default();
        let stated = ["the port is 8080".to_owned()];
        let first = tree.read(Look::Source, &subject, 400, &stated, &mut rng);
        assert!(first.contains("the port is 8080") && first.starts_with("     1→"), "{first}");
        assert_eq!(tree.read(Look::Source, &subject, 9, &[], &mut rng), first);
        let part = tree.part("src/a.rs", &mut rng).expect("a part");
        let shown = tree.show("src/a.rs", part);
        assert!(first.contains(&shown) && 2 * shown.len() < first.len(), "{shown}");
        for number in 0..20 {
            let old = tree.passage("src/a.rs", 30, &mut rng).expect("a passage");
            assert!(!old.contains("8080"), "{old}");
            let before = tree.read(Look::Source, &subject, 9, &[], &mut rng);
            let new = format!("let changed_thing = {number};");
            tree.edit("src/a.rs", (&old, &new));
            let now = tree.read(Look::Source, &subject, 9, &[], &mut rng);
            assert_ne!(now, before);
            assert!(now.contains(&new) && now.contains("8080"), "{now}");
        }
        let hits = tree.hits("changed_thing", &[]);
        assert!(hits.lines().count() > 1 && hits.contains("src/a.rs:"), "{hits}");
        let name = tree.name(&mut rng).expect("a name");
        assert!(tree.hits(&name, &[]).contains(&name));
        let files = ["src/a.rs".to_owned(), "src/b.rs".to_owned()];
        assert_eq!(tree.recent(&files, &mut rng).as_deref(), Some("src/a.rs"));
        assert_eq!(tree.recent(&files[1..], &mut rng), None);
    }
}
