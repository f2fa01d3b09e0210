//! Controls that must lose: what adversaries came to beside chance, and whom they come near.

use std::iter::repeat_n;

use super::prelude::*;
use crate::derive::controls_hold;
use crate::frame::{Basis, Defeat, Setting};
use crate::measure::{Check, MetricId, Word};
use crate::pipeline::Fidelity;

/// Within this much of its recall an adversary is as good as a contestant.
const NEAR: f64 = 0.05;

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let rows = judged(figures).map(|row| line(figures, row));
    let titles = "Adversary|Loses|#Recall at need|#Chance|#What must last, kept|#Chance of it|\
                  Contestants that it equals or beats";
    Ok(Parts::alone("adversaries", Table::of("Controls that must lose", titles.split('|'), rows)))
}

/// What the opening says of controls before anything else.
pub fn banners(figures: &Figures, parts: Parts) -> Parts {
    let near = judged(figures).filter_map(|row| {
        let names = near(figures, row);
        let adversary = name(&row.subject.setting);
        (!names.is_empty()).then(|| context! { adversary, names })
    });
    parts
        .value("broken_controls", controls_hold(&figures.run.derived).err().unwrap_or_default())
        .value("near_adversaries", near.collect::<Vec<Value>>())
}

fn judged<'a>(figures: &Figures<'a>) -> impl Iterator<Item = &'a Derived> {
    figures.run.derived.iter().filter(|row| row.metric == MetricId::ControlAdversary)
}

/// An adversarial summarizer goes by its own name, an adversarial strategy by its pipeline's.
fn name(setting: &Setting) -> &str {
    let (pipeline, _) = setting.configuration.split_once('@').unwrap_or_default();
    if setting.summarizer.starts_with("adversary-") { &setting.summarizer } else { pipeline }
}

fn line(figures: &Figures, row: &Derived) -> Vec<Cell> {
    let name = Cell::code(name(&row.subject.setting));
    let Basis::BesideChance { lost, recall, chance, lasting, chance_lasting } = &row.basis else {
        let nothing = repeat_n(Cell::undefined(&row.basis.to_string()), 6);
        return [name].into_iter().chain(nothing).collect();
    };
    let told = lost.map_or("no", Defeat::told);
    let holds = row.as_word() == Some(Word::Check(Check::Holds));
    let share = |value: &Option<f64>| Cell::number(*value, number::share, "no such need");
    let near = near(figures, row);
    vec![
        name,
        Cell::text(told).toned(if holds { Tone::Good } else { Tone::Bad }),
        share(recall),
        share(chance),
        share(lasting),
        share(chance_lasting),
        if near.is_empty() { Cell::text("none") } else { Cell::code(near.join(", ")) },
    ]
}

/// Contestants that an adversary beats, or comes near to, while it recalls more than chance; on
/// its own sessions. Baselines are no contestants: to beat them is what strategies are for.
fn near(figures: &Figures, row: &Derived) -> Vec<String> {
    let Basis::BesideChance { recall: Some(own), chance: Some(chance), .. } = &row.basis else {
        return Vec::new();
    };
    if own <= chance {
        return Vec::new();
    }
    let cells = figures.frame.adversaries().iter();
    let sessions: Vec<_> = cells
        .filter(|cell| Setting::of(&cell.key) == row.subject.setting)
        .map(|cell| cell.session())
        .collect();
    let fidelity = &figures.run.manifest.fidelity;
    let contestants = figures.shown().filter(|config| {
        let is_baseline = fidelity.get(&config.pipeline) == Some(&Fidelity::Baseline);
        let is_driven = !config.is_windowless() && !config.is_idle();
        is_driven && config.is_deployed() && !is_baseline && figures.ranks(config)
    });
    let is_near = |config: &&Config| {
        let cells = figures.cells(config).iter();
        let recalls = cells
            .filter(|cell| sessions.contains(&cell.session()))
            .filter_map(|cell| cell.number(MetricId::RecallAtNeed));
        let recall = stats::mean(&recalls.collect::<Vec<f64>>());
        recall.is_some_and(|recall| recall - own <= NEAR)
    };
    contestants.filter(is_near).map(Config::name).collect()
}
