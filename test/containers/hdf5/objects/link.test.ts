import { expect, test } from "vitest";
import { parseLink } from "../../../../src/containers/hdf5/objects/link.js";

const SIZES = { offsets: 8, lengths: 8 };
const ascii = (text: string) => [...new TextEncoder().encode(text)];
const parse = (...bytes: number[]) => parseLink(Uint8Array.from(bytes), SIZES);

// By hand, from the File Format Specification, IV.A.2.g.
test("a hard link, without and with all optional fields", () => {
  const address = [0x34, 0x12, 0, 0, 0, 0, 0, 0];
  expect(parse(1, 0, 1, 0x78, ...address)).toEqual(["x", { kind: "hard", address: 0x1234 }]);
  const order = [7, 0, 0, 0, 0, 0, 0, 0];
  expect(parse(1, 0x1d, 0, ...order, 1, 2, 0, 0xc3, 0xa9, ...address)).toEqual([
    "é",
    { kind: "hard", address: 0x1234 },
  ]);
});

test("soft, external and user-defined links", () => {
  expect(parse(1, 8, 1, 1, 0x78, 4, 0, ...ascii("/a/b"))).toEqual(["x", { kind: "soft", target: "/a/b" }]);
  expect(parse(1, 8, 64, 1, 0x78, 9, 0, 0, ...ascii("f.h5\0/y\0"))).toEqual([
    "x",
    { kind: "external", file: "f.h5", path: "/y" },
  ]);
  expect(parse(1, 8, 200, 1, 0x78, 1, 0, 0)).toEqual(["x", { kind: "user-defined", type: 200 }]);
});

test.each([
  ["a version that is none", [2, 0, 1, 0x78], /version 2/],
  ["a reserved type", [1, 8, 5, 1, 0x78, 0, 0], /"x" has type 5/],
  ["a name beyond the end", [1, 0, 9, 0x78], /needs 9 more bytes, but 1 are left/],
  ["an undefined address", [1, 0, 1, 0x78, ...new Array<number>(8).fill(255)], /beyond 2\^53/],
  ["an external link without an end", [1, 8, 64, 1, 0x78, 3, 0, 0, 0x66, 0x66], /without an end/],
])("%s is refused", (_, bytes, message) => {
  expect(() => parse(...bytes)).toThrow(message);
});
