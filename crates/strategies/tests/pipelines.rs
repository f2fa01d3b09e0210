//! Pipelines as files: what is wrong with them is said, and models are addressed.

use proctor_core::error::Error;
use proctor_core::ident::RequestId;
use proctor_core::pipeline::{Pipeline, Stage};
use proctor_core::plan::SummaryRequest;
use proctor_core::unit::Tokens;
use proctor_strategies::{pipeline, shipped};

#[test]
fn a_stage_with_a_model_sends_its_requests_there() {
    let stages = pipeline("goat-code").expect("it ships").stages;
    let request = |model: Option<&str>| SummaryRequest {
        model: model.map(str::to_owned),
        ..SummaryRequest::new(RequestId(0), "".into(), Vec::new(), Tokens(1))
    };
    let requests = [request(None), request(Some("its-own"))];
    assert_eq!(*stages[0].addressed(&requests), requests);
    let model = Some("small".to_owned());
    let stage = Stage { model: model.clone(), ..stages[0].clone() };
    assert!(stage.addressed(&requests).iter().all(|request| request.model == model));
}

#[test]
fn bad_pipelines_say_what_is_wrong() {
    let head = "name = \"x\"\nabout = \"\"\nsource = \"\"\nfidelity = \"document\"\n[[stage]]\n";
    for (rest, expected) in [
        ("strategy.truncat = {}\non.before-call = \"always\"", "unknown strategy `truncat`"),
        ("strategy.truncate = { x = 1 }\non.before-call = \"always\"", "unknown field `x`"),
        ("strategy.truncate = {}\non = {}", "names no occasion"),
        ("strategy.truncate = {}\non.before-call = \"pressure\"", "there is no `pressure`"),
        ("strategy.truncate = {}\non.before-cal = \"always\"", "unknown variant `before-cal`"),
    ] {
        let error = Pipeline::parse(shipped(), "p.toml", &format!("{head}{rest}")).unwrap_err();
        let text = match &error {
            Error::Toml { rule, .. } => rule.clone(),
            other => other.to_string(),
        };
        assert!(text.contains(expected), "{text}");
    }
}
