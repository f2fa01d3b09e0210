//! What machines write for machines: service logs and JSON.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Page, Stamp, Subject, revision, words};
use crate::synth::draw::pick;

/// How a service writes its log.
#[derive(Clone, Copy)]
enum Form {
    /// A clock reading, a level, the module, a sentence.
    Plain,
    /// A date and time, then keys and values.
    Keys,
    /// One JSON object a line.
    Json,
    /// What a web server notes of each request.
    Access,
}

/// Lines of a service's log.
pub(super) fn log(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let form = pick(rng, &[Form::Plain, Form::Keys, Form::Json, Form::Access]);
    let mut stamp = Stamp::draw(rng);
    let mut page = Page::new(Vec::new());
    let module = subject.component.module.as_str();
    page.grow(room, || {
        let mut cast = words(rng);
        cast.set("module", module);
        cast.set("time", stamp.next(rng));
        cast.set("day", stamp.day());
        cast.set("request", revision(rng));
        cast.fill(pick(rng, templates(form)))
    });
    page
}

fn templates(form: Form) -> &'static [&'static str] {
    match form {
        Form::Plain => &[
            "{time} INFO  {module}: {verb} {noun} id={large} rows={small}",
            "{time} INFO  {module}: {thing} at {small} %",
            "{time} DEBUG {module}: {act} {part} took {large} us",
            "{time} WARN  {module}: {noun} {large} was late by {small} s, {other} asked again",
            "{time} INFO  {module}: {other} connected",
            "{time} DEBUG {module}: next {noun} in {small} s",
            "{time} ERROR {module}: could not {verb} {noun} {large}: {other} closed the {thing}\n    at {verb}_{noun} ({module}/{thing}:{small})\n    at {act}_{part} ({module}/{part}:{large})\n    at run ({module}/main:{small})",
        ],
        Form::Keys => &[
            "{day}T{time}Z level=info msg=\"{verb} {noun}\" component={module} request={request} rows={small} elapsed={large}ms",
            "{day}T{time}Z level=debug msg=\"{thing} swept\" component={module} freed={large} kept={small}",
            "{day}T{time}Z level=warn msg=\"slow {act}\" component={module} request={request} {noun}={large} limit={small}s",
            "{day}T{time}Z level=info msg=\"{other} connected\" component={module} peer={noun}-{small}",
        ],
        Form::Json => &[
            "{\"ts\":\"{day}T{time}Z\",\"level\":\"info\",\"target\":\"{module}\",\"fields\":{\"message\":\"{verb} {noun}\",\"rows\":{small},\"{part}\":\"{thing}\"},\"request\":\"{request}\"}",
            "{\"ts\":\"{day}T{time}Z\",\"level\":\"warn\",\"target\":\"{module}\",\"fields\":{\"message\":\"{noun} was late\",\"seconds\":{small},\"id\":{large}},\"request\":\"{request}\"}",
            "{\"ts\":\"{day}T{time}Z\",\"level\":\"debug\",\"target\":\"{module}\",\"fields\":{\"message\":\"{act} {part}\",\"micros\":{large}}}",
        ],
        Form::Access => &[
            "10.0.{small}.{small} - - [{day} {time}] \"GET /v1/{noun}/{large}/{thing} HTTP/1.1\" 200 {large} \"-\" \"{other}-client/{small}\"",
            "10.0.{small}.{small} - - [{day} {time}] \"POST /v1/{other}/{verb} HTTP/1.1\" 201 {small} \"-\" \"{noun}-worker/{small}\"",
            "10.0.{small}.{small} - - [{day} {time}] \"GET /v1/{other}/{large} HTTP/1.1\" 404 {small} \"-\" \"curl/8.{small}\"",
        ],
    }
}

/// An answer of a service, or a package file, in JSON.
pub(super) fn json(room: usize, rng: &mut ChaCha8Rng) -> Page {
    if rng.random_bool(0.3) { package(room, rng) } else { answer(room, rng) }
}

fn answer(room: usize, rng: &mut ChaCha8Rng) -> Page {
    let cast = words(rng);
    let head = "{\n  \"{noun}\": \"{thing}-{small}\",\n  \"next\": \"/v1/{noun}?after={large}\",\n  \"items\": [";
    let mut page = Page::new(vec![cast.fill(head)]);
    let templates = [
        "    {\n      \"id\": {large},\n      \"{part}\": \"{other}-{thing}\",\n      \"state\": \"open\",\n      \"labels\": { \"{noun}\": \"{verb}\", \"{other}\": \"{act}\" },\n      \"revision\": \"{revision}\"\n    },",
        "    {\n      \"id\": {large},\n      \"{part}\": null,\n      \"state\": \"waiting\",\n      \"{noun}\": {\n        \"{thing}\": [{small}, {small}, {large}],\n        \"{other}\": { \"{verb}\": true, \"rows\": {small} }\n      },\n      \"revision\": \"{revision}\"\n    },",
    ];
    // All items of one answer have the same keys.
    let keys = words(rng);
    page.grow(room, || {
        let mut item = keys.clone();
        let values = words(rng);
        for slot in ["small", "large", "other", "verb", "act"] {
            item.set(slot, values.get(slot));
        }
        item.set("revision", revision(rng));
        item.fill(pick(rng, &templates))
    });
    page.tail.push("  ]\n}".to_owned());
    page
}

fn package(room: usize, rng: &mut ChaCha8Rng) -> Page {
    let cast = words(rng);
    let head = "{\n  \"name\": \"@example/{noun}-{thing}\",\n  \"version\": \"{small}.{small}.0\",\n  \"private\": true,\n  \"scripts\": {\n    \"build\": \"tsc -p tsconfig.build.json\",\n    \"lint\": \"eslint --max-warnings 0 src\",\n    \"{verb}\": \"node scripts/{verb}-{other}.mjs --{part} {small}\"\n  },\n  \"dependencies\": {";
    let mut page = Page::new(vec![cast.fill(head)]);
    page.grow(room, || {
        words(rng).fill("    \"@{noun}/{verb}-{thing}\": \"^{small}.{small}.{small}\",")
    });
    page.tail.push("    \"zod\": \"^3.23.8\"\n  }\n}".to_owned());
    page
}
