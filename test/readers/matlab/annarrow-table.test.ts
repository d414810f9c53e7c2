/** Structs that say of themselves to be tables: what they hold is checked all the same. */

import { expect, test } from "vitest";
import { createMemoryArray } from "../../../src/containers/picked/memory-array.js";
import { getIntType, type IntArray } from "../../../src/model/stored.js";
import { readAnnarrowTable } from "../../../src/readers/matlab/annarrow-table.js";
import type { NumericValue, StructValue } from "../../../src/readers/matlab/values/value.js";

function vector(name: string, values: IntArray): NumericValue {
  const type = getIntType(values);
  const dataset = createMemoryArray(name, type, [values.length], { kind: "fixed", values });
  return { kind: "numeric", class: `int${type.bits}`, size: [values.length, 1], metadata: {}, type, dataset };
}

function struct(fields: Readonly<Record<string, StructValue | NumericValue>>): StructValue {
  const columns = Object.values(fields).map((value) => [value]);
  return { kind: "struct", class: "struct", size: [1, 1], metadata: {}, fields: Object.keys(fields), columns };
}

const DICTIONARY = { id: "Dictionary", index: { bits: 8, signed: true }, value: { id: "Int" } };
const described = (rows: number) =>
  JSON.stringify({ version: 1, rows, fields: [{ name: "c", field: "c", nullable: true, type: DICTIONARY }] });

async function codes(values: IntArray) {
  const categories = vector("categories", Int32Array.of(10, 20, 30));
  const value = struct({ c: struct({ codes: vector("codes", values), categories }) });
  const { plan } = await readAnnarrowTable("t", value, described(values.length));
  const column = plan.kind === "columns" ? plan.columns[0] : null;
  if (column?.kind !== "categorical" || column.codes.kind !== "array") throw new Error("no categorical");
  return await column.codes.array.read(0, values.length);
}

test("codes count from 1, 0 is missing", async () => {
  expect(await codes(Int16Array.of(1, 0, 3))).toEqual({ kind: "fixed", values: Int8Array.of(0, -1, 2) });
});

// In eight bits -254 and -255 are codes that there are.
test.each([-1, -254, -255, -256, 129, 257])("a code of %d is an error", async (code) => {
  await expect(codes(Int16Array.of(code))).rejects.toThrow(`code ${code}`);
});
