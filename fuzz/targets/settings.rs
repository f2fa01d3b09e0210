//! Every file of settings is read or refused: what the first byte says it is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proctor_core::pipeline::Pipeline;
use proctor_core::price::PriceSheet;
use proctor_eval::gate::Policy;
use proctor_eval::history::Acknowledged;
use proctor_eval::matrix::Suite;
use proctor_eval::run::Plan;
use proctor_eval::scenario::Scenario;
use proctor_live::live::Endpoint;
use proctor_strategies::shipped;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    match kind % 7 {
        0 => drop(Scenario::parse_all("a.toml", text)),
        1 => {
            if let Ok(suite) = Suite::parse("a.toml", text) {
                drop(Plan::new(shipped(), suite, Vec::new(), String::new()));
            }
        }
        2 => drop(Pipeline::parse(shipped(), "a.toml", text)),
        3 => drop(Policy::parse("a.toml", text)),
        4 => drop(PriceSheet::parse("a.toml", text)),
        5 => drop(Endpoint::parse("a.toml", text)),
        _ => drop(Acknowledged::parse("a.toml", text)),
    }
});
