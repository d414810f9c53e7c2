/** Small stores that stand for much: they are refused by name before memory is taken for what they declare. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { open } from "../../../src/api/open.node.js";
import { openZarr } from "../../../src/containers/zarr/open.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import { zipSource } from "../../../src/io/sources/zip.js";
import { InvalidDataError } from "../../../src/model/errors.js";
import { type ZipPart, zip } from "../../io/sources/zip-writer.js";
import { openMap } from "./stores.js";

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const GROUP = { zarr_format: 2 };
const array = (shape: number[], chunks: number[], more: object = {}) => ({
  zarr_format: 2,
  shape,
  chunks,
  dtype: "<f4",
  compressor: null,
  fill_value: 0,
  order: "C",
  filters: null,
  ...more,
});
const encoding = (type: string, version: string, more: object = {}) => ({
  "encoding-type": type,
  "encoding-version": version,
  ...more,
});

/** An AnnData of two cells and no genes. */
const ANNDATA: Readonly<Record<string, unknown>> = {
  ".zgroup": GROUP,
  ".zattrs": encoding("anndata", "0.1.0"),
  ...Object.fromEntries(
    [
      ["obs", 2],
      ["var", 0],
    ].flatMap(([axis, count]) => [
      [`${axis}/.zgroup`, GROUP],
      [`${axis}/.zattrs`, encoding("dataframe", "0.2.0", { _index: "_index", "column-order": [] })],
      [`${axis}/_index/.zarray`, array([Number(count)], [2], { dtype: "|S1", fill_value: "" })],
      [`${axis}/_index/.zattrs`, encoding("string-array", "0.2.0")],
    ]),
  ),
  "uns/.zgroup": GROUP,
  "uns/.zattrs": encoding("dict", "0.1.0"),
};

const folder = mkdtempSync(join(tmpdir(), "hostile-zarr-"));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, documents: Readonly<Record<string, unknown>>): string {
  const store = join(folder, name);
  for (const [key, value] of Object.entries(documents)) {
    mkdirSync(dirname(join(store, key)), { recursive: true });
    writeFileSync(join(store, key), bytes(value));
  }
  return store;
}

async function failure(parts: readonly ZipPart[], path: string): Promise<unknown> {
  const container = await openZarr(await zipSource(createBytesSource(zip(parts), "test.zip")));
  try {
    const node = await container.root.open(path);
    if (node.kind === "array") await node.read(0, 1);
    return null;
  } catch (error) {
    return error;
  }
}

describe("entries of a zip that inflate to far more than they may be", () => {
  const parts = [{ name: ".zgroup", data: bytes(GROUP) }];
  // 2 MiB that could be 2 GiB; nothing of them is there, since nothing of them is read.
  const huge = { data: new Uint8Array(1), compressed: 2 ** 21, size: 2 ** 31, method: 8 } as const;

  it("are no documents", async () => {
    const error = await failure([...parts, { name: "a/.zgroup", ...huge }], "a");
    expect(error).toBeInstanceOf(InvalidDataError);
    expect(String(error)).toContain("a/.zgroup has 2147483648 bytes, at most 67108864");
  });

  it("are no chunks", async () => {
    const error = await failure(
      [...parts, { name: "a/.zarray", data: bytes(array([3], [3])) }, { name: "a/0", ...huge }],
      "a",
    );
    expect(error).toBeInstanceOf(InvalidDataError);
    expect(String(error)).toContain("a/0 has 2147483648 bytes, at most 65560");
  });
});

it("chunks of which the array is a small part are refused", async () => {
  const { root } = await openMap([
    [".zgroup", GROUP],
    ["a/.zarray", array([2], [2 ** 28], { compressor: { id: "gzip", level: 1 } })],
    ["a/0", gzipSync(new Uint8Array(8))],
    ["b/.zarray", array([2 ** 26], [2 ** 28])],
    ["c/.zarray", array([2], [2 ** 25])],
    ["d/.zarray", array([0], [2 ** 28])],
  ]);
  await expect(root.open("a")).rejects.toThrow(
    "a: chunks [268435456] of 1073741824 bytes for an array of 8, at most 134217728; write it with smaller ones",
  );
  await expect(root.open("a")).rejects.toThrow(InvalidDataError);
  for (const name of ["b", "c", "d"]) expect((await root.open(name)).kind).toBe("array");
});

it("arrays that are nested too deep hide nothing but themselves", async () => {
  const dimensions = Array(100_000).fill(1);
  const deep = (depth: number): unknown => (depth === 0 ? "<f4" : [["a", deep(depth - 1)]]);
  const store = new Map(
    Object.entries({
      ".zgroup": GROUP,
      "x/.zarray": array([1], [1]),
      "dims/.zarray": array(dimensions, dimensions),
      "field/.zarray": array([1], [1], { dtype: [["a", "<f4", dimensions]] }),
      "record/.zarray": array([1], [1], { dtype: deep(33), fill_value: null }),
      "deep/.zarray": array([1], [1], { dtype: deep(32), fill_value: null }),
      "none/.zarray": array([1], [1], { dtype: [], fill_value: null }),
    }).map(([key, value]) => [key, bytes(value)]),
  );
  const data = await open(store);
  expect([...data.tables.keys()].sort()).toEqual(["/", "deep", "x"]);
  const dims = "100000 dimensions; at most 64 are read, as many as numpy has";
  expect(Object.fromEntries([...data.failures].map(([name, { problem }]) => [name, problem]))).toEqual({
    dims,
    field: dims,
    record: "a record type is nested more than 32 deep",
    none: "a record type has no fields",
  });
});

describe("links in a directory", () => {
  it("that lead back to what holds them are no nodes without end", async () => {
    const store = written("circle.zarr", ANNDATA);
    symlinkSync("../uns", join(store, "uns/a"));
    symlinkSync("../uns", join(store, "uns/b"));
    symlinkSync("..", join(store, "uns/root"));
    const data = await open(store);
    const problems = Object.fromEntries([...data.failures].map(([name, { problem }]) => [name, problem]));
    expect(problems).toMatchObject({
      "uns/a": "a link leads back to a group that holds it",
      "uns/b": "a link leads back to a group that holds it",
      "uns/root/uns": "a link leads back to a group that holds it",
    });
    expect(data.table("obs").rows).toBe(2);
    await data.close();
  });

  it("make one object of what they lead to", async () => {
    const store = written("same.zarr", {
      ...ANNDATA,
      "uns/x/.zgroup": GROUP,
      "uns/x/.zattrs": encoding("dict", "0.1.0"),
    });
    symlinkSync("x", join(store, "uns/y"));
    const { openDirectorySource } = await import("../../../src/io/sources/directory.node.js");
    const { root } = await openZarr(await openDirectorySource(store));
    const uns = await root.open("uns");
    if (uns.kind !== "group") throw new Error("no group");
    const [x, y] = [await uns.open("x"), await uns.open("y")];
    expect(y.id).toBe(x.id);
    expect(y.path).toBe("uns/y");
    expect(x.id).not.toBe(uns.id);
  });
});
