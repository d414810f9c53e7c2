/**
 * Worker processes of a server. A process that has finished is reused for the next task, because DuckDB loads slowly.
 */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { getThreadArguments } from "annarrow/node/platform";
import type { FromWork, ToWork } from "./work-messages.js";

/** Size in MiB of the nursery (young generation) in a process's heap. */
const NURSERY = 8;

/** Number of milliseconds after which an idle process is ended. */
const KEPT = 60_000;

/**
 * Settings for glibc's allocator. Each thread has its own arena, which does not shrink when the thread frees memory.
 * Once some large buffers have been freed, glibc also places large buffers there. With these settings, large buffers
 * are returned to the system immediately: a subset of a million cells needs 360 MiB instead of 450.
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

  /** Returns the idle process, or a new one if there is none. */
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

  /** Keeps a finished process for the next task. */
  keep(process: RunningProcess): void {
    if (this.#isClosed || this.#kept !== null) process.end();
    else this.#kept = { process, timer: setTimeout(() => this.endKept(), KEPT).unref() };
  }

  /** Ends the idle process to free its memory. */
  endKept(): void {
    clearTimeout(this.#kept?.timer);
    this.#kept?.process.end();
    this.#kept = null;
  }

  /** Ends all processes, including processes that are returned later. */
  close(): void {
    this.#isClosed = true;
    this.endKept();
    for (const process of this.#all) process.end();
  }
}

/** A process, and the queue of messages received from it. */
export class RunningProcess {
  readonly #child: ChildProcess;
  readonly #waiting: FromWork[] = [];
  #over: Error | null = null;
  #wake = (): void => undefined;

  constructor(entry: URL, onEnd: () => void) {
    this.#child = fork(fileURLToPath(entry), {
      execArgv: [...getThreadArguments(), `--max-semi-space-size=${NURSERY}`],
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
    // A waiting process must not keep the server alive.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  get isOver(): boolean {
    return this.#over !== null;
  }

  send(message: ToWork): void {
    // If sending fails, the waiting caller is notified when the process ends.
    if (this.#over === null) this.#child.send(message, () => undefined);
  }

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

  /** Resolves to true if a cancelled task ends within the given time. */
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
