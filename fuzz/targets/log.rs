//! A log of our own is read or refused; what is read is written as it was, and its truth too.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use proctor_core::log::format;
use proctor_core::truth;

fuzz_target!(|bytes: &[u8]| {
    // The log, an empty line, the truth.
    let place = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or(bytes.len());
    let (log, rest) = bytes.split_at(place);
    let Ok(log) = format::read_from(log, Path::new("t.jsonl")) else { return };
    let text = format::to_text(&log).expect("what was read can be written");
    let again = format::read_from(text.as_bytes(), Path::new("t.jsonl"));
    assert_eq!(again.expect("what was written can be read"), log);
    let Ok(truth) = truth::format::read_from(rest, Path::new("t.truth.jsonl"), &log) else { return };
    truth::format::to_text(&truth, &log.id).expect("what was read can be written");
});
