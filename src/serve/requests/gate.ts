/** Things of which there are only so many at once; who comes later waits in line. */

import { once } from "../../kernels/values/once.js";
import { Refusal } from "./failure.js";
import { type Waiter, waitIn } from "./waiting-line.js";

export class Gate {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #what: string;
  #inside = 0;
  readonly #line = new Set<Waiter>();

  /** @param what is limited, for the message to those for whom not even the line has room. */
  constructor(most: number, what: string, mostWaiting = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#what = what;
    this.#mostWaiting = mostWaiting;
  }

  get inside(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Enters at once; null where there is no room, or others wait. */
  tryEnter(): (() => void) | null {
    if (this.#inside >= this.#most || this.#line.size > 0) return null;
    this.#inside++;
    return this.#leaver();
  }

  /**
   * Enters when its turn comes; the function that it gives is called to leave.
   * @throws {Refusal} where too many wait already; what `signal` says, where it is aborted meanwhile.
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const at = this.tryEnter();
    if (at !== null) return at;
    if (this.#line.size >= this.#mostWaiting) {
      throw new Refusal(
        "exhausted",
        `too many ${this.#what}: ${this.#inside} run and ${this.#line.size} wait; try again later`,
      );
    }
    await waitIn(this.#line, signal);
    return this.#leaver();
  }

  #leaver(): () => void {
    return once(() => {
      // Its place goes to the next one.
      const [next] = this.#line;
      if (next === undefined) this.#inside--;
      else next.admit();
    });
  }
}
