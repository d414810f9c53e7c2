import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copyBytes, copyText } from "../../../src/kernels/text/copy-text.js";

/** Few NULs, and the bytes that a search for them in words could take for one. */
const byte = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 255 }) },
  { weight: 4, arbitrary: fc.constantFrom(1, 0x7f, 0x80, 0x81, 0xff) },
  { weight: 1, arbitrary: fc.constant(0) },
);
const text = fc.array(byte, { maxLength: 60 });

/** `bytes` behind `before` others, copied behind `out` bytes; what is around the target must stay. */
function copied(bytes: readonly number[], before: number, out: number, copy: typeof copyText | typeof copyBytes) {
  const from = Uint8Array.from([...new Array(before).fill(0xaa), ...bytes]);
  const to = new Uint8Array(out + bytes.length + 8).fill(0xee);
  const count = copy(new DataView(from.buffer), before, bytes.length, new DataView(to.buffer), out);
  return { to: [...to], count };
}

const around = (bytes: readonly number[], out: number, room: number) => [
  ...new Array(out).fill(0xee),
  ...bytes,
  ...new Array(room - bytes.length).fill(0xee),
];

describe("copyText", () => {
  test("copies up to the first NUL and writes nothing else", () => {
    fc.assert(
      fc.property(text, fc.nat(9), fc.nat(9), (bytes, before, out) => {
        const length = bytes.includes(0) ? bytes.indexOf(0) : bytes.length;
        const { to, count } = copied(bytes, before, out, copyText);
        expect(count).toBe(length);
        expect(to).toEqual(around(bytes.slice(0, length), out, bytes.length + 8));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("copyBytes", () => {
  test("copies all bytes, NULs too, and writes nothing else", () => {
    const any = fc.oneof(text, fc.array(byte, { minLength: 250, maxLength: 270 }));
    fc.assert(
      fc.property(any, fc.nat(9), fc.nat(9), (bytes, before, out) => {
        expect(copied(bytes, before, out, copyBytes).to).toEqual(around(bytes, out, bytes.length + 8));
      }),
    );
  });

  test("respects where its views begin", () => {
    const from = new DataView(Uint8Array.from([9, 9, 1, 2, 3, 4, 5, 6]).buffer, 2);
    const to = new Uint8Array(8);
    copyBytes(from, 1, 5, new DataView(to.buffer, 1), 2);
    expect([...to]).toEqual([0, 0, 0, 2, 3, 4, 5, 6]);
    const long = new Uint8Array(600);
    copyBytes(
      new DataView(Uint8Array.from({ length: 400 }, (_, i) => i % 251).buffer, 3),
      1,
      300,
      new DataView(long.buffer, 5),
      2,
    );
    expect([...long.subarray(0, 9)]).toEqual([0, 0, 0, 0, 0, 0, 0, 4, 5]);
    expect(long[7 + 299]).toBe((4 + 299) % 251);
    expect(long[7 + 300]).toBe(0);
  });
});
