/** An index of integers, as old files have them, is text in the result, as in anndata. */

import { Field, Int64, Schema, Table, tableFromArrays, vectorFromArray } from "apache-arrow";
import { expect, test } from "vitest";
import { concat, union, write } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";

/** A path with a dataset of these names, which are stored as int64. */
async function file(cells: readonly bigint[], genes: readonly bigint[]): Promise<string> {
  const path = place("h5ad");
  const field = new Field("_index", new Int64(), false, new Map([["annarrow", '{"kind":"array"}']]));
  const frame = (names: readonly bigint[]) =>
    new Table(new Schema([field]), { _index: vectorFromArray(names, new Int64()) });
  const X = tableFromArrays({
    row: Int32Array.from(cells.keys()),
    col: new Int32Array(cells.length),
    value: Float32Array.from(cells, Number),
  });
  await write(path, { obs: frame(cells), var: frame(genes), X }, { index: { obs: "_index", var: "_index" } });
  const stored = await open(path);
  expect(String(stored.table("obs").schema.fields[0].type)).toBe("Int64");
  return path;
}

test("of datasets that are put together", async () => {
  const files = [await file([3n, 1n], [7n, 8n]), await file([12n], [8n, 7n])];
  const all = await concat(files);
  expect(await all.obsNames()).toEqual(["3", "1", "12"]);
  expect(await all.varNames()).toEqual(["7", "8"]);
  await all.close();
  const atlas = place("atlas");
  await union(files, atlas);
  const data = await open(atlas);
  expect(await data.obsNames()).toEqual(["3", "1", "12"]);
  expect([...(await data.gene("8"))]).toEqual([0, 0, 12]);
});
