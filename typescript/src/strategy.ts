import { Channel } from "./channel.js";
import type { AnthropicMessage, Entry, OpenAiMessage } from "./messages.js";
import type { Evaluate, Plan, Received } from "./protocol.js";
import { Question } from "./question.js";

const PROTOCOL = 1;

/** Thrown by a strategy, it ends the session: an agent with this strategy would have stopped. */
export class Raise extends Error {
  override readonly name = "Raise";
}

/** The next view. Nothing leaves the view as it is; so does a text, which is the reason. */
export type Next<T> = T | string | null | undefined | void;

/** What a strategy does: the view and the question in, the next view out. */
export type Compact<View, Result> = (
  view: View[],
  question: Question<View>,
) => Next<Result> | Promise<Next<Result>>;

interface Common {
  name: string;
  version?: string;
  /** Called where another session begins. */
  reset?: () => void;
}

export interface OpenAiOptions extends Common {
  level?: "list";
  shape?: "openai";
}

export interface AnthropicOptions extends Common {
  level?: "list";
  shape: "anthropic";
}

export interface PlanOptions extends Common {
  level: "plan";
  /** What ranges of text count. JavaScript counts neither: see {@link characters}. */
  ranges?: "characters" | "bytes";
}

export type Options = OpenAiOptions | AnthropicOptions | PlanOptions;

/** A function as a strategy; {@link Strategy.serve} answers Proctor. */
export class Strategy<View, Result> {
  constructor(
    readonly options: Options,
    readonly compact: Compact<View, Result>,
  ) {}

  /**
   * Speaks the protocol until Proctor says shutdown. `console.log` goes to standard error, so that
   * it cannot disturb it. An error that is no {@link Raise} ends the process with exit code 1.
   */
  async serve(): Promise<void> {
    try {
      await this.#serve(Channel.takeOver());
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`${text}\n`, () => process.exit(1));
      await new Promise(() => {});
    }
  }

  async #serve(channel: Channel): Promise<void> {
    let view: View[] = [];
    let parameters = {};
    for (;;) {
      const message = await channel.receive();
      switch (message?.type) {
        case "hello":
          parameters = message.parameters;
          await channel.send(this.#hello());
          break;
        case "reset":
          view = [];
          this.options.reset?.();
          await channel.send({ type: "ready" });
          break;
        case "evaluate":
          view = [...view.slice(0, message.keep), ...(message.view as View[])];
          await channel.send(await this.#answer(view, message, parameters, channel));
          break;
        case "shutdown":
        case undefined:
          return channel.close();
      }
    }
  }

  #hello(): Extract<Received, { type: "hello" }> {
    const { name, version = "0", level = "list" } = this.options;
    const hello = { type: "hello" as const, protocol: PROTOCOL, name, version, level, "keeps-view": true };
    return this.options.level === "plan"
      ? { ...hello, ranges: this.options.ranges ?? "characters" }
      : { ...hello, shape: this.options.shape ?? "openai" };
  }

  async #answer(
    view: View[],
    message: Evaluate,
    parameters: Record<string, unknown>,
    channel: Channel,
  ): Promise<Received> {
    const memory = JSON.stringify(message.memory ?? null);
    const question = new Question<View>(message, parameters, channel);
    let next: Next<Result>;
    try {
      // A copy, so that what the function changes in place is not remembered.
      next = await this.compact(structuredClone(view), question);
    } catch (error) {
      if (!(error instanceof Raise)) throw error;
      return { type: "raise", reason: error.message };
    } finally {
      await question.close();
    }
    const left = question.memory ?? null;
    const changed = JSON.stringify(left) === memory ? {} : { memory: left };
    return { ...this.#reply(next), ...changed };
  }

  #reply(next: Next<Result>): Received {
    if (next === undefined || next === null) return { type: "decline" };
    if (typeof next === "string") return { type: "decline", reason: next };
    if (this.options.level === "plan") return { type: "plan", plan: next as unknown as Plan };
    return { type: "messages", messages: next as unknown[] };
  }
}

/**
 * Makes a strategy of a function of the view and the {@link Question}. At level `list` it returns
 * the next messages, at level `plan` a plan.
 */
export function strategy(
  options: OpenAiOptions,
  compact: Compact<OpenAiMessage, OpenAiMessage[]>,
): Strategy<OpenAiMessage, OpenAiMessage[]>;
export function strategy(
  options: AnthropicOptions,
  compact: Compact<AnthropicMessage, AnthropicMessage[]>,
): Strategy<AnthropicMessage, AnthropicMessage[]>;
export function strategy(options: PlanOptions, compact: Compact<Entry, Plan>): Strategy<Entry, Plan>;
export function strategy(options: Options, compact: Compact<any, any>): Strategy<any, any> {
  return new Strategy(options, compact);
}

/** A range of a text as JavaScript counts it, in characters as a plan counts them. */
export function characters(text: string, from: number, to: number): [number, number] {
  const first = [...text.slice(0, from)].length;
  return [first, first + [...text.slice(from, to)].length];
}
