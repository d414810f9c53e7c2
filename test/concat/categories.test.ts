/** Categories of a column that has none in some datasets, as where all of its values are missing. */

import { describe, expect, test } from "vitest";
import { type Column, emptyColumn, type PrimitiveColumn } from "../../src/arrow/column.js";
import { createTextColumn } from "../../src/arrow/text.js";
import { type ArrowType, INT32, UTF8 } from "../../src/arrow/type.js";
import { CategoryUnion, createCodedColumn } from "../../src/concat/categories.js";
import { FLOAT64 } from "../../src/concat/common-type.js";
import { planColumn } from "../../src/concat/frame-columns.js";

interface Part {
  readonly value: ArrowType;
  readonly dictionary: Column;
  readonly codes: readonly number[];
  readonly ordered?: boolean;
}

const RULES = { lossy: false, missingIntegers: "null", mayMixBooleans: true } as const;

const NOTHING: Part = { value: FLOAT64, dictionary: emptyColumn(FLOAT64), codes: [-1, -1] };
const TEXT: Part = { value: UTF8, dictionary: createTextColumn(["a", "b"]), codes: [1, 0] };

/** The type of the column that the parts have together, and the column of each part. */
function together(parts: readonly Part[]) {
  const union = new CategoryUnion();
  const columns = parts.map(({ value, dictionary, codes, ordered = false }) => {
    union.add({ ordered, dictionary });
    return createCodedColumn(Int32Array.from(codes), dictionary, value, ordered);
  });
  const fields = columns.map(({ type }, i) => ({ source: String(i), field: { name: "c", type, nullable: true } }));
  const planned = planColumn({ name: "c", fields, isMissing: false }, union, { ...RULES, element: "obs" });
  return { type: planned.field.type, columns: columns.map((column) => planned.changed(column)) };
}

describe("categories beside none of another type", () => {
  test.each([
    ["first", [TEXT, NOTHING]],
    ["last", [NOTHING, TEXT]],
  ])("are the categories of all: %s", (_, parts) => {
    const { type, columns } = together(parts);
    expect(type).toMatchObject({ id: "Dictionary", value: UTF8 });
    const [text, nothing] = parts[0] === TEXT ? columns : columns.toReversed();
    expect(text).toMatchObject({ dictionary: TEXT.dictionary, indices: Int8Array.of(1, 0), validity: null });
    expect(nothing).toMatchObject({ dictionary: TEXT.dictionary, validity: { nullCount: 2 } });
  });

  test("that are ordered become values, of which none are there", () => {
    const other = { ...TEXT, dictionary: createTextColumn(["b", "a"]), ordered: true };
    const { type, columns } = together([{ ...TEXT, ordered: true }, NOTHING, other]);
    expect(type).toEqual(UTF8);
    expect(columns.map((column) => [column.type.id, column.length])).toEqual([
      ["Utf8", 2],
      ["Utf8", 2],
      ["Utf8", 2],
    ]);
    expect(columns[1].validity).toMatchObject({ nullCount: 2 });
  });
});

test("ordered numbers of two types become values of their common type", () => {
  const numbers = (values: Int32Array | Float64Array, type: PrimitiveColumn["type"]): Part => ({
    ...{ value: type, codes: [0, 1], ordered: true },
    dictionary: { layout: "primitive", type, length: values.length, validity: null, values },
  });
  const { type, columns } = together([numbers(Int32Array.of(3, 5), INT32), numbers(Float64Array.of(5, 0.5), FLOAT64)]);
  expect(type).toEqual(FLOAT64);
  expect(columns).toMatchObject([{ values: Float64Array.of(3, 5) }, { values: Float64Array.of(5, 0.5) }]);
});
