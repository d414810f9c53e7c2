/** Dataframes of which nothing says which column is the index. */

import { Schema, Table, tableFromArrays } from "apache-arrow";
import { expect, test } from "vitest";
import { convert, write } from "../../../packages/published/src/node.js";
import { open, place } from "./opened.js";
import { BASE } from "./samples.js";

/** `schema.metadata` as `pyarrow.Table.from_pandas(pd.DataFrame(...))` has it, where no index was set. */
const RANGE = JSON.stringify({
  index_columns: [{ kind: "range", name: null, start: 0, stop: 3, step: 1 }],
  column_indexes: [],
  columns: [],
});

const frame = (columns: Parameters<typeof tableFromArrays>[0]) => tableFromArrays(columns);

function ofPandas(table: Table): Table {
  return new Table(new Schema(table.schema.fields, new Map([["pandas", RANGE]])), table.batches);
}

const barcodes = () => frame({ depth: Int32Array.of(3, 2, 1), barcode: ["x", "y", "z"] });
const message =
  /^obs: no column is known as the index, .*the option index: \{ "obs": "barcode" \}, or --index obs=barcode, takes "barcode"/;

test.each([
  ["h5ad", barcodes()],
  ["h5ad", ofPandas(barcodes())],
  ["zarr", barcodes()],
  ["loom", barcodes()],
  ["loom", ofPandas(barcodes())],
] as const)("to .%s, a column that looks like it is named", async (extension, obs) => {
  const { warnings } = await write(place(extension), { ...BASE, obs }, { lossy: true });
  expect(warnings).toContainEqual(expect.stringMatching(message));
});

test("to BPCells, whose names would be lost", async () => {
  const { warnings } = await write(place("bpcells"), { ...BASE, obs: barcodes() }, { lossy: true });
  expect(warnings).toContainEqual(expect.stringMatching(message));
});

test("the option takes it, and a frame that pandas numbers without such a column is as it was", async () => {
  const output = place("h5ad");
  const { warnings } = await write(output, { ...BASE, obs: barcodes() }, { index: { obs: "barcode" } });
  expect(warnings).toEqual([]);
  expect([...((await (await open(output)).table("obs").read()).getChild("barcode") ?? [])]).toEqual(["x", "y", "z"]);
  const numbered = ofPandas(frame({ depth: Int32Array.of(3, 2, 1), batch: ["u", "u", "v"] }));
  expect((await write(place("h5ad"), { ...BASE, obs: numbered })).warnings).toEqual([]);
});

test("a Loom file without names says so once", async () => {
  const loom = place("loom");
  await write(loom, { matrix: BASE.X, col_attrs: frame({ barcode: ["a", "b", "c", "d"] }) }, { shape: [3, 4] });
  const { warnings } = await convert(loom, place("h5ad"));
  expect(warnings.filter((warning) => /obs|col_attrs/.test(warning))).toEqual([
    expect.stringMatching(/^col_attrs: no attribute CellID/),
  ]);
});
