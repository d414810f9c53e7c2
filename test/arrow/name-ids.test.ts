import { describe, expect, test } from "vitest";
import { type NameIds, nameIds } from "../../src/arrow/name-ids.js";
import { decodeTextValues } from "../../src/arrow/text.js";
import { INT32, UTF8 } from "../../src/arrow/type.js";
import { dictionary, text } from "../writers/tables.js";

const DICTIONARY = { id: "Dictionary", index: INT32, value: UTF8, ordered: false } as const;

function namesOf(ids: NameIds): (string | null)[] {
  return ids.names().flatMap(({ offsets, bytes }) => {
    const length = offsets.length - 1;
    return decodeTextValues({ layout: "variable", type: { id: "Utf8" }, length, validity: null, offsets, bytes });
  });
}

describe("numbers of names", () => {
  test("in columns of text are given as they appear", () => {
    const ids = nameIds(UTF8);
    expect([...ids.ids(text("b", "a", "b", "", "a"))]).toEqual([0, 1, 0, 2, 1]);
    expect([...ids.ids(text("c", "a"))]).toEqual([3, 1]);
    expect(namesOf(ids)).toEqual(["b", "a", "", "c"]);
    expect(ids.count).toBe(4);
  });

  test("are a dictionary's, with what stands twice and what is unused", () => {
    const ids = nameIds(DICTIONARY);
    const names = text("z", "a", "a", "m");
    expect([...ids.ids(dictionary([2, 0, 1], names))]).toEqual([2, 0, 1]);
    expect([...ids.ids(dictionary([], names))]).toEqual([]);
    expect(namesOf(ids)).toEqual(["z", "a", "a", "m"]);
  });

  test("of a second dictionary are those of the first, and new ones behind", () => {
    const ids = nameIds(DICTIONARY);
    ids.ids(dictionary([0], text("z", "a", "a")));
    const second = text("q", "a", null, "z", "q");
    expect([...ids.ids(dictionary([0, 1, 3, 4], second))]).toEqual([3, 1, 0, 3]);
    expect(() => ids.ids(dictionary([2], second))).toThrow("has a name at 0 that is null in its dictionary");
    expect([...ids.ids(dictionary([1, 0], text("q", "r")))]).toEqual([4, 3]);
    expect(namesOf(ids)).toEqual(["z", "a", "a", "q", "r"]);
    expect(ids.count).toBe(5);
  });

  test("of a first dictionary with a null leave that out", () => {
    const ids = nameIds(DICTIONARY);
    expect([...ids.ids(dictionary([2, 0], text("z", null, "a")))]).toEqual([1, 0]);
    expect(namesOf(ids)).toEqual(["z", "a"]);
  });

  test("are many", () => {
    const all = Array.from({ length: 5000 }, (_, i) => `cell ${(i * 7919) % 5000}`);
    const ids = nameIds(UTF8);
    expect([...ids.ids(text(...all, ...all))]).toEqual([...all.keys(), ...all.keys()]);
    expect(namesOf(ids)).toEqual(all);
  });
});
