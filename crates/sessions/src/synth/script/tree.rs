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
    /// What the files that were edited since the last commit held then.
    committed: BTreeMap<String, String>,
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
            output::plain(look, subject, tokens, rng).lines().map(Line::plain).collect()
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
        Some(passage(&lines[from..], tokens))
    }

    /// Puts one passage of a file in the place of another, where it is there: at which line.
    pub fn edit(&mut self, file: &str, (old, new): (&str, &str)) -> Option<usize> {
        self.touch(file);
        if old.is_empty() {
            self.files.entry(file.to_owned()).or_default();
        }
        let lines = self.files.get_mut(file)?;
        let wanted: Vec<&str> = old.lines().collect();
        let is_there = |at: &usize| {
            lines[*at..].iter().zip(&wanted).all(|(line, wanted)| line.text == **wanted)
        };
        let places = 0..(lines.len() + 1).saturating_sub(wanted.len().max(1));
        // A text in the place of none is added.
        let at = if old.is_empty() { lines.len() } else { places.into_iter().find(is_there)? };
        if !self.committed.contains_key(file) {
            self.committed.insert(file.to_owned(), joined(lines));
        }
        let new = new.lines().map(Line::plain);
        lines.splice(at..at + wanted.len(), new);
        Some(at)
    }

    /// Puts a file there that nobody has read.
    pub fn put(&mut self, file: &str, text: &str) {
        self.files.insert(file.to_owned(), text.lines().map(Line::plain).collect());
    }

    pub fn has(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    pub fn length(&self, file: &str) -> usize {
        self.files.get(file).map_or(0, Vec::len)
    }

    /// Where a file has a line that states something; it is put in where it is not there.
    pub fn hold(&mut self, file: &str, text: &str, rng: &mut ChaCha8Rng) -> usize {
        let lines = self.files.entry(file.to_owned()).or_default();
        if let Some(at) = lines.iter().position(|line| line.text == text) {
            return at;
        }
        let at = rng.random_range(0..=lines.len() as u32) as usize;
        lines.insert(at, Line { text: text.to_owned(), stated: true });
        at
    }

    /// The files that the agent has read or edited.
    pub fn seen(&self) -> impl Iterator<Item = &str> {
        self.touched.iter().map(String::as_str)
    }

    /// Whether the agent has read or edited a file.
    pub fn was_seen(&self, file: &str) -> bool {
        self.seen().any(|one| one == file)
    }

    pub fn text(&self, file: &str) -> String {
        self.files.get(file).map(|lines| joined(lines)).unwrap_or_default()
    }

    /// The lines of a file that a person or tool may find wrong, with their places.
    pub fn open_lines(&self, file: &str) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.files.get(file).into_iter().flatten().enumerate();
        let open = lines.filter(|(_, line)| !line.stated && !line.text.trim().is_empty());
        open.map(|(at, line)| (at, line.text.as_str()))
    }

    /// Where a file has this line, if it still has it.
    pub fn find(&self, file: &str, text: &str) -> Option<usize> {
        self.files.get(file)?.iter().position(|line| line.text == text)
    }

    /// The passage of about so many tokens that begins at this line.
    pub fn passage_at(&self, file: &str, from: usize, tokens: u32) -> Option<String> {
        Some(passage(self.files.get(file)?.get(from..)?, tokens))
    }

    /// The files that were edited since the last commit, with what they held then.
    pub fn edited(&self) -> impl Iterator<Item = (&str, &str)> {
        self.committed.iter().map(|(file, text)| (file.as_str(), text.as_str()))
    }

    pub fn commit(&mut self) {
        self.committed.clear();
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

    /// A name of two words, as people give to what they define, in a file whose path begins so.
    pub fn defined(&self, within: &str, rng: &mut ChaCha8Rng) -> Option<String> {
        let files = self.files.iter().filter(|(file, _)| file.starts_with(within));
        let files: Vec<(&String, &Vec<Line>)> = files.collect();
        let (file, lines) = files.get(rng.random_range(0..files.len().max(1) as u32) as usize)?;
        let conventions = Dialect::of_file(file).and_then(|own| own.conventions.as_ref());
        let camel = conventions.is_some_and(|conventions| conventions.camel);
        let from = rng.random_range(0..lines.len().max(1) as u32) as usize;
        let open = lines.iter().cycle().skip(from).take(lines.len()).filter(|line| !line.stated);
        let mut words =
            open.flat_map(|line| line.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        words.find(|word| is_defined(word, camel)).map(str::to_owned)
    }

    /// The lines that hold any of these names, of files whose path begins so, as a search prints
    /// them, after these others.
    pub fn hits(&self, names: &[&str], within: &str, others: &[String]) -> String {
        let files = self.files.iter().filter(|(file, _)| file.starts_with(within));
        let holds = |text: &str| names.iter().any(|name| text.contains(name));
        let all = files.flat_map(|(file, lines)| {
            let found = (1..).zip(lines).filter(|(_, line)| holds(&line.text));
            found.map(move |(number, line)| format!("{file}:{number}:{}", line.text))
        });
        let own = all.filter(|line| !others.contains(line));
        let all: Vec<String> = others.iter().cloned().chain(own).collect();
        let shown = all[..all.len().min(HITS)].join("\n");
        let count = all.len();
        format!("{shown}\n{count} {}", if count == 1 { "match" } else { "matches" })
    }
}

impl Line {
    fn plain(text: &str) -> Line {
        Line { text: text.to_owned(), stated: false }
    }
}

fn passage(lines: &[Line], tokens: u32) -> String {
    let room = 4 * tokens as usize;
    let mut text = String::new();
    for line in lines.iter().take_while(|line| !line.stated) {
        if !text.is_empty() && text.len() + line.text.len() > room {
            break;
        }
        let end = if text.is_empty() { "" } else { "\n" };
        text.push_str(end);
        text.push_str(&line.text);
    }
    text
}

/// Whether a word is two words, joined as names are.
fn is_defined(word: &str, camel: bool) -> bool {
    let parts: Vec<&str> = word.split('_').collect();
    let humps = word.chars().filter(char::is_ascii_uppercase).count();
    let is_long = word.len() >= NAME && parts.iter().all(|part| part.len() >= 3);
    let is_low = word.starts_with(|first: char| first.is_ascii_lowercase());
    is_long && is_low && (parts.len(), humps) == if camel { (1, 1) } else { (2, 0) }
}

fn joined(lines: &[Line]) -> String {
    lines.iter().map(|line| format!("{}\n", line.text)).collect()
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
        let world = World::draw(&Bank::named(crate::synth::BankName::A).domain, &mut rng);
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
        let hits = tree.hits(&["changed_thing"], "", &[]);
        assert!(hits.lines().count() > 1 && hits.contains("src/a.rs:"), "{hits}");
        let name = tree.name(&mut rng).expect("a name");
        assert!(tree.hits(&[&name], "", &[]).contains(&name));
        let files = ["src/a.rs".to_owned(), "src/b.rs".to_owned()];
        assert_eq!(tree.recent(&files, &mut rng).as_deref(), Some("src/a.rs"));
        assert_eq!(tree.recent(&files[1..], &mut rng), None);
    }
}
