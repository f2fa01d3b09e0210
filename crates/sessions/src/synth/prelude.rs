//! What the rooms of a session share.

pub(super) use super::bank::{Bank, Birth, FactForm};
pub(super) use super::dialect::{Dialect, Domain, DomainForm, RESULTS};
pub(super) use super::draw::{Draw, pick, pick_line, pick_ref, weighted};
pub(super) use super::fill::{Cast, camel, sentence, third_person};
pub(super) use super::look::{Look, Tool};
pub(super) use super::names::Names;
pub(super) use super::plan::{Closing, SynthPlan, Work};
pub(super) use super::words::{NOUNS, THINGS, VERBS};
pub(super) use super::world::{Component, World};
pub(super) use crate::prelude::*;
