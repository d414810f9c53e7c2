import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import type { Dataset } from "../../../src/model/dataset.js";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { columnsOf, expectedOf, STORES } from "./stores.js";

/** Objects that R wrote (test/fixtures/bpcells/make_bpcells_rds.R), with the arrays of the stores of the same name. */
const FOLDER = "test/fixtures/data/bpcells-rds";
const bytesOf = (name: string) => new Uint8Array(readFileSync(`${FOLDER}/${name}.rds`));

async function compare(data: Dataset, store: string, prefix = "", changed: object = {}): Promise<void> {
  const { row, col, value, ...names } = expectedOf(store);
  expect(await columnsOf(data, `${prefix}matrix`)).toEqual({ row, col, value });
  for (const [axis, expected] of Object.entries({
    row_names: names.row_names,
    col_names: names.col_names,
    ...changed,
  })) {
    expect(data.tables.has(prefix + axis)).toBe(expected !== null);
    if (expected !== null) expect(await columnsOf(data, prefix + axis)).toEqual({ value: expected });
  }
}

describe("a matrix in an R object", () => {
  test.each(STORES)("%s", async (store, version, type) => {
    const data = await open(`${FOLDER}/${store}.rds`);
    const { shape, order } = expectedOf(store);
    expect(data).toMatchObject({ format: "bpcells", container: "rds", version, shape });
    const matrix = data.table("matrix");
    expect(matrix.metadata).toMatchObject({ kind: order === "row" ? "csr_matrix" : "csc_matrix", shape, order });
    expect(String(matrix.schema.fields[2].type)).toBe(type);
    await compare(data, store);
    expect([...data.failures]).toEqual([]);
    await data.close();
  });

  test.each(["bzip2", "xz", "plain", "ascii", "little-endian", "version-2"])("%s", async (form) => {
    await compare(await open(bytesOf(`packed-${form}`)), "packed");
  });

  test("names that R keeps as numbers, and dim as reals", async () => {
    const data = await open(bytesOf("packed-altrep"));
    expect(data.shape).toEqual([60, 45]);
    await compare(data, "packed", "", { row_names: Array.from({ length: 60 }, (_, i) => String(i + 1)) });
  });

  test("names that say that they are Latin-1, and a missing one", async () => {
    const names = ["café", "NA", ...Array.from({ length: 58 }, (_, i) => `gene${i + 2}`)];
    await compare(await open(bytesOf("packed-latin1")), "packed", "", { row_names: names });
  });

  test("names that are not UTF-8 without a word about it", async () => {
    const names = ["café", ...Array.from({ length: 59 }, (_, i) => `gene${i + 1}`)];
    await expect((await open(bytesOf("packed-not-utf8"))).table("row_names").read()).rejects.toThrow("is not UTF-8");
    await compare(await open(bytesOf("packed-not-utf8"), { text: "latin1" }), "packed", "", { row_names: names });
  });

  test("the list that BPCells' C++ code gives", async () => {
    const data = await open(bytesOf("list-of-arrays"));
    expect(data.shape).toEqual([60, 45]);
    await compare(data, "packed-row");
  });
});

describe("fragments in an R object", () => {
  test.each(["packed", "packed-v1", "unpacked"])("%s", async (store) => {
    const data = await open(bytesOf(`fragments-${store}`));
    const { chr, start, end, cell_id } = JSON.parse(readFileSync("test/fixtures/data/fragments/expected.json", "utf8"));
    expect(await columnsOf(data, "fragments")).toEqual({ chr, start, end, cell_id });
    expect(data.shape).toBeNull();
  });
});

describe("lists of objects", () => {
  test("by their names, at any depth", async () => {
    const data = await open(bytesOf("list"));
    expect(data.shape).toBeNull();
    await compare(data, "packed", "rna/");
    await compare(data, "unpacked-float", "deeper/adt/");
    expect(data.tables.size).toBe(6);
    await compare(await open(bytesOf("list"), { path: "deeper" }), "unpacked-float");
  });

  test("by their positions", async () => {
    const data = await open(bytesOf("list-unnamed"));
    await compare(data, "packed", "1/");
    await compare(data, "unpacked-float", "2/");
  });

  test("one that cannot be read does not hide the other", async () => {
    const data = await open(bytesOf("list-lazy"));
    await compare(data, "packed", "kept/");
    expect(() => data.table("lost")).toThrow(/TransformLog1p/);
  });
});

describe("what is no store", () => {
  test("an operation that only R evaluates", async () => {
    const problem = expect.stringContaining("TransformLog1p");
    await expect(open(bytesOf("lazy"))).rejects.toMatchObject({ tag: "UnsupportedError", problem });
  });

  test.each(["list-nothing", "vector"])("%s is an object of R's own", async (name) => {
    expect(await open(bytesOf(name))).toMatchObject({ format: "r" });
  });

  test("a class with the version of another", async () => {
    const text = String.fromCharCode(...bytesOf("packed-plain"));
    const other = text.replace("packed-uint-matrix-v2", "packed-real-matrix-v2");
    const bytes = Uint8Array.from(other, (char) => char.charCodeAt(0));
    await expect(open(bytes)).rejects.toThrow('version "packed-real-matrix-v2" in an object of the class PackedMatrix');
  });

  test("whatever a damaged file holds, it is named or read", async () => {
    const whole = [bytesOf("packed-plain"), bytesOf("packed-little-endian"), bytesOf("packed-ascii")];
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...whole), damage, async (file, changes) => {
        const bytes = file.slice();
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        try {
          const data = await open(bytes);
          expect(data.tables.size + data.failures.size).toBeGreaterThan(0);
          for (const table of data.tables.values()) await table.read();
        } catch (error) {
          if (!isAnnarrowError(error)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});
