/**
 * The protocol of the pipe. A request is a length followed by JSON. An answer is a sequence of frames, each consisting
 * of a kind, a length and bytes. All numbers are little-endian.
 */

import { AnnarrowError, InvalidInputError } from "annarrow";
import { RequestError } from "../requests/failure.js";

/** Kinds of frames: bytes of an Arrow IPC stream, the JSON that ends an answer, the JSON of an error that ends one. */
export const FRAME = { data: 0, end: 1, error: 2 } as const;

export type FrameKind = keyof typeof FRAME;

/** Maximum size of a request in bytes. Lists of positions may be long. */
const LONGEST_REQUEST = 2 ** 28;

const LENGTH_BYTES = 4;

/** Size in bytes of a frame's kind and length. */
const HEAD_BYTES = 9;

export function encodeFrameHead(kind: FrameKind, length: number): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  head[0] = FRAME[kind];
  new DataView(head.buffer).setBigUint64(1, BigInt(length), true);
  return head;
}

export function encodePipeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/**
 * Reads the single request of a connection.
 * @throws {InvalidInputError} for a request that is too long or truncated.
 */
export async function readRequestBytes(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const held: Uint8Array[] = [];
  let count = 0;
  let length: number | null = null;
  for await (const piece of pieces) {
    held.push(piece);
    count += piece.length;
    if (length === null && count >= LENGTH_BYTES) {
      length = Buffer.concat(held).readUInt32LE();
      if (length > LONGEST_REQUEST) {
        throw new InvalidInputError(`a request of ${length} bytes, at most ${LONGEST_REQUEST} are taken`);
      }
    }
    if (length !== null && count >= LENGTH_BYTES + length) {
      return Buffer.concat(held).subarray(LENGTH_BYTES, LENGTH_BYTES + length);
    }
  }
  throw new InvalidInputError(`the request ends after ${count} bytes`);
}

/** Converts an error to JSON. `tag` is the name of the error's class; null for errors from elsewhere. */
export function toErrorJson(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof AnnarrowError) {
    const { tag, message, problem, source, element } = error;
    return { tag, message, problem, source, element };
  }
  const message = error instanceof Error ? error.message : String(error);
  // The table refuses requests for rows that it does not have.
  return error instanceof RequestError
    ? { tag: "InvalidInputError", message, problem: message }
    : { tag: null, message };
}
