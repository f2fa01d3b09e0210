import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { pruneMessages } from "ai";
import { fromModel, toModel } from "../convert.mjs";

const user = (id, content) => ({ id, role: "user", content });
const call = (id, name, args = '{"path":"a.rs"}') => ({ id, type: "function", function: { name, arguments: args } });
const agent = (id, content, ...tool_calls) => ({ id, role: "assistant", content, ...(tool_calls.length > 0 && { tool_calls }) });
const result = (id, tool_call_id, content) => ({ id, role: "tool", tool_call_id, content });

/** Sixty messages: turns of a request, three steps (the second with two calls, the third without words), and an answer. */
function session() {
  const view = [];
  const id = () => `${view.length}`;
  for (let turn = 0; view.length < 60; turn += 1) {
    const c = (step) => `c${turn}-${step}`;
    view.push(user(id(), `Request ${turn}\u2028 next line`));
    view.push(agent(id(), `Step one of ${turn}.`, call(c(1), "read")));
    view.push(result(id(), c(1), `content of file ${turn}`));
    view.push(agent(id(), `Step two of ${turn}.`, call(c(2), "read"), call(c(3), "bash", "no json")));
    view.push(result(id(), c(2), `more of ${turn}`));
    view.push(result(id(), c(3), `12 passed in ${turn}`));
    view.push(agent(id(), "", call(c(4), "bash")));
    view.push(result(id(), c(4), `done ${turn}`));
    view.push(agent(id(), "Done."));
  }
  return view.slice(0, 60);
}

function prune(view, options) {
  const { model, parts } = toModel(view);
  return fromModel(view, parts, pruneMessages({ ...options, messages: model }), options);
}

/** What the AI SDK itself leaves, as lines, and what the next view holds, in the same lines. */
const lines = (messages) =>
  messages.flatMap(({ role, content }) => content.map((part) => `${role} ${part.text ?? `${part.type} ${part.toolCallId}`}`));
const linesOf = (messages) => lines(toModel(messages).model);

test("what is left is what the AI SDK leaves, after every step and for every option without tools", () => {
  const whole = session();
  for (let length = 1; length <= whole.length; length += 1) {
    if (whole[length]?.role === "tool") continue; // a step that is not over
    const view = whole.slice(0, length);
    for (const toolCalls of ["all", "before-last-message", "before-last-2-messages", "before-last-7-messages", "none"]) {
      const options = { toolCalls, emptyMessages: "remove" };
      const pruned = pruneMessages({ ...options, messages: toModel(view).model });
      assert.deepEqual(linesOf(prune(view, options)), lines(pruned), `${toolCalls} of ${length}`);
    }
  }
});

test("pruning what was pruned before comes to the same as pruning all", () => {
  const options = { toolCalls: "before-last-2-messages" };
  let kept = [];
  session().forEach((message, at, whole) => {
    kept = prune([...kept, message], options).map((one, n) => ({ ...one, id: one.id ?? `new ${at} ${n}` }));
    assert.deepEqual(linesOf(kept), linesOf(prune(whole.slice(0, at + 1), options)));
  });
});

test("a new message makes no call, and each result has its call", () => {
  const tools = [{ type: "all", tools: ["read"] }];
  for (const toolCalls of ["before-last-2-messages", "before-last-7-messages", tools]) {
    const next = prune(session(), { toolCalls });
    const calls = next.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    const answered = next.flatMap(({ tool_call_id = [] }) => tool_call_id);
    assert.deepEqual(answered, calls.slice(0, answered.length));
    assert.ok(next.every((message) => message.id !== undefined || message.tool_calls === undefined));
  }
});

test("where some calls of a message go, they and their results are emptied", () => {
  const view = [
    user("1", "Go."),
    agent("2", "Both.", call("a", "read"), call("b", "bash")),
    result("3", "a", "long text"),
    result("4", "b", "passed"),
  ];
  assert.deepEqual(prune(view, { toolCalls: [{ type: "all", tools: ["read"] }] }), [
    view[0],
    agent("2", "Both.", call("a", "read", "{}"), call("b", "bash")),
    result("3", "a", ""),
    view[3],
  ]);
});

test("messages without words go or stay", () => {
  const view = [agent("1", "", call("a", "read")), result("2", "a", "text"), agent("3", ""), user("4", "Next.")];
  assert.deepEqual(prune(view, { toolCalls: "all" }), [view[3]]);
  const kept = [{ role: "assistant", content: "" }, view[2], view[3]];
  assert.deepEqual(prune(view, { toolCalls: "all", emptyMessages: "keep" }), kept);
});

/** The adapter as a process; `ask` sends a line and gives the one that answers it. */
function adapter() {
  const path = fileURLToPath(new URL("../adapter.mjs", import.meta.url));
  const child = spawn(process.execPath, [path], { cwd: "/", stdio: "pipe" });
  const errors = child.stderr.setEncoding("utf8").toArray();
  const ended = new Promise((resolve) => child.on("close", resolve));
  let text = "";
  let waiting;
  child.stdout.setEncoding("utf8").on("data", (more) => {
    text += more;
    if (text.endsWith("\n")) {
      waiting(JSON.parse(text));
      text = "";
    }
  });
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const ask = (message) => new Promise((resolve) => {
    waiting = resolve;
    send(message);
  });
  return { ask, send, ended, errors };
}

const question = { type: "evaluate", hook: "before-call", forced: false, turn: 1, tokens: 9, pressure: null, memory: null };

/** The view over a session, driven as Proctor drives it: asked before each call of the model. */
async function driven(parameters) {
  const { ask, send, ended } = adapter();
  const hello = await ask({ type: "hello", protocol: 1, parameters });
  assert.deepEqual([hello.name, hello.version, hello.level], ["ai-sdk-prune", "7.0.173", "list"]);
  assert.deepEqual(await ask({ type: "reset" }), { type: "ready" });
  let view = [];
  let sent = [];
  const sizes = [];
  for (const message of session()) {
    if (message.role === "assistant") {
      let keep = 0;
      while (keep < sent.length && sent[keep] === view[keep]) keep += 1;
      sent = view;
      const answer = await ask({ ...question, keep, view: view.slice(keep) });
      const known = new Map(view.map((one) => [JSON.stringify(one), one]));
      if (answer.type === "messages") {
        view = answer.messages.map((one, at) => known.get(JSON.stringify(one)) ?? { id: `n${message.id}-${at}`, ...one });
      }
      sizes.push(view.length);
    }
    view = [...view, message];
  }
  send({ type: "shutdown" });
  assert.equal(await ended, 0);
  return { view, sizes };
}

test("the adapter prunes a session of 60 messages call by call", async () => {
  const { view } = await driven({ reasoning: "before-last-message", toolCalls: "before-last-2-messages", emptyMessages: "remove" });
  const words = session().filter(({ role, content }) => role !== "tool" && content);
  assert.deepEqual(view.filter(({ role }) => role !== "tool").map(({ content }) => content).filter(Boolean), words.map(({ content }) => content));
  // It was asked last before the step of two calls, and left the one before.
  const left = view.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id);
  assert.deepEqual(left, ["c6-1", "c6-2", "c6-3"]);
});

test("every request: steps within one are left alone", async () => {
  const { sizes } = await driven({ toolCalls: "before-last-2-messages", every: "request" });
  assert.deepEqual(sizes.slice(0, 8), [1, 3, 6, 8, 5, 7, 10, 12]);
});

test("parameters that do not exist end it", async () => {
  for (const parameters of [{ toolcalls: "all" }, { toolCalls: "before-last-x-messages" }]) {
    const { send, ended, errors } = adapter();
    send({ type: "hello", protocol: 1, parameters });
    assert.equal(await ended, 1);
    assert.match((await errors).join(""), /no such parameter/);
  }
});
