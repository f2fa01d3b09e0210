//! Which part of a run a directory holds, and the whole that it is a part of.

mod auto;

use std::fmt;
use std::str::FromStr;

use crate::prelude::*;
use crate::run_dir::write::{json_file, read_json};

/// The cells of the whole matrix, in the directory of a part of a run.
pub const MATRIX: &str = "matrix.json";

/// One of several parts that a run is driven in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// Which, from 1.
    pub part: u32,
    /// Of how many.
    pub of: u32,
}

/// As the command line writes it: `2/3`.
impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Partition, String> {
        /// More parts than any run has cells.
        const MOST: u32 = 1_000_000;
        if let Some(of) = text.strip_prefix("auto") {
            let of = of.strip_prefix('/').map(str::parse).transpose().ok();
            let of =
                of.filter(|of| of.is_none_or(|of| (1..=MOST).contains(&of)) && text != "auto/");
            let of = of.ok_or_else(|| format!("`{text}`: expected `auto` or `auto/N`"))?;
            return auto::read(of, |name| std::env::var(name).ok());
        }
        let numbers = text.split_once('/').and_then(|(part, of)| {
            Some(Partition { part: part.parse().ok()?, of: of.parse().ok()? })
        });
        let within = |one: &Partition| (1..=one.of).contains(&one.part) && one.of <= MOST;
        numbers.filter(within).ok_or_else(|| {
            format!("`{text}` is no part of a run: expected `K/N`, K from 1 to N, such as `2/3`, or `auto`")
        })
    }
}

/// What the manifest of a part says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestPart {
    /// Which part.
    pub partition: Partition,
    /// Digest of `matrix.json`: parts of one run have the same.
    pub matrix: Digest,
}

/// The cells of the whole run in order (`matrix.json`), so that gaps can be named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Whole {
    /// Its sessions, those without a cell among them.
    pub sessions: Vec<WholeSession>,
}

/// A session of the whole run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WholeSession {
    /// Scenario or transcript name.
    pub scenario: String,
    /// Seed; 0 for transcripts.
    pub seed: u64,
    /// Ids of its cells.
    pub cells: Vec<String>,
}

impl Whole {
    /// As the file holds it.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        json_file(MATRIX, self)
    }

    /// Reads the whole of a part, with its digest.
    pub fn load(dir: &Path) -> Result<(Whole, Digest)> {
        read_json(&dir.join(MATRIX))
    }

    /// The ids of all cells, in order.
    pub fn cells(&self) -> impl Iterator<Item = &str> {
        self.sessions.iter().flat_map(|session| session.cells.iter().map(String::as_str))
    }
}
