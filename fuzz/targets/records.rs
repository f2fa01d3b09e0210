//! What Proctor recorded itself is read or refused: baselines and nights.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proctor_eval::gate::Baseline;
use proctor_eval::history::Night;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, record)) = bytes.split_first() else { return };
    match kind % 2 {
        0 => drop(Baseline::parse("a.json", &String::from_utf8_lossy(record))),
        _ => drop(Night::read("a.json", record)),
    }
});
