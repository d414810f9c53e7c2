import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeSnappy } from "../../../../src/kernels/codecs/snappy/encoder.js";
import { decodeSnappy } from "../../../../src/kernels/codecs/snappy/snappy.js";

function decoded(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  decodeSnappy(packed, out);
  return out;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("the reference's blocks", () => {
  // pyarrow's compress, in hex.
  test.each([
    ["", "00"],
    ["a", "010061"],
    ["Wikipedia is a free", "134857696b69706564696120697320612066726565"],
  ])("%j", (plain, hex) => {
    expect(text(decoded(Buffer.from(hex, "hex"), plain.length))).toBe(plain);
  });

  test("with copies of every form", () => {
    // Five literals, then 4 from 5 back (one byte of distance), 6 from 2 back (two bytes), 5 from 15 back (four bytes).
    const packed = [20, 4 << 2, 97, 98, 99, 100, 101, 1, 5, 2 | (5 << 2), 2, 0, 3 | (4 << 2), 15, 0, 0, 0];
    expect(text(decoded(Uint8Array.from(packed), 20))).toBe("abcdeabcdcdcdcdabcde");
  });

  test.each([
    ["another size", [21, 0, 97]],
    ["cut off literals", [20, 19 << 2, 97]],
    ["a cut off distance", [20, 0, 97, 2 | (5 << 2), 1]],
    ["a distance of 0", [20, 0, 97, 2 | (18 << 2), 0, 0]],
    ["a distance beyond the start", [20, 0, 97, 2 | (18 << 2), 2, 0]],
    ["too much", [20, 0, 97, 2 | (63 << 2), 1, 0]],
    ["too little", [20, 0, 97]],
    ["no size", [128, 128]],
  ])("with %s are refused", (_, packed) => {
    expect(() => decoded(Uint8Array.from(packed), 20)).toThrow(expect.objectContaining({ tag: "InvalidDataError" }));
  });
});

describe("our blocks", () => {
  test("give back any bytes", () => {
    const repetitive = fc
      .array(fc.tuple(fc.uint8Array({ maxLength: 80 }), fc.nat(70)), { maxLength: 40 })
      .map((parts) =>
        Uint8Array.from(
          parts.flatMap(([bytes, times]) =>
            Array(times)
              .fill([...bytes])
              .flat(2),
          ),
        ),
      );
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 500 }), repetitive), (bytes) => {
        expect(Buffer.compare(decoded(encodeSnappy(bytes), bytes.length), bytes)).toBe(0);
      }),
    );
  });

  test.each([0, 1, 3, 4, 5, 60, 61, 256, 257, 65_535, 65_536, 65_537, 300_000])(
    "of %d bytes, equal and random",
    (size) => {
      let state = 1;
      const random = Uint8Array.from({ length: size }, () => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return state >>> 24;
      });
      for (const bytes of [new Uint8Array(size), random, random.map((b) => b & 1)]) {
        const packed = encodeSnappy(bytes);
        expect(packed.length).toBeLessThanOrEqual(32 + size + size / 6);
        expect(Buffer.compare(decoded(packed, size), bytes)).toBe(0);
      }
      if (size > 1000) expect(encodeSnappy(new Uint8Array(size)).length).toBeLessThan(size / 15);
    },
  );
});
