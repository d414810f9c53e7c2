/** Processes that work for a server. One that has ended a statement is kept for the next one, because DuckDB loads slowly. */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { threadArguments } from "../../../platform/thread-arguments.node.js";
import type { FromWork, ToWork } from "./work-messages.js";

/** MiB of the nursery of a process's heap. */
const NURSERY = 8;

/** Milliseconds for which a process without a task is kept. */
const KEPT = 60_000;

/**
 * What glibc's allocator is told. Each thread has memory of its own, which glibc keeps when the thread frees it, and large
 * buffers come from there once some were freed. With these settings large buffers go back to the system at once: a part of a
 * million cells needs 360 MiB instead of 450.
 */
const MEMORY = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072" };

export class WorkProcesses {
  readonly #entry: URL;
  #kept: { readonly process: RunningProcess; readonly timer: NodeJS.Timeout } | null = null;
  readonly #all = new Set<RunningProcess>();
  #isClosed = false;

  /** @param entry the built file of the process. */
  constructor(entry: URL) {
    this.#entry = entry;
  }

  /** The kept process, or a new one. */
  take(): RunningProcess {
    const kept = this.#kept;
    if (kept === null || kept.process.isOver) return this.start();
    clearTimeout(kept.timer);
    this.#kept = null;
    return kept.process;
  }

  start(): RunningProcess {
    const process = new RunningProcess(this.#entry, () => this.#all.delete(process));
    this.#all.add(process);
    return process;
  }

  /** Keeps a process whose task is over. */
  keep(process: RunningProcess): void {
    if (this.#isClosed || this.#kept !== null) process.end();
    else this.#kept = { process, timer: setTimeout(() => this.endKept(), KEPT).unref() };
  }

  /** Ends the process that waits for a task: it holds memory. */
  endKept(): void {
    clearTimeout(this.#kept?.timer);
    this.#kept?.process.end();
    this.#kept = null;
  }

  /** Ends all processes, and later those that come back. */
  close(): void {
    this.#isClosed = true;
    this.endKept();
    for (const process of this.#all) process.end();
  }
}

/** A process, and what it has sent that nobody has taken yet. */
export class RunningProcess {
  readonly #child: ChildProcess;
  readonly #waiting: FromWork[] = [];
  #over: Error | null = null;
  #wake = (): void => undefined;

  constructor(entry: URL, onEnd: () => void) {
    this.#child = fork(fileURLToPath(entry), {
      execArgv: [...threadArguments(), `--max-semi-space-size=${NURSERY}`],
      env: { ...MEMORY, ...process.env },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      serialization: "advanced",
    });
    const end = (reason: string): void => {
      if (this.#over === null) onEnd();
      this.#over ??= new Error(`the process that works for the page has ended: ${reason}`);
      this.#wake();
    };
    this.#child.on("message", (message: FromWork) => {
      this.#waiting.push(message);
      this.#wake();
    });
    this.#child.on("error", (error) => end(error.message));
    this.#child.on("exit", (code, signal) => end(signal ?? `code ${code}`));
    // A waiting process does not keep the server alive.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  get isOver(): boolean {
    return this.#over !== null;
  }

  send(message: ToWork): void {
    // Whoever waits for a reply learns from the end of the process that there was none.
    if (this.#over === null) this.#child.send(message, () => undefined);
  }

  /** The next message. */
  async next(signal: AbortSignal): Promise<FromWork> {
    const aborted = () => this.#wake();
    signal.addEventListener("abort", aborted, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        const reply = this.#waiting.shift();
        if (reply !== undefined) return reply;
        if (this.#over !== null) throw this.#over;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener("abort", aborted);
    }
  }

  /** Whether a cancelled task is over within so many milliseconds. */
  async isOverWithin(milliseconds: number): Promise<boolean> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), milliseconds);
    try {
      for (;;) {
        const { kind } = await this.next(late.signal);
        if (kind === "end" || kind === "failed") return true;
      }
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }
}
