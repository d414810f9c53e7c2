/** Counts of entries in front of rows, by pointers of both widths and chunks of any length. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ScanState } from "../../../src/jobs/rows/columns.js";
import { readEntryOffsets } from "../../../src/jobs/rows/indptr.js";
import { InvalidDataError } from "../../../src/model/errors.js";
import type { NumberArray } from "../../../src/model/stored.js";
import { sparse } from "../plans.js";

function matrix(nnz: number, indptr: NumberArray, chunk?: number) {
  const entries = { data: new Float32Array(nnz), indices: new Int32Array(nnz), indptr };
  return sparse("row", [indptr.length - 1, 3], entries, chunk);
}

const before = (of: ReturnType<typeof matrix>, positions: readonly number[]) =>
  readEntryOffsets(of, positions, new ScanState("error", {}));

test("they are those of the lists in front", async () => {
  const cases = fc.record({
    lengths: fc.array(fc.nat(5), { maxLength: 20 }),
    places: fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }),
    chunk: fc.constantFrom(undefined, 1, 3, 64),
    wide: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ lengths, places, chunk, wide }) => {
      const counts = Array.from({ length: lengths.length + 1 }, (_, i) =>
        lengths.slice(0, i).reduce((sum, length) => sum + length, 0),
      );
      const indptr = wide ? BigInt64Array.from(counts, BigInt) : Int32Array.from(counts);
      const positions = places.map((place) => Math.min(place, lengths.length)).sort((a, b) => a - b);
      const found = await before(matrix(counts[lengths.length], indptr, chunk), positions);
      expect(found).toEqual(positions.map((position) => counts[position]));
    }),
  );
});

describe("broken pointers are refused", () => {
  test.each([
    ["a decrease", Int32Array.of(0, 4, 2, 5), [0, 1, 2], "indptr[2] is 2, smaller than 4 before it"],
    ["more than there are", Int32Array.of(0, 4, 9, 5), [1, 2], "indptr[2] is 9, there are 5 values"],
    ["a negative one", Int32Array.of(0, -4, 5, 5), [1, 3], "indptr[1] is -4, smaller than 0 before it"],
    ["one beyond 2^53", BigInt64Array.of(0n, 2n ** 60n, 5n), [0, 1], "indptr[1] is Infinity, there are 5 values"],
    ["floats", Float64Array.of(0, 1, 5), [0, 1], "pointers and indices of a sparse matrix must be integers"],
  ])("%s", async (_, indptr, positions, message) => {
    const failing = before(matrix(5, indptr), positions);
    await expect(failing).rejects.toBeInstanceOf(InvalidDataError);
    await expect(failing).rejects.toThrow(message);
  });
});
