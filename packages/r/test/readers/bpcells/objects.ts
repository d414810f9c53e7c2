/** The objects of test/fixtures/bpcells/make_bpcells_objects.R, what R says is in them, and what is read. */

import { readFileSync } from "node:fs";
import type { Dataset } from "../../../../../src/model/dataset.js";
import type { Expected } from "../../../../../test/readers/bpcells/stores.js";

export const OBJECTS = "test/fixtures/data/bpcells-objects";

export const expectedObjects: Readonly<Record<string, Expected>> = JSON.parse(
  readFileSync(`${OBJECTS}/expected.json`, "utf8"),
);

/** What is in the files of test/fixtures/bpcells/make_bpcells_inside.py. */
export const inside: Readonly<Record<string, Pick<Expected, "shape" | "row" | "col" | "value">>> = JSON.parse(
  readFileSync(`${OBJECTS}/inside.json`, "utf8"),
);

/** A matrix as the fixtures say it. */
export async function contents(data: Dataset): Promise<Expected> {
  const matrix = data.table("matrix");
  const read = await matrix.read();
  const [rows = 0, columns = 0] = matrix.metadata.shape ?? [];
  const column = (name: string) => Array.from(read.getChild(name) ?? [], Number);
  const names = async (name: string) =>
    data.tables.has(name) ? Array.from((await data.table(name).read()).getChild("value") ?? [], String) : null;
  return {
    shape: [rows, columns],
    order: matrix.metadata.order === "row" ? "row" : "column",
    row: column("row"),
    col: column("col"),
    value: column("value"),
    row_names: await names("row_names"),
    col_names: await names("col_names"),
  };
}

/** Rows of the table of fragments. */
export async function fragmentRows(data: Dataset): Promise<readonly string[]> {
  const read = await data.table("fragments").read();
  return Array.from(read, (row) => `${row.chr} ${row.start} ${row.end} ${row.cell_id}`);
}
