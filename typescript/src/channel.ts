// JSON Lines over the two streams of the process.

import type { Received, Sent } from "./protocol.js";

export class Channel {
  readonly #lines: AsyncGenerator<string>;
  readonly #write: (text: string) => Promise<void>;

  private constructor(source: AsyncIterable<Buffer>, write: (text: string) => Promise<void>) {
    this.#lines = lines(source);
    this.#write = write;
  }

  /** Takes standard output for the protocol. `console.log` then writes to standard error. */
  static takeOver(): Channel {
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = process.stderr.write.bind(process.stderr);
    return new Channel(process.stdin, (text) =>
      new Promise((resolve, reject) => {
        write(text, (error) => (error ? reject(error) : resolve()));
      }),
    );
  }

  /** Sends a line, and waits until the stream has taken it. */
  send(message: Received): Promise<void> {
    return this.#write(`${JSON.stringify(message, wellFormed)}\n`);
  }

  /** The next line; `undefined` where Proctor has gone. */
  async receive(): Promise<Sent | undefined> {
    const { value, done } = await this.#lines.next();
    return done ? undefined : JSON.parse(value);
  }

  /** Stops listening, so that the process can end. */
  async close(): Promise<void> {
    await this.#lines.return(undefined);
  }
}

/** Half of a character, as `slice` may leave it, is no UTF-8. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

/** Cuts at line feeds alone; `node:readline` would cut at U+2028 too. */
async function* lines(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of source) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)]).toString();
      begun = [];
      from = end + 1;
    }
    begun.push(chunk.subarray(from));
  }
}
