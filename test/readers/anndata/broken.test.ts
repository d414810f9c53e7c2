import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import type { Dataset } from "../../../src/model/dataset.js";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { FIXTURES, openFixture, tableOf } from "./expected.js";

describe("a file with everything broken beside something good", () => {
  let data: Dataset;
  beforeAll(async () => {
    data = await open(`${FIXTURES}/broken.h5ad`);
  });
  afterAll(() => data.close());

  test("shows the good elements", async () => {
    expect((await tableOf(data.table("uns/good"))).columns).toEqual({ value: [0, 1] });
    expect((await tableOf(data.table("layers/good"))).columns.value.length).toBe(3);
    expect(data.shape).toEqual([3, 2]);
    expect(data.table("uns").rows).toBeGreaterThan(0);
  });

  test.each([
    ["X", "InvalidDataError", /4 rows, obs has 3/],
    ["layers/columns", "InvalidDataError", /5 columns, var has 2/],
    ["obsm/short", "InvalidDataError", /2 rows, obs has 3/],
    ["varm/long", "InvalidDataError", /3 rows, var has 2/],
    ["obsp/not square", "InvalidDataError", /2 columns, obs has 3/],
    ["uns/dangling", "NotFoundError", /./],
    ["uns/external", "UnsupportedError", /external/i],
    ["uns/soft cycle", "InvalidDataError", /leads back/],
    ["uns/inner/hard cycle", "InvalidDataError", /leads back/],
    ["uns/unknown", "UnsupportedError", /holo-matrix/],
    ["uns/future", "UnsupportedError", /0\.1\.0, not 9\.0\.0/],
    ["uns/array tag on a group", "UnsupportedError", /on a group/],
    ["uns/dict tag on an array", "UnsupportedError", /on an array/],
    ["uns/no index", "InvalidDataError", /_index/],
    ["uns/lengths/y", "InvalidDataError", /"y" has 3 rows, the index has 2/],
    ["uns/lost column/gone", "NotFoundError", /./],
    ["uns/floats", "InvalidDataError", /float/],
    ["uns/mask", "InvalidDataError", /mask has 2 values, values have 3/],
    ["uns/sparse pointers", "InvalidDataError", /indptr has 4 values, .* needs 3/],
    ["uns/sparse data", "InvalidDataError", /2 values in data, 1 in indices/],
    ["uns/sparse shape", "InvalidDataError", /shape/],
    ["uns/long double", "UnsupportedError", /float/],
    ["uns/huge", "InvalidDataError", /1099511627776 x 1048576/],
    ["uns/awkward", "InvalidDataError", /length is 5, the buffers hold 2/],
  ] as const)("notes %s with its own error", (name, tag, message) => {
    const failure = data.failures.get(name);
    expect(failure?.tag).toBe(tag);
    expect(failure?.message).toMatch(message);
    expect(failure?.source).toMatch(/broken\.h5ad$/);
    expect(data.tables.has(name)).toBe(false);
    expect(() => data.table(name)).toThrow(message);
  });

  test.each([
    ["uns/code", "uns/code/codes", /code 3 at 1 .*1 categories/],
    ["uns/sparse indices", "uns/sparse indices/indices", /indices\[1\] is 7, outside 0 … 1/],
    ["uns/latin", "uns/latin", /text 0 of 2 is not UTF-8 \(bytes 63 61 66 e9\)/],
  ])("%s fails when it is read, by name and in time", async (name, element, message) => {
    const error = await data
      .table(name)
      .read()
      .catch((one: unknown) => one);
    expect(isAnnarrowError(error)).toBe(true);
    expect(error).toMatchObject({ element });
    expect(String(error)).toMatch(message);
    expect(String(error).split("broken.h5ad")).toHaveLength(2);
  });

  test("text that is not UTF-8 is Latin-1 where the caller says so", async () => {
    const latin = await openFixture("broken.h5ad", { text: "latin1" });
    expect((await tableOf(latin.table("uns/latin"))).columns.value).toEqual(["café", "ok"]);
  });

  test("no other element is noted", () => {
    expect(data.failures.size).toBe(24);
  });
});

describe("groups whose list of children is broken", () => {
  test.each(["HEAP", "TREE"])("are noted, each by itself, where a %s signature is gone", async (signature) => {
    const whole = await readFile(`${FIXTURES}/plain.h5ad`);
    const failed: string[] = [];
    for (let at = whole.indexOf(signature); at >= 0; at = whole.indexOf(signature, at + 1)) {
      const bytes = Uint8Array.from(whole);
      bytes[at] = 0;
      const data = await open(bytes).catch((error: unknown) => error);
      if (data instanceof Error) {
        expect(isAnnarrowError(data)).toBe(true);
        failed.push("");
      } else if (isDataset(data)) {
        expect(data.failures.size).toBe(1);
        for (const name of data.failures.keys()) {
          expect(data.tables.has(name)).toBe(false);
          failed.push(name);
        }
        await data.close();
      }
    }
    expect(failed.toSorted()).toEqual([
      "",
      "layers",
      // The group of the frame, and those of two columns.
      ...["obs", "obs/code", "obs/s"],
      "obsm",
      "obsp",
      "uns",
      "var",
      "varm",
      "varp",
    ]);
  });
});

const isDataset = (value: unknown): value is Dataset =>
  typeof value === "object" && value !== null && "failures" in value;

describe("files of other formats", () => {
  test.each([["spatial.zarr.zip", "NotFoundError", /SpatialData .* tables\//]])(
    "%s: %s",
    async (file, tag, message) => {
      await expect(openFixture(file)).rejects.toMatchObject({ tag });
      await expect(openFixture(file)).rejects.toThrow(message);
      await expect(openFixture(file)).rejects.toThrow(file);
    },
  );

  test("a table of a SpatialData store opens by its path", async () => {
    const data = await openFixture("spatial.zarr.zip", { path: "tables/table" });
    expect(data.shape).toEqual([2, 2]);
    expect([...data.tables.keys()].sort()).toEqual(["X", "obs", "uns", "var"]);
  });
});

test.each([
  ["an object", { n: 2 }, '{"n":2}'],
  ["a list", [[2]], "[[2]]"],
])("a shape that holds %s is shown", async (_, size, shown) => {
  const document = (json: unknown) => new TextEncoder().encode(JSON.stringify(json));
  const attributes = { "encoding-type": "csr_matrix", "encoding-version": "0.1.0", shape: [2, size] };
  const data = await open(
    new Map([
      [".zgroup", document({ zarr_format: 2 })],
      [".zattrs", document({ "encoding-type": "anndata", "encoding-version": "0.1.0" })],
      ["obs/.zgroup", document({ zarr_format: 2 })],
      ["X/.zgroup", document({ zarr_format: 2 })],
      ["X/.zattrs", document(attributes)],
    ]),
  );
  expect(data.failures.get("X")?.message).toContain(`attribute shape holds ${shown}, no size`);
});
