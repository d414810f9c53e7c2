import { expect, test } from "vitest";
import { computeFletcher32 } from "../../../src/kernels/checksums/checksums.js";

const ascii = (text: string) => new TextEncoder().encode(text);

// The sums that h5py 3.16 stores for these bytes.
test.each([
  ["ab", ascii("ab"), 0x61626162],
  ["abc", ascii("abc"), 0x25c5c462],
  ["0 to 15", Uint8Array.from({ length: 16 }, (_, i) => i), 0xa8cc3840],
  ["1000 x FF", new Uint8Array(1000).fill(255), 0xffffffff],
  ["1001 x FF", new Uint8Array(1001).fill(255), 0xff00ff00],
])("fletcher32 of %s", (_, bytes, sum) => {
  expect(computeFletcher32(bytes)).toBe(sum);
});
