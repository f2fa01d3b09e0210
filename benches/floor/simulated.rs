//! Simulated families of sessions whose floor follows a known law, under known noise.

use proctor::ident::Seed;
use proctor::measure::floor::Series;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

pub const SEEDS: u32 = 3;
const CHECKPOINTS: u32 = 12;
const LEVEL: f64 = 10_000.0;

/// A design: the turns of its sessions, three of each.
pub const DESIGNS: [&[u32]; 2] = [&[200, 400, 800], &[100, 200, 400, 800, 1600]];

/// How a floor rises from the first checkpoint to the last.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    Logarithm,
    Line,
    Root,
    /// It comes to 1 − 1/e of its rise after a tenth of the turns.
    Filling,
}

/// A name and its parts: each law with its rise as a share of the mean.
pub type Truth = (&'static str, &'static [(Law, f64)]);

/// What a floor may be.
pub const TRUTHS: [Truth; 13] = [
    ("constant", &[]),
    ("logarithm 20 %", &[(Law::Logarithm, 0.2)]),
    ("logarithm 50 %", &[(Law::Logarithm, 0.5)]),
    ("line 2 %", &[(Law::Line, 0.02)]),
    ("line 5 %", &[(Law::Line, 0.05)]),
    ("line 10 %", &[(Law::Line, 0.1)]),
    ("line 20 %", &[(Law::Line, 0.2)]),
    ("line 50 %", &[(Law::Line, 0.5)]),
    ("root 50 %", &[(Law::Root, 0.5)]),
    ("saturating 20 %", &[(Law::Filling, 0.2)]),
    ("saturating 100 %", &[(Law::Filling, 1.0)]),
    ("logarithm 15 % + line 5 %", &[(Law::Logarithm, 0.15), (Law::Line, 0.05)]),
    ("logarithm 45 % + line 5 %", &[(Law::Logarithm, 0.45), (Law::Line, 0.05)]),
];

/// What every checkpoint is off by, as a share of the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Normal, of this standard deviation.
    Normal(f64),
    /// 5 %, correlated by 0.6 from one checkpoint to the next, and sessions that differ by 5 %.
    Correlated,
    /// It rises by 30 % and falls back, every 37 turns.
    Saw,
}

pub const NOISES: [(&str, Noise); 5] = [
    ("1 %", Noise::Normal(0.01)),
    ("5 %", Noise::Normal(0.05)),
    ("15 %", Noise::Normal(0.15)),
    ("correlated", Noise::Correlated),
    ("sawtooth", Noise::Saw),
];

/// A family of sessions of these turns. Another number is another draw.
pub fn family(turns: &[u32], (name, parts): Truth, noise: Noise, number: u64) -> Vec<Series> {
    let mut rng = Seed(number).derive(&["floor", name, &format!("{noise:?}")]).rng();
    let ends = (turn_of(turns[0], 1), turn_of(turns[turns.len() - 1], CHECKPOINTS));
    let grid =
        turns.iter().flat_map(|of| (1..=CHECKPOINTS).map(|checkpoint| turn_of(*of, checkpoint)));
    let grid: Vec<f64> = grid.collect();
    let shape = |law: Law| {
        let mean = grid.iter().map(|turn| law.at(*turn, ends)).sum::<f64>() / grid.len() as f64;
        move |turn: f64| law.at(turn, ends) - mean
    };
    let mut all = Vec::new();
    for (of, seed) in turns.iter().flat_map(|of| (0..SEEDS).map(move |seed| (*of, seed))) {
        let mut off = Off::of(noise, &mut rng);
        let point = |checkpoint| {
            let turn = turn_of(of, checkpoint);
            let rise: f64 = parts.iter().map(|(law, rise)| rise * shape(*law)(turn)).sum();
            (turn, LEVEL * (1.0 + rise + off.at(turn, &mut rng)))
        };
        let points = (1..=CHECKPOINTS).map(point).collect();
        all.push(Series { session: format!("{of}/{seed}"), points });
    }
    all
}

fn turn_of(turns: u32, checkpoint: u32) -> f64 {
    f64::from((turns * checkpoint).div_ceil(CHECKPOINTS + 1))
}

impl Law {
    /// 0 at the first turn and 1 at the last.
    fn at(self, turn: f64, (first, last): (f64, f64)) -> f64 {
        match self {
            Law::Logarithm => (turn / first).ln() / (last / first).ln(),
            Law::Line => (turn - first) / (last - first),
            Law::Root => (turn.sqrt() - first.sqrt()) / (last.sqrt() - first.sqrt()),
            Law::Filling => 1.0 - (-10.0 * (turn - first) / (last - first)).exp(),
        }
    }
}

/// The noise of one session.
struct Off {
    noise: Noise,
    session: f64,
    last: f64,
    phase: f64,
}

impl Off {
    fn of(noise: Noise, rng: &mut ChaCha8Rng) -> Off {
        Off { noise, session: 0.05 * normal(rng), last: 0.05 * normal(rng), phase: rng.random() }
    }

    fn at(&mut self, turn: f64, rng: &mut ChaCha8Rng) -> f64 {
        match self.noise {
            Noise::Normal(deviation) => deviation * normal(rng),
            Noise::Correlated => {
                // The part that is new keeps the deviation at 5 %.
                self.last = 0.6 * self.last + 0.8 * 0.05 * normal(rng);
                self.session + self.last
            }
            Noise::Saw => 0.3 * ((turn / 37.0 + self.phase).fract() - 0.5),
        }
    }
}

/// One of two independent values of Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (one, two): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * two).cos()
}
