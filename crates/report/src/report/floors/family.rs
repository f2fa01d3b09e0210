//! Families of sessions, and the configurations whose floors were probed in them.

use super::super::prelude::*;

/// A family of sessions that differ in length alone.
pub struct Family<'a> {
    pub figures: &'a Figures<'a>,
    pub name: &'a str,
}

impl<'a> Family<'a> {
    pub fn figure(&self, config: &Config, metric: MetricId) -> Figure {
        self.figures.in_family(self.name, config, metric)
    }

    pub fn probed(&self) -> Vec<&'a Config> {
        let probed = |config: &&Config| {
            self.figure(config, MetricId::FloorOnePass).value.is_some()
                || self.figure(config, MetricId::FloorVerdict).verdict().is_some()
        };
        self.figures.shown_but_control().filter(probed).collect()
    }

    pub fn longest(&self, config: &Config) -> Vec<&'a MeasuredCell> {
        let mut rows = self.figures.cells_where(config, |key| key.family == self.name);
        let most = rows.iter().map(|row| row.key.turns).max();
        rows.retain(|row| Some(row.key.turns) == most);
        rows
    }
}

pub type Probed<'a, 'b> = (&'b Family<'a>, &'a Config);

/// The configuration and the family, which open every row.
pub fn named((family, config): &Probed) -> [Cell; 2] {
    [Cell::code(config.name()), Cell::text(family.name)]
}
