//! One request and its response.

use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response};

use crate::anthropic;
use crate::fault::Dialect;
use crate::model::Answers;
use crate::openai::{self, chat, responses};
use crate::prelude::*;
use crate::server::route::{self, Route};
use crate::server::{Shared, guard};
use crate::spoken::Frame;
use crate::token::Token;

/// Bodies above the limit are read on for so many times it, so that clients that send all before
/// they read get to see why they are refused.
const PATIENCE: usize = 4;

/// A body, and whether it is a stream of events.
enum Answer {
    Whole(Value),
    Stream(String),
}

/// The response, whatever the request.
pub(super) async fn respond(shared: &Shared, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let dialect = route::dialect(&parts);
    match exchange(shared, dialect, &parts, body).await {
        Ok(answer) => response(answer),
        Err(fault) => fault.response(dialect),
    }
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let (kind, body) = match answer {
        Answer::Whole(value) => ("application/json", value.to_string()),
        Answer::Stream(events) => ("text/event-stream; charset=utf-8", events),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn exchange(
    shared: &Shared,
    dialect: Dialect,
    parts: &Parts,
    body: Incoming,
) -> Result<Answer, Fault> {
    guard::host(parts)?;
    let (token, answers) = guard::granted(shared, &parts.headers)?;
    let models = &shared.config.models;
    let route = match route::route(&parts.method, parts.uri.path())? {
        Route::Models => {
            return Ok(Answer::Whole(match dialect {
                Dialect::OpenAi => openai::models(models),
                Dialect::Anthropic => anthropic::models(models),
            }));
        }
        Route::Model(id) => return one_model(dialect, models, &id),
        route => route,
    };
    guard::encoding(&parts.headers)?;
    let body = read(body, shared.config.most_bytes).await?;
    let model = models.first().map_or("proctor", String::as_str).to_owned();
    // A long body is parsed there too, and its tokens are counted.
    let answered =
        tokio::task::spawn_blocking(move || answer(&route, &body, token, &*answers, &model));
    let broken = |_| Err(Fault::new(Kind::Error, "whoever answers broke off: a fault of Proctor"));
    answered.await.unwrap_or_else(broken)
}

fn one_model(dialect: Dialect, models: &[String], id: &str) -> Result<Answer, Fault> {
    if !models.iter().any(|known| known == id) {
        let known = models.join("`, `");
        let message = format!("there is no model `{id}` here, but `{known}`");
        return Err(Fault::new(Kind::UnknownModel, message));
    }
    Ok(Answer::Whole(match dialect {
        Dialect::OpenAi => openai::model(id),
        Dialect::Anthropic => anthropic::model(id),
    }))
}

/// The whole body, up to the limit.
async fn read(mut body: Incoming, most: usize) -> Result<Vec<u8>, Fault> {
    let too_large = || {
        let message = format!("a request may have {most} bytes, and this one has more");
        Fault::new(Kind::TooLarge, message)
    };
    let announced = body.size_hint().lower();
    if announced > most.saturating_mul(PATIENCE) as u64 {
        return Err(too_large());
    }
    let (mut read, mut length) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let broken = |error| Fault::new(Kind::Invalid, format!("the body broke off: {error}"));
        let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
        length = length.saturating_add(data.len());
        if length > most.saturating_mul(PATIENCE) {
            break;
        }
        if length <= most {
            read.extend_from_slice(&data);
        }
    }
    if length > most { Err(too_large()) } else { Ok(read) }
}

/// Reads a request, has it answered, and writes the answer.
fn answer(
    route: &Route,
    body: &[u8],
    token: Token,
    answers: &dyn Answers,
    model: &str,
) -> Result<Answer, Fault> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| Fault::new(Kind::Invalid, format!("the body is not JSON: {error}")))?;
    let asked = match route {
        Route::Chat => chat::read(&value, token)?,
        Route::Responses => responses::read(&value, token)?,
        Route::CountTokens => {
            let tokens = anthropic::read_to_count(&value, token)?.request.tokens();
            return Ok(Answer::Whole(json!({ "input_tokens": tokens.0 })));
        }
        Route::Messages | Route::Models | Route::Model(_) => anthropic::read(&value, token)?,
    };
    drop(value);
    let Asked { request, stream, usage } = asked;
    let frame = Frame::new(&request, body, model);
    let spoken = frame.spoken(answers.answer(request))?;
    Ok(match (route, stream) {
        (Route::Chat, true) => Answer::Stream(chat::stream(&spoken, usage)),
        (Route::Chat, false) => Answer::Whole(chat::whole(&spoken)),
        (Route::Responses, true) => Answer::Stream(responses::stream(&spoken)),
        (Route::Responses, false) => Answer::Whole(responses::whole(&spoken)),
        (_, true) => Answer::Stream(anthropic::stream(&spoken)),
        (_, false) => Answer::Whole(anthropic::whole(&spoken)),
    })
}
