// Compiled and never run: what the types let pass, and what they do not.
import { ModelError, Raise, characters, strategy } from "proctor-bench";

strategy({ name: "openai" }, (view, question) => {
  if (!question.forced && question.tokens < question.budget.window / 2) return "below my threshold";
  return view.map((message) => (message.role === "tool" ? { ...message, content: "" } : message));
});

strategy({ name: "asks", version: "1", reset() {} }, async (view, question) => {
  try {
    const { text, finish } = await question.complete(view, { system: "Sum up.", maxTokens: 100 });
    if (finish === "length") throw new Raise("too long");
    question.memory = { text };
    return [{ role: "user", content: text }];
  } catch (error) {
    if (error instanceof ModelError && error.kind === "overflow") return null;
    throw error;
  }
}).serve();

strategy({ name: "anthropic", shape: "anthropic" }, (view) =>
  view.filter(
    ({ content }) => typeof content === "string" || content.every((block) => block.type !== "tool_result"),
  ),
);

strategy({ name: "plan", level: "plan" }, (view) => {
  const last = view.at(-1);
  if (last === undefined) return;
  const bytes = characters(last.content, 0, 10);
  return { layout: { whole: [{ rewrite: { entry: last.id, pieces: [{ quote: { of: { entry: last.id }, bytes } }] } }] } };
});

// @ts-expect-error A plan is no answer of level list.
strategy({ name: "mixed" }, () => ({ layout: { whole: [] } }));
// @ts-expect-error A strategy has a name.
strategy({}, () => null);
