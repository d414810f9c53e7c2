import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Field,
  Int32,
  List,
  RecordBatchReader,
  Struct,
  Table,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  vectorFromArray,
} from "apache-arrow";
import { expect, test, vi } from "vitest";
import {
  type ColumnTableInput,
  InvalidInputError,
  open,
  type WriteInput,
  write,
  writeBytes,
} from "../../packages/published/src/index.js";
import "../../packages/published/src/node.js";
import { cleanups } from "../cleanups.js";

const PBMC = "examples/pbmc.h5ad";

const X = () =>
  tableFromArrays({
    row: Int32Array.of(0, 0, 2),
    col: Int32Array.of(1, 3, 0),
    value: Float32Array.of(0.5, -1, 7),
  });
const obs = () => tableFromArrays({ _index: ["a", "b", "c"], depth: Int32Array.of(3, 2, 1) });
const genes = () => tableFromArrays({ _index: ["g0", "g1", "g2", "g3"] });

async function opened(path: string) {
  const { open: openPath } = await import("../../packages/published/src/node.js");
  return openPath(path);
}

/** The head of every table as text, so that stores compare whatever they lie in. */
async function contents(data: Awaited<ReturnType<typeof open>>): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const [name, table] of data.tables) {
    const { schema, metadata } = table;
    all[name] = {
      fields: schema.fields.map(String),
      kind: metadata.kind,
      rows: table.rows,
      head: String(await table.read({ rows: [0, Math.min(table.rows ?? 0, 200)] })),
    };
  }
  return all;
}

test.each(["h5ad", "zarr.zip"] as const)(
  "a dataset becomes the bytes of a .%s, and is the same in them",
  async (format) => {
    const data = await opened(PBMC);
    const copy = await open(await writeBytes(format, data));
    expect(copy.shape).toEqual([2700, 800]);
    expect(await contents(copy)).toEqual(await contents(data));
    await data.close();
  },
);

test.each([2, 3] as const)("tables become a Zarr store of version %i in a Map", async (zarrFormat) => {
  const store = new Map<string, Uint8Array>();
  const written = await write(store, { X: X(), obs: obs(), var: genes() }, { zarrFormat });
  expect(written).toEqual({
    tables: expect.arrayContaining([
      { name: "X", rows: 3 },
      { name: "obs", rows: 3 },
      { name: "var", rows: 4 },
    ]),
    warnings: [],
  });
  const data = await open(store);
  expect(data.container).toBe(`zarr${zarrFormat}`);
  expect(data.shape).toEqual([3, 4]);
  const matrix = await data.table("X").read();
  expect(matrix.getChild("row")?.toJSON()).toEqual([0, 0, 2]);
  expect(matrix.getChild("col")?.toJSON()).toEqual([1, 3, 0]);
  expect(matrix.getChild("value")?.toJSON()).toEqual([0.5, -1, 7]);
  const cells = await data.table("obs").read();
  expect(cells.toArray().map(String)).toEqual([
    '{"_index": "a", "depth": 3}',
    '{"_index": "b", "depth": 2}',
    '{"_index": "c", "depth": 1}',
  ]);
});

test("whatever form the tables have", async () => {
  const ipc = tableToIPC(obs(), "stream");
  const forms = new Map<string, WriteInput>([
    ["IPC bytes", { X: tableToIPC(X(), "file"), obs: ipc }],
    ["readers", { X: RecordBatchReader.from(tableToIPC(X())), obs: tableFromIPC(ipc) }],
    ["batches", { X: X().batches, obs: { schema: obs().schema, batches: obs().batches } }],
    [
      "a Map",
      new Map<string, ColumnTableInput>([
        ["X", X()],
        ["obs", obs()],
      ]),
    ],
  ]);
  for (const [form, data] of forms) {
    const copy = await open(await writeBytes("h5ad", data, { shape: [3, 4] }));
    expect(copy.shape, form).toEqual([3, 4]);
    expect((await copy.table("obs").read()).getChild("depth")?.toJSON(), form).toEqual([3, 2, 1]);
  }
});

test.each([
  ["rows of obs", { X: X(), obs: obs().slice(0, 2), var: genes() }, /obs.*2|2.*obs/],
  ["no shape", { X: X() }, /give obs and var, or the shape/],
  ["nothing", {}, "no table to write"],
  ["a key out of the store", { obs: obs(), "obsm/../X": X() }, /\.\./],
])("refused, and nothing is left: %s", async (_, data, message) => {
  const store = new Map<string, Uint8Array>();
  const error = await write(store, data).catch((problem: unknown) => problem);
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(String(error)).toMatch(message);
  expect(store.size).toBe(0);
});

test("a store that holds something is not written into", async () => {
  const store = new Map([["zarr.json", new Uint8Array(2)]]);
  await expect(write(store, { obs: obs() })).rejects.toThrow(InvalidInputError);
  expect([...store.keys()]).toEqual(["zarr.json"]);
});

test("a signal that is aborted leaves nothing", async () => {
  const data = await opened(PBMC);
  const store = new Map<string, Uint8Array>();
  const reason = new DOMException("enough", "AbortError");
  await expect(write(store, data, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(store.size).toBe(0);
  await data.close();
});

test("a dataset of a promise is closed at the end, also after an error; another one stays open", async () => {
  const { write: writePath } = await import("../../packages/published/src/node.js");
  const bytes = await writeBytes("h5ad", { X: X(), obs: obs(), var: genes() });
  const written: ((data: WriteInput | Promise<WriteInput>) => Promise<unknown>)[] = [
    (data) => write(new Map(), data),
    (data) => writeBytes("h5ad", data),
    (data) => writePath(new Map(), data),
    (data) => writePath("no-such-format.xyz", data).catch((error: unknown) => expect(error).toBeDefined()),
  ];
  for (const action of written) {
    const data = await open(bytes);
    const close = vi.spyOn(data, "close");
    await action(data);
    expect(close).not.toHaveBeenCalled();
    await action(Promise.resolve(data));
    expect(close).toHaveBeenCalledOnce();
  }
});

test("a table of lists in a file is the matrix of a shape, whatever the name of the file", async () => {
  const { convert } = await import("../../packages/published/src/node.js");
  const folder = mkdtempSync(join(tmpdir(), "annarrow-lists-"));
  cleanups.test.add(() => rmSync(folder, { recursive: true }));
  const entry = new Struct([new Field("col", new Int32()), new Field("count", new Int32())]);
  const rows = [[{ col: 3, count: 2 }], [], [{ col: 0, count: 5 }]];
  const lists = new Table({ any: vectorFromArray(rows, new List(new Field("item", entry))) });
  const matrix = async (name: string, table: Table) => {
    const [input, output] = [join(folder, name), join(folder, `${name}.zarr`)];
    writeFileSync(input, tableToIPC(table, "file"));
    await convert(input, output, { shape: [3, 4] });
    const data = await opened(output);
    cleanups.test.add(() => data.close());
    const cells = await data.cells(["0", "1", "2"]);
    return [...cells.values()].map((values) => [...values]);
  };
  const expected = [
    [0, 0, 0, 2],
    [0, 0, 0, 0],
    [5, 0, 0, 0],
  ];
  expect(await matrix("lists.arrow", lists)).toEqual(expected);
  expect(await matrix("X.arrow", lists)).toEqual(expected);
  const entries = { row: Int32Array.of(0, 2), col: Int32Array.of(3, 0), value: Int32Array.of(2, 5) };
  expect(await matrix("counts.arrow", tableFromArrays(entries))).toEqual(expected);
  await expect(convert(join(folder, "lists.arrow"), join(folder, "out.h5ad"))).rejects.toThrow(
    "a matrix becomes X with its shape (--shape ROWS,COLUMNS)",
  );
});
