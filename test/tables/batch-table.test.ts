/** Tables that are made of batches, and tables that change members of another table. */

import { Int32, Table, tableFromArrays, vectorFromArray } from "apache-arrow";
import { expect, test } from "vitest";
import { InvalidInputError } from "../../src/model/errors.js";
import { createBatchTable, overrideTable, renameTable } from "../../src/tables/batch-table.js";

const numbers = new Table({ n: vectorFromArray([1, 2, 3], new Int32()) });
const others = new Table({ n: vectorFromArray([4], new Int32()) });

const batchesOf = (table: Table) =>
  async function* () {
    yield* table.batches;
  };

const given = () => createBatchTable({ name: "numbers", schema: numbers.schema, batches: batchesOf(numbers) });

const valuesOf = (table: Table) => Array.from(table.getChild("n") ?? []);

test("a table of batches is a dataframe without an axis, whose rows are read", async () => {
  const { rows, metadata, derived, axis, layouts } = given();
  expect({ rows, metadata, derived, axis, layouts }).toEqual({
    rows: null,
    metadata: { kind: "dataframe" },
    derived: false,
    axis: null,
    layouts: [],
  });
  expect(valuesOf(await given().read())).toEqual([1, 2, 3]);
});

test("another layout of batches is refused with the name of the table", async () => {
  const error = new InvalidInputError("no layout dense: batches have one form", { element: "numbers" });
  await expect(given().layout("dense")).rejects.toThrow(error);
});

test("a table with other batches reads these, and the changed table stays the same", async () => {
  const table = given();
  const changed = overrideTable(table, { batches: batchesOf(others) });
  expect(valuesOf(await changed.read())).toEqual([4]);
  expect(valuesOf(await table.read())).toEqual([1, 2, 3]);
});

test("a table with the same batches is read as the changed one reads them", async () => {
  const table = { ...given(), read: async () => tableFromArrays({ n: Int32Array.of(7) }) };
  const renamed = renameTable(table, "sevens");
  expect(renamed.name).toBe("sevens");
  expect(valuesOf(await renamed.read())).toEqual([7]);
});

test("another layout of a renamed table has its new name", async () => {
  const dense = given();
  const table = overrideTable(given(), { layouts: ["coordinate", "dense"], layout: async () => dense });
  expect((await renameTable(table, "X").layout("dense")).name).toBe("X");
});
