// The strategy protocol (docs/protocol.md) around the AI SDK's pruneMessages.
import { createRequire } from "node:module";
import { pruneMessages } from "ai";
import { fromModel, toModel } from "./convert.mjs";

const { version } = createRequire(import.meta.url)("ai/package.json");
const HELLO = { type: "hello", protocol: 1, name: "ai-sdk-prune", version, level: "list", "keeps-view": true };
const REACH = /^(all|before-last-message|before-last-\d+-messages)$/;

const choices = {
  reasoning: (value) => ["all", "before-last-message", "none"].includes(value),
  toolCalls: (value) =>
    value === "none" || REACH.test(value) || (Array.isArray(value) && value.every(({ type }) => REACH.test(type))),
  emptyMessages: (value) => ["keep", "remove"].includes(value),
  every: (value) => ["call", "request"].includes(value),
};

function checked(parameters) {
  for (const [key, value] of Object.entries(parameters)) {
    if (!choices[key]?.(value)) throw new Error(`no such parameter: ${key} = ${JSON.stringify(value)}`);
  }
  return parameters;
}

function answer(view, { every = "call", ...options }) {
  if (every === "request" && view.at(-1)?.role !== "user") return { type: "decline", reason: "within a request" };
  const { model, parts } = toModel(view);
  const messages = fromModel(view, parts, pruneMessages({ ...options, messages: model }), options);
  const same = messages.length === view.length && messages.every((message, at) => message === view[at]);
  return same ? { type: "decline", reason: "nothing to prune" } : { type: "messages", messages };
}

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
const send = (message) => new Promise((resolve) => write(`${JSON.stringify(message)}\n`, resolve));

let view = [];
let parameters = {};

const handlers = {
  hello(message) {
    parameters = checked(message.parameters);
    return send(HELLO);
  },
  reset() {
    view = [];
    return send({ type: "ready" });
  },
  evaluate({ keep, view: news }) {
    view = [...view.slice(0, keep), ...news];
    return send(answer(view, parameters));
  },
  shutdown: () => process.exit(0),
};

let begun = "";
for await (const text of process.stdin.setEncoding("utf8")) {
  const lines = text.split("\n");
  lines[0] = begun + lines[0];
  begun = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    await handlers[message.type](message);
  }
}
