//! What the forms of charts share.

pub(in crate::chart) use std::collections::BTreeMap;

pub(in crate::chart) use plotters::style::RGBColor;

pub(in crate::chart) use super::Chart;
pub(in crate::chart) use super::axis::{Frame, Scale, is_wide};
pub(in crate::chart) use super::figure::{self, Key, Sign};
pub(in crate::chart) use super::labels::{self, EndName};
pub(in crate::chart) use super::palette::{
    self, BLUE, BROWN, FAINT, GREEN, GRID, INK, ORANGE, PALE_BLUE, PURPLE, SERIES, SILVER, SKY, SLATE,
    SOFT, VERMILLION, WHITE,
};
pub(in crate::chart) use super::picture::{Bounds, DASHES, DOTS, Label, Picture, Point, Side};
pub(in crate::chart) use super::steps::{self, End, Heading};
pub(in crate::chart) use super::text::{self, FIGURE, LABEL, TICK};
pub(in crate::chart) use crate::{number, stats};
