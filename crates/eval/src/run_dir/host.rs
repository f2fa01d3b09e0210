//! `host.json`: wall times, the machine, and where things lay. No part of the identity set.

use std::result::Result;

use serde::Serializer;

use crate::bounds::Bound;
use crate::prelude::*;

pub const FILE: &str = "host.json";

/// Where, how long and with what a run was driven.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// The binary that drove it, with its commit where known.
    pub binary: String,
    pub cores: usize,
    pub os: String,
    pub architecture: String,
    /// Milliseconds that each cell took.
    pub cell_wall_ms: BTreeMap<String, u64>,
    /// Where transcripts were read from, by scenario name.
    #[serde(serialize_with = "as_texts")]
    pub transcripts: BTreeMap<String, PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveHost>,
}

/// Where a model was asked: no input of the run, so no part of its manifest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveHost {
    pub base_url: Option<String>,
    /// Where its answers are recorded.
    #[serde(serialize_with = "as_text")]
    pub cassette: PathBuf,
    /// Whether they were only replayed.
    pub replay: bool,
    pub concurrency: usize,
}

/// JSON holds no other texts than UTF-8: what of a path is none is replaced.
fn as_text<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    path.to_string_lossy().serialize(to)
}

fn as_texts<S: Serializer>(paths: &BTreeMap<String, PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(paths.iter().map(|(name, path)| (name, path.to_string_lossy())))
}

impl Host {
    pub fn here(binary: String) -> Host {
        Host {
            binary,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            os: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            ..Host::default()
        }
    }

    /// What a run directory says; the default where it says nothing that can be read.
    pub fn load(dir: &Path) -> Host {
        let text = Bound::Record.bytes(&dir.join(FILE)).ok();
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }
}
