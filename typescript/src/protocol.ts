// By hand, in the form that `npm run protocol` writes, until docs/protocol.schema.json is there.

/**
 * A line is one of these: `Sent` by Proctor, or `Received` from a program.
 */
export type Line = Sent | Received;
/**
 * What Proctor sends.
 */
export type Sent =
  | {
      /**
       * The version of the protocol.
       */
      protocol: number;
      /**
       * The table `parameters` of the stage.
       */
      parameters: {
        [k: string]: unknown;
      };
      type: "hello";
    }
  | {
      type: "reset";
    }
  | (Evaluate & {
      type: "evaluate";
    })
  | {
      /**
       * The answer.
       */
      text: string;
      /**
       * Why it ended: `stop`, `length` or `tool-call`.
       */
      finish: string;
      /**
       * The number under which a plan may use it.
       */
      request: number;
      type: "completion";
    }
  | {
      /**
       * `overflow`, `error`, `time-out` or `refusal`.
       */
      class: string;
      /**
       * The status that an HTTP endpoint gives for it.
       */
      status: number;
      /**
       * The provider's words.
       */
      message: string;
      /**
       * The number of the request.
       */
      request: number;
      type: "failure";
    }
  | {
      type: "shutdown";
    };
/**
 * What a program answers.
 */
export type Received =
  | (Hello & {
      type: "hello";
    })
  | {
      type: "ready";
    }
  | {
      /**
       * In the program's shape.
       */
      messages: unknown[];
      /**
       * Left for the next question; as it was where absent.
       */
      memory?: unknown;
      type: "messages";
    }
  | {
      /**
       * The plan.
       */
      plan: unknown;
      /**
       * Left for the next question; as it was where absent.
       */
      memory?: unknown;
      type: "plan";
    }
  | {
      /**
       * Why.
       */
      reason?: string;
      /**
       * Left for the next question; as it was where absent.
       */
      memory?: unknown;
      type: "decline";
    }
  | {
      /**
       * Why.
       */
      reason: string;
      type: "raise";
    }
  | {
      /**
       * The system prompt.
       */
      system?: string | null;
      /**
       * The messages, in the shape that the program is sent.
       */
      messages: unknown[];
      /**
       * Most tokens of the answer.
       */
      "max-tokens"?: number | null;
      /**
       * The model by name.
       */
      model?: string | null;
      type: "complete";
    };
/**
 * What a program is sent and returns.
 */
export type Level = "list" | "plan";
/**
 * The shape of messages at level `list`.
 */
export type MessageShape = "openai" | "anthropic";
/**
 * What ranges of text are counted in.
 */
export type Ranges = "bytes" | "characters";

/**
 * A question.
 */
export interface Evaluate {
  /**
   * Why the program is asked.
   */
  hook: string;
  /**
   * Whether it is to compact whatever its own threshold says.
   */
  forced: boolean;
  /**
   * User messages so far.
   */
  turn: number;
  budget: Room;
  /**
   * Tokens of the view, by the pipeline's counter.
   */
  tokens: number;
  /**
   * What the stage's pressure reads, where it has one.
   */
  pressure: Pressed | null;
  /**
   * What the program's last answer in this session left.
   */
  memory?: unknown;
  /**
   * Messages at the beginning that are as they were in the question before.
   */
  keep: number;
  /**
   * The messages behind those: in the OpenAI or Anthropic shape, or entries.
   */
  view: unknown[];
}
/**
 * What there is room for, in tokens.
 */
export interface Room {
  /**
   * The context window.
   */
  window: number;
  /**
   * The longest answer.
   */
  "max-output": number;
  /**
   * The system prompt, which is no part of the view.
   */
  system: number;
  /**
   * The tool schemas, which are no part of the view.
   */
  schemas: number;
}
/**
 * A pressure, read, in tokens.
 */
export interface Pressed {
  /**
   * Used.
   */
  used: number;
  /**
   * Where it is met.
   */
  limit: number;
  /**
   * Where a stage that repeats stops.
   */
  target: number;
}
/**
 * What a program is.
 */
export interface Hello {
  /**
   * The version of the protocol that it speaks.
   */
  protocol: number;
  /**
   * Its name.
   */
  name: string;
  /**
   * Its version.
   */
  version: string;
  level: Level;
  shape?: MessageShape;
  /**
   * Whether it remembers the messages of the last question.
   */
  "keeps-view"?: boolean;
  ranges?: Ranges;
}
