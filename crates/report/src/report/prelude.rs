//! What the builders of sections share.

pub(super) use super::choice::{LeftOut, PANELS, ROWS, choose};
pub(super) use super::columns::{estimate, mean, sessions, up_to_the_end};
pub(super) use super::completion::{self, completes, ended_early};
pub(super) use super::figure::{Figure, Write};
pub(super) use super::figures::{Config, Figures, grouped};
pub(super) use super::table::{Cell, Table, Tone};
pub(super) use super::template::Parts;
pub(super) use crate::chart::*;
pub(super) use crate::prelude::*;
