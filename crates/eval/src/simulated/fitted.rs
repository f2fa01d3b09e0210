//! Simulated summarizers fitted to compactions of one's own, by name. A suite holds their parameters,
//! and with it all that a run embeds.

use std::fmt;
use std::str::FromStr;

use crate::config;
use crate::error::Broken;
use crate::prelude::*;
use crate::simulated::parameters::Parameters;
use crate::summarize::own::name_after;

const PREFIX: &str = "fitted-";

/// The name of one: `fitted-` and lower-case letters, digits, hyphens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FittedName(&'static str);

impl FittedName {
    /// Whether a text begins as these names do.
    pub fn begins(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// The name as suites and cell ids write it.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl FromStr for FittedName {
    type Err = Broken;

    fn from_str(text: &str) -> Result<FittedName, Broken> {
        name_after(PREFIX, text).map(FittedName)
    }
}

impl fmt::Display for FittedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Parameters by what stands behind `fitted-` in the name. A file may name the file that has them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fitted(BTreeMap<String, Own>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Source")]
struct Own(Parameters);

#[derive(Deserialize)]
#[serde(untagged)]
enum Source {
    File(PathBuf),
    Whole(Parameters),
}

impl TryFrom<Source> for Own {
    type Error = Error;

    fn try_from(source: Source) -> Result<Own> {
        match source {
            Source::File(path) => read(&path).map(Own),
            Source::Whole(parameters) => Ok(Own(parameters)),
        }
    }
}

fn read(path: &Path) -> Result<Parameters> {
    Parameters::parse(&path.display().to_string(), &config::text(path)?)
}

impl Fitted {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the parameters of a file, and names them after it.
    pub fn load(&mut self, path: &Path) -> Result<FittedName> {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{PREFIX}{stem}").parse::<FittedName>().map_err(|broken| {
            Error::refused(
                path.display().to_string(),
                broken.to_string(),
                "the summarizer has the name of its file: give the file another",
            )
        })?;
        self.0.insert(stem, Own(read(path)?));
        Ok(name)
    }

    /// The parameters of a name.
    pub fn get(&self, name: FittedName) -> Option<&Parameters> {
        self.0.get(name.0.strip_prefix(PREFIX)?).map(|own| &own.0)
    }

    /// Their digests by name.
    pub fn digests(&self) -> BTreeMap<String, Digest> {
        let digest =
            |(name, own): (&String, &Own)| (format!("{PREFIX}{name}"), Digest::of_json(own));
        self.0.iter().map(digest).collect()
    }
}
