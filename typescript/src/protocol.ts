// Written by `npm run protocol` from docs/protocol.schema.json.

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
       * The table `parameters` of the stage.
       */
      parameters: {
        [k: string]: unknown;
      };
      /**
       * The version of the protocol.
       */
      protocol: number;
      type: "hello";
    }
  | {
      type: "reset";
    }
  | (Evaluate & {
      type: "evaluate";
    })
  | {
      finish: Finish;
      /**
       * The number under which a plan may use it.
       */
      request: number;
      /**
       * The answer.
       */
      text: string;
      type: "completion";
    }
  | {
      class: FailureClass;
      /**
       * The provider's words.
       */
      message: string;
      /**
       * The number of the request.
       */
      request: number;
      /**
       * The status that an HTTP endpoint gives for it.
       */
      status: number;
      type: "failure";
    }
  | {
      type: "shutdown";
    };
export type Occasion =
  | "turn-start"
  | "before-call"
  | "after-tools"
  | "after-answer"
  | "turn-end"
  | "overflow"
  | "output-limit"
  | "boundary"
  | "floor-probe";
export type Finish = "stop" | "length" | "tool-call";
export type FailureClass =
  "overflow" | "error" | "time-out" | "refusal" | "empty" | "inflated" | "truncated" | "tool-call";
/**
 * What a program answers.
 */
export type Received =
  | {
      /**
       * Whether it remembers the messages of the last question.
       */
      "keeps-view"?: boolean;
      level: Level;
      /**
       * Its name.
       */
      name: string;
      /**
       * The version of the protocol that it speaks.
       */
      protocol: number;
      ranges?: Ranges;
      shape?: MessageShape;
      type: "hello";
      /**
       * Its version.
       */
      version: string;
    }
  | {
      type: "ready";
    }
  | {
      /**
       * Left for the next question; as it was where absent.
       */
      memory?: unknown;
      /**
       * In the program's shape.
       */
      messages: unknown[];
      type: "messages";
    }
  | {
      /**
       * Left for the next question; as it was where absent.
       */
      memory?: unknown;
      plan: Plan;
      type: "plan";
    }
  | {
      /**
       * Left for the next question; as it was where absent.
       */
      memory?: unknown;
      /**
       * Why.
       */
      reason?: string;
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
       * Most tokens of the answer.
       */
      "max-tokens"?: number | null;
      /**
       * The messages, in the shape that the program is sent.
       */
      messages: unknown[];
      /**
       * The model by name.
       */
      model?: string | null;
      /**
       * The system prompt.
       */
      system?: string | null;
      type: "complete";
    };
/**
 * What a program is sent and returns.
 */
export type Level = "list" | "plan";
/**
 * What ranges of text are counted in.
 */
export type Ranges = "bytes" | "characters";
/**
 * The shape of messages at level `list`.
 */
export type MessageShape = "openai" | "anthropic";
/**
 * What must hold of the view that a plan makes.
 */
export type Accept =
  | "not-larger"
  | {
      "frees-share": number;
    };
/**
 * The next view.
 */
export type Layout =
  | {
      whole: Slot[];
    }
  | {
      edits: {
        base: Base;
        /**
         * The rewrites.
         */
        edits: Edit[];
      };
    }
  | {
      recall: Recall;
    };
/**
 * One place of the next view.
 */
export type Slot =
  | {
      keep: EntryId;
    }
  | {
      /**
       * @minItems 2
       * @maxItems 2
       */
      keeps: [EntryId, EntryId];
    }
  | {
      rewrite: Edit;
    }
  | {
      new: NewEntry;
    }
  | {
      "new-unless-empty": NewEntry;
    };
/**
 * An entry of a view. Ids are given in the order of creation, never reused.
 */
export type EntryId = number;
/**
 * The provider's id of a tool call, unique in a log.
 */
export type CallId = string;
/**
 * A stretch of text with its provenance.
 */
export type Piece =
  | {
      literal: string;
    }
  | {
      extract: {
        /**
         * What they were taken from.
         */
        of: Source[];
        /**
         * The words.
         */
        text: string;
      };
    }
  | {
      quote: {
        /**
         * From, to, in bytes of the source's text.
         *
         * @minItems 2
         * @maxItems 2
         */
        bytes?: [number, number] | null;
        of: Source;
      };
    }
  | {
      answer: {
        clean?: Clean;
        /**
         * In order of preference.
         */
        "first-of": RequestId[];
      };
    };
/**
 * What a piece quotes.
 */
export type Source =
  | {
      entry: EntryId;
    }
  | {
      log: MsgId;
    }
  | {
      /**
       * @minItems 2
       * @maxItems 2
       */
      call: [EntryId, CallId];
    };
/**
 * A message: its index in `Log::messages`.
 */
export type MsgId = number;
/**
 * How an answer is cleaned before it is used.
 */
export type Clean =
  | "as-is"
  | "trim"
  | {
      element: string;
    }
  | {
      /**
       * @minItems 2
       * @maxItems 2
       */
      part: [number, number];
    };
/**
 * A summary request, numbered within its plan.
 */
export type RequestId = number;
/**
 * What a new entry stands for.
 */
export type Covers =
  | "rest"
  | {
      entries: EntryId[];
    }
  | {
      log: Spans;
    }
  | "nothing";
/**
 * A set of message ids as sorted, disjoint, not adjacent ranges: equal sets are equal values.
 */
export type Spans = [number, number][];
export type Kind = "message" | "summarized" | "goal-batch" | "summary" | "notice" | "recalled";
export type Role = "system" | "user" | "assistant" | "tool";
/**
 * What request-scope edits start from.
 */
export type Base = "view" | "last-sent";
/**
 * A number of tokens, in reference tokens where nothing else is said.
 */
export type Tokens = number;
/**
 * Whose system prompt a request carries.
 */
export type Frame =
  | {
      agent: {
        /**
         * Whether the tool schemas are sent.
         */
        tools: boolean;
      };
    }
  | {
      own: string;
    };
/**
 * What stands for an answer when every remedy is spent.
 */
export type GiveUp =
  | "fail-plan"
  | {
      say: string;
    }
  | "nothing";
/**
 * One message that a request shows.
 */
export type Item =
  | {
      entry: EntryId;
    }
  | {
      message: {
        /**
         * The call that it answers.
         */
        answers?: CallId | null;
        /**
         * Its content.
         */
        pieces: Piece[];
        role: Role;
      };
    };
/**
 * One remedy after a failed request. Remedies are tried in order, each until it is spent.
 */
export type Recovery =
  | {
      retry: number;
    }
  | {
      "trim-oldest": {
        /**
         * Items that stay.
         */
        leave: number;
        /**
         * A dropped call takes its results along, and the other way round.
         */
        pairs: boolean;
      };
    };
/**
 * What becomes of the pass when a plan fails, after `otherwise` was applied.
 */
export type Then = "as-pipeline" | "continue" | "raise";

/**
 * A question.
 */
export interface Evaluate {
  budget: Room;
  /**
   * Whether it is to compact whatever its own threshold says.
   */
  forced: boolean;
  hook: Occasion;
  /**
   * Messages at the beginning that are as they were in the question before.
   */
  keep: number;
  /**
   * What the program's last answer in this session left.
   */
  memory?: unknown;
  /**
   * What the stage's pressure reads, where it has one.
   */
  pressure?: Pressed | null;
  /**
   * Tokens of the view, by the pipeline's counter.
   */
  tokens: number;
  /**
   * User messages so far.
   */
  turn: number;
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
   * The longest answer.
   */
  "max-output": number;
  /**
   * The tool schemas, which are no part of the view.
   */
  schemas: number;
  /**
   * The system prompt, which is no part of the view.
   */
  system: number;
  /**
   * The context window.
   */
  window: number;
}
/**
 * A pressure, read, in tokens.
 */
export interface Pressed {
  /**
   * Where it is met.
   */
  limit: number;
  /**
   * Where a stage that repeats stops.
   */
  target: number;
  /**
   * Used.
   */
  used: number;
}
/**
 * A proposal.
 */
export interface Plan {
  /**
   * What must hold of the result; otherwise it is rejected.
   */
  accept?: Accept[];
  layout: Layout;
  /**
   * Applied instead when answers fail or the result is rejected; it may have one of its own.
   */
  otherwise?: Plan | null;
  /**
   * Summaries that the layout uses, as data.
   */
  requests?: SummaryRequest[];
  then?: Then;
}
/**
 * A rewrite of one entry.
 */
export interface Edit {
  /**
   * New arguments by call.
   */
  args?: {
    [k: string]: string;
  };
  /**
   * Calls that the entry no longer makes.
   */
  drops?: CallId[];
  entry: EntryId;
  /**
   * Its new content; as it is where absent.
   */
  pieces?: Piece[] | null;
}
/**
 * A new entry.
 */
export interface NewEntry {
  /**
   * The call that it answers, for tool results.
   */
  answers?: CallId | null;
  covers: Covers;
  kind: Kind;
  /**
   * Metadata of the profile, shown in traces.
   */
  note?: string | null;
  /**
   * Its content.
   */
  pieces: Piece[];
  role: Role;
}
/**
 * A question to the archive of what has left the view.
 */
export interface Recall {
  allowance: Tokens;
  /**
   * Most passages that come back.
   */
  passages: number;
  /**
   * The words to look for.
   */
  query: string;
}
/**
 * One request to the summarizer.
 */
export interface SummaryRequest {
  frame: Frame;
  "give-up"?: GiveUp;
  /**
   * The same where a profile tells failures apart; these classes go before `give-up`.
   */
  "give-up-on"?: {
    empty?: GiveUp;
    error?: GiveUp;
    inflated?: GiveUp;
    overflow?: GiveUp;
    refusal?: GiveUp;
    "time-out"?: GiveUp;
    "tool-call"?: GiveUp;
    truncated?: GiveUp;
  };
  id: RequestId;
  /**
   * What is asked, as one last user message; may quote.
   */
  instruction: Piece[];
  /**
   * The conversation that is shown, as messages.
   */
  items?: Item[];
  "max-tokens": Tokens;
  /**
   * A model of its own, where the profile names one.
   */
  model?: string | null;
  /**
   * By class of failure: how the request is changed and asked again. `empty`, `inflated`,
   * `truncated` and `tool-call` answers that are not named here are accepted.
   */
  recover?: {
    empty?: Recovery[];
    error?: Recovery[];
    inflated?: Recovery[];
    overflow?: Recovery[];
    refusal?: Recovery[];
    "time-out"?: Recovery[];
    "tool-call"?: Recovery[];
    truncated?: Recovery[];
  };
}
