import { RecordBatchFileWriter } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toRecordBatch, toSchema } from "../../src/arrow/apache/apache.js";
import { mergeRepeatedCategories, toCategoricalColumn, withDistinct } from "../../src/arrow/categorical.js";
import { createStoredColumn } from "../../src/arrow/stored.js";
import { createTextColumn } from "../../src/arrow/text.js";
import { createField, describeArrowType } from "../../src/arrow/type.js";
import { InvalidDataError } from "../../src/model/errors.js";
import { slowValue, storedType, storedValues } from "./arbitrary-stored.js";
import { plainColumn, roundTrip, throughIpc } from "./plain.js";

const letters = createTextColumn(["a", "b", "c"]);
const float64 = (values: readonly number[]) =>
  createStoredColumn(
    { kind: "float", bits: 64 },
    { kind: "fixed", values: Float64Array.from(values) },
    values.length,
    "error",
  );

describe("categoricals", () => {
  const kinds = [Int8Array, Int16Array, Int32Array, Uint8Array, Uint16Array, Uint32Array] as const;
  const codes = fc
    .tuple(fc.constantFrom(...kinds), fc.array(fc.integer({ min: -1, max: 2 }), { maxLength: 40 }))
    .map(([kind, values]) => kind.from(kind.name.startsWith("U") ? values.map((code) => Math.max(0, code)) : values));
  const wide = fc
    .array(fc.integer({ min: -1, max: 2 }))
    .map((values) => BigInt64Array.from(values, (code) => BigInt(code)));

  test("of every code type look their values up; -1 is null", () => {
    fc.assert(
      fc.property(fc.oneof(codes, wide), fc.boolean(), (stored, ordered) => {
        const expected = Array.from<number | bigint>(stored).map((code) => ["a", "b", "c"][Number(code)] ?? null);
        expect(roundTrip(toCategoricalColumn(stored, letters, ordered))).toEqual(expected);
      }),
    );
  });

  test("take categories of any type, in order, used or not", () => {
    const random = storedType.chain((type) => fc.tuple(fc.constant(type), storedValues(type, 5)));
    fc.assert(
      fc.property(random, ([type, values]) => {
        fc.pre(type.kind !== "enum" && type.kind !== "record" && type.kind !== "complex");
        const column = toCategoricalColumn(
          Int8Array.of(4, -1, 0, 0),
          createStoredColumn(type, values, 5, "error"),
          false,
        );
        const at = (i: number) => slowValue(type, values, i);
        expect(roundTrip(column)).toEqual([at(4), null, at(0), at(0)]);
      }),
    );
  });

  test.each([
    [Int8Array.of(0), "Dictionary<Int8, Utf8>"],
    [Uint16Array.of(0), "Dictionary<Uint16, Utf8>"],
    [BigInt64Array.of(0n), "Dictionary<Int32, Utf8>"],
    [BigUint64Array.of(0n), "Dictionary<Int32, Utf8>"],
  ])("%o have the type %s", (stored, type) => {
    expect(describeArrowType(toCategoricalColumn(stored, letters, false).type)).toBe(type);
  });

  test("never share a buffer with the stored codes", () => {
    const stored = Int8Array.of(0, 1);
    expect(toCategoricalColumn(stored, letters, false).indices).not.toBe(stored);
  });

  test.each([
    [Int8Array.of(0, 3), /code 3 at 1 .*\b3 categories/],
    [Int32Array.of(-2), /code -2 at 0 .*\b3 categories/],
    [Uint8Array.of(0, 0, 255), /code 255 at 2 .*\b3 categories/],
    [BigInt64Array.of(2n ** 40n), /code 1099511627776 at 0 .*\b3 categories/],
    [BigUint64Array.of(2n ** 64n - 1n), /code 18446744073709551615 at 0/],
  ])("a code outside the categories is an error: %o", (stored, message) => {
    expect(() => toCategoricalColumn(stored, letters, false)).toThrow(InvalidDataError);
    expect(() => toCategoricalColumn(stored, letters, false)).toThrow(message);
  });

  test("without categories may only be missing", () => {
    expect(roundTrip(toCategoricalColumn(Int8Array.of(-1, -1), float64([]), false))).toEqual([null, null]);
    expect(() => toCategoricalColumn(Int8Array.of(0), float64([]), false)).toThrow(/code 0 at 0 .*\b0 categories/);
  });
});

describe("dictionaries of several batches", () => {
  const column = (codes: readonly number[]) => toCategoricalColumn(Int8Array.from(codes), letters, true);
  const schema = toSchema([createField("value", column([]).type)], new Map());
  const batch = (codes: readonly number[]) => toRecordBatch(schema, [column(codes)], codes.length);

  test("are one vector, so that the file writer takes them", () => {
    const batches = [batch([0, 1]), batch([2, -1]), batch([])];
    expect(new Set(batches.map(({ data }) => data.children[0].dictionary)).size).toBe(1);
    const writer = new RecordBatchFileWriter();
    for (const one of batches) writer.write(one);
    writer.finish();
    expect(plainColumn(throughIpc(batches), 0)).toEqual(["a", "b", "c", null]);
  });

  test("stay one vector where another scan of the same table takes turns with them", () => {
    const other = createTextColumn(["a", "b", "c"]);
    const first = batch([0]);
    const between = toRecordBatch(schema, [toCategoricalColumn(Int8Array.of(0), other, true)], 1);
    expect(batch([1]).data.children[0].dictionary).toBe(first.data.children[0].dictionary);
    expect(between.data.children[0].dictionary).not.toBe(first.data.children[0].dictionary);
  });

  test("keep their order and all values", () => {
    const [read] = throughIpc([batch([1])]).batches;
    expect(read.schema.fields[0].type.isOrdered).toBe(true);
    expect(read.data.children[0].dictionary?.toArray()).toEqual(["a", "b", "c"]);
  });
});

describe("categories", () => {
  test.each([
    [createTextColumn(["a", "b", "a"]), [0, 1, 0]],
    [float64([1, Number.NaN, Number.NaN]), [0, 1, 1]],
    [createTextColumn([null, "x", null]), [0, 1, 0]],
  ])("that are repeated are one", (stored, places) => {
    const distinct = mergeRepeatedCategories(stored);
    expect(distinct.dictionary.length).toBe(2);
    expect(Array.from(distinct.places ?? [])).toEqual(places);
    const codes = Int8Array.of(2, 1, -1, 0);
    const [before, after] = [
      toCategoricalColumn(codes, stored, false),
      withDistinct(toCategoricalColumn(codes, stored, false), distinct),
    ];
    expect(roundTrip(after)).toEqual(roundTrip(before));
  });

  test.each([
    [createTextColumn(["", " ", "NaN", "nan", "é", "e\u0301"])],
    [float64([0, 1e-300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])],
  ])("that differ at all stay as they are", (stored) => {
    expect(mergeRepeatedCategories(stored)).toEqual({ dictionary: stored, places: null });
  });
});
