import { describe, expect, test } from "vitest";
import { toCategoricalCodes, toCategoricalColumn, UnifiedDictionary } from "../../src/arrow/categorical.js";
import type { DictionaryColumn } from "../../src/arrow/column.js";
import { createTextColumn } from "../../src/arrow/text.js";
import { type ArrowType, createField, INT32, UTF8 } from "../../src/arrow/type.js";
import { getCodesType } from "../../src/arrow/written-type.js";
import { toStoredValues } from "../../src/arrow/written-values.js";
import { computeValidity } from "../../src/kernels/values/bitmap.js";
import { InvalidInputError } from "../../src/model/errors.js";
import type { IntArray, NumberArray } from "../../src/model/stored.js";
import { TEXT, textOf } from "../stored-array.js";

describe("categoricals", () => {
  const dictionaryOf = (
    indices: IntArray,
    values: readonly (string | null)[],
    valid?: (i: number) => boolean,
  ): DictionaryColumn => ({
    layout: "dictionary",
    type: { id: "Dictionary", index: INT32, value: UTF8, ordered: false },
    length: indices.length,
    validity: valid === undefined ? null : computeValidity(indices.length, valid),
    indices,
    dictionary: createTextColumn(values),
  });
  const int = (bits: 8 | 16 | 32 | 64, signed = true) => ({ kind: "int", bits, signed }) as const;

  test.each<NumberArray>([
    Int8Array.of(0, -1, 2, 1),
    Int16Array.of(2, 1, 0, -1),
    Int32Array.of(-1, -1),
    BigInt64Array.of(2n, -1n, 0n),
    Uint8Array.of(2, 0, 1),
    BigUint64Array.of(1n),
    Uint32Array.of(),
  ])("codes come back as they were: %o", (codes) => {
    if (codes instanceof Float32Array || codes instanceof Float64Array) throw new TypeError("integers expected");
    const categories = createTextColumn(["b", "a", "c"]);
    const column = toCategoricalColumn(codes, categories, false);
    const bits = codes.BYTES_PER_ELEMENT * 8;
    const signed = /^(Big)?Int/.test(codes.constructor.name);
    const metadata = { kind: "categorical", ...(bits === 64 ? { codes: signed ? "int64" : "uint64" } : {}) };
    const type = getCodesType({ ...createField("a", column.type), metadata }, null);
    expect(type).toEqual({ kind: "int", bits, signed });
    const all = new UnifiedDictionary();
    expect(toCategoricalCodes(column, all, type)).toEqual({ kind: "fixed", values: codes });
    expect(all.parts).toEqual([categories]);
  });

  test.each<[number | null, ArrowType, 8 | 16 | 32]>([
    [126, INT32, 8],
    [127, INT32, 16],
    [32766, INT32, 16],
    [32767, INT32, 32],
    [0, INT32, 8],
    [null, { ...INT32, bits: 8 }, 8],
    [null, { ...INT32, bits: 8, signed: false }, 16],
    [null, { ...INT32, signed: false }, 32],
  ])(
    "of %s categories in a column of the caller, indices %j, are of %i bits as pandas has them",
    (count, index, bits) => {
      if (index.id !== "Int" || index.bits === 64) throw new TypeError("an index expected");
      const type: ArrowType = { id: "Dictionary", index: { ...index, bits: index.bits }, value: UTF8, ordered: false };
      expect(getCodesType(createField("a", type), count)).toEqual(int(bits));
    },
  );

  test("dictionaries that differ share their categories; what is null or stands twice is none of its own", () => {
    const all = new UnifiedDictionary();
    const codes = (column: DictionaryColumn) => Array.from(toCategoricalCodes(column, all, int(8)).values, Number);
    expect(codes(dictionaryOf(Int32Array.of(0, 1, 2, 3), ["b", null, "a", "b"]))).toEqual([0, -1, 1, 0]);
    expect(codes(dictionaryOf(Int32Array.of(0, 1, 7), ["a", "c"], (i) => i < 2))).toEqual([1, 2, -1]);
    expect(codes(dictionaryOf(Int32Array.of(0, 1), ["c", "b"]))).toEqual([2, 0]);
    expect(all.length).toBe(3);
    expect(all.parts).toEqual([createTextColumn(["b", "a"]), createTextColumn(["c"])]);
  });

  test.each<[string, DictionaryColumn, ReturnType<typeof int>]>([
    ["index 2 at 1 lies outside a dictionary of 2", dictionaryOf(Int32Array.of(0, 2), ["a", "b"]), int(8)],
    ["index -1 at 0", dictionaryOf(Int32Array.of(-1), ["a"]), int(8)],
    ["row 1 has no category", dictionaryOf(Int32Array.of(0, 0), ["a"], (i) => i === 0), int(8, false)],
    [
      "129 categories are too many for codes of type int8",
      dictionaryOf(
        Int32Array.of(128),
        Array.from({ length: 129 }, (_, i) => String(i)),
      ),
      int(8),
    ],
  ])("%s", (message, column, type) => {
    expect(() => toCategoricalCodes(column, new UnifiedDictionary(), type)).toThrow(InvalidInputError);
    expect(() => toCategoricalCodes(column, new UnifiedDictionary(), type)).toThrow(message);
  });

  test("are their values where an array is written", () => {
    const column = dictionaryOf(Int32Array.of(1, 0, 1), ["x", "yz"]);
    expect(toStoredValues({ type: TEXT, shape: [] }, column)).toEqual(textOf(["yz", "x", "yz"]));
  });
});
