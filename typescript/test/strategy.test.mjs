import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { characters } from "proctor-bench";
import { Harness, user } from "./harness.mjs";

async function commanded(...commands) {
  const harness = Harness.of("list");
  await harness.begin();
  const answers = [];
  for (const command of commands) answers.push(await harness.evaluate([user("1", command)]));
  assert.equal(await harness.end(), 0);
  return answers;
}

test("says hello and keeps the view", async () => {
  const harness = Harness.of("list");
  const hello = { type: "hello", protocol: 1, name: "commands", version: "2", level: "list", "keeps-view": true, shape: "openai" };
  assert.deepEqual(await harness.begin(), hello);
  await harness.evaluate([user("1", "a"), user("2", "echo")]);
  const { messages } = await harness.evaluate([user("3", "echo")], { keep: 1 });
  assert.deepEqual(messages, [user("1", "a"), user("3", "echo")]);
  assert.deepEqual(await harness.ask({ type: "reset" }), { type: "ready" });
  assert.deepEqual((await harness.evaluate([user("4", "resets")])).messages, [{ role: "user", content: "2" }]);
  assert.equal(await harness.end(), 0);
  assert.match(harness.errors, /after serve/);
});

test("declines, with and without a reason, and raises", async () => {
  assert.deepEqual(await commanded("decline", "reason", "raise"), [
    { type: "decline" },
    { type: "decline", reason: "not now" },
    { type: "raise", reason: "three times" },
  ]);
});

test("gives parameters to the question", async () => {
  const harness = Harness.of("list");
  await harness.begin({ share: 0.5 });
  const { messages } = await harness.evaluate([user("1", "parameters")]);
  assert.equal(messages[0].content, '{"share":0.5}');
  await harness.end();
});

test("sends what is printed to standard error", async () => {
  const harness = Harness.of("list");
  await harness.begin();
  assert.equal((await harness.evaluate([user("1", "print")])).type, "messages");
  await harness.end();
  assert.match(harness.errors, /to stderr\nthis too\n/);
});

test("does not remember what the function changed in place", async () => {
  const harness = Harness.of("list");
  await harness.begin();
  await harness.evaluate([user("1", "a"), user("2", "spoil")]);
  const { messages } = await harness.evaluate([user("3", "echo")], { keep: 1 });
  assert.equal(messages[0].content, "a");
  await harness.end();
});

test("gives back memory where it changed", async () => {
  const harness = Harness.of("list");
  await harness.begin();
  const { memory } = await harness.evaluate([user("1", "count")]);
  assert.deepEqual(memory, { count: 1 });
  assert.deepEqual((await harness.evaluate([user("1", "count")], { memory })).memory, { count: 2 });
  assert.equal("memory" in (await harness.evaluate([user("1", "echo")], { memory })), false);
  assert.equal((await harness.evaluate([user("1", "forget")], { memory })).memory, null);
  await harness.end();
});

test("asks the model, and is told of failures", async () => {
  const harness = Harness.of("list");
  await harness.begin();
  const request = await harness.evaluate([user("1", "ask")]);
  const messages = [{ role: "user", content: "Which?" }];
  assert.deepEqual(request, { type: "complete", system: "S", messages, "max-tokens": 5, model: "small" });
  const answer = await harness.ask({ type: "completion", text: "This.", finish: "stop", request: 1000000 });
  assert.deepEqual(answer.messages, [{ role: "user", content: "1000000: This." }]);
  await harness.evaluate([user("1", "ask")]);
  const failed = await harness.ask({ type: "failure", class: "error", status: 500, message: "no", request: 1000001 });
  assert.equal(failed.messages[0].content, "1000001: error 500 no");
  await harness.end();
});

test("sends calls made side by side one after the other", async () => {
  const harness = Harness.of("list");
  await harness.begin();
  const reply = (text) => harness.ask({ type: "completion", text, finish: "stop", request: 1 });
  assert.equal((await harness.evaluate([user("1", "ask-both")])).messages[0].content, "one");
  assert.equal((await reply("first")).messages[0].content, "two");
  assert.deepEqual((await reply("second")).messages.map(({ content }) => content), ["first", "second"]);
  assert.equal((await harness.evaluate([user("1", "ask-and-leave")])).type, "complete");
  assert.equal((await reply("late")).type, "messages");
  assert.equal(await harness.end(), 0);
});

test("passes large answers, line separators and halves of characters", async () => {
  const [large, separators, half] = await commanded("large", "echo \u2028\u2029\u0085", "half");
  assert.equal(large.messages[0].content.length, 4_000_000);
  assert.equal(separators.messages[0].content, "echo \u2028\u2029\u0085");
  assert.equal(half.messages[0].content, "\ufffd");
});

test("waits for a reader that is slow", async () => {
  const harness = Harness.of("list");
  await harness.begin();
  const answer = harness.evaluate([user("1", "large")]);
  harness.child.stdout.pause();
  setTimeout(() => harness.child.stdout.resume(), 200);
  assert.equal((await answer).messages.length, 2);
  assert.equal(await harness.end(), 0);
});

test("an error ends it with its stack and exit code 1", async () => {
  const harness = Harness.of("list");
  await harness.begin();
  await assert.rejects(harness.evaluate([user("1", "crash")]), /the program ended/);
  assert.equal(await harness.ended, 1);
  assert.match(harness.errors, /TypeError: a fault\n\s+at .*list\.mjs/);
});

test("ends when Proctor has gone, also while the model is asked", async () => {
  for (const command of ["echo", "ask"]) {
    const harness = Harness.of("list");
    await harness.begin();
    await harness.evaluate([user("1", command)]);
    harness.child.stdin.end();
    assert.equal(await harness.ended, 0);
  }
});

test("returns plans", async () => {
  const harness = Harness.of("plan");
  assert.equal((await harness.begin()).ranges, "characters");
  const plan = { layout: { whole: [{ keep: 8 }] } };
  assert.deepEqual(await harness.evaluate([{ id: 8 }, { id: 9 }]), { type: "plan", plan });
  assert.equal(await harness.end(), 0);
});

test("counts characters as a plan does", () => {
  assert.deepEqual(characters("a😀b", 1, 4), [1, 3]);
});

test("the example of the README works", async () => {
  const root = new URL("..", import.meta.url);
  const [, example] = readFileSync(new URL("README.md", root), "utf8").match(/```ts\n(.*?)```/s);
  const harness = new Harness(["--input-type=module", "--eval", example], { cwd: fileURLToPath(root) });
  await harness.begin();
  const view = [user("1", "a"), ...Array.from({ length: 40 }, (_, n) => ({ id: `${n + 2}`, role: "assistant", content: `${n}` }))];
  assert.equal((await harness.evaluate(view)).type, "decline");
  const request = await harness.evaluate(view, { forced: true });
  assert.equal(request.type, "complete");
  const { messages } = await harness.ask({ type: "completion", text: "Sum.", finish: "stop", request: 1 });
  assert.match(messages[0].content, /Sum\./);
  assert.equal(messages.at(-1).id, "41");
  assert.equal(await harness.end(), 0);
});

test("the version is the workspace's", () => {
  const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
  const [, version] = read("../../Cargo.toml").match(/^version = "(.*)"$/m);
  assert.equal(JSON.parse(read("../package.json")).version, version);
});

test("the types are those of the schema", { skip: !schemaIsThere() }, () => {
  const script = fileURLToPath(new URL("../scripts/protocol.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});

function schemaIsThere() {
  try {
    return Boolean(readFileSync(new URL("../../docs/protocol.schema.json", import.meta.url)));
  } catch {
    return false;
  }
}
