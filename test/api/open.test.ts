import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { open as openInBrowser } from "../../packages/published/src/index.js";
import { type Input, type OpenOptions, open as openInNode } from "../../packages/published/src/node.js";
import { createBytesSource } from "../../src/io/sources/memory.js";
import { zipSource } from "../../src/io/sources/zip.js";
import { tableOf } from "../readers/anndata/expected.js";

const FIXTURES = "test/fixtures/data/anndata";
const H5AD = `${FIXTURES}/plain.h5ad`;
const ZIP = `${FIXTURES}/plain.v3.zarr.zip`;
const X = [
  [0, 1],
  [2, 3],
  [4, 5],
];

async function open(input: Input, options?: OpenOptions, how = openInNode) {
  const data = await how(input, options);
  onTestFinished(() => data.close());
  return data;
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annarrow-open-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The entries of the zipped store. */
async function storeEntries(): Promise<Map<string, Uint8Array>> {
  const zip = await zipSource(createBytesSource(new Uint8Array(await readFile(ZIP))));
  const entries = new Map<string, Uint8Array>();
  const visit = async (prefix: string): Promise<void> => {
    for (const name of (await zip.list(prefix)) ?? []) {
      const key = prefix === "" ? name.replace(/\/$/, "") : `${prefix.replace(/\/$/, "")}/${name.replace(/\/$/, "")}`;
      const value = await zip.get(key);
      if (value === undefined) await visit(key);
      else entries.set(key, value);
    }
  };
  await visit("");
  await zip.close();
  return entries;
}

describe("inputs", () => {
  test.each([H5AD, ZIP])("a path: %s", async (path) => {
    const data = await open(path);
    expect(data.source).toBe(path);
    expect((await tableOf(data.table("X"))).columns.value).toEqual(X);
  });

  test.each([H5AD, ZIP])("a file URL: %s", async (path) => {
    const data = await open(pathToFileURL(resolve(path)));
    expect((await tableOf(data.table("X"))).columns.value).toEqual(X);
  });

  test.each([
    ["bytes", async (path: string) => new Uint8Array(await readFile(path))],
    [
      "bytes inside a larger buffer",
      async (path: string) => Uint8Array.of(9, 9, ...(await readFile(path)), 9).subarray(2, -1),
    ],
    ["a Blob", async (path: string) => new Blob([new Uint8Array(await readFile(path))])],
    ["a File", async (path: string) => new File([new Uint8Array(await readFile(path))], "name.bin")],
  ])("%s, in Node and elsewhere", async (_, input) => {
    for (const path of [H5AD, ZIP]) {
      for (const how of [openInNode, openInBrowser]) {
        const data = await open(await input(path), {}, how);
        expect((await tableOf(data.table("X"))).columns.value).toEqual(X);
      }
    }
  });

  test("a Map of the keys of a store", async () => {
    const data = await open(await storeEntries());
    expect((await tableOf(data.table("X"))).columns.value).toEqual(X);
    expect(data.container).toBe("zarr3");
  });

  test("a directory", async () => {
    const store = join(folder, "store.zarr");
    for (const [key, value] of await storeEntries()) {
      await mkdir(join(store, key, ".."), { recursive: true });
      await writeFile(join(store, key), value);
    }
    const data = await open(store);
    expect((await tableOf(data.table("X"))).columns.value).toEqual(X);
  });

  test("a group inside, by its path", async () => {
    const data = await open(`${FIXTURES}/modern.h5ad`, { path: "/uns/nested" });
    expect(data.shape).toEqual([2, 3]);
    expect([...data.tables.keys()]).toContain("uns/inner");
  });
});

describe("what is no annotated matrix", () => {
  const written = async (name: string, content: string | Uint8Array) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };

  test.each<[string, () => Promise<Input>, string, RegExp]>([
    ["a path to nothing", async () => join(folder, "absent.h5ad"), "NotFoundError", /absent\.h5ad: no such file/],
    ["a file as a folder", async () => `${H5AD}/x`, "NotFoundError", /plain\.h5ad\/x/],
    ["an empty file", () => written("empty.h5ad", ""), "UnsupportedError", /empty\.h5ad: the file is empty/],
    ["no bytes", async () => new Uint8Array(0), "UnsupportedError", /the file is empty/],
    ["text", () => written("text.csv", "a,b\n1,2\n".repeat(100)), "UnsupportedError", /a table as text/],
    ["a short file", () => written("short.bin", "PK"), "UnsupportedError", /neither HDF5, nor Zarr/],
    ["an empty Map", async () => new Map(), "NotFoundError", /./],
    ["a zip of something else", async () => new Blob([ZIP_OF_NOTHING]), "NotFoundError", /./],
    [
      "a URL that nobody serves",
      async () => "https://localhost:1/x.h5ad",
      "InvalidDataError",
      /x\.h5ad: bytes 0-65535: fetch failed/,
    ],
  ])("%s is a named error", async (_, input, tag, message) => {
    const error = await openInNode(await input()).catch((one: unknown) => one);
    expect(error).toMatchObject({ tag });
    expect(String(error)).toMatch(message);
  });

  test("a folder that is no store is a named error", async () => {
    await mkdir(join(folder, "plain folder"), { recursive: true });
    await writeFile(join(folder, "plain folder", "x.txt"), "x");
    await expect(openInNode(join(folder, "plain folder"))).rejects.toMatchObject({ tag: "NotFoundError" });
  });

  test("another kind of input is refused", async () => {
    await expect(openInNode(JSON.parse("7"))).rejects.toMatchObject({ tag: "InvalidInputError" });
    await expect(openInBrowser(JSON.parse("null"))).rejects.toMatchObject({ tag: "InvalidInputError" });
    await expect(openInBrowser("some/path.h5ad")).rejects.toThrow(/no http\(s\) URL/);
  });

  test("a path inside that leads nowhere, or to an array", async () => {
    await expect(openInNode(H5AD, { path: "tables/x" })).rejects.toMatchObject({ tag: "NotFoundError" });
    await expect(openInNode(H5AD, { path: "X" })).rejects.toThrow(/plain\.h5ad: X: an array, a group is needed/);
    await expect(openInNode(H5AD, { path: "obs" })).rejects.toMatchObject({ tag: "NotFoundError" });
  });

  test("a cancelled open rejects with the signal's reason", async () => {
    const reason = new Error("enough");
    await expect(openInNode(ZIP, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(openInNode(ZIP, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
  });
});

/** The end record of a zip without entries. */
const ZIP_OF_NOTHING = Uint8Array.of(0x50, 0x4b, 5, 6, ...new Uint8Array(18));

describe("a dataset", () => {
  test("names the nearest tables where one is not there", async () => {
    const data = await open(H5AD);
    expect(() => data.table("obss")).toThrow(/plain\.h5ad: no table "obss"; did you mean obs, /);
    expect(() => data.table("obss")).toThrow(expect.objectContaining({ tag: "NotFoundError" }));
  });

  test("gives the columns asked for, each once", async () => {
    const obs = (await open(H5AD)).table("obs");
    expect((await obs.read({ columns: ["code", "_index"] })).schema.names).toEqual(["code", "_index"]);
    await expect(obs.read({ columns: ["nothing"] })).rejects.toThrow(/obs: no column "nothing"; did you mean .*_index/);
    await expect(obs.read({ columns: ["s", "code", "s"] })).rejects.toThrow(/column "s" is asked for twice/);
    await expect(obs.read({ rows: [0, 4] })).rejects.toThrow(/rows 0 … 4 were asked for, the table has 3/);
  });

  test("gives its tables in other layouts, with their own schema", async () => {
    const x = (await open(H5AD)).table("X");
    expect(x.layouts).toEqual(["dense", "columns", "coordinate"]);
    const coordinate = await x.layout("coordinate");
    expect([coordinate.rows, coordinate.layouts[0], coordinate.schema.names]).toEqual([
      null,
      "coordinate",
      ["row", "col", "value"],
    ]);
    expect((await coordinate.read({ rows: [1, 3] })).toArray().map((row) => Object.values(row.toJSON()))).toEqual([
      [1, 0, 2],
      [1, 1, 3],
    ]);
    await expect(x.layout("list")).rejects.toThrow(/X: no layout list: it can be dense, columns, coordinate/);
  });

  test("stops between batches when the signal says so, with its reason", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const batches = (await open(H5AD))
      .table("X")
      .batches({ batchBytes: 1, signal: controller.signal })
      [Symbol.asyncIterator]();
    expect((await batches.next()).value.numRows).toBe(1);
    controller.abort(reason);
    await expect(batches.next()).rejects.toBe(reason);
    const never = (await open(H5AD)).table("X").read({ signal: AbortSignal.abort(reason) });
    await expect(never).rejects.toBe(reason);
  });

  test("lets two readers of one table take turns, each with one dictionary", async () => {
    const obs = (await open(`${FIXTURES}/modern.h5ad`)).table("obs");
    const [first, second] = [0, 1].map(() => obs.batches({ columns: ["type"], batchBytes: 1 })[Symbol.asyncIterator]());
    const seen = [new Set(), new Set()];
    for (let i = 0; i < 3; i++) {
      for (const [k, batches] of [first, second].entries()) {
        const { value } = await batches.next();
        seen[k].add(value.data.children[0].dictionary);
      }
    }
    expect(seen.map((all) => all.size)).toEqual([1, 1]);
  });

  test("errors say file and element once", async () => {
    const data = await open(`${FIXTURES}/broken.h5ad`);
    const error = await data
      .table("uns/latin")
      .read()
      .catch((one: unknown) => one);
    expect(String(error)).toBe(
      `InvalidDataError: ${FIXTURES}/broken.h5ad: uns/latin: text 0 of 2 is not UTF-8 (bytes 63 61 66 e9); read it with text: "latin1" (--text latin1)`,
    );
  });
});
