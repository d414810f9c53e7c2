/** Manifests and files that are wrong get an error that says what, and never wrong values. */

import { readFileSync } from "node:fs";
import { Table, tableFromArrays, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { Random } from "../../fuzz/random.js";
import { plainValues } from "./plain-values.js";

const DATA = "test/fixtures/data/tables";
const bytesOf = (file: string) => new Uint8Array(readFileSync(`${DATA}/${file}`));
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const obs = new Uint8Array(tableToIPC(tableFromArrays({ a: Int32Array.of(1, 2, 3) }), "file"));

const entry = { name: "obs", file: "obs.arrow", kind: "dataframe", rows: 3 };
const manifest = {
  annarrow: 1,
  format: "anndata",
  formatVersion: "0.1.0",
  container: "hdf5",
  shape: [3, 2],
  tables: [entry],
};
const directory = (content: unknown) =>
  new Map([
    ["manifest.json", content instanceof Uint8Array ? content : json(content)],
    ["obs.arrow", obs],
  ]);

test("a manifest that is right", async () => {
  const { tables, format, container, shape } = await open(directory(manifest));
  expect([[...tables.keys()], format, container, shape]).toEqual([["obs"], "anndata", "hdf5", [3, 2]]);
  expect(tables.get("obs")?.axis).toBe("row");
  expect(tables.get("obs")?.metadata).toEqual({ kind: "dataframe" });
});

describe("a manifest that is wrong", () => {
  test.each<[string, unknown, RegExp]>([
    ["no JSON", new TextEncoder().encode("{"), /manifest.json is no JSON/],
    ["too large to be parsed", new Uint8Array(2 ** 27 + 1), /manifest.json has 134217729 bytes, at most 134217728/],
    ["not UTF-8", Uint8Array.of(0x22, 0xff, 0x22), /manifest.json is no JSON/],
    ["another kind of manifest", { name: "app" }, /has no "annarrow"/],
    ["a list", [], /has no "annarrow"/],
    ["a later version", { ...manifest, annarrow: 2 }, /mapping version 2, 1 is read/],
    ["no tables", { ...manifest, tables: undefined }, /tables of manifest.json is absent/],
    ["an unknown format", { ...manifest, format: "hdf" }, /format of manifest.json is "hdf"/],
    ["an unknown container", { ...manifest, container: 5 }, /container of manifest.json is 5/],
    ["a shape of one number", { ...manifest, shape: [3] }, /shape of manifest.json is \[3\]/],
    ["a negative shape", { ...manifest, shape: [3, -1] }, /shape\[1\] of manifest.json is -1/],
    ["a table without a name", { ...manifest, tables: [{ ...entry, name: undefined }] }, /tables\[0\].name/],
    ["a table that is text", { ...manifest, tables: ["obs"] }, /tables\[0\] of manifest.json is "obs"/],
    ["rows that are text", { ...manifest, tables: [{ ...entry, rows: "3" }] }, /tables\[0\].rows/],
    ["rows beyond numbers", { ...manifest, tables: [{ ...entry, rows: 1e300 }] }, /tables\[0\].rows/],
    ["a table twice", { ...manifest, tables: [entry, entry] }, /lists the table "obs" twice/],
    ["categories in a list", { ...manifest, tables: [{ ...entry, categories: ["a"] }] }, /categories/],
    ...["../obs.arrow", "/obs.arrow", "a/../../obs.arrow", "a\\..\\obs.arrow", "C:obs.arrow", "a//b.arrow", ""].map(
      (file): [string, unknown, RegExp] => [
        `the file ${JSON.stringify(file)}`,
        { ...manifest, tables: [{ ...entry, file }] },
        /leads out of the directory/,
      ],
    ),
    [
      "categories outside",
      { ...manifest, tables: [{ ...entry, categories: { a: "../../etc/passwd" } }] },
      /leads out of the directory/,
    ],
  ])("%s", async (_, content, problem) => {
    await expect(open(directory(content))).rejects.toThrow(problem);
  });
});

describe("a table that is wrong does not hide the others", () => {
  test.each<[string, Partial<typeof entry>, string, RegExp]>([
    ["other rows than its file", { rows: 4 }, "InvalidDataError", /manifest.json says 4 rows, the file has 3/],
    ["no file", { file: "no.arrow" }, "InvalidDataError", /no.arrow is not there/],
    ["text", { file: "obs.csv" }, "UnsupportedError", /neither .parquet nor .arrow/],
    ["no Parquet", { file: "obs.arrow.parquet" }, "InvalidDataError", /is not there/],
  ])("%s", async (_, change, tag, problem) => {
    const tables = [
      { ...entry, ...change },
      { ...entry, name: "right" },
    ];
    const dataset = await open(directory({ ...manifest, tables }));
    expect([...dataset.tables.keys()]).toEqual(["right"]);
    expect(dataset.failures.get("obs")?.tag).toBe(tag);
    expect(() => dataset.table("obs")).toThrow(problem);
  });

  test("a file of the other format", async () => {
    const files = new Map([...directory({ ...manifest, tables: [{ ...entry, file: "obs.parquet" }] })]);
    files.set("obs.parquet", obs);
    const dataset = await open(files);
    expect(() => dataset.table("obs")).toThrow(/does not end in PAR1/);
  });
});

describe("categories in a file of their own", () => {
  test.each<[string, Table, RegExp]>([
    [
      "without a value",
      new Table({ value: vectorFromArray(["a", "b", "c"], new Utf8()) }),
      /coded has a value that is none/,
    ],
    [
      "of another type",
      tableFromArrays({ value: Int32Array.of(1) }),
      /categories of coded are of the type Int32, expected/,
    ],
    ["of two columns", tableFromArrays({ a: [1], b: [2] }), /categories of coded have 2 columns, expected 1/],
  ])("%s", async (_, values, problem) => {
    const tables = [{ name: "t", file: "t.parquet", kind: "x", rows: 8, categories: { coded: "values.arrow" } }];
    const files = new Map([
      ["manifest.json", json({ ...manifest, tables })],
      ["t.parquet", bytesOf("dictionaries.parquet")],
      ["values.arrow", new Uint8Array(tableToIPC(values, "file"))],
    ]);
    await expect((await open(files)).table("t").read()).rejects.toThrow(problem);
  });

  test("all of them, in their order", async () => {
    const values = new Table({ value: vectorFromArray(["unused", "d", "c", "b", "a"], new Utf8()) });
    const tables = [{ name: "t", file: "t.parquet", kind: "x", rows: 8, categories: { coded: "values.arrow" } }];
    const files = new Map([
      ["manifest.json", json({ ...manifest, tables })],
      ["t.parquet", bytesOf("dictionaries.parquet")],
      ["values.arrow", new Uint8Array(tableToIPC(values, "file"))],
    ]);
    const table = (await open(files)).table("t");
    const coded = (await table.read()).batches.map(({ data }) => data.children[0]);
    expect(coded.flatMap(({ values, length }) => [...values.subarray(0, length)])).toEqual([3, 4, 0, 2, 4, 0, 1, 0]);
    expect([...(coded[0].dictionary ?? [])]).toEqual(["unused", "d", "c", "b", "a"]);
    // Without rows the dictionary still comes.
    const [empty] = (await table.read({ rows: [2, 2] })).batches;
    expect([...(empty.data.children[0].dictionary ?? [])]).toEqual(["unused", "d", "c", "b", "a"]);
  });
});

test("what a table from a file cannot do", async () => {
  const table = (await open(directory(manifest))).table("obs");
  await expect(table.layout("dense")).rejects.toThrow(/no layout dense/);
  await expect(table.read({ where: { row: [3] } })).rejects.toThrow(/row 3 was asked for, there are 0 … 2/);
  await expect(table.read({ rows: [0, 4] })).rejects.toThrow(/rows \[0, 4\) were asked for, there are 3/);
  await expect(table.read({ columns: ["b"] })).rejects.toMatchObject({ tag: "NotFoundError" });
  await expect(table.read({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  await expect(open(directory(manifest), { path: "a" })).rejects.toMatchObject({ tag: "InvalidInputError" });
});

describe("files that are cut off or changed", () => {
  const FILES = [
    "pyarrow.parquet",
    "no_schema.parquet",
    "pyarrow_plain.arrow",
    "pyarrow_lz4.arrow",
    "pyarrow.arrows",
    "views.arrow",
  ];

  test.each(FILES)("%s, cut off", async (file) => {
    const bytes = bytesOf(file);
    for (const length of [0, 4, 8, 11, 100, bytes.length >> 1, bytes.length - 1]) {
      if (file.endsWith("arrows") && length === bytes.length - 1) continue;
      await expect(read(bytes.slice(0, length))).rejects.toMatchObject({ problem: expect.any(String) });
    }
  });

  test.each(FILES)("%s, with bytes changed", { timeout: 120_000 }, async (file) => {
    const bytes = bytesOf(file);
    const random = new Random(file);
    let errors = 0;
    for (let i = 0; i < 150; i++) {
      const broken = bytes.slice();
      // The end has the footer.
      const from = i % 2 === 0 ? 0 : Math.max(0, bytes.length - 6000);
      for (let k = 0; k < 1 + (i % 4); k++) broken[random.between(from, bytes.length - 1)] = random.below(256);
      try {
        await read(broken);
      } catch (error) {
        expect(error).toMatchObject({ tag: expect.any(String), problem: expect.any(String) });
        errors++;
      }
    }
    expect(errors).toBeGreaterThan(0);
  });

  async function read(bytes: Uint8Array) {
    const dataset = await open(bytes);
    for (const table of dataset.tables.values()) plainValues(await table.read());
    await dataset.close();
  }
});
