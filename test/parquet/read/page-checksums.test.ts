import { expect, it } from "vitest";
import { InvalidDataError } from "../../../src/model/errors.js";
import { checkPages } from "../../../src/parquet/read/page-checksums.js";

/** CRC-32 of "123456789", the published check value: as a signed integer in zigzag, seven bits a byte, lowest first. */
const NINE = new TextEncoder().encode("123456789");
const CHECK = 0xcbf43926;

function varint(value: number): number[] {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

/** A number in zigzag: 2n, or -2n - 1. */
function zigzag(value: number): number[] {
  return varint(value < 0 ? -2 * value - 1 : 2 * value);
}

/** A page behind a header of type, both sizes and, where it is given, a checksum: each an i32 (5) of the next field (1). */
function page(data: Uint8Array, crc?: number): number[] {
  const size = zigzag(data.length);
  const checksum = crc === undefined ? [] : [0x15, ...zigzag(crc | 0)];
  // Field 5, the header of a data page, is an empty struct (12) here.
  const last = crc === undefined ? 0x2c : 0x1c;
  return [0x15, 0, 0x15, ...size, 0x15, ...size, ...checksum, last, 0, 0, ...data];
}

it("takes pages with their checksum, and those without one", () => {
  expect(() =>
    checkPages(Uint8Array.from([...page(NINE, CHECK), ...page(NINE), ...page(NINE, CHECK)]), "x"),
  ).not.toThrow();
  expect(() => checkPages(new Uint8Array(0), "x")).not.toThrow();
});

it("refuses a page that has another one", () => {
  const good = page(NINE, CHECK);
  for (let bit = 0; bit < 8 * NINE.length; bit++) {
    const changed = Uint8Array.from([...good, ...good]);
    changed[changed.length - 1 - (bit >> 3)] ^= 1 << (bit & 7);
    expect(() => checkPages(changed, "x")).toThrow(InvalidDataError);
    expect(() => checkPages(changed, "x")).toThrow(
      /^page 1 of column x: CRC-32 is [0-9a-f]+, its header says cbf43926$/,
    );
  }
});

it("leaves what is no page to the engine", () => {
  expect(() => checkPages(Uint8Array.from(page(NINE, 1)).subarray(0, -1), "x")).not.toThrow();
});

it("refuses a header that claims more values than it has bytes", () => {
  // Field 1 is a list (9) of 2^31 - 1 booleans (1), which the engine would count one by one.
  const header = [0x19, 0xf1, ...varint(2 ** 31 - 1)];
  const chunk = Uint8Array.from([...page(NINE), ...header, ...new Array(200).fill(0)]);
  expect(() => checkPages(chunk, "x")).toThrow(/^page 1 of column x: its header cannot be read$/);
});

it("cuts off what is no header behind the last page", () => {
  // Field 1 is a map (11) of 2^31 - 1 doubles (7), which the engine would count one by one.
  const header = [0x1b, ...varint(2 ** 31 - 1), 0x77];
  const chunk = Uint8Array.from([...page(NINE), ...header, ...new Array(50).fill(0)]);
  expect(checkPages(chunk, "x")).toEqual(Uint8Array.from(page(NINE)));
  expect(checkPages(Uint8Array.of(0xff, 0xff, 0xff), "x")).toHaveLength(0);
});
