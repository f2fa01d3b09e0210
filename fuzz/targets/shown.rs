//! Nothing that is shown steers a terminal, or is a command of CI.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proctor_core::sanitize::{Shown, steers};
use proctor_core::shown;

fuzz_target!(|text: &str| {
    for shown in [Shown::laid_out(text), shown!("value {} behind", text)] {
        let text = shown.as_str();
        assert!(!text.chars().any(|c| steers(c) && !matches!(c, '\n' | '\t')));
        assert!(!text.lines().any(|line| line.trim_start().starts_with("::")));
    }
});
