//! What many files of the crate use.

pub(crate) use std::sync::Arc;
pub(crate) use std::time::{Duration, Instant};

pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::Value;

pub(crate) use crate::ident::{EntryId, RequestId};
pub(crate) use crate::log::{Call, CallId, Role, Text};
pub(crate) use crate::unit::Tokens;
pub(crate) use crate::view::{Entry, Kind, View};
