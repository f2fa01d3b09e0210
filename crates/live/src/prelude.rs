//! The vocabulary of every room.

pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::{Arc, Mutex};
pub(crate) use std::time::Duration;

pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::log::Role;
pub(crate) use crate::summarize::{
    Answer, Ask, AskError, FailureClass, Finish, Limits, Prompt, Reply, Stopped,
};
pub(crate) use crate::token::Tokenizer;
pub(crate) use crate::unit::Tokens;
pub(crate) use crate::{beginning, held, refused};
