import fc from "fast-check";
import { expect, test } from "vitest";
import { firstOutOfOrder } from "../../../src/kernels/sparse/out-of-order.js";

const pairs = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 12 });
const compare = ([a, b]: readonly [number, number], [c, d]: readonly [number, number]) => a - c || b - d;

test("finds what the plain search finds, in every width", () => {
  fc.assert(
    fc.property(pairs, fc.boolean(), (given, sorted) => {
      const entries = sorted ? [...given].sort(compare) : given;
      const expected = entries.findIndex((pair, i) => i > 0 && compare(pair, entries[i - 1]) < 0);
      const [major, minor] = [entries.map(([a]) => a), entries.map(([, b]) => b)];
      expect(firstOutOfOrder(Int32Array.from(major), Int32Array.from(minor))).toBe(expected);
      expect(firstOutOfOrder(BigInt64Array.from(major, BigInt), Uint16Array.from(minor))).toBe(expected);
    }),
  );
});
