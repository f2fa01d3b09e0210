//! The range of a number, and the values in it.

use serde_json::Value;

use super::kind::Kind;
use super::settings::Setting;
use crate::prelude::*;

/// What a number is varied over.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Range {
    /// Its key.
    pub key: String,
    #[serde(skip)]
    pub(super) place: String,
    /// What it means.
    pub meaning: String,
    /// What kind of number it is.
    pub kind: Kind,
    /// Its value in the file; none where the file leaves it out.
    pub default: Option<f64>,
    /// Its least value.
    pub least: f64,
    /// Its greatest.
    pub most: f64,
}

/// The greatest share that is tried by itself.
const SHARES: f64 = 0.95;
/// A number is tried from its part to as many times.
const TIMES: f64 = 4.0;
/// Decimals of a share.
const STEPS: f64 = 1_000.0;

impl Range {
    /// The range that a setting has by itself; none where it is 0 or left out.
    pub(super) fn usual(setting: &Setting) -> Option<Range> {
        let (kind, value) = (setting.kind, setting.value.filter(|value| *value > 0.0)?);
        let (least, most) = match kind {
            Kind::Share if value <= 1.0 => (value / TIMES, (value * TIMES).min(SHARES).max(value)),
            Kind::Share => (value / TIMES, value * TIMES),
            Kind::Count => ((value / TIMES).ceil(), value * TIMES),
        };
        Some(Range::over(setting, kind, (least, most)))
    }

    fn over(setting: &Setting, kind: Kind, (least, most): (f64, f64)) -> Range {
        Range {
            key: setting.key.clone(),
            place: setting.place.clone(),
            meaning: setting.meaning.clone(),
            kind,
            default: setting.value,
            least,
            most,
        }
    }

    /// As `MIN..MAX` says, or the rule that it breaks, and the remedy.
    pub(super) fn declared(
        setting: &Setting,
        text: &str,
    ) -> std::result::Result<Range, (String, String)> {
        let broken = |rule: &str, hint: &str| (rule.to_owned(), hint.to_owned());
        let form = || broken("expected MIN..MAX, two numbers", "as in `0.1..0.9` or `500..8000`");
        let (least, most) = text.split_once("..").ok_or_else(form)?;
        let read = |text: &str| text.trim().replace('_', "").parse::<f64>().ok();
        let ends = read(least).zip(read(most)).ok_or_else(form)?;
        if !(ends.0.is_finite() && ends.1.is_finite() && ends.0 >= 0.0 && ends.0 < ends.1) {
            return Err(broken("MIN is 0 or more and below MAX", "give the lower number first"));
        }
        let kind = setting.kind;
        if kind == Kind::Count && (ends.0.fract(), ends.1.fract()) != (0.0, 0.0) {
            return Err(broken("the file takes whole numbers here", "leave the decimals out"));
        }
        Ok(Range::over(setting, kind, ends))
    }

    /// Whether values are drawn evenly in their logarithm.
    fn is_logarithmic(&self) -> bool {
        self.kind == Kind::Count && self.least > 0.0
    }

    /// The value at a place of the range, from 0 to 1, rounded as people would.
    pub(super) fn value(&self, place: f64) -> f64 {
        let (least, most) = (self.least, self.most);
        let exact = match self.is_logarithmic() {
            true => (least.ln() + place * (most.ln() - least.ln())).exp(),
            false => least + place * (most - least),
        };
        let rounded = match self.kind {
            Kind::Share => (exact * STEPS).round() / STEPS,
            Kind::Count => three_digits(exact),
        };
        rounded.clamp(least, most)
    }

    /// The place of a value in the range; the nearest end's for one outside.
    pub(super) fn place(&self, value: f64) -> f64 {
        let (least, most) = (self.least, self.most);
        let value = value.clamp(least, most);
        match self.is_logarithmic() {
            true => (value.ln() - least.ln()) / (most.ln() - least.ln()),
            false => (value - least) / (most - least),
        }
    }

    /// A value as the file writes it.
    pub(super) fn json(&self, value: f64) -> Value {
        match self.kind {
            Kind::Share => Value::from(value),
            Kind::Count => Value::from(value as u64),
        }
    }

    /// A value as people read it: `0.613`, `20,000`.
    pub fn written(&self, value: f64) -> String {
        self.kind.written(value)
    }

    /// The last part of its key that says what it is, for heads of tables.
    pub fn short(&self) -> &str {
        let strategy = self.key.split('.').next().unwrap_or_default();
        self.key[strategy.len()..].trim_start_matches('.')
    }
}

/// A whole number of three digits that count.
fn three_digits(value: f64) -> f64 {
    let unit = 10_f64.powi((value.max(1.0).log10().floor() as i32 - 2).max(0));
    (value / unit).round() * unit
}
