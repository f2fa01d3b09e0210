//! The vocabulary of every room.

pub(crate) use std::cmp::Reverse;
pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::ops::Range;
pub(crate) use std::path::{Path, PathBuf};

pub(crate) use minijinja::value::Serde;
pub(crate) use minijinja::{Value, context};
pub(crate) use plotters::style::RGBColor;
pub(crate) use serde::Serialize;

pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::frame::{Basis, Derived, MeasuredCell};
pub(crate) use crate::measure::floor::verdict::Verdict;
pub(crate) use crate::measure::{MetricId, Word};
pub(crate) use crate::number::{self, UNDEFINED};
pub(crate) use crate::row::CellKey;
pub(crate) use crate::run_dir::ManifestSession;
pub(crate) use crate::run_dir::read::RunData;
pub(crate) use crate::scenario::twin_of;
pub(crate) use crate::stats::fit::Model;
pub(crate) use crate::unit::Tokens;
pub(crate) use crate::{sanitize, stats};
