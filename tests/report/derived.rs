//! What is derived from the cells of the hand-made run.

use proctor::frame::{Basis, Derived, Scope, Setting, Subject};
use proctor::measure::floor::LinearGrowth;
use proctor::measure::floor::verdict::Support;
use proctor::measure::{MetricId, Value};
use proctor::stats::resample::Interval;

use super::known::{SIGNS, savings};
use super::{Configuration, Files, Names};

/// The law of its floor, and the interval of its slope.
fn growth(of: &Configuration) -> (&'static str, [f64; 2]) {
    let law = if of.slope > 0.0 { "linear" } else { "constant" };
    (law, [of.slope * 0.9, of.slope * 1.1])
}

fn basis(names: &Names, metric: MetricId, value: &str) -> Basis {
    let growth = |linear| Basis::Growth { linear, level: 1.0, rate: 1.0 };
    match metric {
        // Hostile names reach a report through what is wanting, too.
        _ if value.is_empty() => {
            Basis::ReferenceNotDriven { reference: names.reference.to_owned() }
        }
        MetricId::FloorVerdict => {
            let support = Some(Support::OnePassAlone);
            Basis::FloorVerdict { sessions: 2, enough: 8, lengths: 2, support }
        }
        MetricId::FloorSlopeDifference => {
            Basis::Beside { reference: "forge-tool-call-threshold".to_owned() }
        }
        MetricId::FloorGrowth if value == "linear" => growth(LinearGrowth::Established),
        MetricId::FloorGrowth => growth(LinearGrowth::Open),
        _ => Basis::Direct,
    }
}

fn derived_row(
    names: &Names,
    (subject, metric): (Subject, MetricId),
    value: &str,
    [low, high]: [f64; 2],
) -> Derived {
    let interval = (!value.is_empty()).then_some(Interval { low, high });
    let basis = basis(names, metric, value);
    let value = Value::parse(metric, value);
    Derived { value, interval, n: 2, ..Derived::undefined(subject, metric, basis) }
}

fn configuration(of: &Configuration) -> String {
    match of.variant {
        "windowed" => of.pipeline.to_owned(),
        variant => format!("{}@{variant}", of.pipeline),
    }
}

/// The derived figures of one configuration, in the making.
struct Deriving<'a> {
    rows: &'a mut Vec<Derived>,
    names: &'a Names,
    of: &'a Configuration,
    configuration: String,
}

pub fn derived(files: &mut Files, names: &Names, of: &Configuration) {
    let configuration = configuration(of);
    let mut deriving = Deriving { rows: &mut files.derived, names, of, configuration };
    deriving.signs();
    if of.variant == "windowless" {
        deriving.controls();
    }
    deriving.recall();
    if of.variant != "windowless" {
        deriving.savings();
    }
    if of.variant == "windowed" {
        deriving.floor();
    }
}

impl Deriving<'_> {
    fn push(&mut self, subject: Subject, metric: MetricId, value: &str, ends: [f64; 2]) {
        self.rows.push(derived_row(self.names, (subject, metric), value, ends));
    }

    fn setting(&self) -> Setting {
        Setting {
            configuration: self.configuration.clone(),
            mode: "deployed".to_owned(),
            summarizer: "extractive".to_owned(),
        }
    }

    fn pooled(&self) -> Subject {
        Subject::new(Scope::Configuration, self.setting())
    }

    fn group(&self, family: &str) -> Subject {
        Subject::on(family, Scope::Group, self.setting())
    }

    fn signs(&mut self) {
        let (of, names) = (self.of, self.names);
        for (other, sign) in SIGNS.iter().filter(|_| of.pipeline == names.pipeline) {
            let setting = Setting { summarizer: String::new(), ..self.setting() };
            let pair = Subject {
                beside: (*other).to_owned(),
                ..Subject::on(names.scenario, Scope::Pair, setting)
            };
            self.push(pair, MetricId::BracketSign, sign, [0.0; 2]);
        }
    }

    fn controls(&mut self) {
        for (metric, value) in [(MetricId::ControlRecall, "1"), (MetricId::ControlDecoys, "0")] {
            let control = Subject {
                cell: format!("{}/deployed/extractive", self.configuration),
                seed: Some(1),
                ..Subject::on(self.names.scenario, Scope::Cell, self.setting())
            };
            self.push(control, metric, value, [0.0; 2]);
        }
    }

    fn recall(&mut self) {
        let recall = self.of.recall[1];
        let around = [recall - 0.05, recall + 0.06].map(|end| end.clamp(0.0, 1.0));
        self.push(self.pooled(), MetricId::RecallAtNeed, &recall.to_string(), around);
        let price = 1.0 + recall;
        self.push(
            self.pooled(),
            MetricId::CostPerGoal,
            &price.to_string(),
            [0.9 * price, 1.1 * price],
        );
    }

    fn savings(&mut self) {
        let (net, effective) = savings(self.of);
        for (metric, value, ends) in [
            (MetricId::SavingsGross, net + 0.02, [net - 0.05, net + 0.08]),
            (MetricId::SavingsNet, net, [net, net]),
            (MetricId::SavingsEffective, effective, [0.0; 2]),
        ] {
            self.push(self.pooled(), metric, &value.to_string(), ends);
        }
    }

    /// The floor, and what stands beside truncation.
    fn floor(&mut self) {
        let (of, names) = (self.of, self.names);
        self.push(self.group("floor-p3"), MetricId::FloorVerdict, of.verdict, [0.0; 2]);
        for (pipeline, metric, value) in [
            ("forge-tool-call-threshold", MetricId::SavingsTruncateRecall, "0.03"),
            ("forge-tool-call-threshold", MetricId::SavingsTruncateEqual, "0.35"),
            (names.pipeline, MetricId::SavingsTruncateEqual, ""),
        ] {
            if of.pipeline == pipeline {
                self.push(self.pooled(), metric, value, [0.0; 2]);
            }
        }
        let (growth, slope) = growth(of);
        let group = || self.group("floor-p3");
        let mut rows = vec![
            (group(), MetricId::FloorSlope, of.slope.to_string(), slope),
            (group(), MetricId::FloorGrowth, growth.to_owned(), [0.0; 2]),
        ];
        if growth == "constant" {
            rows.push((group(), MetricId::FloorGrowthMissed, "41.3".to_owned(), [0.0; 2]));
        }
        if of.pipeline == names.pipeline {
            let ends = [-75.0, -50.0];
            rows.push((group(), MetricId::FloorSlopeDifference, "-62.8".to_owned(), ends));
        }
        rows.push((self.group(names.scenario), MetricId::FloorVerdict, String::new(), [0.0; 2]));
        for (subject, metric, value, ends) in rows {
            self.push(subject, metric, &value, ends);
        }
    }
}
