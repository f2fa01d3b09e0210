//! `digests.txt`: SHA-256 of every file of the identity set, in lines that `sha256sum -c` checks,
//! with sizes in comments. It is written before the manifest, whose digest it holds.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read;

use sha2::{Digest, Sha256};

use crate::prelude::*;
use crate::run_dir::partition::MATRIX;
use crate::run_dir::story::story_files;
use crate::run_dir::tables::{TRACES, infos};
use crate::run_dir::write::write_whole;
use crate::run_dir::{EXCHANGES, datapackage, inputs};

/// The file in a run directory.
pub const FILE: &str = "digests.txt";
const MANIFEST: &str = "manifest.json";

#[derive(PartialEq)]
struct Sealed {
    size: u64,
    digest: String,
}

/// What is wrong with a file of the identity set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, relative to the run directory.
    pub file: String,
    /// What was found of it.
    pub found: String,
    /// What the run wrote.
    pub expected: String,
}

/// Writes the digests of a finished run, then its manifest.
pub fn seal(dir: &Path, manifest: &[u8]) -> Result<()> {
    let mut sealed = BTreeMap::new();
    for name in files(dir)?.into_iter().filter(|name| dir.join(name).exists()) {
        sealed.insert(name.clone(), of_file(&dir.join(&name))?);
    }
    let own = Sealed { size: manifest.len() as u64, digest: hex(&Sha256::digest(manifest)) };
    sealed.insert(MANIFEST.to_owned(), own);
    write_whole(dir, FILE, text(&sealed).as_bytes())?;
    write_whole(dir, MANIFEST, manifest)
}

/// The files of the identity set that a directory may hold, without its manifest, sorted.
pub(super) fn files(dir: &Path) -> Result<Vec<String>> {
    let whole = [TRACES, inputs::FILE, datapackage::FILE].map(str::to_owned);
    let mut names: Vec<String> = infos().iter().map(|info| info.file.to_owned()).collect();
    names.extend(whole);
    if dir.join(MATRIX).exists() {
        names.push(MATRIX.to_owned());
    }
    if dir.join(EXCHANGES).exists() {
        names.push(EXCHANGES.to_owned());
    }
    let stories = story_files(dir)?;
    let of_stories = stories.iter().filter_map(|path| path.file_name()?.to_str());
    names.extend(of_stories.map(|name| format!("stories/{name}")));
    names.sort();
    Ok(names)
}

fn text(sealed: &BTreeMap<String, Sealed>) -> String {
    let mut text = String::from("# SHA-256 of the files of this run; check: sha256sum -c\n");
    for (name, Sealed { size, digest }) in sealed {
        // OK because writing to a string cannot fail.
        let _ = writeln!(text, "# {size} bytes\n{digest}  {name}");
    }
    text
}

/// The recorded digests, by file; `None` where the run has none.
fn read(dir: &Path) -> Result<Option<BTreeMap<String, Sealed>>> {
    let path = dir.join(FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::io("read", &path, source)),
    };
    let mut sealed = BTreeMap::new();
    let mut size = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(comment) = line.strip_prefix("# ") {
            let bytes = comment.strip_suffix(" bytes").and_then(|bytes| bytes.parse().ok());
            size = bytes.or(size);
            continue;
        }
        let named = line.split_once("  ").filter(|(digest, _)| digest.len() == 64);
        let (Some((digest, name)), Some(size)) = (named, size.take()) else {
            let rule = "expected `# N bytes`, and behind it a digest, two spaces and a file";
            let file = path.display().to_string();
            return Err(Error::Line { file, line: number + 1, rule: rule.to_owned() });
        };
        sealed.insert(name.to_owned(), Sealed { size, digest: digest.to_owned() });
    }
    Ok(Some(sealed))
}

/// Whether every file still says what the run wrote; else [`Error::Invalid`].
pub fn check_whole(dir: &Path) -> Result<()> {
    let Some((_, faults)) = check(dir)? else {
        let rule = "is not there, so that nothing shows whether the tables are those of the run";
        let hint = "restore it, or run again";
        return Err(Error::refused(dir.join(FILE).display().to_string(), rule, hint));
    };
    faults.first().map_or(Ok(()), |fault| Err(fault.error(dir)))
}

/// Every file against its digest: how many there are, and what is wrong; `None` without.
pub fn check(dir: &Path) -> Result<Option<(usize, Vec<Fault>)>> {
    let Some(sealed) = read(dir)? else { return Ok(None) };
    let mut faults = Vec::new();
    for (name, expected) in &sealed {
        let found = match of_file(&dir.join(name)) {
            Ok(found) if found == *expected => continue,
            Ok(found) => told(&found),
            Err(error) => error.to_string(),
        };
        faults.push(Fault { file: name.clone(), found, expected: told(expected) });
    }
    let is_new = |name: &String| !sealed.contains_key(name) && dir.join(name).exists();
    for file in files(dir)?.into_iter().filter(is_new) {
        let expected = "no such file among the digests".to_owned();
        faults.push(Fault { file, found: "a file".to_owned(), expected });
    }
    Ok(Some((sealed.len(), faults)))
}

impl Fault {
    /// The error of a verb that cannot go on with it.
    pub fn error(&self, dir: &Path) -> Error {
        let place = dir.join(&self.file).display().to_string();
        let rule = format!("found {} where the run wrote {}", self.found, self.expected);
        Error::refused(place, rule, "it was changed after the run: restore it, or run again")
    }
}

fn told(sealed: &Sealed) -> String {
    format!("{} bytes, {}", sealed.size, &sealed.digest[..16])
}

fn of_file(path: &Path) -> Result<Sealed> {
    let io = |source| Error::io("read", path, source);
    let mut file = File::open(path).map_err(io)?;
    let (mut hasher, mut size, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer).map_err(io)?;
        if read == 0 {
            return Ok(Sealed { size, digest: hex(&hasher.finalize()) });
        }
        hasher.update(&buffer[..read]);
        size += read as u64;
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        // OK because writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
