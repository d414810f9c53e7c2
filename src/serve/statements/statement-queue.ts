/** Statements wait apart from everything else: each may take a core and its memory for a minute. */

import { once } from "../../kernels/values/once.js";
import { Refusal } from "../requests/failure.js";
import { type Waiter, waitIn } from "../requests/waiting-line.js";

export interface QueueOptions {
  /** Statements that run at once. */
  readonly most: number;
  /** That wait, of all clients and of one. */
  readonly waiting?: number;
  readonly waitingOfOne?: number;
}

/** Clients take turns: who asks for many statements waits for them, not those who ask for one. */
export class StatementQueue {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #mostOfOne: number;
  /** By client, the one whose turn is next first. */
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
   * Enters when the client's turn comes; the function that it gives is called to leave.
   * @param client whoever shares a turn.
   * @throws {Refusal} at once where too many wait; what `signal` says, where it is aborted meanwhile.
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
      throw new Refusal(
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
      // Its place goes to the first of that client, which is the last one to have another turn.
      const [client, line] = next;
      const [waiter] = line;
      waiter.admit();
      this.#lines.delete(client);
      if (line.size > 0) this.#lines.set(client, line);
    });
  }
}
