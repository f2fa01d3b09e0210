//! What the pages share.

pub(super) use super::book::{self, Book, Contestant};
pub(super) use super::figure::{chance, definition, figure, pair, share_of, unit};
pub(super) use super::markup::Markup;
pub(super) use super::words::{few, worth};
pub(super) use crate::history::{Finding, GateNote, Key, Night, Series, State};
pub(super) use crate::prelude::*;
pub(super) use crate::report::table::Tone;
