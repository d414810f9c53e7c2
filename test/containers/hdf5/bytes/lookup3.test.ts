import { expect, test } from "vitest";
import { lookup3, verifyChecksum } from "../../../../src/containers/hdf5/bytes/lookup3.js";

const ascii = (text: string) => new TextEncoder().encode(text);
const counting = (length: number) => Uint8Array.from({ length }, (_, i) => i);

// The text and nothing at all are examples in Bob Jenkins' lookup3.c; the others come from another implementation.
test.each([
  ["nothing", ascii(""), 0xdeadbeef],
  ["a", ascii("a"), 0x58d68708],
  ["abc", ascii("abc"), 0x0e397631],
  ["a text", ascii("Four score and seven years ago"), 0x17770551],
  ["11 bytes", counting(11), 0x2ca6817a],
  ["12 bytes", counting(12), 0x5e4aa593],
  ["13 bytes", counting(13), 0xbc9d6816],
  ["24 bytes", counting(24), 0x9c0add53],
  ["25 bytes", counting(25), 0x3a882244],
])("lookup3 of %s", (_, bytes, sum) => {
  expect(lookup3(bytes)).toBe(sum);
});

test("a wrong checksum is refused, and one that has no room", () => {
  const bytes = Uint8Array.of(0x61, 0x62, 0x63, 0x31, 0x76, 0x39, 0x0e);
  expect(() => verifyChecksum(bytes, "block")).not.toThrow();
  bytes[0] ^= 1;
  expect(() => verifyChecksum(bytes, "block")).toThrow(/block has checksum 238646833, its bytes have \d+/);
  expect(() => verifyChecksum(bytes.subarray(0, 3), "block")).toThrow(/3 bytes, too few/);
});
