import { describe, expect, test } from "vitest";
import { getEnumArrowType, toEnumColumn } from "../../src/arrow/enum.js";
import { describeArrowType } from "../../src/arrow/type.js";
import { InvalidDataError } from "../../src/model/errors.js";
import type { IntType } from "../../src/model/stored.js";
import { roundTrip } from "./plain.js";

const INT8 = { kind: "int", bits: 8, signed: true } as const;
const typed = (members: Readonly<Record<string, number>>, base: IntType = INT8) =>
  ({ kind: "enum", base, members: Object.entries(members).map(([name, value]) => ({ name, value })) }) as const;
const column = (type: ReturnType<typeof typed>, values: readonly number[]) =>
  toEnumColumn(type, { kind: "fixed", values: Int8Array.from(values) }, values.length);

describe("enums", () => {
  test.each([
    [{ FALSE: 0, TRUE: 1 }, "Bool"],
    [{ TRUE: 1, FALSE: 0 }, "Bool"],
    [{ FALSE: 0, TRUE: 1, NA: 2 }, "Bool"],
    [{ FALSE: 0, TRUE: 1, MAYBE: 2 }, "Dictionary<Int8, Utf8>"],
    [{ FALSE: 0 }, "Dictionary<Int8, Utf8>"],
    [{ lo: 5, hi: 1 }, "Dictionary<Int8, Utf8>"],
  ])("%j is %s", (members, expected) => {
    expect(describeArrowType(getEnumArrowType(typed(members)))).toBe(expected);
  });

  test("of 64 bits have Int32 indices", () => {
    expect(describeArrowType(getEnumArrowType(typed({ a: 0 }, { kind: "int", bits: 64, signed: true })))).toBe(
      "Dictionary<Int32, Utf8>",
    );
  });

  test("are the members' names by position, not by value", () => {
    const made = column(typed({ lo: 5, mid: -3, hi: 1 }), [1, 5, -3, 5]);
    expect(made.layout === "dictionary" && Array.from<number | bigint>(made.indices)).toEqual([2, 0, 1, 0]);
    expect(roundTrip(made)).toEqual(["hi", "lo", "mid", "lo"]);
  });

  test("with more members than the base type has positive numbers keep every position", () => {
    const members = Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`m${i}`, i - 128]));
    expect(roundTrip(column(typed(members), [-128, -1, 0, 127]))).toEqual(["m0", "m127", "m128", "m255"]);
  });

  test("share one dictionary over all batches of a type", () => {
    const type = typed({ lo: 5, hi: 1 });
    const [first, second] = [column(type, [5]), column(type, [1])];
    expect(
      first.layout === "dictionary" && second.layout === "dictionary" && first.dictionary === second.dictionary,
    ).toBe(true);
  });

  test("FALSE and TRUE are booleans by name; NA is null", () => {
    expect(roundTrip(column(typed({ FALSE: 0, TRUE: 1 }), [1, 0, 1]))).toEqual([true, false, true]);
    expect(roundTrip(column(typed({ FALSE: 0, TRUE: 1, NA: 2 }), [2, 1, 0]))).toEqual([null, true, false]);
    expect(roundTrip(column(typed({ TRUE: 0, FALSE: 1 }), [0, 1]))).toEqual([true, false]);
  });

  test("a value that is no member is an error with its place and the members", () => {
    expect(() => column(typed({ FALSE: 0, TRUE: 1 }), [0, 7])).toThrow(InvalidDataError);
    expect(() => column(typed({ FALSE: 0, TRUE: 1 }), [0, 7])).toThrow(/enum value 7 at 1 is no member \(0, 1\)/);
  });
});
