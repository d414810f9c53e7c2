import { expect, test } from "vitest";
import type { Container, Group, Node } from "../../../src/containers/tree/container.js";
import { readLoom } from "../../../src/readers/loom/read.js";
import { readPlans } from "../../../src/readers/reader.js";
import { StoredTable } from "../../../src/tables/stored-table.js";
import { memoryArray } from "../../stored-array.js";
import { tableOf } from "../anndata/expected.js";
import { expectedOf, openFixture } from "./fixtures.js";

test("the non-zeros of a matrix are those that numpy finds, whatever the batches", async () => {
  const data = await openFixture("bands");
  const { columns } = expectedOf("bands").matrix;
  const coordinates = await data.table("matrix").layout("coordinate");
  expect((await tableOf(coordinates)).columns).toEqual(columns);
  const table = await coordinates.read({ batchBytes: 4096 });
  expect(Array.from(table.getChild("value") ?? [], Number)).toEqual(columns.value);
  expect(table.batches.length).toBeGreaterThan(5);
});

function group(path: string, children: Readonly<Record<string, Node>>): Group {
  return {
    ...{ kind: "group", path, id: path, attributes: new Map() },
    keys: async () => Object.keys(children),
    open: async (name) => children[name],
  };
}

test("coordinates are made band of chunks by band of chunks, each of which is read once", async () => {
  const [rows, cols, band] = [640, 50, 64];
  const matrix = memoryArray(
    { kind: "float", bits: 32 },
    [rows, cols],
    { kind: "fixed", values: Float32Array.from({ length: rows * cols }, (_, i) => (i % 7 === 0 ? i : 0)) },
    { path: "matrix", chunks: [band, 10] },
  );
  const root = group("", { matrix, row_attrs: group("row_attrs", {}) });
  const container: Container = {
    ...{ kind: "hdf5", name: "memory", root },
    dereference: async () => root,
    close: async () => undefined,
  };
  const { tables } = await readPlans(readLoom, container, root, { text: "error" });
  expect(matrix.reads).toEqual([]);
  const [plan] = tables;
  const coordinates = await new StoredTable(plan, "memory").layout("coordinate");
  let entries = 0;
  for await (const part of coordinates.parts({ kind: "batches", batchBytes: 2 ** 14, reuse: false })) {
    if (part.kind === "batches") for (const { length } of part.batches) entries += length;
  }
  expect(entries).toBe(Math.ceil((rows * cols) / 7) - 1);
  expect(matrix.reads).toEqual(Array.from({ length: rows / band }, (_, i) => [i * band, (i + 1) * band]));
});
