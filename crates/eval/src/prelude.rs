//! The vocabulary of every room.

pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::path::{Path, PathBuf};

pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::config::is_default;
pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::ident::{Digest, Seed};
pub(crate) use crate::unit::Tokens;
