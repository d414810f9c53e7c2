/** Decoders that work in steps. Between steps, encoded bytes are added and decoded bytes are taken. */

import { DecodedOutput } from "./decoded-output.js";

/** Encoded bytes. The bytes from `at` on are not decoded yet. */
export interface EncodedInput {
  bytes: Uint8Array;
  at: number;
}

/**
 * A decoder that yields the number of bytes from `at` on that it needs for its next step. There are fewer bytes only at
 * the end of the input. Between two steps, `bytes` and `at` may change.
 */
export type Steps<T = void> = Generator<number, T, unknown>;

/** Runs all steps of a decoder whose input is complete. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Runs a decoder on an input that arrives in pieces.
 * @param next returns the next piece of the input, or null after the last piece.
 * @returns a function that returns the next decoded bytes, at least one, or null at the end of the output.
 */
export function createStreamDecoder(
  next: () => Promise<Uint8Array | null>,
  decoder: (input: EncodedInput, out: DecodedOutput) => Steps,
): () => Promise<Uint8Array | null> {
  const input: EncodedInput = { bytes: new Uint8Array(0), at: 0 };
  const out = new DecodedOutput(null);
  const steps = decoder(input, out);
  let isDone = false;
  return async () => {
    for (;;) {
      const bytes = out.take();
      if (bytes.length > 0) return bytes;
      if (isDone) return null;
      const { done, value } = steps.next();
      if (done) isDone = true;
      else await supply(input, value, next);
    }
  };
}

async function supply(input: EncodedInput, count: number, next: () => Promise<Uint8Array | null>): Promise<void> {
  const parts = [input.bytes.subarray(input.at)];
  let length = parts[0].length;
  if (length >= count) return;
  while (length < count) {
    const part = await next();
    if (part === null) break;
    parts.push(part);
    length += part.length;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  input.bytes = bytes;
  input.at = 0;
}
