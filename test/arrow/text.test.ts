import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createBinaryColumn,
  createTextColumn,
  decodeTextValues,
  formatDecimals,
  toTextColumn,
} from "../../src/arrow/text.js";
import { InvalidDataError } from "../../src/model/errors.js";
import { textOf, variableOf } from "../stored-array.js";
import { hex, roundTrip } from "./plain.js";

describe("text", () => {
  test("of integers that follow each other are their decimal digits", () => {
    const safe = fc.integer({ min: -(2 ** 45), max: 2 ** 45 });
    fc.assert(
      fc.property(safe, fc.integer({ min: -999, max: 999 }), fc.nat(40), (first, step, length) => {
        const twin = Array.from({ length }, (_, i) => String(first + step * i));
        expect(decodeTextValues(formatDecimals(first, step, length))).toEqual(twin);
      }),
    );
    expect(decodeTextValues(formatDecimals(-12, 5, 6))).toEqual(["-12", "-7", "-2", "3", "8", "13"]);
    expect(decodeTextValues(formatDecimals(2 ** 53 - 2, 1, 2))).toEqual(["9007199254740990", "9007199254740991"]);
  });

  test("keeps empty values, NUL, astral characters and a byte order mark", () => {
    const values = ["", "é", "a\0b", "𝔄", "\ufeffx", " "];
    const column = toTextColumn(textOf(values), "error");
    expect(roundTrip(column)).toEqual(values);
    expect(decodeTextValues(column)).toEqual(values);
  });

  test("takes the buffers as they are", () => {
    const stored = textOf(["a", "b"]);
    const column = toTextColumn(stored, "error");
    expect(column.bytes).toBe(stored.bytes);
    expect(column.offsets).toBe(stored.offsets);
  });

  test("that is not UTF-8 is an error with its place, the count and the bytes", () => {
    const stored = variableOf([Uint8Array.of(0x61), Uint8Array.of(0xe9, 0x74)]);
    expect(() => toTextColumn(stored, "error")).toThrow(InvalidDataError);
    expect(() => toTextColumn(stored, "error")).toThrow(/text 1 of 2 .*e9 74/);
  });

  test("that is not UTF-8 is Latin-1 where the caller says so", () => {
    const stored = variableOf([new TextEncoder().encode("é"), Uint8Array.of(0xe9, 0x74, 0x80)]);
    expect(roundTrip(toTextColumn(stored, "latin1"))).toEqual(["é", "ét\u0080"]);
  });

  test("with missing values goes through Utf8 and back", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.string({ unit: "binary" })), { maxLength: 40 }), (values) => {
        const column = createTextColumn(values);
        expect(decodeTextValues(column)).toEqual(values);
        expect(roundTrip(column)).toEqual(values);
        expect(column.validity?.nullCount ?? 0).toBe(values.filter((value) => value === null).length);
      }),
    );
  });
});

test("bytes of variable width are Binary", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 8 })), (values) => {
      expect(roundTrip(createBinaryColumn(variableOf(values)))).toEqual(values.map(hex));
    }),
  );
});
