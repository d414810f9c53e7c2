/**
 * Lets `toEqual` compare arrays of numbers by their bytes: element by element, a million numbers take ten seconds. Arrays
 * whose bytes differ are still compared by their elements, which finds the difference, or two NaN of other bits.
 */

import { expect } from "vitest";

expect.addEqualityTesters([
  (a: unknown, b: unknown) => {
    if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
    return bytesOf(a).equals(bytesOf(b)) ? true : undefined;
  },
]);

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
