/** Checks access with one shared token, sent as a bearer token or as the password of basic authentication. */

import { createHash, timingSafeEqual } from "node:crypto";
import { RequestError } from "./failure.js";

export class Access {
  readonly #token: Uint8Array | null;

  /** @param token if null, every client has access. */
  constructor(token: string | null) {
    this.#token = token === null ? null : digest(token);
  }

  get isOpen(): boolean {
    return this.#token === null;
  }

  /**
   * @param authorization the value of the `authorization` header.
   * @throws {RequestError} if the header does not contain the token.
   */
  check(authorization: string | undefined): void {
    if (this.#token === null) return;
    const given = authorization === undefined ? null : tokenOf(authorization);
    if (given === null)
      throw new RequestError("unauthenticated", "a bearer token is needed in the header authorization");
    if (!this.accepts(given)) throw new RequestError("unauthenticated", "the token is not the one of this server");
  }

  /** Compares in constant time. */
  accepts(token: string): boolean {
    return this.#token === null || timingSafeEqual(digest(token), this.#token);
  }
}

/** Hashes a text. `timingSafeEqual` requires inputs of equal length, and all digests have the same length. */
function digest(text: string): Uint8Array {
  return createHash("sha256").update(text, "utf8").digest();
}

/** Returns the token of `Bearer …`, or the password of `Basic …`. */
function tokenOf(authorization: string): string | null {
  const [, scheme, value] = /^(bearer|basic) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme === undefined) return null;
  if (scheme.toLowerCase() === "bearer") return value;
  const pair = Buffer.from(value, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon === -1 ? null : pair.slice(colon + 1);
}
