import { describe, expect, test } from "vitest";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { openMatrix } from "./matrices.js";

/** What fails when the structure is read: the element, the class of the error, its words. */
const AT_ONCE = [
  ["no-barcodes", "obs", "NotFoundError", /matrix: a matrix without barcodes/],
  ["no-data", "X", "NotFoundError", /a matrix without data/],
  ["no-indptr", "X", "NotFoundError", /a matrix without indptr/],
  ["no-shape", "X", "NotFoundError", /a matrix without shape/],
  ["no-features", "var", "NotFoundError", /a matrix without features/],
  ["data-short", "X", "InvalidDataError", /3 values in data, 4 in indices/],
  ["data-text", "X", "InvalidDataError", /matrix\/data: counts are stored as text/],
  ["data-group", "X", "InvalidDataError", /matrix\/data: a group, an array is needed/],
  ["data-2d", "X", "InvalidDataError", /data of a sparse matrix has shape \[4,2\]/],
  ["indptr-short", "X", "InvalidDataError", /indptr has 3 values, shape \[3,2\] needs 4/],
  ["barcodes-short", "X", "InvalidDataError", /matrix\/shape: 3 barcodes, there are names for 2/],
  ["barcodes-numbers", "obs", "InvalidDataError", /matrix\/barcodes: int of shape \[3\], a list of texts is needed/],
  ["names-long", "X", "InvalidDataError", /matrix\/shape: 2 features, there are names for 3/],
  ["column-long", "var/genome", "InvalidDataError", /features\/genome: 3 values, .*features\/name has 2/],
  ["column-unreadable", "var/genome", "UnsupportedError", /features\/genome: .*float of 80 bits/],
  ["features-array", "var", "InvalidDataError", /matrix\/features: an array, a group is needed/],
  ["features-nowhere", "var", "NotFoundError", /matrix\/features: link leads to \/gone/],
  ["attribute-unreadable", "uns/odd", "UnsupportedError", /float of 80 bits/],
  ["shape-hostile", "X", "InvalidDataError", /\[4611686018427388000,4611686018427388000\] is no shape/],
  ["shape-negative", "X", "InvalidDataError", /\[-2,3\] is no shape of a matrix/],
  ["shape-three", "X", "InvalidDataError", /int of shape \[3\], two integers are needed/],
  ["shape-text", "X", "InvalidDataError", /text of shape \[2\], two integers are needed/],
  ["shape-wide", "X", "InvalidDataError", /1099511627776 features, there are names for 2/],
  ["v2-no-gene_names", null, "", /./],
  ["v2-no-genes", null, "", /./],
  ["v2-no-barcodes", "obs", "NotFoundError", /hg19: a matrix without barcodes/],
] as const;

describe("what is wrong with the structure is a failure of its element", () => {
  test.each(AT_ONCE)("%s: %s", async (path, element, tag, words) => {
    const data = await openMatrix("broken", { path });
    expect(data.format).toBe("10x");
    if (element === null) expect(data.failures).toEqual(new Map());
    else {
      const error = data.failures.get(element);
      expect(error).toMatchObject({ tag });
      expect(error?.message).toMatch(words);
      expect(() => data.table(element)).toThrow(words);
    }
    // The others can be read all the same.
    for (const [name, table] of data.tables) expect((await table.read()).numRows, name).toBe(table.rows);
    expect([...data.tables.keys()].length).toBeGreaterThan(0);
  });
});

/** What only the values tell. */
const WHEN_READ = [
  ["indptr-decreasing", "X", "InvalidDataError", /indptr/],
  ["indptr-beyond", "X", "InvalidDataError", /indptr/],
  ["indptr-float", "X", "InvalidDataError", /indptr/],
  ["index-beyond", "X", "InvalidDataError", /\b2\b/],
  ["index-negative", "X", "InvalidDataError", /-1/],
  ["barcodes-latin1", "obs", "InvalidDataError", /matrix\/barcodes: text 1 of 3 is not UTF-8/],
] as const;

describe("what is wrong with the values is an error when they are read", () => {
  test.each(WHEN_READ)("%s", async (path, name, tag, words) => {
    const data = await openMatrix("broken", { path });
    expect(data.failures).toEqual(new Map());
    const error = await data
      .table(name)
      .read()
      .then(() => null)
      .catch((reason: unknown) => reason);
    expect(isAnnarrowError(error, tag), String(error)).toBe(true);
    expect(String(error)).toMatch(words);
  });

  test("barcodes that are not UTF-8 can be read as Latin-1", async () => {
    const data = await openMatrix("broken", { path: "barcodes-latin1", text: "latin1" });
    expect([...((await data.table("obs").read()).getChild("_index") ?? [])]).toEqual(["AAA-1", "CCé-1", "GGG-1"]);
  });
});

describe("names that are missing", () => {
  test.each([
    ["no-name", "matrix/features: no name: the ids are the names of features", ["a", "b"]],
    ["v2-no-gene_names", "hg19: no gene_names: the ids are the names of genes", ["a", "b"]],
  ])("%s: the ids stand for them", async (path, warning, names) => {
    const data = await openMatrix("broken", { path });
    expect(data.warnings).toEqual([`${path}/${warning}`]);
    const read = await data.table("var").read();
    expect([...(read.getChild("_index") ?? [])]).toEqual(names);
    expect(read.getChild("gene_ids")).toBeNull();
  });

  test("genes without ids have their names alone", async () => {
    const data = await openMatrix("broken", { path: "v2-no-genes" });
    expect(data.warnings).toEqual([]);
    expect(data.table("var").schema.names).toEqual(["_index"]);
  });
});
