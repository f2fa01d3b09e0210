// Proctor's side of the protocol, for one program.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

async function* lines(stream) {
  let begun = "";
  for await (const text of stream) {
    const [first, ...rest] = text.split("\n");
    begun += first;
    for (const line of rest) {
      yield begun;
      begun = line;
    }
  }
}

export class Harness {
  constructor(words, options = {}) {
    this.child = spawn(process.execPath, words, { stdio: "pipe", ...options });
    this.errors = "";
    this.child.stderr.setEncoding("utf8").on("data", (text) => (this.errors += text));
    this.child.stdin.on("error", () => {});
    this.lines = lines(this.child.stdout.setEncoding("utf8"));
    this.ended = new Promise((resolve) => this.child.on("close", (code) => resolve(code)));
  }

  static of(name) {
    return new Harness([fileURLToPath(new URL(`strategies/${name}.mjs`, import.meta.url))]);
  }

  send(message) {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async receive() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`the program ended: ${this.errors}`);
    return JSON.parse(value);
  }

  ask(message) {
    this.send(message);
    return this.receive();
  }

  async begin(parameters = {}) {
    const hello = await this.ask({ type: "hello", protocol: 1, parameters });
    await this.ask({ type: "reset" });
    return hello;
  }

  evaluate(view, more = {}) {
    return this.ask({
      type: "evaluate",
      hook: "before-call",
      forced: false,
      turn: 1,
      budget: { window: 100000, "max-output": 8192, system: 900, schemas: 4100 },
      tokens: 10,
      pressure: null,
      memory: null,
      keep: 0,
      view,
      ...more,
    });
  }

  /** Says shutdown; the exit code. */
  end() {
    this.send({ type: "shutdown" });
    return this.ended;
  }
}

export const user = (id, content) => ({ id, role: "user", content });
