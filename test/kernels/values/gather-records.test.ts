import { describe, expect, test } from "vitest";
import { gatherMembers } from "../../../src/kernels/values/gather-records.js";

/** The slow twin: byte by byte. */
function gatheredByBytes(bytes: Uint8Array, size: number, count: number, offset: number, width: number): Uint8Array {
  const out = new Uint8Array(count * width);
  for (let i = 0; i < count; i++) for (let k = 0; k < width; k++) out[i * width + k] = bytes[i * size + offset + k];
  return out;
}

/** Bytes of any pattern, NaNs with payloads among them. */
function pattern(length: number, at: number): Uint8Array {
  const all = new Uint8Array(length + at);
  for (let i = 0; i < all.length; i++) all[i] = (i * 2654435761) >>> 13;
  for (let i = at; i + 8 <= all.length; i += 56) all.set([1, 0, 0, 0, 0, 0, 0xf0, 0x7f], i);
  return all.subarray(at);
}

describe("members of records", () => {
  const widths = [1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 40];
  test.each([0, 1, 3, 4, 8])("of every width, in memory that begins at %i", (at) => {
    for (const count of [0, 1, 2, 1000, 20_011]) {
      let offset = 1;
      const members = widths.map((width) => {
        const member = { offset, width, target: new Uint8Array(count * width).fill(255) };
        offset += width + 1;
        return member;
      });
      const bytes = pattern(count * offset, at);
      gatherMembers(bytes, offset, count, members);
      for (const { offset: from, width, target } of members) {
        expect(Buffer.compare(target, gatheredByBytes(bytes, offset, count, from, width)), `width ${width}`).toBe(0);
      }
    }
  });

  test("the records are as large as the one member that they have", () => {
    const bytes = pattern(8 * 3000, 0);
    const target = new Uint8Array(bytes.length);
    gatherMembers(bytes, 8, 3000, [{ offset: 0, width: 8, target }]);
    expect(Buffer.compare(target, bytes)).toBe(0);
  });

  test("records larger than a block, into memory at an odd place", () => {
    const size = 100_003;
    const bytes = pattern(size * 3, 0);
    const target = new Uint8Array(3 * 8 + 1).subarray(1);
    gatherMembers(bytes, size, 3, [{ offset: size - 8, width: 8, target }]);
    expect(Buffer.compare(target, gatheredByBytes(bytes, size, 3, size - 8, 8))).toBe(0);
  });
});
