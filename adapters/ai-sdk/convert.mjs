// From messages of the protocol, in the OpenAI shape, to ModelMessage[] of the AI SDK, and back.

function input(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text; // what the model wrote is no JSON
  }
}

const words = (content) => (content ? [{ type: "text", text: content }] : []);

/**
 * The AI SDK writes a step as one assistant message and one tool message with all its results, so
 * results that follow each other become one message. `parts` has each message's own parts, by which
 * `fromModel` finds again what is left of it.
 */
export function toModel(messages) {
  const model = [];
  const parts = [];
  const names = new Map();
  for (const { role, content, tool_calls = [], tool_call_id } of messages) {
    const own = role === "tool" ? [] : words(content);
    for (const { id, function: called } of tool_calls) {
      names.set(id, called.name);
      own.push({ type: "tool-call", toolCallId: id, toolName: called.name, input: input(called.arguments) });
    }
    if (role === "tool") {
      const output = { type: "text", value: content };
      own.push({ type: "tool-result", toolCallId: tool_call_id, toolName: names.get(tool_call_id) ?? "", output });
    }
    parts.push(own);
    const last = model.at(-1);
    if (role === "tool" && last?.role === "tool") last.content.push(...own);
    else model.push({ role, content: [...own] });
  }
  return { model, parts };
}

/** The next view of the protocol: what `pruned` left of `messages`. */
export function fromModel(messages, parts, pruned, { emptyMessages = "remove" } = {}) {
  const left = new Set(pruned.flatMap((message) => message.content));
  const emptied = new Set(); // calls that are gone, of messages that stay
  return messages.flatMap((message, at) => {
    const kept = parts[at].filter((part) => left.has(part));
    if (message.role === "tool") {
      if (kept.length > 0) return [message];
      return emptied.has(message.tool_call_id) ? [{ ...message, content: "" }] : [];
    }
    if (kept.length === 0 && emptyMessages === "remove") return [];
    if (kept.length === parts[at].length) return [message];
    const calls = new Set(kept.map((part) => part.toolCallId));
    if (!message.tool_calls.some(({ id }) => calls.has(id))) {
      return [{ role: message.role, content: message.content ?? "" }];
    }
    const tool_calls = message.tool_calls.map((call) => {
      if (calls.has(call.id)) return call;
      emptied.add(call.id);
      return { ...call, function: { ...call.function, arguments: "{}" } };
    });
    return [{ ...message, tool_calls }];
  });
}
