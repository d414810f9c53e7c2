import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../../../src/containers/zarr/metadata/json.js";
import { InvalidDataError } from "../../../../src/model/errors.js";

const parse = (text: string) => parseJson(new TextEncoder().encode(text));

describe("parseJson", () => {
  it("agrees with JSON.parse on what that reads exactly", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        // Integers of more digits than a double holds are what it does not read exactly.
        const rounded = (_: string, item: unknown) => (typeof item === "bigint" ? Number(item) : item);
        expect(JSON.stringify(parse(text), rounded)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it("keeps all digits of integers that a double cannot hold", () => {
    expect(parse("[9007199254740991, 9007199254740993, -18446744073709551615, 1e3, 1.0]")).toEqual([
      9007199254740991,
      9007199254740993n,
      -18446744073709551615n,
      1000,
      1,
    ]);
  });

  it("reads the bare words that Python writes", () => {
    expect(parse('{"a": NaN, "b": [Infinity, -Infinity]}')).toEqual({ a: Number.NaN, b: [Infinity, -Infinity] });
  });

  it("reads texts of very many escapes", () => {
    const text = "\n\u00e9x".repeat(20_000);
    expect(parse(JSON.stringify(text))).toBe(text);
    expect(() => parse(`"${"\\n".repeat(20_000)}`)).toThrow("expected the end of a string");
  });

  it("refuses small documents that take much memory", () => {
    // The cheapest ways to make objects: 3 MB of each would be 250 MB.
    for (const item of ["{}", "[]", "[[]]", '{"":0}']) {
      const document = `[${`${item},`.repeat(1_300_000)}0]`;
      expect(() => parse(document)).toThrow(InvalidDataError);
      expect(() => parse(document)).toThrow("takes more than 201326592 bytes in memory");
    }
    expect(parse(`[${"1,".repeat(1_000_000)}1]`)).toHaveLength(1_000_001);
  });

  it("takes any key as data", () => {
    const value = parse('{"__proto__": {"x": 1}, "toString": 2}');
    expect(Object.entries(value ?? {})).toEqual([
      ["__proto__", { x: 1 }],
      ["toString", 2],
    ]);
  });

  it.each([
    "",
    "{",
    '{"a"',
    '{"a": 1',
    '{"a": 1,}',
    "[1,]",
    "[1 2]",
    '"a',
    '"\\x"',
    '"\\u12"',
    "01",
    "1.",
    "nul",
    "1 2",
    "'a'",
  ])("refuses %s", (text) => {
    expect(() => parse(text)).toThrow(InvalidDataError);
  });

  it("refuses what is nested too deep, and what is not UTF-8", () => {
    expect(() => parse("[".repeat(100_000))).toThrow("nested more than 512 deep");
    expect(() => parseJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow("not UTF-8");
  });
});
