//! Retention by kind: a table of shares, shaded.

use super::picture::Picture;
use super::tones::{self, ToneCell, ToneChart, ToneRow};
use super::{Rendered, render};
use crate::error::Result;

/// Shares by configuration and kind of fact.
#[derive(Clone, Debug, Default)]
pub struct HeatChart {
    /// What the chart is called.
    pub title: String,
    /// What the shares are, with their unit: `recall (share of live facts, 0 to 1)`.
    pub value: String,
    /// The kinds, in reading order: one column each.
    pub kinds: Vec<String>,
    /// The configurations, in reading order: one row each.
    pub rows: Vec<HeatRow>,
}

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct HeatRow {
    /// Its name.
    pub configuration: String,
    /// A share from 0 to 1 per kind; none where the session has no such fact.
    pub values: Vec<Option<f64>>,
}

/// Draws the chart; `None` where no cell holds a share.
pub fn retention_by_kind(data: &HeatChart) -> Result<Option<Rendered>> {
    render(layout(data))
}

pub(super) fn layout(data: &HeatChart) -> Option<Picture> {
    let cell = |value: f64| ToneCell { share: value, text: format!("{value:.2}") };
    let row = |row: &HeatRow| ToneRow {
        name: row.configuration.clone(),
        cells: row.values.iter().map(|value| value.map(cell)).collect(),
    };
    let tones = ToneChart {
        title: data.title.clone(),
        value: data.value.clone(),
        ends: ("0".to_owned(), "1".to_owned()),
        empty: "no fact".to_owned(),
        columns: data.kinds.clone(),
        rows: data.rows.iter().map(row).collect(),
    };
    tones::layout(&tones, 280.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_shares_is_left_out() {
        let rows =
            vec![HeatRow { configuration: "a".to_owned(), values: vec![None, Some(f64::NAN)] }];
        let kinds = vec!["path".to_owned(), "error".to_owned()];
        assert!(layout(&HeatChart { kinds, rows, ..HeatChart::default() }).is_none());
    }
}
