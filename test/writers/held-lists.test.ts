/** Lists of entries that a caller holds as an apache-arrow Table, which has no other layout, in every format. */

import { Table, tableFromArrays, tableFromIPC, tableToIPC } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { type ColumnTableInput, type DataTable, open, writeBytes } from "../../packages/published/src/index.js";
import "../../packages/published/src/node.js";

const SHAPE = [4, 3] as const;

/** A column and a row without entries, one with several. */
const DENSE = [
  [0, 2, 0],
  [1, 3, 0],
  [0, 0, 0],
  [4, 0, 0],
];

const ENTRIES = { row: [0, 1, 1, 3], col: [1, 0, 1, 0], value: [2, 1, 3, 4] };

/** The matrix as coordinates that become CSR or CSC. */
function coordinates(order: "row" | "column"): Table {
  const table = tableFromArrays({
    row: Int32Array.from(ENTRIES.row),
    col: Int32Array.from(ENTRIES.col),
    value: Float64Array.from(ENTRIES.value),
  });
  const known = { kind: order === "row" ? "csr_matrix" : "csc_matrix", shape: SHAPE };
  table.schema.metadata.set("annarrow", JSON.stringify(known));
  return table;
}

const genes = ["u", "v", "w"];
const frames = () => ({
  obs: tableFromArrays({ _index: ["a", "b", "c", "d"] }),
  var: tableFromArrays({ _index: genes }),
});

async function dense(table: DataTable): Promise<readonly (readonly number[])[]> {
  const read = await (await table.layout("dense")).read();
  return Array.from(read.getChild("value") ?? [], (row: Iterable<number | bigint>) => Array.from(row, Number));
}

/** Each: the bytes of a store that has the matrix, and how it is called there. */
const SOURCES: Record<string, readonly [bytes: () => Promise<Uint8Array>, name: string]> = {
  "CSR of .h5ad": [() => writeBytes("h5ad", { X: coordinates("row"), ...frames() }), "X"],
  "CSC of .h5ad": [() => writeBytes("h5ad", { X: coordinates("column"), ...frames() }), "X"],
  "CSR of .zarr.zip": [() => writeBytes("zarr.zip", { X: coordinates("row"), ...frames() }), "X"],
  "rows of BPCells": [() => writeBytes("bpcells.h5", { matrix: coordinates("row") }, { order: "row" }), "matrix"],
  "columns of BPCells": [() => writeBytes("bpcells.h5", { matrix: coordinates("column") }), "matrix"],
  "a sparse matrix of .mat": [() => writeBytes("mat", { X: coordinates("column") }), "X"],
};

type Write = (lists: ColumnTableInput) => Promise<Uint8Array>;

const TARGETS: Record<string, readonly [write: Write, name: string]> = {
  ".mat": [(s) => writeBytes("mat", { s }), "s"],
  ".h5ad": [(X) => writeBytes("h5ad", { X, ...frames() }), "X"],
  ".zarr.zip": [(X) => writeBytes("zarr.zip", { X, ...frames() }), "X"],
  "BPCells by rows": [(matrix) => writeBytes("bpcells.h5", { matrix }, { order: "row" }), "matrix"],
  "BPCells by columns": [(matrix) => writeBytes("bpcells.h5", { matrix }, { order: "column" }), "matrix"],
  ".loom": [(matrix) => writeBytes("loom", { matrix }), "matrix"],
};

describe.each(Object.entries(SOURCES))("%s", (_, [bytes, name]) => {
  test.each(Object.entries(TARGETS))("in lists becomes that of %s", async (_, [write, own]) => {
    const data = await open(await bytes());
    const lists = await data.table(name).layout("list");
    const held = await lists.read();
    expect(held.schema.fields.map((field) => field.name)).toEqual(["entries"]);
    const forms: Record<string, ColumnTableInput> = {
      "a table of the dataset": lists,
      "a table in memory": held,
      "a part of its rows, and the others": new Table([...held.slice(0, 1).batches, ...held.slice(1).batches]),
      "bytes of a stream": tableToIPC(held),
      "a stream": { schema: held.schema, batches: lists.batches() },
    };
    for (const [form, input] of Object.entries(forms)) {
      const back = await open(await write(input));
      expect(back.failures.size).toBe(0);
      expect({ form, dense: await dense(back.table(own)) }).toEqual({ form, dense: DENSE });
      await back.close();
    }
    await data.close();
  });

  test("in lists is a sparse matrix of MATLAB, its rows in order", async () => {
    const data = await open(await bytes());
    const held = await (await data.table(name).layout("list")).read();
    const back = await open(await writeBytes("mat", { s: held }));
    const s = back.table("s");
    expect(s.metadata).toMatchObject({ kind: "csc_matrix", class: "double", size: SHAPE, order: "column" });
    const read = await s.read();
    const column = (name: string) => Array.from(read.getChild(name) ?? [], Number);
    expect([column("row"), column("col"), column("value")]).toEqual([
      [1, 3, 0, 1],
      [0, 0, 1, 1],
      [1, 4, 2, 3],
    ]);
    await Promise.all([data.close(), back.close()]);
  });
});

describe("lists that a caller changed", () => {
  const lists = async () => {
    const data = await open(await writeBytes("h5ad", { X: coordinates("column"), ...frames() }));
    const held = await (await data.table("X").layout("list")).read();
    await data.close();
    return held;
  };
  const saying = (table: Table, metadata: object): Table => {
    const copy = tableFromIPC(tableToIPC(table));
    copy.schema.metadata.set("annarrow", JSON.stringify(metadata));
    return copy;
  };

  test.each(["mat", "bpcells.h5", "loom"] as const)(
    "more of them than the shape has are refused for .%s",
    async (format) => {
      const short = saying(await lists(), { kind: "csc_matrix", shape: [4, 2] });
      const name = format === "mat" ? "s" : "matrix";
      await expect(writeBytes(format, { [name]: short })).rejects.toThrow(/3 columns of entries/);
    },
  );

  test("positions outside the shape enlarge it, but not one that the caller states", async () => {
    const low = saying(await lists(), { kind: "csc_matrix", shape: [3, 3] });
    const back = await open(await writeBytes("mat", { s: low }));
    expect(back.table("s").metadata.size).toEqual([4, 3]);
    await back.close();
    await expect(writeBytes("loom", { matrix: low }, { shape: [3, 3] })).rejects.toThrow(
      /row of entry 1 is 3, outside 0 … 2/,
    );
  });

  test("without a word of what they are, they are values like others", async () => {
    const plain = tableFromIPC(tableToIPC(await lists()));
    plain.schema.metadata.delete("annarrow");
    const back = await open(await writeBytes("mat", { s: plain }));
    expect(String(await back.table("s").read())).toBe(String(plain));
    await back.close();
  });
});
