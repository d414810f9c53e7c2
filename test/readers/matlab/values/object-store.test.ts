/** The first cell of the object store, word by word. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { isAnnarrowError } from "../../../../src/model/errors.js";
import { parseStoreMetadata } from "../../../../src/readers/matlab/values/object-store.js";

/** One class `C` with one object, whose property `p` lies in cell 0. */
const WORDS = [
  ...[4, 2, 48, 80, 80, 128, 152, 168, 168, 176],
  ...[0x0070_0043, 0],
  ...[0, 0, 0, 0, 0, 1, 0, 0],
  ...[0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1],
  ...[0, 0, 1, 2, 1, 0],
  ...[0, 0, 0, 0],
  ...[0, 0],
];

function bytes(words: readonly number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(words).buffer);
}

test("classes, objects and their properties", () => {
  const metadata = parseStoreMetadata(bytes(WORDS));
  expect(metadata).toMatchObject({ version: 4, names: ["C", "p"], classes: ["", "C"], filled: 0 });
  expect(metadata.objects[1]).toEqual({ classId: 1, saved: 0, normal: 1, dependency: 1 });
  expect(metadata.normal).toEqual([[], [{ name: "p", kind: 1, value: 0 }]]);
  expect(metadata.saved).toEqual([]);
  expect(metadata.dynamic).toEqual([[], []]);
});

test("what fills a list up is zero, else it is noted", () => {
  expect(parseStoreMetadata(bytes(WORDS.with(WORDS.length - 5, 7))).filled).toBe(7);
});

/** The version, or what is thrown. */
function parsed(given: Uint8Array): unknown {
  try {
    return parseStoreMetadata(given).version;
  } catch (error) {
    return error;
  }
}

test("whatever the words are, they are parsed or refused by name", () => {
  const word = fc.oneof(fc.constantFrom(0, 1, 2, 3, 40, 2 ** 31, 2 ** 32 - 1), fc.nat(200), fc.nat(2 ** 31 - 1));
  const changes = fc.array(fc.tuple(fc.nat(WORDS.length - 1), word), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(changes, fc.nat(WORDS.length * 4), (changed, cut) => {
      const words = [...WORDS];
      for (const [place, value] of changed) words[place] = value;
      for (const given of [bytes(words), bytes(words).subarray(0, cut)]) {
        expect(parsed(given)).toSatisfy((result) => typeof result === "number" || isAnnarrowError(result));
      }
    }),
  );
});
