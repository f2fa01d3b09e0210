// Does what the last message says.
import { ModelError, Raise, strategy } from "proctor-bench";

let resets = 0;

async function asked(question) {
  try {
    return await question.complete("Which?", { system: "S", maxTokens: 5, model: "small" });
  } catch (error) {
    if (error instanceof ModelError) return { text: `${error.kind} ${error.status} ${error.message}`, request: error.request };
    throw error;
  }
}

const commands = {
  echo: (view) => view,
  decline: () => {},
  reason: () => "not now",
  raise: () => {
    throw new Raise("three times");
  },
  crash: () => {
    throw new TypeError("a fault");
  },
  print: (view) => {
    console.log("to stderr");
    process.stdout.write("this too\n");
    return view;
  },
  parameters: (view, question) => [{ role: "user", content: JSON.stringify(question.parameters) }],
  resets: () => [{ role: "user", content: `${resets}` }],
  spoil: (view) => {
    view[0].content = "spoiled";
    return "spoiled";
  },
  count: (view, question) => {
    question.memory ??= { count: 0 };
    question.memory.count += 1;
    return view;
  },
  forget: (view, question) => {
    question.memory = undefined;
    return view;
  },
  ask: async (view, question) => {
    const { text, request } = await asked(question);
    return [{ role: "user", content: `${request}: ${text}` }];
  },
  "ask-both": async (view, question) => {
    const both = await Promise.all([question.complete("one"), question.complete("two")]);
    return both.map(({ text }) => ({ role: "user", content: text }));
  },
  "ask-and-leave": (view, question) => {
    question.complete("one");
    return view;
  },
  large: (view) => [{ role: "user", content: "é".repeat(4_000_000) }, ...view],
  half: () => [{ role: "user", content: "😀".slice(0, 1) }],
};

await strategy({ name: "commands", version: "2", reset: () => (resets += 1) }, (view, question) =>
  commands[view.at(-1).content.split(" ")[0]](view, question),
).serve();
console.log("after serve");
