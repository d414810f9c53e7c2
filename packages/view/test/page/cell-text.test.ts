/** Values of Arrow's types as a cell of the page shows them. */

import {
  Binary,
  Bool,
  type Data,
  DateDay,
  Decimal,
  Dictionary,
  DurationMillisecond,
  Field,
  FixedSizeList,
  Float32,
  Int8,
  Int32,
  Int64,
  List,
  makeData,
  makeVector,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimestampNanosecond,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import { expect, test } from "vitest";
import { cellText, visible, wholeText } from "../../page/src/table/cell-text.js";

const texts = (vector: Vector, item: number | null = null) =>
  Array.from({ length: vector.length }, (_, index) => cellText(vector, index, item));

const ofData = (data: Data) => texts(new Vector([data]));

test("integers keep every digit", () => {
  expect(texts(vectorFromArray([9007199254740993n, -1n, null], new Int64()))).toEqual(["9007199254740993", "-1", null]);
});

test("floats are short in a cell, and whole in its detail", () => {
  const doubles = makeVector(Float64Array.of(1 / 3, 1e-9, Number.NaN, Number.NEGATIVE_INFINITY, -0, 123456789.125));
  expect(texts(doubles)).toEqual(["0.333333", "1e-9", "NaN", "-Infinity", "-0", "123457000"]);
  expect(wholeText(doubles, 0)).toBe("0.3333333333333333");
  expect(wholeText(doubles, 5)).toBe("123456789.125");
});

test("a float32 is the shortest number that is this float32", () => {
  const floats = makeVector(Float32Array.of(0.1, 16777216, 2.479339));
  expect(Array.from({ length: 3 }, (_, index) => wholeText(floats, index))).toEqual(["0.1", "16777216", "2.479339"]);
});

test("booleans, text and categories", () => {
  expect(texts(vectorFromArray([true, null, false], new Bool()))).toEqual(["true", null, "false"]);
  expect(texts(vectorFromArray(["a", "", null], new Utf8()))).toEqual(["a", "", null]);
  expect(texts(vectorFromArray(["x", null, "x"], new Dictionary(new Utf8(), new Int8())))).toEqual(["x", null, "x"]);
});

test("control characters are seen, markup is text, long text is cut in a cell alone", () => {
  expect(visible("a\u0000b\nc")).toBe("a␀b␊c");
  expect(visible("\u202egnp.exe\u2066")).toBe("⟨U+202E⟩gnp.exe⟨U+2066⟩");
  expect(texts(vectorFromArray(["<script>alert(1)</script>"], new Utf8()))).toEqual(["<script>alert(1)</script>"]);
  const long = vectorFromArray(["x".repeat(5000)], new Utf8());
  expect(cellText(long, 0)).toBe(`${"x".repeat(300)}…`);
  expect(wholeText(long, 0)?.length).toBe(5000);
});

test("moments keep the digits of their unit", () => {
  // numpy: np.datetime64("2024-02-29T12:34:56.789012345").astype("datetime64[ns]").astype(int)
  expect(
    ofData(
      makeData({
        type: new TimestampNanosecond(),
        length: 1,
        nullCount: 0,
        data: BigInt64Array.of(1709210096789012345n),
      }),
    ),
  ).toEqual(["2024-02-29 12:34:56.789012345"]);
  // np.datetime64("1969-12-31T23:59:59.999999").astype("datetime64[us]").astype(int)
  expect(
    ofData(makeData({ type: new TimestampMicrosecond("UTC"), length: 1, nullCount: 0, data: BigInt64Array.of(-1n) })),
  ).toEqual(["1969-12-31 23:59:59.999999Z"]);
  expect(
    ofData(makeData({ type: new TimeMicrosecond(), length: 1, nullCount: 0, data: BigInt64Array.of(3_661_500_000n) })),
  ).toEqual(["01:01:01.5"]);
  expect(
    ofData(
      makeData({
        type: new DurationMillisecond(),
        length: 2,
        nullCount: 0,
        data: BigInt64Array.of(90_061_500n, -1500n),
      }),
    ),
  ).toEqual(["90061.5 s", "-1.5 s"]);
  // np.datetime64("2024-02-29").astype(int)
  expect(
    texts(new Vector([makeData({ type: new DateDay(), length: 1, nullCount: 0, data: Int32Array.of(19782) })])),
  ).toEqual(["2024-02-29"]);
});

test("decimal numbers keep their scale and sign", () => {
  const type = new Decimal(2, 10, 128);
  // -12345 and 7 in words of 32 bits, the lowest first, in two's complement.
  const data = Uint32Array.of(0xffffcfc7, 0xffffffff, 0xffffffff, 0xffffffff, 7, 0, 0, 0);
  expect(texts(new Vector([makeData({ type, length: 2, nullCount: 0, data })]))).toEqual(["-123.45", "0.07"]);
});

test("bytes, lists and structs", () => {
  expect(texts(vectorFromArray([Uint8Array.of(0, 10, 255)], new Binary()))).toEqual(["3 bytes: 00 0a ff"]);
  const lists = vectorFromArray([[1, 2, null], []], new List(new Field("item", new Int32(), true)));
  expect(texts(lists)).toEqual(["[1, 2, null]", "[]"]);
  const long = vectorFromArray(
    [Array.from({ length: 30 }, (_, index) => index)],
    new List(new Field("item", new Int32())),
  );
  expect(cellText(long, 0)).toMatch(/^\[0, 1, .*, 19, … 30 items\]$/);
  expect(wholeText(long, 0)).toMatch(/, 28, 29\]$/);
  const structs = vectorFromArray(
    [{ a: 1, b: "x" }],
    new Struct([new Field("a", new Int32()), new Field("b", new Utf8())]),
  );
  expect(texts(structs)).toEqual(['{a: 1, b: "x"}']);
});

test("an item of lists that are shown as columns", () => {
  const child = makeData({ type: new Float32(), length: 4, nullCount: 0, data: Float32Array.of(0.1, 2, 3, 0.25) });
  const type = new FixedSizeList(2, new Field("item", new Float32()));
  const vector = new Vector([makeData({ type, length: 2, nullCount: 0, child })]);
  expect(texts(vector, 0)).toEqual(["0.1", "3"]);
  expect(texts(vector, 1)).toEqual(["2", "0.25"]);
});

test("rows in a later batch", () => {
  const parts = [vectorFromArray(["a", "b"], new Utf8()), vectorFromArray([null, "d"], new Utf8())];
  const vector = new Vector(parts.flatMap(({ data }) => data));
  expect(texts(vector)).toEqual(["a", "b", null, "d"]);
});
