import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkTextBytes, joinValues } from "../../../src/kernels/values/join-values.js";
import type { StoredValues } from "../../../src/model/stored.js";

/** Text as stored values. */
function text(values: readonly string[]): StoredValues {
  const parts = values.map((value) => new TextEncoder().encode(value));
  const offsets = new Int32Array(values.length + 1);
  for (const [i, part] of parts.entries()) offsets[i + 1] = offsets[i] + part.length;
  return { kind: "variable", offsets, bytes: Uint8Array.from(parts.flatMap((part) => [...part])) };
}

describe("joinValues", () => {
  it("joins numbers of every width by their bits", () => {
    const parts = [new Float32Array([1, Number.NaN, -0]), new Float32Array([]), new Float32Array([2])];
    const joined = joinValues(parts.map((values) => ({ kind: "fixed", values })));
    expect(joined).toEqual({ kind: "fixed", values: new Float32Array([1, Number.NaN, -0, 2]) });
    const wide = joinValues([
      { kind: "fixed", values: new BigUint64Array([2n ** 64n - 1n]) },
      { kind: "fixed", values: new BigUint64Array([0n]).subarray(0, 1) },
    ]);
    expect(wide).toEqual({ kind: "fixed", values: new BigUint64Array([2n ** 64n - 1n, 0n]) });
  });

  it("joins text as if it had been stored at once", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string({ unit: "binary" })), { minLength: 1 }), (parts) => {
        expect(joinValues(parts.map(text))).toEqual(text(parts.flat()));
      }),
    );
  });

  it("joins records field by field", () => {
    const record = (numbers: number[], texts: string[]): StoredValues => ({
      kind: "record",
      length: numbers.length,
      fields: [{ kind: "fixed", values: Int16Array.from(numbers) }, text(texts)],
    });
    expect(joinValues([record([1, 2], ["a", "é"]), record([3], [""])])).toEqual(record([1, 2, 3], ["a", "é", ""]));
  });

  it("refuses more text than 32-bit offsets reach, with both numbers", () => {
    expect(() => checkTextBytes(2 ** 31)).toThrow(/2147483648 bytes .* at most 2147483647/);
  });
});
