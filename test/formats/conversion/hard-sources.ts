/** Datasets of every format with elements that others cannot hold, and with names that no format can. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  Dictionary,
  Field,
  FixedSizeList,
  Float64,
  Int8,
  Int32,
  Int64,
  List,
  Schema,
  Struct,
  Table,
  TimestampMicrosecond,
  tableFromArrays,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import { convert, write } from "../../../packages/published/src/node.js";
import { SAMPLES } from "./samples.js";

const CELLS = ["a", "b", "c"];
const GENES = ["g0", "g1"];

const texts = (values: readonly (string | null)[]) => vectorFromArray(values, new Utf8());

const column = (name: string, vector: Vector): Table => new Table({ [name]: vector });

function described(table: Table, metadata: object): Table {
  return new Table(new Schema(table.schema.fields, new Map([["annarrow", JSON.stringify(metadata)]])), table.batches);
}

const entries = (row: number[], col: number[], value: number[]): Table =>
  tableFromArrays({ row: Int32Array.from(row), col: Int32Array.from(col), value: Float32Array.from(value) });

/** 2^53 + 1 is no double. */
const LARGE = new Table({
  row: vectorFromArray([0, 1], new Int32()),
  col: vectorFromArray([0, 1], new Int32()),
  value: vectorFromArray([2n ** 53n + 1n, 5n], new Int64()),
});

const arrays = (values: number[][]): Table =>
  column(
    "value",
    vectorFromArray(values, new FixedSizeList(values[0].length, new Field("item", new Float64(), false))),
  );

const X = entries([0, 2], [1, 0], [0.5, 7]);

const FRAMES = {
  obs: new Table({
    _index: texts(CELLS),
    depth: vectorFromArray([1, null, 3], new Int32()),
    tissue: texts(["x", null, "é"]),
    type: vectorFromArray(["T", null, "B"], new Dictionary(new Utf8(), new Int8())),
  }),
  var: new Table({ _index: texts(GENES) }),
};

/** What AnnData holds, and others do not. */
export const ANNDATA: Readonly<Record<string, Table>> = {
  X,
  ...FRAMES,
  "layers/large": LARGE,
  "obsm/arrays": arrays([[1], [2], [3]]),
  "obsm/frame": described(tableFromArrays({ x: Float64Array.of(1, 2, 3) }), { kind: "dataframe" }),
  "obsm/ragged": column("value", vectorFromArray([[1], [], [2, 3]], new List(new Field("item", new Float64())))),
  "obsm/sparse": described(entries([0], [1], [1]), { kind: "csr_matrix", shape: [3, 2], order: "row" }),
  // Two entries at one place.
  "obsp/twice": described(entries([0, 0, 1], [1, 1, 2], [1, 2, 4]), {
    kind: "csr_matrix",
    shape: [3, 3],
    order: "row",
  }),
  "raw/X": entries([0], [2], [1]),
  "raw/var": tableFromArrays({ _index: ["g0", "g1", "g2"] }),
  "uns/params/method": described(column("value", texts(["umap"])), { kind: "string", shape: [] }),
  "uns/records": described(tableFromArrays({ x: Float64Array.of(1) }), { kind: "rec-array", shape: [1] }),
  "uns/values": tableFromArrays({ value: Float64Array.of(1, 2.5) }),
};

const when = (name: string) =>
  column(name, vectorFromArray([new Date(0), null, new Date(1)], new TimestampMicrosecond()));

/** Names that files of tables can have, and nothing else. */
const NAMES = { up: "uns/..", twice: "uns//x", nul: "uns/a\0b", long: `uns/${"n".repeat(70)}` } as const;

/** A directory of Arrow files: any types, any names. */
async function directory(path: string): Promise<void> {
  const source = `${path}.h5ad`;
  const value = tableFromArrays({ value: Float64Array.of(1) });
  const names = Object.keys(NAMES).map((name) => [`uns/${name}`, value] as const);
  await write(source, { ...ANNDATA, ...Object.fromEntries(names) });
  await convert(source, path, { format: "arrow" });
  const file = join(path, "manifest.json");
  const manifest: { tables: { name: string; file: string }[] } = JSON.parse(readFileSync(file, "utf8"));
  for (const table of manifest.tables) {
    const found = Object.entries(NAMES).find(([name]) => table.name === `uns/${name}`);
    if (found !== undefined) table.name = found[1];
  }
  const { tableToIPC } = await import("apache-arrow");
  const odd = (name: string, table: Table) => {
    const target = manifest.tables.find((one) => one.name === name);
    if (target === undefined) throw new TypeError(name);
    writeFileSync(join(path, target.file), tableToIPC(table, "file"));
  };
  // Columns of one frame whose names or types are refused, among others.
  odd(
    "obs",
    new Table({
      _index: texts(CELLS),
      depth: vectorFromArray([1, 2, 3], new Int32()),
      "a/b": vectorFromArray([1, 2, 3], new Int32()),
      "": vectorFromArray([1, 2, 3], new Int32()),
      when: when("when").getChildAt(0) ?? texts(CELLS),
      listed: vectorFromArray(
        CELLS.map((cell) => ({ cell })),
        new Dictionary(new Struct([new Field("cell", new Utf8())]), new Int32()),
      ),
    }),
  );
  writeFileSync(file, JSON.stringify(manifest));
}

const LOOM: Readonly<Record<string, Table>> = {
  matrix: entries([0, 1], [0, 2], [1, 2]),
  row_attrs: tableFromArrays({ Gene: GENES }),
  col_attrs: new Table({
    CellID: texts(CELLS),
    depth: vectorFromArray([1, 2, 3], new Int32()),
    regulons: vectorFromArray(
      CELLS.map((_, x) => ({ x })),
      new Struct([new Field("x", new Float64(), false)]),
    ),
  }),
  "attrs/title": described(column("value", texts(["loom"])), { kind: "string", shape: [] }),
};

const MATLAB: Readonly<Record<string, Table>> = {
  X: arrays([
    [1, 0],
    [0, 2],
    [3, 0],
  ]),
  "obs/names": column("value", texts(CELLS)),
  "var/names": column("value", texts(GENES)),
  "obs/nested/depth": tableFromArrays({ value: Float64Array.of(1, 2, 3) }),
  other: tableFromArrays({ value: Float64Array.of(1) }),
};

const FRAGMENTS = SAMPLES.fragments.tables.fragments;

const MATRIX = {
  matrix: entries([0, 1], [0, 2], [1, 2]),
  row_names: column("value", texts(GENES)),
  col_names: column("value", texts(CELLS)),
};

/** By what the path ends with, how it is made. */
export const SOURCES: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  h5ad: (path) => write(path, ANNDATA),
  zarr: (path) =>
    write(path, {
      ...ANNDATA,
      "uns/when": described(when("value"), { kind: "array", unit: "us", step: 1, shape: [3] }),
    }),
  h5mu: (path) =>
    write(path, Object.fromEntries(Object.entries(ANNDATA).map(([name, table]) => [`mod/rna/${name}`, table]))),
  loom: (path) => write(path, LOOM, { shape: [2, 3] }),
  mat: (path) => write(path, MATLAB),
  bpcells: (path) => write(path, { ...MATRIX, col_names: column("value", texts(CELLS)) }),
  "bpcells.h5": (path) =>
    write(path, Object.fromEntries(Object.entries(MATRIX).map(([name, table]) => [`rna/${name}`, table]))),
  "bpcells.rds": (path) =>
    write(path, {
      ...Object.fromEntries(Object.entries(MATRIX).map(([name, table]) => [`rna/${name}`, table])),
      "atac/fragments": FRAGMENTS,
    }),
  "fragments.tsv": (path) => write(path, { fragments: FRAGMENTS }),
  tables: directory,
};
