//! Lists the pipelines that the library carries: every file of the folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const FOLDER: &str = "scenarios";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={FOLDER}");
    let mut files: Vec<PathBuf> = fs::read_dir(FOLDER)?
        .map(|entry| entry?.path().canonicalize())
        .collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default();
        // OK to drop: writing to a string does not fail.
        let _ = writeln!(list, "({name:?}, include_str!({file:?})),");
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&out).join("pipelines.rs"), list)
}
