//! The logs of our own small files, one of each format, as they are read.

use std::path::Path;

use proctor_core::log::format::to_text;
use proctor_sessions::import::{self, Format, places};

#[test]
fn a_file_of_each_format_is_read_into_the_log_that_it_was() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    let mut formats: Vec<Format> = Vec::new();
    for file in places::files(&folder, &[""], 0) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let all = import::load_named(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut text = String::new();
        for (_, one) in all {
            formats.push(one.report.format);
            let mut log = one.log;
            log.source = name.clone();
            text += &to_text(&log).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        insta::assert_snapshot!(name, text);
    }
    let missing: Vec<&str> = Format::ALL
        .into_iter()
        .filter(|format| *format != Format::Proctor && !formats.contains(format))
        .map(Format::name)
        .collect();
    assert!(missing.is_empty(), "no file of {missing:?}");
}
