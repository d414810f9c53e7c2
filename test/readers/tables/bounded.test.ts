/** What is read of a file is what the batch needs, one row group or record batch after the other. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Field, Float32, Int32, makeData, RecordBatch, Schema, Struct, Table } from "apache-arrow";
import { afterAll, describe, expect, test } from "vitest";
import { ipcFile, parquetFile } from "../../../packages/published/src/node.js";
import { openNamedTables } from "../../../src/api/named-tables.node.js";
import { openSource } from "../../../src/api/open.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import type { ByteSource } from "../../../src/io/sources/source.js";
import type { DataTable } from "../../../src/model/dataset.js";
import { StoredTable } from "../../../src/tables/stored-table.js";
import { bytesOf, tableOf } from "../../sinks/dataset-of.js";

const ROWS = 2 ** 20;
const GROUPS = 3;

/** Three row groups or record batches of a coordinate table. */
const schema = new Schema([
  new Field("row", new Int32(), false),
  new Field("col", new Int32(), false),
  new Field("value", new Float32(), false),
]);
const batches = Array.from({ length: GROUPS }, (_, group) => {
  const row = Int32Array.from({ length: ROWS }, (_, i) => group * 1000 + Math.floor(i / 1100));
  const col = Int32Array.from({ length: ROWS }, (_, i) => i % 1100);
  const value = Float32Array.from({ length: ROWS }, (_, i) => (i * 7919) % 4001);
  const children = [row, col, value].map((data, i) =>
    makeData({ type: schema.fields[i].type, length: ROWS, nullCount: 0, data }),
  );
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: ROWS, nullCount: 0, children }));
});
const table = tableOf("X", new Table(schema, batches));
const files = { parquet: await bytesOf(parquetFile(table)), arrow: await bytesOf(ipcFile(table)) };

/** The source, and the bytes that were read of it since the last look. */
function counted(bytes: Uint8Array): { source: ByteSource; taken: () => number } {
  const inner = createBytesSource(bytes, "X.file");
  let read = 0;
  return {
    source: {
      ...inner,
      read(start, end, options) {
        read += end - start;
        return inner.read(start, end, options);
      },
    },
    taken: () => {
      const before = read;
      read = 0;
      return before;
    },
  };
}

async function openTable(source: ByteSource): Promise<DataTable> {
  const [opened] = (await openSource(source, {})).tables.values();
  if (opened instanceof StoredTable) throw new TypeError("a table of a file is expected");
  return opened;
}

describe.each(["parquet", "arrow"] as const)("%s", (kind) => {
  const bytes = files[kind];

  test("one block at a time, and nothing when it is opened", async () => {
    const { source, taken } = counted(bytes);
    const opened = await openTable(source);
    expect(opened.rows).toBe(GROUPS * ROWS);
    expect(taken()).toBeLessThan(200_000);
    let sum = 0;
    for await (const batch of opened.batches()) {
      const here = taken();
      expect(here).toBeGreaterThan(0);
      expect(here).toBeLessThan((1.1 * bytes.length) / GROUPS);
      expect(batch.data.byteLength).toBeLessThanOrEqual(2 ** 24);
      sum += batch.numRows;
    }
    expect(sum).toBe(GROUPS * ROWS);
  });

  test("only the rows and columns that are asked for", async () => {
    const { source, taken } = counted(bytes);
    const opened = await openTable(source);
    taken();
    const rows = [ROWS - 2, ROWS + 3] as const;
    const part = await opened.read({ rows, columns: ["col"] });
    expect([...(part.getChild("col") ?? [])]).toEqual([...Array(5).keys()].map((i) => ((rows[0] + i) % ROWS) % 1100));
    expect(taken()).toBeLessThan((2 / 3) * bytes.length * 0.75);
    for await (const batch of opened.batches({ batchBytes: 2 ** 20 })) {
      expect(batch.data.byteLength).toBeLessThanOrEqual(2 ** 20 + 64);
    }
  });

  test("stops at a signal", async () => {
    const opened = await openTable(counted(bytes).source);
    const stop = new AbortController();
    let seen = 0;
    const reading = async () => {
      for await (const _ of opened.batches({ signal: stop.signal })) {
        seen++;
        stop.abort(new Error("enough"));
      }
    };
    await expect(reading()).rejects.toThrow("enough");
    expect(seen).toBe(1);
  });
});

describe("files by name", () => {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-named-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, bytes: Uint8Array) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };

  test("become tables of that name", async () => {
    const { tables, close } = await openNamedTables({
      X: file("counts.parquet", files.parquet),
      obs: file("cells.arrow", files.arrow),
      var: undefined,
    });
    expect([...tables].map(([name, one]) => [name, one.name, one.axis, one.rows])).toEqual([
      ["X", "X", "row", GROUPS * ROWS],
      ["obs", "obs", "row", GROUPS * ROWS],
    ]);
    await close();
  });

  test("must be files of one table", async () => {
    const named = openNamedTables({ obs: "test/fixtures/data/anndata/plain.h5ad" });
    await expect(named).rejects.toMatchObject({ tag: "InvalidInputError", element: "obs" });
    await expect(openNamedTables({ obs: join(folder, "absent") })).rejects.toMatchObject({ tag: "NotFoundError" });
  });
});
