/**
 * Files that nobody has vouched for, opened in a process of its own first: whatever one does to it, takes without end or
 * needs more memory than it may, the server goes on. A thread would not do: memory outside of its heap has no limit, and
 * where that runs out the whole process ends.
 */

import { type ChildProcess, fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { PlainError } from "../../jobs/workers/messages.js";
import { fromPlainError } from "../../jobs/workers/plain-error.js";
import { threadArguments } from "../../platform/thread-arguments.node.js";
import { Refusal } from "../requests/failure.js";

export interface TrialOptions {
  /** What opening one file may take, in milliseconds. */
  readonly time?: number;
  /** Resident memory of the process in which it is opened, in bytes. */
  readonly memory?: number;
  /** The built file of the process. */
  readonly entry?: URL;
}

/** A file or folder as it was found. */
export interface Tried {
  readonly name: string;
  readonly path: string;
  readonly identity: string;
}

/** What the process says: that it has begun, and then of each file how that went. */
export type FromTrial = { readonly kind: "ready" } | Verdict;

export type Verdict =
  /** `lasts` is false where it reads other files too, which may change by themselves. */
  { readonly kind: "opened"; readonly lasts: boolean } | { readonly kind: "failed"; readonly error: PlainError };

/** Beside the file that this is bundled into. */
const ENTRY = new URL("./trial-process.node.js", import.meta.url);

/** Processes at once: of files that take their time, one or two let others pass. */
const MOST = 4;

/** How long a process waits for the next file, and how often its memory is looked at, in milliseconds. */
const IDLE = 30_000;
const LOOK = 50;

/** What the process itself may take to begin, in milliseconds: that is no fault of the file. */
const STARTING = 60_000;

/** Files whose verdict is remembered. */
const MOST_KNOWN = 10_000;

/** How long it is remembered that a file took too long without computing: a disk or a network may have been slow. */
const WAITED = 60_000;

export class Trials {
  readonly #time: number;
  readonly #memory: number;
  readonly #entry: URL;
  /** What a file came to, by path and identity; the last ones last. */
  readonly #known = new Map<string, Promise<Outcome>>();
  readonly #idle: TrialProcess[] = [];
  readonly #all = new Set<TrialProcess>();
  readonly #line: (() => void)[] = [];
  #isClosed = false;

  constructor({ time = 10_000, memory = 2 ** 30, entry = ENTRY }: TrialOptions = {}) {
    this.#entry = entry;
    this.#time = time;
    this.#memory = memory;
  }

  /** Starts the process for the first file, which needs not wait for that then. */
  prepare(): void {
    if (this.#all.size === 0 && !this.#isClosed) this.#leave(this.#start());
  }

  /**
   * Done once the file was opened elsewhere; a file that was tried before, and is the same, is answered at once.
   * @returns whether it was tried now.
   * @throws {Refusal} where it takes too long or too much memory; what opening it throws.
   */
  async check(file: Tried): Promise<boolean> {
    const key = `${file.path}\0${file.identity}`;
    let verdict = this.#known.get(key);
    const isNew = verdict === undefined;
    if (verdict === undefined) {
      verdict = this.#try(file);
      this.#known.set(key, verdict);
      const forget = () => this.#known.delete(key);
      verdict.then(({ time }) => {
        if (time === 0) forget();
        else if (Number.isFinite(time)) setTimeout(forget, time).unref();
      }, forget);
      const [oldest] = this.#known.keys();
      if (this.#known.size > MOST_KNOWN) this.#known.delete(oldest);
    }
    const { error } = await verdict;
    if (error !== null) throw error;
    return isNew;
  }

  close(): void {
    this.#isClosed = true;
    for (const one of [...this.#all]) one.end("the server stops");
  }

  async #try(file: Tried): Promise<Outcome> {
    const process = await this.#enter();
    try {
      const end = await process.open(file.path, this.#time, this.#memory);
      switch (end.kind) {
        case "opened":
          return { error: null, time: end.lasts ? LASTS : 0 };
        case "failed":
          return { error: fromPlainError(end.error), time: LASTING.has(end.error.tag) ? LASTS : 0 };
        case "time":
          return {
            ...tooMuch(file, `takes longer than ${this.#time / 1000} s (--open-seconds)`),
            time: end.computed > this.#time / 2 ? LASTS : WAITED,
          };
        case "memory":
          return tooMuch(file, `needs more than ${Math.round(this.#memory / 2 ** 20)} MiB of memory (--open-memory)`);
        case "ended":
          if (this.#isClosed) throw new Refusal("cancelled", "the server stops");
          if (!end.begun) throw new Error(`files cannot be tried: ${end.reason}`);
          return tooMuch(file, `ends the process that does it (${end.reason})`);
        default:
          return end satisfies never;
      }
    } finally {
      this.#leave(process);
    }
  }

  async #enter(): Promise<TrialProcess> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle !== undefined && !idle.isOver) return idle;
      if (idle === undefined) {
        if (this.#all.size < MOST) return this.#start();
        await new Promise<void>((resolve) => this.#line.push(resolve));
      }
    }
  }

  #start(): TrialProcess {
    const started = new TrialProcess(this.#entry, this.#memory, () => {
      this.#all.delete(started);
      this.#line.shift()?.();
    });
    this.#all.add(started);
    return started;
  }

  #leave(process: TrialProcess): void {
    if (this.#isClosed) process.end("the server stops");
    if (process.isOver) return;
    process.rest();
    this.#idle.push(process);
    this.#line.shift()?.();
  }
}

interface Outcome {
  readonly error: Error | null;
  /** How long it is remembered while the file is the same, in milliseconds. */
  readonly time: number;
}

const LASTS = Number.POSITIVE_INFINITY;

/** What says something of the content of a file. That it could not be read at all may be over with the next request. */
const LASTING: ReadonlySet<string | null> = new Set(["InvalidDataError", "UnsupportedError"]);

function tooMuch({ name }: Tried, problem: string): Outcome {
  return { error: new Refusal("unprocessable", `${name}: opening it ${problem}`), time: LASTS };
}

type End =
  | Verdict
  /** Computing was so much of it, in milliseconds. */
  | { readonly kind: "time"; readonly computed: number }
  | { readonly kind: "memory" }
  /** By itself, before it could begin or with a file. */
  | { readonly kind: "ended"; readonly begun: boolean; readonly reason: string };

class TrialProcess {
  readonly #child: ChildProcess;
  readonly #ended: () => void;
  readonly #starting: NodeJS.Timeout;
  readonly #begins: Promise<void>;
  #begin: () => void = () => undefined;
  #answer: (end: End) => void = () => undefined;
  #idle: NodeJS.Timeout | undefined;
  #hasBegun = false;
  #over: string | null = null;

  constructor(entry: URL, memory: number, ended: () => void) {
    this.#ended = ended;
    const execArgv = [...threadArguments(), `--max-old-space-size=${Math.max(64, Math.floor(memory / 2 ** 20))}`];
    this.#child = fork(fileURLToPath(entry), { execArgv, stdio: "ignore", serialization: "advanced" });
    this.#begins = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.#child.on("message", (message: FromTrial) => {
      if (message.kind !== "ready") return this.#answer(message);
      this.#hasBegun = true;
      clearTimeout(this.#starting);
      this.#begin();
    });
    this.#child.on("error", (error) => this.#end(error.message));
    this.#child.on("exit", (code, signal) => this.#end(signal ?? `code ${code}`));
    this.#starting = setTimeout(() => this.end("it does not begin"), STARTING).unref();
    // The server may end while it waits.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  get isOver(): boolean {
    return this.#over !== null;
  }

  async open(path: string, time: number, memory: number): Promise<End> {
    clearTimeout(this.#idle);
    await this.#begins;
    const before = await this.#computed();
    let timer: NodeJS.Timeout | undefined;
    let looking: NodeJS.Timeout | undefined;
    try {
      const end = await new Promise<End>((resolve) => {
        this.#answer = resolve;
        timer = setTimeout(() => {
          void this.#computed().then((now) =>
            resolve({ kind: "time", computed: now === null || before === null ? time : now - before }),
          );
        }, time);
        looking = setInterval(() => {
          void this.#resident().then((bytes) => {
            if (bytes > memory) resolve({ kind: "memory" });
          });
        }, LOOK);
        if (this.#over !== null) resolve({ kind: "ended", begun: this.#hasBegun, reason: this.#over });
        else this.#child.send(path, (error) => error && this.#end(error.message));
      });
      if (end.kind === "time" || end.kind === "memory") this.end(end.kind);
      return end;
    } finally {
      clearTimeout(timer);
      clearInterval(looking);
    }
  }

  rest(): void {
    this.#idle = setTimeout(() => this.end("idle"), IDLE).unref();
  }

  end(reason: string): void {
    this.#child.kill("SIGKILL");
    this.#end(reason);
  }

  /** Bytes. Of other systems than Linux nothing is known: there the heap alone has a limit. */
  async #resident(): Promise<number> {
    const status = await this.#told("status");
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  }

  /** Milliseconds of a core; null where the system does not tell. */
  async #computed(): Promise<number | null> {
    const stat = await this.#told("stat");
    // Behind the name, which may have spaces, the first field is the third: 14 and 15 are ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return stat === "" ? null : 10 * (Number(fields[11]) + Number(fields[12]));
  }

  #told(name: string): Promise<string> {
    return readFile(`/proc/${this.#child.pid}/${name}`, "utf8").catch(() => "");
  }

  #end(reason: string): void {
    if (this.#over !== null) return;
    this.#over = reason;
    clearTimeout(this.#idle);
    clearTimeout(this.#starting);
    this.#begin();
    this.#answer({ kind: "ended", begun: this.#hasBegun, reason });
    this.#ended();
  }
}
