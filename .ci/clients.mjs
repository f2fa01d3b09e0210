// The Node clients of OpenAI and Anthropic against `proctor serve`; see `.ci/clients`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const work = process.argv[2];
const text =
  "We chose SQLite for the store. The tests of the parser fail since Tuesday. Never touch vendor/.";
const messages = [{ role: "user", content: text }];
let checked = 0;

const place = (name) => JSON.parse(readFileSync(join(work, `${name}.json`), "utf8"));

function openai(name, { token, retries = 0 } = {}) {
  const { url, token: own } = place(name);
  return new OpenAI({ baseURL: url, apiKey: token ?? own, maxRetries: retries });
}

function anthropic(name, { token, retries = 0 } = {}) {
  const { anthropic_url, token: own } = place(name);
  return new Anthropic({ baseURL: anthropic_url, apiKey: token ?? own, maxRetries: retries });
}

const chat = (client, more) => client.chat.completions.create({ model: "any", messages, ...more });
const respond = (client, more) => client.responses.create({ model: "any", input: text, ...more });
const message = (client, more) =>
  client.messages.create({ model: "any", max_tokens: 500, messages, ...more });

function check(holds, what) {
  checked += 1;
  assert.ok(holds, typeof what === "string" ? what : JSON.stringify(what));
}

async function raises(kind, call, part = "") {
  try {
    await call();
  } catch (error) {
    check(error instanceof kind, `${error?.constructor?.name} is not ${kind.name}: ${error}`);
    check(String(error).includes(part), `${part} is not in ${error}`);
    return error;
  }
  assert.fail(`no ${kind.name}`);
}

async function gathered(stream) {
  const events = [];
  for await (const event of await stream) events.push(event);
  return events;
}

async function openaiAnswers() {
  const client = openai("sound");
  const answer = await chat(client);
  const said = answer.choices[0].message.content;
  check(said.includes("SQLite") && answer.choices[0].finish_reason === "stop", answer);
  const options = { stream: true, stream_options: { include_usage: true } };
  const chunks = await gathered(chat(client, options));
  const pieces = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta.content ?? ""));
  check(pieces.join("") === said && pieces.length > 3, pieces);
  check(chunks.at(-1).usage.total_tokens === answer.usage.total_tokens, chunks.at(-1));
  const response = await respond(client);
  check(response.output_text === said && response.status === "completed", response);
  const events = await gathered(respond(client, { stream: true }));
  const deltas = events.filter((event) => event.type === "response.output_text.delta");
  check(deltas.map((event) => event.delta).join("") === said, events);
  check(events.at(-1).type === "response.completed", events.at(-1));
  const final = await client.responses.stream({ model: "any", input: text }).finalResponse();
  check(final.output_text === said, "the helper gathers a stream");
  const models = (await gathered(client.models.list())).map((model) => model.id);
  check(models.join() === "extractive", models);
}

async function openaiFailures() {
  for (const call of [chat, respond]) {
    await raises(OpenAI.AuthenticationError, () => call(openai("sound", { token: "wrong" })));
    await raises(OpenAI.InternalServerError, () => call(openai("error")), "overloaded");
    await raises(OpenAI.InternalServerError, () => call(openai("time-out")), "504");
    const overflow = await raises(OpenAI.BadRequestError, () => call(openai("overflow")));
    check(overflow.code === "context_length_exceeded", overflow);
  }
  const refused = (await chat(openai("refusal"))).choices[0];
  check(refused.finish_reason === "content_filter" && refused.message.content === null, refused);
  check((await chat(openai("once-openai-js", { retries: 2 }))).choices.length === 1, "again");
  await chat(openai("spent-openai-js"));
  const spent = () => chat(openai("spent-openai-js", { retries: 2 }));
  await raises(OpenAI.RateLimitError, spent, "1 calls");
}

async function anthropicAnswers() {
  const client = anthropic("sound");
  const answer = await message(client);
  const said = answer.content[0].text;
  check(said.includes("SQLite") && answer.stop_reason === "end_turn", answer);
  const events = await gathered(message(client, { stream: true }));
  const deltas = events.filter((event) => event.type === "content_block_delta");
  check(deltas.map((event) => event.delta.text).join("") === said, events);
  check(events.at(-1).type === "message_stop", events.at(-1));
  const final = await client.messages
    .stream({ model: "any", max_tokens: 500, messages })
    .finalMessage();
  check(final.content[0].text === said, "the helper gathers a stream");
  const count = await client.messages.countTokens({ model: "any", messages });
  check(count.input_tokens > 5, count);
  const models = (await gathered(client.models.list())).map((model) => model.id);
  check(models.join() === "extractive", models);
}

async function anthropicFailures() {
  const wrong = () => message(anthropic("sound", { token: "wrong" }));
  await raises(Anthropic.AuthenticationError, wrong);
  await raises(Anthropic.InternalServerError, () => message(anthropic("error")), "overloaded");
  await raises(Anthropic.InternalServerError, () => message(anthropic("time-out")), "504");
  const overflow = () => message(anthropic("overflow"));
  await raises(Anthropic.BadRequestError, overflow, "prompt is too long: ");
  const refused = await message(anthropic("refusal"));
  check(refused.stop_reason === "refusal" && refused.content.length === 0, refused);
  const again = await message(anthropic("once-anthropic-js", { retries: 2 }));
  check(again.content.length === 1, again);
  await message(anthropic("spent-anthropic-js"));
  const spent = () => message(anthropic("spent-anthropic-js", { retries: 2 }));
  await raises(Anthropic.RateLimitError, spent, "1 calls");
}

for (const part of [openaiAnswers, openaiFailures, anthropicAnswers, anthropicFailures]) {
  await part();
}
console.log(`Node: openai and @anthropic-ai/sdk: ${checked} checks hold`);
