// What the messages of the protocol hold: messages and entries. docs/protocol.md explains them.
import type { Kind, Role } from "./protocol.js";

export interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** A message in the shape of the OpenAI chat API. One without `id` is new. */
export type OpenAiMessage =
  | { id?: string; role: "user" | "system"; content: string }
  | { id?: string; role: "assistant"; content: string; tool_calls?: ToolCall[] }
  | { id?: string; role: "tool"; tool_call_id: string; content: string };

export type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: unknown }
  | { type: "tool_result"; tool_use_id: string; content: unknown };

/** A message in the shape of the Anthropic messages API. One without `id` is new. */
export interface AnthropicMessage {
  id?: string;
  role: "user" | "assistant";
  content: string | Block[];
}

/** A message as level `plan` is sent it. */
export interface Entry {
  id: number;
  role: Role;
  author: "human" | "agent" | "harness";
  kind: Kind;
  content: string;
  calls?: { id: string; name: string; args: string }[];
  answers?: string;
  tokens: number;
  turn: number;
}
