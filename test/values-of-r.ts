/** Compares tables with the values that scripts of R have written as JSON. */

import { expect } from "vitest";
import type { Dataset } from "../src/model/dataset.js";

/** A value of Arrow as R's script writes it: NaN and infinities as text, times in milliseconds. */
function plain(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object") return value;
  if (Symbol.iterator in value && typeof value[Symbol.iterator] === "function") return Array.from(Object(value), plain);
  if ("toJSON" in value && typeof value.toJSON === "function") return plain(value.toJSON());
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

async function columns(data: Dataset, name: string): Promise<Record<string, unknown[]>> {
  const table = await data.table(name).read();
  return Object.fromEntries(
    table.schema.fields.map((field, i) => {
      const vector = table.getChildAt(i);
      return [field.name, Array.from({ length: table.numRows }, (_, row) => plain(vector?.get(row)))];
    }),
  );
}

/** R's script unpacks lists of one, and tells the levels of factors beside their values. */
function wanted(column: unknown): unknown {
  if (typeof column === "object" && column !== null && "levels" in column && "values" in column)
    return wanted(column.values);
  return Array.isArray(column) ? column : [column];
}

/** Compares a table with what R says is in it (test/fixtures/r/r_values.R). */
export async function compare(
  data: Dataset,
  name: string,
  { shape, ...expected }: Record<string, unknown>,
): Promise<void> {
  const found = await columns(data, name);
  expect(Object.keys(found), name).toEqual(Object.keys(expected));
  for (const [column, values] of Object.entries(expected))
    expect(found[column], `${name}: ${column}`).toEqual(wanted(values));
  if (shape !== undefined) expect(data.table(name).metadata.shape, name).toEqual(shape);
}
