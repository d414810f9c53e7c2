/** Tables whose rows are in many files, as manifests list them. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Int32, Table, tableFromArrays, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { parquetFile } from "../../../packages/published/src/index.js";
import { plainRows } from "../../arrow/plain.js";
import { open, place } from "../../formats/conversion/opened.js";
import { bytesOf, tableOf } from "../../sinks/dataset-of.js";

interface Listed {
  readonly name: string;
  readonly kind?: string;
  readonly positions?: string;
  readonly parts: readonly (Record<string, unknown> & { readonly table: Table; readonly rows?: number })[];
  readonly categories?: Record<string, string>;
}

async function directory(tables: readonly Listed[], shape: readonly number[] | null = null): Promise<string> {
  const folder = place("atlas");
  const put = async (file: string, table: Table) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), await bytesOf(parquetFile(tableOf("part", table))));
  };
  const listed = [];
  for (const { name, kind = "dataframe", parts, positions, categories } of tables) {
    const files = [];
    for (const [i, { table, ...part }] of parts.entries()) {
      const file = `${name}/${i}.parquet`;
      await put(file, table);
      files.push({ file, rows: table.numRows, ...part });
    }
    const rows = files.reduce((sum, part) => sum + part.rows, 0);
    listed.push({
      name,
      kind,
      rows,
      parts: files,
      ...(positions ? { positions } : {}),
      ...(categories ? { categories } : {}),
    });
  }
  const manifest = { annarrow: 1, format: "anndata", formatVersion: "", container: "parquet", shape, tables: listed };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  return folder;
}

const entries = (rows: bigint[], cols: number[], values: number[]) =>
  tableFromArrays({ row: BigInt64Array.from(rows), col: Int32Array.from(cols), value: Int32Array.from(values) });

describe("a table in parts", () => {
  test("has the rows of all files, in their order", async () => {
    const parts = [[1, 2], [], [3]].map((values) => ({ table: tableFromArrays({ n: Int32Array.from(values) }) }));
    const data = await open(await directory([{ name: "obs", parts }]));
    expect(data.table("obs").rows).toBe(3);
    expect(plainRows(await data.table("obs").read())).toEqual([[1], [2], [3]]);
    expect(plainRows(await data.table("obs").read({ rows: [1, 3] }))).toEqual([[2], [3]]);
  });

  test("has nulls where a file lacks a column that the last one has, of any flat type", async () => {
    const first = tableFromArrays({ n: Int32Array.of(1) });
    const more = new Table({
      n: vectorFromArray([2], new Int32()),
      text: vectorFromArray(["b"], new Utf8()),
      flag: vectorFromArray([true]),
      big: vectorFromArray([7n]),
    });
    const data = await open(await directory([{ name: "obs", parts: [{ table: first }, { table: more }] }]));
    expect(plainRows(await data.table("obs").read())).toEqual([
      [1, null, null, null],
      [2, "b", true, 7n],
    ]);
  });

  test("leaves out the column of positions, and takes the shift from the rows of entries", async () => {
    const obs = [0n, 1n].map((row) => ({
      table: tableFromArrays({ row: BigInt64Array.of(row), n: Int32Array.of(5) }),
    }));
    const X = [
      { table: entries([0n, 0n], [0, 1], [1, 2]), range: [0, 1] },
      { table: entries([7n], [1], [3]), range: [7, 8], shift: 6 },
    ];
    const tables = [
      { name: "obs", parts: obs, positions: "row" },
      { name: "X", kind: "csr_matrix", parts: X },
    ];
    const data = await open(await directory(tables, [2, 2]));
    expect(data.table("obs").schema.fields.map(({ name }) => name)).toEqual(["n"]);
    expect(data.table("X").metadata.shape).toEqual([2, 2]);
    expect(plainRows(await data.table("X").read()).map((row) => row.map(Number))).toEqual([
      [0, 0, 1],
      [0, 1, 2],
      [1, 1, 3],
    ]);
    // The second file is not needed, and may be gone.
    const [gone] = [await directory(tables, [2, 2])];
    writeFileSync(join(gone, "X/1.parquet"), "no Parquet");
    await expect(open(gone).then((broken) => broken.table("X"))).rejects.toThrow(/X\/1\.parquet/);
  });

  test("is read by the row groups that may have the wanted rows and columns", async () => {
    const groupRows = 2 ** 20;
    const obs = [{ table: tableFromArrays({ n: new Int32Array(groupRows + 1) }) }];
    // The first row group has column 0, the second column 1. The rows are shifted by 5.
    const table = tableFromArrays({
      row: BigInt64Array.from({ length: groupRows + 1 }, (_, i) => BigInt(i + 5)),
      col: Int32Array.from({ length: groupRows + 1 }, (_, i) => (i < groupRows ? 0 : 1)),
      value: new Int32Array(groupRows + 1).fill(3),
    });
    const X = [{ table, range: [5, groupRows + 6], shift: 5 }];
    const folder = await directory(
      [
        { name: "obs", parts: obs },
        { name: "X", kind: "csc_matrix", parts: X },
      ],
      [groupRows + 1, 2],
    );
    const path = join(folder, "X/0.parquet");
    // The header of the first page is broken.
    writeFileSync(path, readFileSync(path).fill(0xff, 4, 12));
    const data = await open(folder);
    const last = [[groupRows, 1, 3]];
    const found = async (where: object) =>
      plainRows(await data.table("X").read({ where })).map((row) => row.map(Number));
    expect(await found({ col: [1] })).toEqual(last);
    expect(await found({ row: [groupRows] })).toEqual(last);
    await expect(found({ col: [0] })).rejects.toThrow(/X\/0\.parquet/);
  });

  test("shares the categories of all files", async () => {
    const parts = [["T"], ["B", "T"]].map((values) => ({ table: new Table({ type: vectorFromArray(values) }) }));
    const folder = await directory([{ name: "obs", parts, categories: { type: "categories/type.parquet" } }]);
    mkdirSync(join(folder, "categories"));
    const all = new Table({ value: vectorFromArray(["B", "NK", "T"], new Utf8()) });
    writeFileSync(join(folder, "categories/type.parquet"), await bytesOf(parquetFile(tableOf("part", all))));
    const data = await open(folder);
    const dictionaries = new Set<unknown>();
    for await (const batch of data.table("obs").batches())
      dictionaries.add(batch.data.children[0].dictionary?.data[0].values);
    expect(plainRows(await data.table("obs").read())).toEqual([["T"], ["B"], ["T"]]);
    expect(dictionaries.size).toBe(1);
  });

  test("whose file has another number of rows is an error that names the file", async () => {
    const parts = [
      { table: tableFromArrays({ n: Int32Array.of(1) }), rows: 2 },
      { table: tableFromArrays({ n: Int32Array.of(2) }) },
    ];
    const data = await open(await directory([{ name: "obs", parts }]));
    await expect(data.table("obs").read()).rejects.toThrow(/obs\/0\.parquet.*says 2 rows, the file has 1/);
  });
});
