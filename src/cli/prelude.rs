//! What the verbs share.

pub(super) use std::collections::BTreeMap;
pub(super) use std::path::{Path, PathBuf};

pub(super) use clap::Args;

pub(super) use super::{registry, say, table, talk};
pub(super) use crate::error::{Error, ExitCode, Result};
pub(super) use crate::ident::did_you_mean;
pub(super) use crate::row::CellKey;
pub(super) use crate::run_dir::read::RunData;
pub(super) use crate::sanitize::{self, Shown};
pub(super) use crate::scenario::Scenario;
pub(super) use proctor_core::shown;
