//! The vocabulary of every room.

pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::ops::Range;
pub(crate) use std::path::Path;
pub(crate) use std::sync::LazyLock;

pub(crate) use rand::RngExt;
pub(crate) use rand_chacha::ChaCha8Rng;
pub(crate) use rustc_hash::{FxHashMap, FxHashSet};
pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::config::is_default;
pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::ident::{FactId, GoalId, MsgId, Seed};
pub(crate) use crate::log::{
    Author, Boundary, BoundaryAction, Call, CallId, Log, Message, Role, Text, Trigger, Usage,
};
pub(crate) use crate::token::{MessageTokens, TokenTable, Tokenizer};
pub(crate) use crate::truth::{
    Demand, Fact, FactKind, Goal, Holding, Needle, NeedleIndex, Origin, Truth,
};
pub(crate) use crate::unit::{Millis, Tokens};
