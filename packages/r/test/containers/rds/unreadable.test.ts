import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RValue } from "../../../src/containers/rds/model/value.js";
import { readRds } from "../../../src/containers/rds/read.js";
import { fixture, plain } from "./plain.js";
import { file, HAS_ATTRIBUTES, NULL, strings, symbol, TAGGED_CELL } from "./words.js";

/** A list of a value, and of the integer 7 behind it. */
const before7 = (...words: (number | string)[]) => file(19, 2, ...words, 13, 1, 7);

const SEVEN = { integer: [7] };

async function elements(bytes: Uint8Array): Promise<unknown> {
  const value: RValue = await readRds(bytes);
  if (value.kind !== "list") throw new TypeError(`a ${value.kind}`);
  return value.values.map((one) => plain(one));
}

describe("a value that cannot be read hides none behind it", () => {
  /** A vector of another package: class, package, the number of its type, its state. */
  const altrep = (type: number, ...state: (number | string)[]) =>
    before7(238, 2, ...symbol("array_dbl_vector"), 2, ...symbol("arrow"), 2, 13, 1, type, NULL, ...state, NULL);

  test("vectors of packages whose state is the vector", async () => {
    expect(await elements(altrep(14, 14, 1, 0x3ff80000, 0))).toEqual([{ real: [1.5] }, SEVEN]);
    expect(await elements(altrep(16, 16, ...strings("a", "b")))).toEqual([{ character: ["a", "b"] }, SEVEN]);
  });

  test("vectors of packages whose state is another value", async () => {
    const unreadable = expect.stringContaining('of the class "array_dbl_vector", which only its package in R can read');
    expect(await elements(altrep(14, 13, 1, 1))).toEqual([{ unreadable }, SEVEN]);
    expect(await elements(altrep(14, 19, 0))).toEqual([{ unreadable }, SEVEN]);
  });

  test.each<[string, Uint8Array, unknown]>([
    ["an S4 object without attributes", before7(25), { s4: "S4", package: null, slots: {} }],
    [
      "an S4 object without a class",
      before7(25 | HAS_ATTRIBUTES, TAGGED_CELL, ...symbol("x"), 13, 1, 1, NULL),
      { s4: "S4", package: null, slots: { x: { integer: [1] } } },
    ],
    [
      "an S4 object of two classes",
      before7(25 | HAS_ATTRIBUTES, TAGGED_CELL, ...symbol("class"), 16, ...strings("a", "b"), NULL),
      { s4: "a", package: null, slots: {} },
    ],
    ["a string alone", before7(9, 2, "ab"), { opaque: "a string outside of a character vector" }],
    ["a NUL in a string", before7(16, 1, 9, 2, "a\0"), { unreadable: "a string with a NUL, which R cannot hold" }],
    [
      "a sequence of 8 GB",
      before7(
        238,
        2,
        ...symbol("compact_intseq"),
        NULL,
        14,
        3,
        0x41dfffff,
        0xffc00000,
        0x3ff00000,
        0,
        0x3ff00000,
        0,
        NULL,
      ),
      { unreadable: "sequences that expand to more than 268435456 bytes (maxExpandedBytes)" },
    ],
    [
      "an attribute twice",
      before7(13 | HAS_ATTRIBUTES, 1, 5, TAGGED_CELL, ...symbol("a"), NULL, TAGGED_CELL, 0x1ff, NULL, NULL),
      { unreadable: 'attribute "a" occurs twice' },
    ],
    [
      "names that cannot be read",
      before7(13 | HAS_ATTRIBUTES, 1, 5, TAGGED_CELL, ...symbol("names"), 16, 1, 9, 2, "a\0", NULL),
      { unreadable: "a string with a NUL, which R cannot hold" },
    ],
  ])("%s", async (_, bytes, value) => {
    expect(await elements(bytes)).toEqual([value, SEVEN]);
  });

  test("what a hook keeps elsewhere, and references to it", async () => {
    const [here, there, again, after] = Object(await elements(fixture("kept-elsewhere")));
    expect([here, after]).toEqual([{ integer: [1] }, { integer: [2] }]);
    expect([there, again]).toEqual(Array(2).fill({ opaque: "an object that R keeps elsewhere (the name)" }));
  });

  test("strings in an encoding that nobody knows", async () => {
    expect(plain(await readRds(fixture("native-unknown")))).toEqual({
      unreadable: 'strings in the encoding "KLINGON-8"',
    });
  });
});

test("strings that R keeps as numbers are the text that as.character gives", async () => {
  const value = await readRds(fixture("strings-of-numbers"));
  if (value.kind !== "list") throw new TypeError(`a ${value.kind}`);
  const found = value.values.flatMap((one) => Object(plain(one)).character);
  // R's paste0 makes the text NA of a missing string.
  const expected = readFileSync("test/fixtures/data/rds/strings-of-numbers.txt", "utf8").trimEnd().split("\n");
  expect(found.map((one: string | null) => one ?? "NA")).toEqual(expected);
  expect(found.length).toBeGreaterThan(600);
});

test("a number of more than 15 digits spoils its own column alone", async () => {
  expect(plain(await readRds(fixture("strings-beyond")))).toMatchObject({
    list: [
      { integer: [1, 2] },
      { unreadable: expect.stringContaining("0.30000000000000004, whose text depends on the version of R") },
      { character: ["0.5", "1e+05"] },
    ],
  });
});
