import type { Channel } from "./channel.js";
import type { Evaluate, Occasion, Pressed, Received, Room } from "./protocol.js";

type Kind = "overflow" | "error" | "time-out" | "refusal";
type Finish = "stop" | "length" | "tool-call";

/** The model did not answer. */
export class ModelError extends Error {
  override readonly name = "ModelError";

  constructor(
    readonly kind: Kind,
    message: string,
    readonly status: number,
    readonly request: number,
  ) {
    super(message);
  }
}

/** What the model answered. */
export interface Completion {
  text: string;
  /** `length`: cut off at the limit. */
  finish: Finish;
  /** The number under which a plan may use the answer. */
  request: number;
}

export interface CompleteOptions {
  system?: string;
  maxTokens?: number;
  model?: string;
}

/** Why the strategy is asked, and what it may use to answer. */
export class Question<Message = unknown> {
  readonly hook: Occasion;
  /** Compact now, whatever your own threshold says. */
  readonly forced: boolean;
  /** The number of user messages so far. */
  readonly turn: number;
  readonly budget: Room;
  /** Tokens of the view. */
  readonly tokens: number;
  readonly pressure: Pressed | null;
  /** What you set here, any JSON value, is given back with the next question of the session. */
  memory: any;
  readonly parameters: Readonly<Record<string, any>>;

  readonly #channel: Channel;
  #last: Promise<unknown> = Promise.resolve();
  #answered = false;

  /** @internal */
  constructor(message: Evaluate, parameters: Record<string, unknown>, channel: Channel) {
    this.hook = message.hook;
    this.forced = message.forced;
    this.turn = message.turn;
    this.budget = message.budget;
    this.tokens = message.tokens;
    this.pressure = message.pressure ?? null;
    this.memory = message.memory;
    this.parameters = parameters;
    this.#channel = channel;
  }

  /**
   * Asks the model. A text is one message of the user. Rejects with {@link ModelError}.
   * Calls made side by side are answered one after the other, in the order they were made.
   */
  complete(messages: string | readonly Message[], options: CompleteOptions = {}): Promise<Completion> {
    if (this.#answered) return Promise.reject(new Error("the question is answered already"));
    const request: Received = {
      type: "complete",
      messages: typeof messages === "string" ? [{ role: "user", content: messages }] : [...messages],
      ...(options.system !== undefined && { system: options.system }),
      ...(options.maxTokens !== undefined && { "max-tokens": options.maxTokens }),
      ...(options.model !== undefined && { model: options.model }),
    };
    const reply = this.#last.then(() => this.#ask(request));
    this.#last = reply.catch(() => {});
    return reply;
  }

  async #ask(request: Received): Promise<Completion> {
    await this.#channel.send(request);
    const reply = await this.#channel.receive();
    if (reply === undefined) process.exit(0);
    switch (reply.type) {
      case "failure":
        throw new ModelError(reply.class as Kind, reply.message, reply.status, reply.request);
      case "completion":
        return { text: reply.text, finish: reply.finish as Finish, request: reply.request };
      default:
        throw new Error(`Proctor answered a call of the model with ${reply.type}`);
    }
  }

  /** @internal Waits for calls that nobody waited for; there can be no more. */
  async close(): Promise<void> {
    this.#answered = true;
    await this.#last;
  }
}
