/** Tells clients apart by their addresses, and limits what one of them takes of what all share. */

import { RequestLimit } from "./request-limit.js";

/** The address of a peer, `127.0.0.1` of `127.0.0.1:5000` and `[::1]` of `[::1]:5000`: all connections of a client share it. */
export function getClient(peer: string): string {
  return peer.replace(/^(\[.*\]|[^:]*):\d+$/, "$1");
}

export interface ClientLimitOptions {
  /** Limits of concurrent requests: of all clients together, and of one client. */
  readonly most: number;
  readonly mostOfOne: number;
  /** Limits of waiting requests, likewise. */
  readonly waiting: number;
  readonly waitingOfOne: number;
}

/** Limits concurrent requests, of all clients and of each: one client cannot take all places. */
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

  /** Requests that wait, for a place of their client's or for one of all. */
  get waiting(): number {
    return [...this.#clients.values()].reduce((sum, own) => sum + own.waiting, this.#all.waiting);
  }

  /**
   * Waits for a place of the client's, then for one of all, and takes both. The caller gives them back by calling the
   * returned function.
   * @throws {Refusal} if too many requests wait already; the reason of `signal` if it is aborted while waiting.
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
