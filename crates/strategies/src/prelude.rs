//! What strategies are written with.

pub(crate) use std::collections::BTreeMap;
pub(crate) use std::ops::Range;
pub(crate) use std::sync::Arc;

pub(crate) use proctor_core::config::is_default;
pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::declare::{none_is_zero, parameters};
pub(crate) use crate::ident::{EntryId, RequestId};
pub(crate) use crate::log::{CallId, Role, Text};
pub(crate) use crate::plan::{
    Clean, Covers, Decision, Frame, Item, Layout, NewEntry, Piece, Plan, Recovery, Slot, Source,
    SummaryRequest, Then, replacing,
};
pub(crate) use crate::slots::{
    cleared, cut_before, event_count, is_forced, kept_before, kept_from, mechanical, places,
    reworded, rewording, seams, summarizing,
};
pub(crate) use crate::strategy::{Parameter, PlanContext, Strategy, Taken};
pub(crate) use crate::summarize::FailureClass;
pub(crate) use crate::unit::Tokens;
pub(crate) use crate::view::{Class, Entry, Kind, Spans, View};
