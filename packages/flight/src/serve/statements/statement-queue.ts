/**
 * The queue of SQL statements. It is separate from the queue of other requests, because each statement may occupy a
 * core and its memory for a minute.
 */

import { once } from "annarrow/core/kernels";
import { RequestError } from "../requests/failure.js";
import { type Waiter, waitIn } from "../requests/request-limit.js";

export interface QueueOptions {
  /** Maximum number of statements that run concurrently. */
  readonly most: number;
  /** Limits on waiting statements, for all clients together and for one client. */
  readonly waiting?: number;
  readonly waitingOfOne?: number;
}

/** Assigns slots to clients in turn, so that a client with many statements does not delay a client with only one. */
export class StatementQueue {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #mostOfOne: number;
  /** Waiting statements by client, in the order in which the clients are served. */
  readonly #lines = new Map<string, Set<Waiter>>();
  #inside = 0;

  constructor({ most, waiting = 64, waitingOfOne = 16 }: QueueOptions) {
    this.#most = most;
    this.#mostWaiting = waiting;
    this.#mostOfOne = waitingOfOne;
  }

  get inside(): number {
    return this.#inside;
  }

  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.size, 0);
  }

  /**
   * Waits for the client's turn and takes a slot. The caller releases the slot by calling the returned function.
   * @param client identifies the client. All statements of a client share one turn.
   * @throws {RequestError} immediately if too many statements wait; the reason of `signal` if it is aborted while
   * waiting.
   */
  async enter(client: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#inside < this.#most) {
      this.#inside++;
      return this.#leaver();
    }
    const line = this.#lines.get(client) ?? new Set();
    if (line.size >= this.#mostOfOne || this.waiting >= this.#mostWaiting) {
      const yours = line.size >= this.#mostOfOne ? ` of yours` : "";
      throw new RequestError(
        "busy",
        `too many statements: ${this.#inside} run and ${yours === "" ? this.waiting : line.size}${yours} wait; try again later`,
      );
    }
    this.#lines.set(client, line);
    await waitIn(line, signal, () => {
      if (line.size === 0 && this.#lines.get(client) === line) this.#lines.delete(client);
    });
    return this.#leaver();
  }

  #leaver(): () => void {
    return once(() => {
      const [next] = this.#lines;
      if (next === undefined) {
        this.#inside--;
        return;
      }
      // The slot goes to the client's first statement. The client then moves to the end of the queue.
      const [client, line] = next;
      const [waiter] = line;
      waiter.admit();
      this.#lines.delete(client);
      if (line.size > 0) this.#lines.set(client, line);
    });
  }
}
