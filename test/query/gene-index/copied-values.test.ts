import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeCopiedValues } from "../../../src/query/gene-index/copied-values.js";

const TYPES = [
  [{ kind: "int", bits: 8, signed: true }, Int8Array],
  [{ kind: "int", bits: 16, signed: false }, Uint16Array],
  [{ kind: "int", bits: 32, signed: true }, Int32Array],
  [{ kind: "int", bits: 32, signed: false }, Uint32Array],
  [{ kind: "float", bits: 32 }, Float32Array],
  [{ kind: "float", bits: 64 }, Float64Array],
] as const;

test("packed integers become values of the source's type, or are refused where the type does not have them", () => {
  const integer = fc.oneof(
    fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    fc.constantFrom(0, 127, 128, 65535, 65536, 2 ** 24, 2 ** 24 + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1),
  );
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), fc.array(integer, { maxLength: 5 }), ([type, Values], integers) => {
      const out = new Values(integers.length);
      const read = () => decodeCopiedValues(Uint32Array.from(integers), type, out);
      if (integers.every((value) => Values.of(value)[0] === value)) {
        read();
        expect([...out]).toEqual(integers);
      } else expect(read).toThrow("of the matrix that was copied");
    }),
  );
});
