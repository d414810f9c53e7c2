/** Batches under a schema that remembers the shape of other rows, such as the matrices of two files one after another. */

import { type RecordBatch, type Schema, type Table, tableFromArrays } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { write, writeBytes } from "../../../packages/published/src/index.js";
import { convert, write as writePath } from "../../../packages/published/src/node.js";
import { open, place } from "./opened.js";
import { BASE } from "./samples.js";

const names = (letter: string, count: number) =>
  tableFromArrays({ _index: Array.from({ length: count }, (_, i) => `${letter}${i}`) });

/** A stored matrix of 3 x 4 as it is read: its schema says so, and that its entries are in the order of rows. */
async function stored(): Promise<Table> {
  const path = place("h5ad");
  await writePath(path, BASE);
  return (await open(path)).table("X").read();
}

async function* once(batches: readonly RecordBatch[]): AsyncGenerator<RecordBatch> {
  yield* batches;
}

/** The matrix under the schema of the stored one, with its rows moved. */
function moved(schema: Schema, by: number): RecordBatch[] {
  const { batches } = tableFromArrays({
    row: Int32Array.of(0 + by, 0 + by, 2 + by),
    col: Int32Array.of(1, 3, 0),
    value: Float32Array.of(0.5, -1, 7),
  });
  expect(schema.fields.length).toBe(3);
  return batches;
}

test.each(["h5ad", "loom", "bpcells.h5"] as const)("to %s, frames that are given decide", async (format) => {
  const X = await stored();
  const stream = { schema: X.schema, batches: once([...X.batches, ...moved(X.schema, 3)]) };
  const path = place(format);
  const { warnings } = await writePath(path, { X: stream, obs: names("c", 6), var: names("g", 4) });
  expect(warnings).toEqual([
    expect.stringMatching(/^X: its schema remembers the shape \[3,4\]; it is written as \[6,4\], since/),
  ]);
  const data = await open(path);
  expect([...(data.shape ?? [])].sort()).toEqual([4, 6]);
  expect(data.table(format === "h5ad" ? "X" : "matrix").metadata.shape).toEqual(data.shape);
});

test.each(["h5ad", "loom", "bpcells.h5", "mat"] as const)(
  "to %s, rows that begin again are an error",
  async (format) => {
    const X = await stored();
    const stream = () => ({ schema: X.schema, batches: once([...X.batches, ...X.batches]) });
    const tables = { X: stream(), obs: names("c", 6), var: names("g", 4) };
    // Loom and BPCells have cells as columns.
    const expected =
      /: (row|col) of entry 3 is 0 after 2: the (rows|columns) begin again, as where one matrix follows another/;
    await expect(writeBytes(format, tables)).rejects.toThrow(expected);
    await expect(writeBytes(format, { X: stream() })).rejects.toThrow(/the (rows|columns) begin again/);
  },
);

test("what a file stores is believed, and not what it is written beside", async () => {
  const path = place("h5ad");
  await writePath(path, BASE);
  const store = new Map<string, Uint8Array>();
  const tables = { X: (await open(path)).table("X"), obs: names("c", 6), var: names("g", 4) };
  await expect(write(store, tables)).rejects.toThrow(/6 rows|has 6/);
});

test("the shape in a file of one table is remembered, too", async () => {
  const [path, parquet] = [place("h5ad"), place("parquet")];
  await writePath(path, BASE);
  await convert(path, parquet, { tables: ["X"] });
  const [X] = (await open(parquet)).tables.values();
  const copy = await open(await writeBytes("h5ad", { X, obs: names("c", 6), var: names("g", 4) }));
  expect(copy.shape).toEqual([6, 4]);
});

describe("without frames, the shape that is remembered", () => {
  test.each(["h5ad", "zarr.zip"] as const)("holds, and grows with what is outside of it: .%s", async (format) => {
    const X = await stored();
    const path = place(format);
    const batches = [...X.batches, ...moved(X.schema, 3)];
    const { warnings } = await writePath(path, { X: { schema: X.schema, batches: once(batches) }, "layers/a": X });
    expect(warnings).toContainEqual(
      expect.stringMatching(/^X: its schema remembers the shape \[3,4\], .*; it is written as \[6,4\]$/),
    );
    const data = await open(path);
    expect(data.shape).toEqual([6, 4]);
    expect(data.table("layers/a").metadata.shape).toEqual([6, 4]);
    const copy = await data.table("X").read();
    expect(copy.getChild("row")?.toJSON()).toEqual([0, 0, 2, 3, 3, 5]);
    expect(copy.getChild("col")?.toJSON()).toEqual([1, 3, 0, 1, 3, 0]);
  });

  test.each(["loom", "bpcells.h5", "mat"] as const)(
    "holds, and grows with what is outside of it, where entries can be read twice: .%s",
    async (format) => {
      const { schema, batches } = await stored();
      const path = place(format);
      const X = { schema, batches: [...batches, ...moved(schema, 3)] };
      const { warnings } = await writePath(path, { X });
      expect(warnings).toContain(
        "X: its schema remembers the shape [3,4]; it is written as [6,4], since there are entries outside of it",
      );
      const data = await open(path);
      const [name, sizes] = format === "mat" ? ["X", [6, 4]] : ["matrix", [4, 6]];
      expect(data.table(name).metadata.shape).toEqual(sizes);
      const copy = await (await data.table(name).layout("coordinate")).read();
      const cells = format === "mat" ? "row" : "col";
      expect([...(copy.getChild(cells)?.toJSON() ?? [])].map(Number).sort()).toEqual([0, 0, 2, 3, 3, 5]);
    },
  );

  test("holds where it is larger than what is there, and for columns and squares, too", async () => {
    const X = await stored();
    const { batches } = tableFromArrays({
      row: Int32Array.of(0, 1),
      col: Int32Array.of(6, 0),
      value: Float32Array.of(1, 2),
    });
    const stream = () => ({ schema: X.schema, batches: once(batches) });
    const data = await open(await writeBytes("h5ad", { X: stream() }));
    expect(data.shape).toEqual([3, 7]);
    const graph = await open(await writeBytes("h5ad", { obs: names("c", 7), "obsp/g": stream(), var: names("g", 1) }));
    expect(graph.table("obsp/g").metadata.shape).toEqual([7, 7]);
  });

  test("does not grow without bounds", async () => {
    const X = await stored();
    const { batches } = tableFromArrays({
      row: Int32Array.of(2 ** 31 - 1),
      col: Int32Array.of(0),
      value: Float32Array.of(1),
    });
    await expect(writeBytes("h5ad", { X: { schema: X.schema, batches: once(batches) } })).rejects.toThrow(
      "row of entry 0 is 2147483647, outside 0 … 2",
    );
  });
});
