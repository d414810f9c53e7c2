/** `where` of tables in files and of datasets that are put together, against the stored table and against all rows. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import "../seed.js";
import { type DataTable, type Layout, slice, sql, where } from "../../packages/published/src/index.js";
import { concat, convert, write } from "../../packages/published/src/node.js";
import { draws } from "../draws.js";
import { open, place } from "../formats/conversion/opened.js";

const DATA = "test/fixtures/data";

type Where = NonNullable<NonNullable<Parameters<DataTable["read"]>[0]>["where"]>;

/** Rows and schema, or the error. */
async function answer(table: DataTable, chosen: Where) {
  try {
    const read = await table.read({ where: chosen });
    const types = read.schema.fields.map(({ name, type }) => `${name}: ${type}`);
    return { types, rows: read.toArray().map(String) };
  } catch (error) {
    return {
      error: error instanceof Error ? error.message.replace(/^.*: (?=[a-z]+ \d|the rows|no names)/, "") : error,
    };
  }
}

const isIn = (asked: readonly number[], size: number) => asked.every((position) => position < size);

describe.each([
  ["anndata/modern.h5ad", "parquet"],
  ["anndata/modern.h5ad", "arrow"],
  ["annotated/counts.h5ad", "parquet"],
  ["loom/loompy.loom", "arrow"],
  ["mudata/axis0.h5mu", "parquet"],
] as const)("%s as %s", (path, format) => {
  test.each<Layout | undefined>([undefined, "coordinate", "list", "dense", "columns"])(
    "in the layout %s",
    async (layout) => {
      const [directory, stored] = [place("tables"), await open(`${DATA}/${path}`)];
      const has = [...stored.tables.values()].some(({ layouts }) => layout !== undefined && layouts.includes(layout));
      await convert(`${DATA}/${path}`, directory, { format, ...(has && layout !== undefined ? { layout } : {}) });
      const tables = await open(directory);
      const choices: Where[] = [
        { row: [1] },
        { col: [2, 0, 2] },
        { row: [2, 0, 1], col: [1] },
        { row: [], col: [1] },
        { row: slice(1, 3) },
        { col: [10_000] },
      ];
      let compared = 0;
      for (const [name, table] of tables.tables) {
        const own = stored.table(name);
        if (own.axis === null) continue;
        const twin = layout !== undefined && own.layouts.includes(layout) ? await own.layout(layout) : own;
        for (const chosen of choices) {
          expect({ name, chosen, ...(await answer(table, chosen)) }).toEqual({
            ...{ name, chosen },
            ...(await answer(twin, chosen)),
          });
          compared++;
        }
      }
      expect(compared).toBeGreaterThan(0);
    },
  );
});

test("names, masks and conditions are those of the dataset's own frames", async () => {
  const directory = place("tables");
  const path = "examples/pbmc.h5ad";
  await convert(path, directory, { format: "parquet" });
  const [tables, stored] = [await open(directory), await open(path)];
  const names = (await stored.obsNames())?.slice(3, 6).toReversed() ?? [];
  const mask = Array.from({ length: stored.shape?.[1] ?? 0 }, (_, i) => i % 50 === 7);
  for (const chosen of [
    { row: names, col: mask },
    { row: sql`cell_type = 'B cell' and n_counts > 500`, col: ["SIMG0000007", "SIMG0000001"] },
    { row: where(["n_counts"], (counts) => Number(counts) > 900) },
  ]) {
    for (const name of ["X", "layers/counts"].filter((one) => stored.tables.has(one))) {
      expect(await answer(tables.table(name), chosen)).toEqual(await answer(stored.table(name), chosen));
    }
    const { row } = chosen;
    expect(await answer(tables.table("obs"), { row })).toEqual(await answer(stored.table("obs"), { row }));
  }
  for (const chosen of [{ row: ["no such cell"] }, { col: [true] }, { row: sql`nothing = 1` }]) {
    const [one, other] = [await answer(tables.table("X"), chosen), await answer(stored.table("X"), chosen)];
    expect(Object.keys(one)).toEqual(["error"]);
    expect(String(one.error).split(": ").at(-1)).toBe(String(other.error).split(": ").at(-1));
  }
});

test("a part, a layer as the matrix, and some columns", async () => {
  const directory = place("tables");
  await convert(`${DATA}/annotated/counts.h5ad`, directory, { format: "arrow" });
  const [tables, stored] = [await open(directory), await open(`${DATA}/annotated/counts.h5ad`)];
  const selection = { obs: [9, 5, 2], X: "layers/csc" };
  const [one, other] = [await tables.select(selection), await stored.select(selection)];
  const [, second] = (await stored.select(selection).then((part) => part.obsNames())) ?? [];
  for (const name of ["X", "obs", "obsm/X_pca"]) {
    expect(await answer(one.table(name), { row: [second] })).toEqual(
      await answer(other.table(name), { row: [second] }),
    );
  }
  const columns = ["depth"];
  const some = await tables.table("obs").read({ where: { row: [5, 3] }, columns });
  expect(some.toArray().map(String)).toEqual(
    (await stored.table("obs").read({ where: { row: [3, 5] }, columns })).toArray().map(String),
  );
  await expect(tables.table("obs").read({ where: { row: [1] }, rows: [0, 1] })).rejects.toThrow("either rows or where");
});

describe("a file of one table", () => {
  test("its rows are chosen by row, also by its own names and columns", async () => {
    const path = place("parquet");
    await convert(`${DATA}/annotated/counts.h5ad`, path, { tables: ["obs"] });
    const stored = (await open(`${DATA}/annotated/counts.h5ad`)).table("obs");
    const [table] = (await open(path)).tables.values();
    const names = (await stored.read({ rows: [4, 6] })).getChildAt(0)?.toJSON() ?? [];
    for (const row of [[7, 2], names.map(String), slice(60), where(["depth"], (depth) => Number(depth) > 1)]) {
      expect(await answer(table, { row })).toEqual(await answer(stored, { row }));
    }
    await expect(table.read({ where: { col: [0] } })).rejects.toThrow("chosen by row, and nothing by col");
  });

  test("entries are chosen by numbers along both axes", async () => {
    const path = place("arrow");
    await convert(`${DATA}/annotated/counts.h5ad`, path, { tables: ["X"] });
    const stored = (await open(`${DATA}/annotated/counts.h5ad`)).table("X");
    const [table] = (await open(path)).tables.values();
    const chosen = { row: [40, 3, 5], col: [1, 8, 30] };
    expect(await answer(table, chosen)).toEqual(await answer(stored, chosen));
    await expect(table.read({ where: { row: ["CELL 1"] } })).rejects.toThrow(/no names|no obs/);
  });
});

describe("a result of concat", () => {
  const path = `${DATA}/annotated/counts.h5ad`;

  test.each([
    ["obs", {}],
    ["var", {}],
    ["obs", { join: "outer", pairwise: true, fillValue: 1 }],
  ] as const)("along %s with %o has the rows of its whole tables", async (axis, options) => {
    const first = await open(path);
    const b = await (await open(path)).select(axis === "obs" ? { var: [3, 1, 0, 7] } : { obs: [5, 1, 9] });
    const a = await first.select(axis === "obs" ? { var: slice(0, 9) } : { obs: slice(0, 12) });
    const all = await concat({ a, b }, { axis, label: "sample", indexUnique: "-", ...options });
    for (const [name, table] of all.tables) {
      if (table.axis === null || table.derived) continue;
      const whole = (await table.read()).toArray();
      const [height = 0, width = 0] = table.metadata.shape ?? [whole.length];
      const key = table.axis;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat(height + 3), { maxLength: 8 }),
          fc.array(fc.nat(80), { maxLength: 40 }),
          async (row, col) => {
            const isEntries = table.schema.fields.some((field) => field.name === "row");
            if (!isEntries) {
              fc.pre(isIn(row, whole.length));
              const found = (await table.read({ where: { [key]: row } })).toArray().map(String);
              expect({ name, found }).toEqual({ name, found: whole.filter((_, i) => row.includes(i)).map(String) });
              return;
            }
            fc.pre(isIn(row, height));
            const cols = col.filter((one) => one < width);
            const found = (await table.read({ where: { row, col: cols } })).toArray().map(String);
            const expected = whole.filter((one) => row.includes(Number(one.row)) && cols.includes(Number(one.col)));
            expect({ name, found }).toEqual({ name, found: expected.map(String) });
          },
        ),
        draws(40),
      );
    }
    const [cell] = ((await all.obsNames()) ?? []).slice(-1);
    expect((await all.table("obs").read({ where: { row: [cell] } })).numRows).toBe(1);
    const labels = sql`sample = 'b'`;
    const labelled = await all.table(axis).read({ where: { [axis === "obs" ? "row" : "col"]: labels } });
    expect(labelled.numRows).toBe(axis === "obs" ? 70 : 45);
    await all.close();
  });

  test("every layout of X", async () => {
    const all = await concat([path, path]);
    const file = place("h5ad");
    await write(file, all);
    const stored = (await open(file)).table("X");
    for (const layout of all.table("X").layouts) {
      const chosen = { row: [139, 3, 75], col: [4, 0] };
      const own = await all.table("X").layout(layout);
      expect(await answer(own, chosen)).toEqual(await answer(await stored.layout(layout), chosen));
    }
    await all.close();
  });
});

/** A store of keys that counts the bytes it gives. */
function counted(values: ReadonlyMap<string, Uint8Array>) {
  const store = { bytes: 0, keys: new Set<string>(), get: async (_: string) => undefined as Uint8Array | undefined };
  store.get = async (key) => {
    const value = values.get(key.replace(/^\//, ""));
    if (value !== undefined && !/\.z|zarr\.json/.test(key)) store.bytes += value.length;
    if (value !== undefined) store.keys.add(key);
    return value;
  };
  return store;
}

describe("what is read", () => {
  test("of datasets that are put together, those with chosen rows", async () => {
    const values = new Map<string, Uint8Array>();
    await write(values, await open(`${DATA}/annotated/counts.h5ad`), { format: "zarr" });
    const stores = [counted(values), counted(values)];
    const parts = await Promise.all(stores.map((store) => open(store)));
    const all = await concat(parts);
    for (const name of ["X", "layers/dense", "obsm/X_pca", "obs"]) {
      const before = stores.map(({ bytes }) => bytes);
      expect((await all.table(name).read({ where: { row: [75] } })).numRows).toBeGreaterThan(0);
      const read = stores.map(({ bytes }, i) => bytes - before[i]);
      expect({ name, read: read.map((bytes) => bytes > 0) }).toEqual({ name, read: [false, true] });
    }
  });

  test("of a Parquet file, the row groups with chosen rows", async () => {
    // test/fixtures/tables/make_row_groups.py: 40 row groups of 100 rows.
    const found: Record<string, readonly unknown[]> = {};
    for (const name of ["obs", "X", "unknown"]) {
      const file = readFileSync(`${DATA}/tables/groups-${name}.parquet`);
      let read = 0;
      const blob = new Blob([new Uint8Array(file)]);
      const parts = blob.slice.bind(blob);
      blob.slice = (start = 0, end = blob.size, type = "") => {
        read += end - start;
        return parts(start, end, type);
      };
      const [table] = (await open(blob)).tables.values();
      read = 0;
      const some = await table.read({ where: { row: [1050, 1051, 3999] } });
      found[name] = [...some.toArray().map(({ value }) => Number(value)), read < file.length / 15];
    }
    const values = [1050, 1051, 3999].map((row) => (row * 7919) % 10007);
    expect(found).toEqual({ obs: [...values, true], X: [...values, true], unknown: [...values, false] });
  });
});
