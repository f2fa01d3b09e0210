// What the messages of the protocol hold: messages, entries and plans. docs/protocol.md explains them.

export type Hook =
  | "turn-start"
  | "before-call"
  | "after-tools"
  | "after-answer"
  | "turn-end"
  | "overflow"
  | "output-limit"
  | "boundary"
  | "floor-probe";

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
  role: "system" | "user" | "assistant" | "tool";
  author: string;
  kind: "message" | "summary" | "summarized" | "goal-batch" | "notice" | "recalled";
  content: string;
  calls?: { id: string; name: string; args: string }[];
  answers?: string;
  tokens: number;
  turn: number;
}

export type Source = { entry: number } | { call: [number, string] };

export type Piece =
  | { literal: string }
  | { quote: { of: Source; bytes?: [number, number] } }
  | { extract: { text: string; of: Source[] } }
  | { answer: { "first-of": number[]; clean?: "as-is" | "trim" | { element: string } } };

export interface NewEntry {
  role: Entry["role"];
  kind: Entry["kind"];
  pieces: Piece[];
  covers?: "rest" | "nothing" | { entries: number[] };
  answers?: string;
}

export type Slot =
  | { keep: number }
  | { keeps: [number, number] }
  | { rewrite: { entry: number; pieces?: Piece[]; args?: Record<string, string> } }
  | { new: NewEntry }
  | { "new-unless-empty": NewEntry };

export interface PlanRequest {
  id: number;
  frame: { own: string } | { agent: { tools: boolean } };
  items: ({ entry: number } | { message: { role: Entry["role"]; pieces: Piece[] } })[];
  instruction: Piece[];
  "max-tokens"?: number;
  [key: string]: unknown;
}

/** The next view in terms of the present one. */
export interface Plan {
  layout: { whole: Slot[] };
  requests?: PlanRequest[];
  [key: string]: unknown;
}
