/**
 * One rule for what cannot be held, over every pair of formats: without losses all is kept or nothing is written; with
 * them each element that is not kept is named by a warning.
 */

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { tableFromArrays } from "apache-arrow";
import { beforeAll, describe, expect, test } from "vitest";
import { convert, write } from "../../../packages/published/src/node.js";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { SOURCES } from "./hard-sources.js";
import { folder, open, place } from "./opened.js";
import { BASE } from "./samples.js";

type Outcome =
  /** All is kept, without a word. */
  | "kept"
  /** With losses, these elements are named by warnings, one each, in this order. */
  | readonly string[]
  /** A reason that no loss takes away. */
  | RegExp;

const ALONE = /one file holds one table|nothing is left to write|no table of fragments/;
const MODALITY = /MuData has named modalities/;
const ONE_OF_MODALITIES = /a MuData of 1 modality \(rna\)/;

/** What ends each path, with the options. */
const TARGETS = [
  ["h5ad", {}],
  ["zarr", {}],
  ["zarr.zip", {}],
  ["h5mu", {}],
  ["loom", {}],
  ["mat", {}],
  ["bpcells", {}],
  ["bpcells.h5", {}],
  ["bpcells.rds", {}],
  ["parquet-tables", { format: "parquet" }],
  ["arrow-tables", { format: "arrow" }],
  ["csv-tables", { format: "csv" }],
  ["csv", {}],
  ["parquet", {}],
  ["fragments.tsv", {}],
] as const;
type TargetName = (typeof TARGETS)[number][0];

const LAYERS = ["layers/large", "obs", "obsm/arrays", "obsm/frame", "obsm/ragged", "obsm/sparse", "obsp/twice"];
const TO_BPCELLS = [...LAYERS, "raw/X", "raw/var", "uns"];
const TO_LOOM = ["raw/X", "raw/var", "uns/params", "uns/records", "obsm/frame", "obsm/ragged", "obsm/sparse"];
const MISSING = ["col_attrs/depth", "col_attrs/tissue", "col_attrs/type", "col_attrs"];

const NAMES = ["uns/a\0b", "uns//x", "uns/.."];
const ODD_COLUMNS = ["obs/a/b", "obs/", "obs/listed", "obs/when"];

const everyAnnData = (to: TargetName, when: readonly string[] = []): Outcome => {
  switch (to) {
    case "loom":
      return [...TO_LOOM, ...when.map(() => "attrs/when"), ...MISSING];
    case "mat":
      return ["layers/large", "obsp/twice"];
    case "bpcells":
    case "bpcells.h5":
    case "bpcells.rds":
      return TO_BPCELLS;
    case "csv-tables":
      return ["obsm/ragged", "uns"];
    case "h5mu":
      return MODALITY;
    case "h5ad":
      return when.length === 0 ? "kept" : ["uns/when"];
    default:
      return /^(csv|parquet|fragments.tsv)$/.test(to) ? ALONE : "kept";
  }
};

/** What becomes of each source in each format. */
const EXPECTED: Readonly<Record<string, (to: TargetName) => Outcome>> = {
  h5ad: (to) => everyAnnData(to),
  // numpy's times have no type in HDF5.
  zarr: (to) => everyAnnData(to, ["the type", "what is missing"]),
  h5mu: (to) => {
    if (/^(h5mu|zarr|zarr.zip|parquet-tables|arrow-tables)$/.test(to)) return "kept";
    if (to === "csv-tables") return ["uns", "mod/rna/obsm/ragged", "mod/rna/uns"];
    return to === "csv" || to === "parquet" ? ALONE : ONE_OF_MODALITIES;
  },
  loom: (to) => {
    switch (to) {
      case "loom":
      case "mat":
      case "parquet-tables":
      case "arrow-tables":
      case "h5ad":
      case "zarr":
      case "zarr.zip":
        return "kept";
      case "h5mu":
        return MODALITY;
      case "csv-tables":
        return ["attrs", "col_attrs"];
      case "bpcells":
      case "bpcells.h5":
      case "bpcells.rds":
        return ["col_attrs", "col_attrs/regulons", "attrs"];
      default:
        return ALONE;
    }
  },
  mat: (to) => {
    switch (to) {
      case "mat":
      case "parquet-tables":
      case "arrow-tables":
        return "kept";
      case "h5mu":
        return MODALITY;
      case "h5ad":
      case "zarr":
      case "zarr.zip":
        return ["other", "obs/nested", "obs", "var"];
      case "loom":
        return ["obs", "var", "other", "obs/nested"];
      case "bpcells":
      case "bpcells.h5":
      case "bpcells.rds":
        return ["obs", "var", "other", "obs/nested", "obs", "var"];
      // Listings alone, which are left out without leave.
      case "csv-tables":
        return ["var", "obs"];
      default:
        return ALONE;
    }
  },
  bpcells: (to) => matrixAlone(to),
  "bpcells.h5": (to) => matrixAlone(to),
  "bpcells.rds": (to) => {
    switch (to) {
      case "h5mu":
        return MODALITY;
      case "h5ad":
      case "zarr":
      case "zarr.zip":
      case "loom":
      case "mat":
        return ["atac/fragments"];
      case "bpcells":
        return /a directory holds one: choose it/;
      case "fragments.tsv":
        return ["rna/matrix", "rna/row_names", "rna/col_names"];
      default:
        return /^(csv|parquet)$/.test(to) ? ALONE : "kept";
    }
  },
  "fragments.tsv": (to) => {
    if (to === "h5mu") return MODALITY;
    return /^(h5ad|zarr|zarr.zip|loom)$/.test(to) ? ALONE : "kept";
  },
  tables: (to) => {
    switch (to) {
      case "h5ad":
      case "zarr":
      case "zarr.zip":
        return [...NAMES, ...ODD_COLUMNS];
      case "loom":
        return [
          ...[
            "raw/X",
            "raw/var",
            "uns/params",
            "uns/records",
            "uns/",
            "obs",
            "obsm/frame",
            "obsm/ragged",
            "obsm/sparse",
          ],
          ...["attrs/a\0b", "attrs/..", "col_attrs/a/b", "col_attrs/", "col_attrs/when", "col_attrs/when"],
        ];
      case "mat":
        return ["uns//x", "layers/large", "obs/listed", "obsp/twice"];
      case "csv-tables":
        return ["obs", "obsm/arrays", "obsm/ragged", "uns"];
      default:
        return everyAnnData(to);
    }
  },
};

function matrixAlone(to: TargetName): Outcome {
  if (to === "h5mu") return MODALITY;
  return /^(csv|parquet|fragments.tsv)$/.test(to) ? ALONE : "kept";
}

let made = 0;

/** A path in a folder of its own, where nothing else may be left. */
function alone(name: TargetName): { readonly path: string; readonly left: () => readonly string[] } {
  const own = join(folder(), `alone-${made++}`);
  mkdirSync(own);
  return { path: join(own, /\.tsv$/.test(name) ? name : `out.${name}`), left: () => readdirSync(own) };
}

describe.each(Object.keys(SOURCES))("from %s", (name) => {
  let source = "";
  beforeAll(async () => {
    source = join(folder(), `source.${name}`);
    await SOURCES[name](source);
  });

  test.each(TARGETS)("to %s", async (to, options) => {
    const expected = EXPECTED[name](to);
    const strict = alone(to);
    if (expected === "kept") {
      for (const lossy of [false, true]) {
        const output = lossy ? alone(to) : strict;
        expect((await convert(source, output.path, { ...options, lossy })).warnings).toEqual([]);
      }
      return;
    }
    const { warnings: written, error } = await convert(source, strict.path, options).then(
      ({ warnings }) => ({ warnings, error: null }),
      (thrown: unknown) => ({ warnings: null, error: thrown }),
    );
    if (written !== null) {
      expect(to).toBe("csv-tables");
      if (expected instanceof RegExp) throw new TypeError(`written, where ${expected} was expected`);
      expect(written).toEqual(expected.map((one) => `left out: ${one}: nested columns, which csv cannot hold`));
      return;
    }
    if (!isAnnarrowError(error)) throw error;
    expect(strict.left()).toEqual([]);
    const lossy = alone(to);
    if (expected instanceof RegExp) {
      await expect(convert(source, lossy.path, { ...options, lossy: true })).rejects.toThrow(expected);
      expect(lossy.left()).toEqual([]);
      return;
    }
    // What stops it without losses is one of those that are named with them.
    expect(expected.some((one) => error.message.includes(one))).toBe(true);
    const { warnings } = await convert(source, lossy.path, { ...options, lossy: true });
    const named = warnings.map((warning) => warning.replace(/^left out: /, ""));
    expect(named.map((warning, i) => (warning.startsWith(`${expected[i]}: `) ? expected[i] : warning))).toEqual(
      expected,
    );
    expect(lossy.left()).toHaveLength(1);
    if (options !== undefined && "format" in options && options.format === "csv") return;
    expect([...(await open(lossy.path)).failures]).toEqual([]);
  });
});

describe("what is turned", () => {
  const sparse = (row: number[], col: number[], value: Float64Array | BigInt64Array | Uint8Array) =>
    tableFromArrays({ row: Int32Array.from(row), col: Int32Array.from(col), value });
  const rowsOf = async (path: string, name: string) => {
    const table = await (await open(path)).table(name).read();
    return table.toArray().map((row) => [row.row, row.col, Number(row.value)]);
  };

  test("entries at one place of a sparse matrix are added up, those in other batches, too", async () => {
    const output = place("mat");
    const count = 300_000;
    // The same two places over and over, so that places meet across batches.
    const rows = Array.from({ length: count }, (_, i) => i % 2);
    const values = Float64Array.from({ length: count }, (_, i) => 1 + (i % 2));
    const given = {
      m: sparse(
        rows,
        rows.map(() => 1),
        values,
      ),
      one: sparse([1], [0], Float64Array.of(3)),
    };
    await expect(write(output, given, { shape: [2, 2] })).rejects.toThrow("two entries at row 0, column 1");
    const { warnings } = await write(output, given, { shape: [2, 2], lossy: true });
    expect(warnings).toEqual([expect.stringMatching(/^m: 299998 entries at places that others have/)]);
    expect(await rowsOf(output, "m")).toEqual([
      [0, 1, count / 2],
      [1, 1, count],
    ]);
    expect(await rowsOf(output, "one")).toEqual([[1, 0, 3]]);
  });

  test("integers that no double holds are rounded", async () => {
    const output = place("mat");
    const large = 2n ** 53n + 1n;
    const given = { m: sparse([0, 1], [0, 0], BigInt64Array.of(large, 5n)) };
    const { warnings } = await write(output, given, { shape: [2, 1], lossy: true });
    expect(warnings).toEqual([
      "m: Int64 is written as double, the one type of numbers in sparse matrices",
      `m: value ${large}, which a double does not hold; such values are rounded`,
    ]);
    expect(await rowsOf(output, "m")).toEqual([
      [0, 0, 2 ** 53],
      [1, 0, 5],
    ]);
  });
});

describe("what is no loss", () => {
  test("tables that do not fit together", async () => {
    const given = { ...BASE, obs: tableFromArrays({ _index: ["a", "b"] }) };
    for (const extension of ["h5ad", "zarr", "loom", "bpcells"]) {
      await expect(write(place(extension), given, { lossy: true })).rejects.toMatchObject({ tag: "InvalidInputError" });
    }
  });

  test("a store of keys that cannot take back what was set, and a stream that is read once", async () => {
    const given = { ...BASE, "uns/..": tableFromArrays({ value: [1] }) };
    const keys = new Map<string, Uint8Array>();
    const store = { set: (key: string, bytes: Uint8Array) => void keys.set(key, bytes) };
    await expect(write(store, given, { lossy: true })).rejects.toThrow(/delete/);
    const { warnings } = await write(new Map<string, Uint8Array>(), given, { lossy: true });
    expect(warnings).toEqual([expect.stringMatching(/^left out: uns\/\.\.: the name "\.\." stands for another group/)]);
    const stream = (async function* () {
      yield* BASE.X.batches;
    })();
    await expect(write(place("h5ad"), { ...given, X: stream }, { lossy: true, shape: [3, 4] })).rejects.toThrow(
      /uns\/\.\./,
    );
  });

  test("a BPCells without its matrix: what was refused of it is the reason", async () => {
    const X = tableFromArrays({ row: Int32Array.of(0), col: Int32Array.of(0), value: Int32Array.of(-83) });
    await expect(write(place("bpcells"), { X }, { shape: [1, 1], lossy: true })).rejects.toThrow(
      /value -83 of entry 0 is no whole number/,
    );
  });
});
