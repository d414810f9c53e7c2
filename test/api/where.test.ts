import { join } from "node:path";
import { tableToIPC } from "apache-arrow";
import { expect, test } from "vitest";
import type { Layout } from "../../src/model/dataset.js";
import { open } from "../../src/node.js";

const FILE = join("test/fixtures/data", "annotated/counts.h5ad");

/** Positions with repeats and out of order: both mean nothing. */
const ASKED = [5, 2, 2, 9];
const POSITIONS = [2, 5, 9];

test.each([
  ["obs", "row"],
  ["var", "col"],
] as const)("rows of %s are chosen by its axis", async (name, axis) => {
  const table = (await open(FILE)).table(name);
  const whole = await table.read();
  const some = await table.read({ where: { [axis]: ASKED } });
  expect(some.toArray().map(String)).toEqual(POSITIONS.map((position) => String(whole.get(position))));
  const none = await table.read({ where: { [axis]: [] } });
  expect([none.numRows, tableToIPC(none).length > 0]).toEqual([0, true]);
});

test.each(["list", "dense"] as const)("rows and columns of a matrix in the layout %s", async (layout: Layout) => {
  const table = await (await open(FILE)).table("X").layout(layout);
  const whole = await table.read();
  const rows = await table.read({ where: { row: ASKED } });
  expect(rows.toArray().map(String)).toEqual(POSITIONS.map((position) => String(whole.get(position))));
  await expect(table.read({ where: { col: [3] } })).rejects.toThrow("rows can be chosen by row, not by col");
});

test("positions that an axis does not have, and tables without an axis, are errors", async () => {
  const data = await open(FILE);
  const rows = data.table("obs").rows ?? 0;
  await expect(data.table("obs").read({ where: { row: [rows] } })).rejects.toThrow(`row ${rows} was asked for`);
  const other = [...data.tables.values()].find(({ name, derived }) => name.startsWith("uns/") && !derived);
  if (other !== undefined)
    await expect(other.read({ where: { row: [0] } })).rejects.toThrow("positions can be selected");
});
