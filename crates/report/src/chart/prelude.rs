//! What the forms of charts share.

pub(super) use super::axis::{Frame, Scale, is_wide};
pub(super) use super::figure::{self, Entry, Sign};
pub(super) use super::labels::{self, EndName};
pub(super) use super::palette::{
    self, BLUE, BROWN, FAINT, GREEN, GRID, INK, ORANGE, PALE_BLUE, PURPLE, SERIES, SILVER, SKY,
    SLATE, SOFT, VERMILLION, WHITE,
};
pub(super) use super::picture::{Bounds, DASHES, DOTS, Label, Picture, Point, Side};
pub(super) use super::text::{self, FIGURE, LABEL, TICK};
pub(super) use super::{Chart, each_once};
pub(super) use crate::prelude::*;
