/**
 * Opens untrusted files in a separate process before the server opens them. If a file takes forever, needs too much
 * memory or crashes the process, the server continues to run. A thread would not suffice, because its memory outside
 * the heap has no limit, and exhausting that memory ends the whole process.
 */

import { type ChildProcess, fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { GenericFileOptions } from "annarrow/core/api";
import { fromSerializableError } from "annarrow/core/jobs";
import { getThreadArguments } from "annarrow/node/platform";
import { RequestError } from "../requests/failure.js";
import type { FromProbe, Verdict } from "./trial-process.node.js";

export interface ProbeOptions {
  /** Time limit for one file, in milliseconds; 10 seconds by default. */
  readonly time?: number;
  /** Maximum resident memory of the process, in bytes; 1 GiB by default. */
  readonly memory?: number;
  /** Options for generic files, the same as when the server opens them. */
  readonly plain?: GenericFileOptions;
  /** The built file of the process. */
  readonly entry?: URL;
}

export interface ProbedFile {
  readonly name: string;
  readonly path: string;
  readonly identity: string;
}

/** The process's built file, in the same directory as the bundle that contains this module. */
const ENTRY = new URL("./trial-process.node.js", import.meta.url);

/** Maximum number of concurrent processes. It is greater than 1 so that one or two slow files do not delay others. */
const MOST = 4;

/** Milliseconds for which a process waits for the next file, and milliseconds between two checks of its memory. */
const IDLE = 30_000;
const LOOK = 50;

/** Time limit for starting the process, in milliseconds. A slow start is not the fault of a file. */
const STARTING = 60_000;

/** Limit of remembered verdicts. */
const MAX_KNOWN = 10_000;

/** Milliseconds for which a timeout without CPU use is remembered. Possibly only the disk or the network was slow. */
const WAITED = 60_000;

export class ProbeProcesses {
  readonly #time: number;
  readonly #memory: number;
  readonly #entry: URL;
  readonly #arguments: readonly string[];
  /** Outcomes by path and identity. The oldest come first. */
  readonly #known = new Map<string, Promise<Outcome>>();
  readonly #idle: TrialProcess[] = [];
  readonly #all = new Set<TrialProcess>();
  /** Callbacks of files that wait for a process. */
  readonly #line: (() => void)[] = [];
  #isClosed = false;

  constructor({ time = 10_000, memory = 2 ** 30, plain = {}, entry = ENTRY }: ProbeOptions = {}) {
    this.#entry = entry;
    this.#arguments = [...(plain.cf ? ["--cf"] : []), ...(plain.frame ?? []).map((group) => `--frame=${group}`)];
    this.#time = time;
    this.#memory = memory;
  }

  /** Starts a process early, so that the first file does not wait for it. */
  prepare(): void {
    if (this.#all.size === 0 && !this.#isClosed) this.#leave(this.#start());
  }

  /**
   * Tries to open a file. The outcome is cached for unchanged files.
   * @returns true if the file was tried now, false if the outcome was cached.
   * @throws {RequestError} for a file that takes too long or too much memory; otherwise the error from opening it.
   */
  async check(file: ProbedFile): Promise<boolean> {
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
      if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest);
    }
    const { error } = await verdict;
    if (error !== null) throw error;
    return isNew;
  }

  close(): void {
    this.#isClosed = true;
    for (const one of [...this.#all]) one.end("the server stops");
  }

  async #try(file: ProbedFile): Promise<Outcome> {
    const process = await this.#enter();
    try {
      const end = await process.open(file.path, this.#time, this.#memory);
      switch (end.kind) {
        case "opened":
          return { error: null, time: end.lasts ? LASTS : 0 };
        case "failed":
          return { error: fromSerializableError(end.error), time: LASTING.has(end.error.tag) ? LASTS : 0 };
        case "time":
          return {
            ...tooMuch(file, `takes longer than ${this.#time / 1000} s (--open-seconds)`),
            time: end.computed > this.#time / 2 ? LASTS : WAITED,
          };
        case "memory":
          return tooMuch(file, `needs more than ${Math.round(this.#memory / 2 ** 20)} MiB of memory (--open-memory)`);
        case "ended":
          if (this.#isClosed) throw new RequestError("cancelled", "the server stops");
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
    const started = new TrialProcess(this.#entry, this.#arguments, this.#memory, () => {
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
  /** Milliseconds for which the outcome is remembered while the file does not change. */
  readonly time: number;
}

const LASTS = Number.POSITIVE_INFINITY;

/**
 * Errors that depend on the content of a file. Other errors are not remembered, because a file that could not be read
 * may be readable at the next request.
 */
const LASTING: ReadonlySet<string | null> = new Set(["InvalidDataError", "UnsupportedError"]);

function tooMuch({ name }: ProbedFile, problem: string): Outcome {
  return { error: new RequestError("unprocessable", `${name}: opening it ${problem}`), time: LASTS };
}

type End =
  | Verdict
  /** The time limit was reached. Of this time, `computed` milliseconds were CPU time. */
  | { readonly kind: "time"; readonly computed: number }
  | { readonly kind: "memory" }
  /** The process ended on its own, either before it was ready or while it was opening a file. */
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

  constructor(entry: URL, args: readonly string[], memory: number, ended: () => void) {
    this.#ended = ended;
    const execArgv = [...getThreadArguments(), `--max-old-space-size=${Math.max(64, Math.floor(memory / 2 ** 20))}`];
    this.#child = fork(fileURLToPath(entry), args, { execArgv, stdio: "ignore", serialization: "advanced" });
    this.#begins = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.#child.on("message", (message: FromProbe) => {
      if (message.kind !== "ready") return this.#answer(message);
      this.#hasBegun = true;
      clearTimeout(this.#starting);
      this.#begin();
    });
    this.#child.on("error", (error) => this.#end(error.message));
    this.#child.on("exit", (code, signal) => this.#end(signal ?? `code ${code}`));
    this.#starting = setTimeout(() => this.end("it does not begin"), STARTING).unref();
    // A waiting process does not keep the server alive.
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

  /** Ends the process after some idle time, unless another file arrives. */
  rest(): void {
    this.#idle = setTimeout(() => this.end("idle"), IDLE).unref();
  }

  end(reason: string): void {
    this.#child.kill("SIGKILL");
    this.#end(reason);
  }

  /** Returns the resident memory in bytes; 0 on systems other than Linux, where only the heap is limited. */
  async #resident(): Promise<number> {
    const status = await this.#told("status");
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  }

  /** Returns CPU time in milliseconds; null if the system does not report it. */
  async #computed(): Promise<number | null> {
    const stat = await this.#told("stat");
    // The name may contain spaces. The text after the name begins with field 3. Fields 14 and 15 are in ticks of 10 ms.
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
