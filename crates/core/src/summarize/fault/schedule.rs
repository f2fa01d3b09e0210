//! Which calls a fault strikes.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::error::Broken;
use crate::ident::Seed;
use crate::summarize::fault::CallIndex;

/// Which calls a fault strikes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", rename = "schedule")]
pub enum Schedule {
    /// Every one.
    #[default]
    Always,
    /// The first so many of a cell.
    First(u32),
    /// The last of every so many of a cell.
    Every(u32),
    /// A share of the calls, drawn for each by its place: its step and its number there.
    Share(PerMille),
    /// All calls of `steps` steps in a row, once in every `every`; where the first begins is drawn.
    Burst {
        /// Steps of a burst.
        steps: u32,
        /// From the beginning of one burst to that of the next.
        every: u32,
    },
}

/// A share in thousandths, more than none and less than all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "f64")]
pub struct PerMille(u16);

impl PerMille {
    /// Of a share between 0 and 1 with at most three decimals.
    pub fn of(share: f64) -> Option<PerMille> {
        let thousandths = (share * 1e3).round();
        let exact = (thousandths - share * 1e3).abs() < 1e-6;
        (exact && (1.0..1e3).contains(&thousandths)).then_some(PerMille(thousandths as u16))
    }

    /// As a share between 0 and 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / 1e3
    }

    /// Whether the draw falls to the share.
    pub fn strikes(self, draw: Seed) -> bool {
        draw.0 % 1_000 < u64::from(self.0)
    }
}

impl Schedule {
    pub(super) fn strikes(self, seed: Seed, moment: CallIndex) -> bool {
        match self {
            Schedule::Always => true,
            Schedule::First(calls) => moment.in_cell < calls,
            Schedule::Every(calls) => (moment.in_cell + 1).is_multiple_of(calls.max(1)),
            Schedule::Share(share) => {
                let [step, call] = moment.purpose();
                share.strikes(seed.derive(&["share", &step, &call]))
            }
            Schedule::Burst { steps, every } => {
                let every = u64::from(every.max(1));
                let begins = seed.derive(&["burst"]).0 % every;
                (u64::from(moment.step) + begins) % every < u64::from(steps)
            }
        }
    }

    fn checked(self) -> Result<Schedule, Broken> {
        Err(Broken(match self {
            Schedule::First(0) => "schedule.first: 0 calls are none".to_owned(),
            Schedule::Every(calls @ 0..2) => {
                format!("schedule.every: {calls} is below 2; every call is `always`")
            }
            Schedule::Burst { steps, every } if steps == 0 || steps >= every => {
                let rule = "`steps` is at least 1 and below `every`";
                format!("schedule.burst: {steps} steps of {every}: {rule}")
            }
            fine => return Ok(fine),
        }))
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Always => Ok(()),
            Schedule::First(calls) => write!(f, "-first-{calls}"),
            Schedule::Every(calls) => write!(f, "-every-{calls}"),
            Schedule::Share(share) => write!(f, "-{}", share.share()),
            Schedule::Burst { steps, every } => write!(f, "-burst-{steps}-of-{every}"),
        }
    }
}

impl FromStr for Schedule {
    type Err = Broken;

    fn from_str(text: &str) -> Result<Schedule, Broken> {
        let parts: Vec<&str> = text.split('-').skip(1).collect();
        let number = |part: &str| part.parse::<u32>().ok();
        let schedule = match parts[..] {
            [] => Some(Schedule::Always),
            ["first", calls] => number(calls).map(Schedule::First),
            ["every", calls] => number(calls).map(Schedule::Every),
            ["burst", steps, "of", every] => number(steps)
                .zip(number(every))
                .map(|(steps, every)| Schedule::Burst { steps, every }),
            [share] => share.parse().ok().and_then(PerMille::of).map(Schedule::Share),
            _ => None,
        };
        let expected = "expected first-N, every-N, a share such as 0.3, or burst-N-of-N";
        let text = text.trim_start_matches('-');
        let unknown = || Broken(format!("`{text}` is no schedule: {expected}"));
        schedule.ok_or_else(unknown)?.checked()
    }
}

impl TryFrom<f64> for PerMille {
    type Error = Broken;

    fn try_from(share: f64) -> Result<PerMille, Broken> {
        let rule = "is not between 0 and 1 with at most three decimals";
        PerMille::of(share).ok_or_else(|| Broken(format!("schedule.share: {share} {rule}")))
    }
}

/// Reads a schedule that strikes some calls and not all.
pub(super) fn checked<'de, D: Deserializer<'de>>(value: D) -> Result<Schedule, D::Error> {
    Schedule::deserialize(value)?.checked().map_err(D::Error::custom)
}
