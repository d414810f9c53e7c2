/** Random chunks whose transformed values have a chosen width, mostly. */

import fc from "fast-check";
import type { Bp128Kind } from "../../../src/kernels/bp128/page.js";

export const KINDS: readonly Bp128Kind[] = ["plain", "m1", "d1", "d1z"];

const uint32 = fc.nat(2 ** 32 - 1);

/** At most `most` values; each chunk with steps of its own size, up or down, sometimes anywhere. */
export function chunkValues(most: number): fc.Arbitrary<Uint32Array> {
  const chunk = fc.record({
    begin: fc.oneof(uint32, fc.constantFrom(0, 1, 2 ** 31, 2 ** 32 - 1)),
    width: fc.nat(32),
    steps: fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 128, maxLength: 128 }),
    way: fc.constantFrom("flat", "up", "both"),
    odd: fc.option(fc.tuple(fc.nat(127), uint32), { freq: 5 }),
  });
  return fc.tuple(fc.array(chunk, { maxLength: Math.ceil(most / 128) }), fc.nat(127)).map(([chunks, less]) => {
    const values = chunks.flatMap(({ begin, width, steps, way, odd }) => {
      let at = begin;
      const list = steps.map((step) => {
        const size = Math.floor(step * 2 ** width);
        if (way === "flat") return size;
        at += way === "both" && size % 2 === 1 ? -(size >>> 1) : size;
        return at;
      });
      if (odd !== null) list[odd[0]] = odd[1];
      return list;
    });
    return Uint32Array.from(values.slice(0, Math.max(0, values.length - less)), (value) => value % 2 ** 32);
  });
}
