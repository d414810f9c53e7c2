/** Scalars of `uns` in several datasets: numbers are equal whatever their types, by the rules of numpy. */

import { expect, test } from "vitest";
import { createField } from "../../src/arrow/type.js";
import { createNumbersColumn } from "../../src/concat/cast-numbers.js";
import { FLOAT64, type NumericType } from "../../src/concat/common-type.js";
import { mergeUns } from "../../src/concat/merged.js";
import { createTableFromRows } from "../../src/concat/whole-tables.js";
import type { NumberArray } from "../../src/model/stored.js";
import type { ColumnTable } from "../../src/tables/column-table.js";

const INT64: NumericType = { id: "Int", bits: 64, signed: true };
const FLOAT16: NumericType = { id: "Float", bits: 16 };

function scalar(type: NumericType, values: NumberArray): ColumnTable {
  return createTableFromRows("uns/n", {
    ...{ length: 1, fields: [createField("value", type, false)], columns: [createNumbersColumn(values, type)] },
    ...{ metadata: { kind: "numeric-scalar" }, schemaMetadata: new Map() },
  });
}

const int = (value: bigint) => scalar(INT64, BigInt64Array.of(value));
const float = (value: number) => scalar(FLOAT64, Float64Array.of(value));

test.each([
  ["an integer and a float", int(1n), float(1), true],
  ["an integer and true", int(1n), scalar({ id: "Bool" }, Uint8Array.of(1)), true],
  ["floats of 16 and 64 bits", scalar(FLOAT16, Uint16Array.of(0x3800)), float(0.5), true],
  ["an integer and another float", int(1n), float(1.5), false],
  ["large integers that differ by one", int(2n ** 60n), int(2n ** 60n + 1n), false],
  ["NaN twice", float(Number.NaN), float(Number.NaN), false],
])("%s", async (_, one, other, isKept) => {
  const inputs = [one, other].map((table) => new Map([["uns/n", table]]));
  for (const strategy of ["same", "unique"] as const) {
    const merged = await mergeUns(inputs, strategy, undefined);
    expect([...merged.keys()]).toEqual(isKept ? ["uns/n"] : []);
  }
});
