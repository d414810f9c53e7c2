/** Files of no other format against what h5py and zarr-python read of them. */

import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { open, write } from "../../../packages/published/src/node.js";
import type { OpenOptions } from "../../../src/api/open.js";
import { tableOf, tablesOf } from "../anndata/expected.js";

const FOLDER = "test/fixtures/data/plain";

interface Expected {
  readonly arrays: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function expectedOf(name: string): Expected {
  return JSON.parse(readFileSync(`${FOLDER}/${name}.expected.json`, "utf8"));
}

async function openFile(path: string, options: OpenOptions = {}) {
  const data = await open(path, options);
  onTestFinished(() => data.close());
  return data;
}

const FILES = [
  ["types", "types.h5", "hdf5"],
  ["sequences", "sequences.h5", "hdf5"],
  ["references", "references.h5", "hdf5"],
  ["zarr2", "zarr2.zarr.zip", "zarr"],
  ["zarr3", "zarr3.zarr.zip", "zarr"],
] as const;

describe.each(FILES)("%s", (name, file, format) => {
  test("has the values of every array", async () => {
    const data = await openFile(`${FOLDER}/${file}`);
    expect(data.format).toBe(format);
    expect([...data.failures]).toEqual([]);
    const found = Object.entries(await tablesOf(data)).map(([path, { columns }]) => [path, columns] as const);
    // h5py visits an object once, by its hard link.
    expect(Object.fromEntries(found.filter(([path]) => path !== "soft"))).toEqual(expectedOf(name).arrays);
  });

  test("lists groups and arrays with their attributes", async () => {
    const data = await openFile(`${FOLDER}/${file}`);
    const { columns } = await tableOf(data.table("/"));
    const listed = columns.path.map((path, i) => [path, columns.attributes[i]] as const);
    const attributes = listed.filter(([path]) => path !== "soft").map(([path, json]) => [path, parsed(json)]);
    expect(Object.fromEntries(attributes)).toEqual(expectedOf(name).attributes);
    const [attributed] = Object.keys(expectedOf(name).arrays).filter((path) =>
      ["vector", "values", "a"].includes(path),
    );
    expect(data.table(attributed).metadata.attributes).toEqual(expectedOf(name).attributes[attributed]);
  });
});

function parsed(json: unknown): unknown {
  return typeof json === "string" ? JSON.parse(json) : {};
}

test("dimensions become lists of fixed size, records columns, enums dictionaries, sequences lists", async () => {
  const types = await openFile(`${FOLDER}/types.h5`);
  const typeOf = (name: string) => types.table(name).schema.fields.map((field) => `${field.name}: ${field.type}`);
  expect(typeOf("cube")).toEqual(["value: FixedSizeList[3]<FixedSizeList[4]<Float32>>"]);
  expect(typeOf("enum")).toEqual(["value: Dictionary<Int8, Utf8>"]);
  expect(typeOf("records")).toEqual([
    "id: Int32",
    "name: Utf8",
    "pair: FixedSizeList[2]<Int16>",
    "inner: Struct<{x:Uint8, y:Float64}>",
  ]);
  expect(types.table("null").metadata).toMatchObject({ kind: "null", shape: [] });
  const sequences = await openFile(`${FOLDER}/sequences.h5`);
  expect(String(sequences.table("two").schema.fields[0].type)).toBe("FixedSizeList[2]<List<Float64>>");
});

test("a matrix has the layouts of columns and coordinates", async () => {
  const data = await openFile(`${FOLDER}/types.h5`);
  const columns = await tableOf(await data.table("chunked").layout("columns"));
  expect(columns.columns["1"].slice(0, 3)).toEqual([1, 4, 7]);
  const entries = await tableOf(await data.table("chunked").layout("coordinate"));
  expect(entries.columns.row.slice(0, 4)).toEqual([0, 0, 1, 1]);
});

test("any HDF5 file opens as plain arrays where the caller asks for it", async () => {
  const path = "test/fixtures/data/anndata/modern.h5ad";
  const plain = await openFile(path, { openAs: "hdf5" });
  expect(plain.format).toBe("hdf5");
  expect(plain.tables.has("obsm/X_pca")).toBe(true);
  await expect(open(path, { openAs: "zarr" })).rejects.toThrow(/is no Zarr store/);
});

describe("files that say that they are of another format", () => {
  test.each([["x.h5ad"], ["x.loom"], ["x.h5mu"]])("%s without any of it is refused", async (name) => {
    const folder = await mkdtemp(join(tmpdir(), "annarrow-plain-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, name);
    await copyFile(`${FOLDER}/types.h5`, path);
    await expect(open(path)).rejects.toThrow(
      /no annotated matrix here: .*its name ends with \.(h5ad|loom|h5mu); --open-as hdf5/,
    );
    expect((await openFile(path, { openAs: "hdf5" })).format).toBe("hdf5");
  });

  test("a group of an AnnData by its path is refused by its attributes", async () => {
    const path = "test/fixtures/data/anndata/modern.h5ad";
    const bytes = new Uint8Array(readFileSync(path));
    await expect(open(bytes, { path: "obsm" })).rejects.toThrow(/attribute encoding-type; --open-as hdf5/);
  });
});

test.each(["matrix", "obs", "var", "mod"])("an array called %s is a plain array", async (name) => {
  const folder = await mkdtemp(join(tmpdir(), "annarrow-plain-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const types = await openFile(`${FOLDER}/types.h5`);
  const path = join(folder, "marked.h5");
  await write(path, { [name]: types.table("vector") }, { format: "hdf5" });
  // The same bytes without the mark that annarrow leaves.
  const bytes = Buffer.from(
    readFileSync(path).toString("latin1").replaceAll("annarrow-tables", "another-program"),
    "latin1",
  );
  const plain = join(folder, "plain.h5");
  await writeFile(plain, bytes);
  const data = await openFile(plain);
  expect(data.format).toBe("hdf5");
  expect((await tableOf(data.table(name))).columns.value).toEqual([1, -2, 3]);
});
