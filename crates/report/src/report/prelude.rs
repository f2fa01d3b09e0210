//! What the builders of sections share.

pub(in crate::report) use std::collections::{BTreeMap, BTreeSet};

pub(in crate::report) use minijinja::{Value, context};

pub(in crate::report) use super::choice::{LeftOut, PANELS, ROWS, choose};
pub(in crate::report) use super::columns::{
    MetricColumn, completed, configuration, estimate, mean, sessions, up_to_the_end,
};
pub(in crate::report) use super::completion::{self, completes, ended_early};
pub(in crate::report) use super::figure::{Figure, Write};
pub(in crate::report) use super::figures::{Config, Figures};
pub(in crate::report) use super::table::{Cell, Field, Table, Tone, figure, text};
pub(in crate::report) use super::template::Parts;
pub(in crate::report) use crate::chart::*;
pub(in crate::report) use crate::error::Result;
pub(in crate::report) use crate::frame::{Basis, MeasuredCell};
pub(in crate::report) use crate::measure::MetricId;
pub(in crate::report) use crate::number;
pub(in crate::report) use crate::stats;
