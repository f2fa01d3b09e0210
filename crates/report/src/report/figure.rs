//! A figure with what is known of it.

use crate::prelude::*;

pub type Write = fn(f64) -> String;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    pub value: Option<f64>,
    pub word: Option<Word>,
    pub interval: Option<(f64, f64)>,
    pub n: u32,
    /// What it rests on, or why it is undefined.
    pub basis: Basis,
}

impl From<&Derived> for Figure {
    fn from(row: &Derived) -> Figure {
        Figure {
            value: row.as_number(),
            word: row.as_word(),
            interval: row.interval.map(|interval| (interval.low, interval.high)),
            n: row.n,
            basis: row.basis.clone(),
        }
    }
}

impl Figure {
    pub fn missing(basis: Basis) -> Figure {
        Figure { basis, ..Figure::default() }
    }

    pub fn verdict(&self) -> Option<Verdict> {
        match self.word {
            Some(Word::Floor(verdict)) => Some(verdict),
            _ => None,
        }
    }

    /// The law of growth that fits best.
    pub fn model(&self) -> Option<Model> {
        match self.word {
            Some(Word::Growth(model)) => Some(model),
            _ => None,
        }
    }

    pub fn why(&self) -> String {
        self.why_or("not measured in this run")
    }

    /// Why it is undefined, where that is known, else this.
    pub fn why_or(&self, otherwise: &str) -> String {
        match self.basis {
            Basis::Direct => otherwise.to_owned(),
            ref basis => basis.to_string(),
        }
    }
}

/// A figure with its interval; one without a width says only that all sessions are the same.
pub fn estimate(value: f64, interval: Option<(f64, f64)>, write: Write) -> String {
    match interval.filter(|(low, high)| low < high) {
        Some(ends) => format!("{} {}", write(value), number::interval(ends, write)),
        None => write(value),
    }
}
