//! A file of any format is imported or refused; what is imported can be written, and its facts found.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use proctor_core::log::format::to_text;
use proctor_sessions::{extract, import};

fuzz_target!(|bytes: &[u8]| {
    for session in import::from_bytes(bytes, Path::new("t.jsonl")).unwrap_or_default() {
        let _ = session.report.render();
        let _ = extract::extract(&session.log);
        to_text(&session.log).expect("what was imported is a sound log");
    }
});
