/** Running streams by ticket, so that anyone who has the ticket can cancel them. */

import { RequestError } from "./failure.js";

/** Maximum number of cancelled tickets in memory. The oldest is removed first. */
const MOST = 10_000;

export class RunningStreams {
  readonly #streams = new Map<string, Set<AbortController>>();
  readonly #cancelled = new Set<string>();

  get size(): number {
    return this.#streams.size;
  }

  /**
   * Registers a stream. The returned signal aborts when the ticket is cancelled or `signal` aborts; `end` removes the
   * stream.
   * @throws {RequestError} if the ticket was cancelled before.
   */
  begin(ticket: Uint8Array, signal: AbortSignal): { readonly signal: AbortSignal; readonly end: () => void } {
    const key = keyOf(ticket);
    if (this.#cancelled.has(key)) throw new RequestError("cancelled", "the ticket was cancelled");
    const controller = new AbortController();
    const streams = this.#streams.get(key) ?? new Set();
    streams.add(controller);
    this.#streams.set(key, streams);
    const end = () => {
      streams.delete(controller);
      if (streams.size === 0) this.#streams.delete(key);
    };
    return { signal: AbortSignal.any([signal, controller.signal]), end };
  }

  /** Ends all streams of the ticket and refuses the ticket from now on. */
  cancel(ticket: Uint8Array): void {
    const key = keyOf(ticket);
    this.#cancelled.add(key);
    const [first] = this.#cancelled;
    if (this.#cancelled.size > MOST) this.#cancelled.delete(first);
    for (const controller of this.#streams.get(key) ?? []) {
      controller.abort(new RequestError("cancelled", "the ticket was cancelled"));
    }
  }
}

/** Returns the signature of the ticket, which is unique. */
function keyOf(ticket: Uint8Array): string {
  return ticket.subarray(-32).join();
}
