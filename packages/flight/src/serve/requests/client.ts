/** Identifies clients by their addresses, and limits each client's share. */

import { RequestLimit } from "./request-limit.js";

/**
 * Returns a peer's address without the port: `127.0.0.1` for `127.0.0.1:5000` and `[::1]` for `[::1]:5000`. All
 * connections of a client have the same address.
 */
export function getClient(peer: string): string {
  return peer.replace(/^(\[.*\]|[^:]*):\d+$/, "$1");
}

export interface ClientLimitOptions {
  /** Limits on concurrent requests, for all clients together and for one client. */
  readonly most: number;
  readonly mostOfOne: number;
  /** Limits on waiting requests, for all clients together and for one client. */
  readonly waiting: number;
  readonly waitingOfOne: number;
}

/** Limits concurrent requests for all clients together and for each client, so that no client can occupy all slots. */
export class ClientLimit {
  readonly #options: ClientLimitOptions;
  readonly #what: string;
  readonly #all: RequestLimit;
  readonly #clients = new Map<string, RequestLimit>();

  /** @param what names the limited requests in the message of a refusal, such as `streams`. */
  constructor(what: string, options: ClientLimitOptions) {
    this.#options = options;
    this.#what = what;
    this.#all = new RequestLimit(options.most, what, options.waiting);
  }

  get inside(): number {
    return this.#all.inside;
  }

  /** Number of requests that wait for one of their client's slots or for a shared slot. */
  get waiting(): number {
    return [...this.#clients.values()].reduce((sum, own) => sum + own.waiting, this.#all.waiting);
  }

  /**
   * Waits for one of the client's slots, then for a global slot, and takes both. The caller releases them by calling
   * the returned function.
   * @throws {Refusal} if too many requests already wait; the reason of `signal` if it is aborted while waiting.
   */
  async enter(client: string, signal?: AbortSignal): Promise<() => void> {
    const { mostOfOne, waitingOfOne } = this.#options;
    const own = this.#clients.get(client) ?? new RequestLimit(mostOfOne, `${this.#what} of yours`, waitingOfOne);
    this.#clients.set(client, own);
    const leaveOwn = await own.enter(signal).finally(() => this.#forget(client, own));
    try {
      const leaveAll = await this.#all.enter(signal);
      return () => {
        leaveAll();
        leaveOwn();
        this.#forget(client, own);
      };
    } catch (error) {
      leaveOwn();
      this.#forget(client, own);
      throw error;
    }
  }

  #forget(client: string, own: RequestLimit): void {
    if (own.inside === 0 && own.waiting === 0) this.#clients.delete(client);
  }
}
