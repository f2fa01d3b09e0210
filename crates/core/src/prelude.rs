//! The vocabulary of every room.

pub(crate) use std::collections::BTreeMap;
pub(crate) use std::sync::Arc;

pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::config::is_default;
pub(crate) use crate::ident::{EntryId, FactId, MsgId, RequestId};
pub(crate) use crate::unit::{Millis, Tokens, Usd};
