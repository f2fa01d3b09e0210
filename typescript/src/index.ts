/** Strategies for Proctor in TypeScript: the protocol over standard input and output. */
export { ModelError, Question, type CompleteOptions, type Completion } from "./question.js";
export {
  Raise,
  Strategy,
  characters,
  strategy,
  type AnthropicOptions,
  type Compact,
  type Next,
  type OpenAiOptions,
  type Options,
  type PlanOptions,
} from "./strategy.js";
export type * from "./messages.js";
export type * from "./protocol.js";
