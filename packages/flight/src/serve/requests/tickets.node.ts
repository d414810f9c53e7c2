/**
 * Tickets for DoGet: the request as JSON, followed by an HMAC-SHA256. Only the server can create tickets. It stores no
 * state for them, so any client with access can use a ticket any number of times.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { encodeJsonBytes } from "../../flight/protocol/action.js";
import { RequestError } from "./failure.js";
import { type DataRequest, parseCommandRequest, parseObject } from "./request.js";

export interface TicketContent {
  readonly request: DataRequest;
  /** Identity of the file at the time of signing. */
  readonly identity: string;
  /** For folders that were only partly checked: no file in them may have changed after this time, in ms since 1970. */
  readonly since?: number | null;
}

const MAC = 32;
const LONGEST = 2 ** 20;

export class Tickets {
  readonly #key: Uint8Array;

  /** @param key is shared by servers that accept each other's tickets; by default a key of this process. */
  constructor(key: Uint8Array = randomBytes(32)) {
    this.#key = key;
  }

  /** @param expires time at which the ticket expires, in milliseconds since 1970. */
  sign({ request, identity, since = null }: TicketContent, expires: number): Uint8Array {
    const { kind: _, path, ...rest } = request;
    return this.#signed({ v: 1, path, identity: this.#short(identity), expires, since: since ?? undefined, ...rest });
  }

  #signed(content: Readonly<Record<string, unknown>>): Uint8Array {
    const payload = encodeJsonBytes(content);
    const ticket = new Uint8Array(payload.length + MAC);
    ticket.set(payload);
    ticket.set(this.#mac(payload), payload.length);
    return ticket;
  }

  /** @throws {RequestError} for a ticket that this server did not sign, or that has expired. */
  open(ticket: Uint8Array, now = Date.now()): TicketContent {
    const { path, identity, since, table, columns, rows, layout, sql, parameters } = this.#content(ticket, now);
    if (!Array.isArray(path) || typeof identity !== "string") throw forged();
    const segments = path.map(String);
    const name = segments.join("/");
    const content = { columns, rows, layout, sql };
    const dataset = segments.length === 0 ? undefined : name;
    const parsed = parseCommandRequest(
      sql === undefined && table === undefined ? { ...content, table: name } : { ...content, table, dataset },
    );
    const bound = typeof parameters === "string" ? { parameters } : {};
    const request = { ...parsed, ...bound, path: segments };
    return { request, identity, since: typeof since === "number" ? since : null };
  }

  /** Signs the request of a valid ticket again, with a later expiration time. */
  renew(ticket: Uint8Array, expires: number, now = Date.now()): Uint8Array {
    return this.#signed({ ...this.#content(ticket, now), expires });
  }

  /** Whether the ticket's file is unchanged since the ticket was signed. */
  isOf(ticket: TicketContent, identity: string): boolean {
    return ticket.identity === this.#short(identity);
  }

  /** Shortens an identity. This also hides device, inode and times from clients. */
  #short(identity: string): string {
    return createHmac("sha256", this.#key).update("identity\0").update(identity).digest("base64url").slice(0, 16);
  }

  #content(ticket: Uint8Array, now: number): Readonly<Record<string, unknown>> {
    if (ticket.length <= MAC || ticket.length > LONGEST) throw forged();
    const payload = ticket.subarray(0, ticket.length - MAC);
    if (!timingSafeEqual(this.#mac(payload), ticket.subarray(payload.length))) throw forged();
    const content = parseObject(payload, "the ticket");
    const { v, expires } = content;
    if (v !== 1 || typeof expires !== "number") throw forged();
    if (now >= expires) {
      throw new RequestError(
        "gone",
        `the ticket expired at ${new Date(expires).toISOString()}; ask for the FlightInfo again`,
      );
    }
    return content;
  }

  #mac(payload: Uint8Array): Uint8Array {
    return createHmac("sha256", this.#key).update("ticket\0").update(payload).digest();
  }
}

function forged(): RequestError {
  return new RequestError("invalid", "the ticket is none of this server's");
}
