use super::*;

#[test]
fn an_unknown_format_says_what_is_seen_and_where_the_known_ones_are_listed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.jsonl");
    let cases = [
        ("{\"a\":1,\"b\":2}\n", "line 1 is an object with the keys `a`, `b`"),
        (
            "\n[[1]]\n",
            "line 2 is a list; its first element is a list; its first element is a bare value",
        ),
        ("plain text\n", "no line is JSON"),
    ];
    for (text, seen) in cases {
        std::fs::write(&path, text).unwrap();
        let error = load(&path).expect_err("no known format");
        let expected = format!("x.jsonl: the transcript's format is unknown: {seen}");
        assert!(error.to_string().ends_with(&expected), "{error}");
        assert!(error.hint().unwrap_or_default().contains("`proctor list formats`"));
    }
    std::fs::write(&path, "").unwrap();
    assert!(load(&path).expect_err("empty").to_string().ends_with("the file is empty"));
}

#[test]
fn a_native_log_brings_the_truth_beside_it() {
    let page = include_str!("../../../../scenarios/FORMAT.md");
    let example = |kind: &str| {
        let rest = page.split(&format!("```jsonl {kind}\n")).nth(1).unwrap();
        rest.split("```").next().unwrap()
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("orchard.jsonl");
    std::fs::write(&path, example("log")).unwrap();
    let imported = load(&path).unwrap();
    assert!(imported.truth.is_none());
    assert_eq!(imported.report.format, Format::Proctor);
    assert_eq!(imported.report.tool_errors, 1);
    std::fs::write(truth::format::beside(&path), example("truth")).unwrap();
    assert_eq!(load(&path).unwrap().truth.map(|truth| truth.facts.len()), Some(2));
}
