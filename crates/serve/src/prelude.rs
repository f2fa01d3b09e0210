//! The vocabulary of every room.

pub(crate) use std::sync::{Arc, Mutex};
pub(crate) use std::time::Duration;

pub(crate) use serde_json::{Value, json};

pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::fault::{Fault, Kind};
pub(crate) use crate::held;
pub(crate) use crate::log::{Call, CallId, Role};
pub(crate) use crate::model::{ChatMessage, Completion, ModelRequest, Refusal, RefusalClass, Tool};
pub(crate) use crate::spoken::{Asked, Ending, Spoken};
pub(crate) use crate::summarize::Finish;
