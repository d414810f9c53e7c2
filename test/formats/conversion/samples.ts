/** A small dataset of 3 cells and 4 genes, with one element of each kind that the rules of conversions speak of. */

import {
  Bool,
  Dictionary,
  Field,
  FixedSizeList,
  Float64,
  Int8,
  Int32,
  List,
  Schema,
  Table,
  tableFromArrays,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import type { ViewElement } from "../../../src/formats/conversion/view/rules.js";

export interface Sample {
  /** What is in the dataset besides `X`, `obs` and `var`, or in place of them. */
  readonly tables: Readonly<Record<string, Table>>;
  /** The table in which the element is. */
  readonly element: string;
}

const NAMES = { cells: ["a", "b", "c"], genes: ["g0", "g1", "g2", "g3"] };

const coordinates = (row: number[], col: number[], value: number[]): Table =>
  tableFromArrays({ row: Int32Array.from(row), col: Int32Array.from(col), value: Float32Array.from(value) });

const column = (name: string, vector: Vector): Table => new Table({ [name]: vector });

const lists = (values: number[][]): Table =>
  column(
    "value",
    vectorFromArray(values, new FixedSizeList(values[0].length, new Field("item", new Float64(), false))),
  );

function described(table: Table, metadata: object): Table {
  const { fields } = table.schema;
  return new Table(new Schema(fields, new Map([["annarrow", JSON.stringify(metadata)]])), table.batches);
}

const obs = (columns: Record<string, Vector>): Table =>
  new Table({ _index: vectorFromArray(NAMES.cells, new Utf8()), ...columns });

export const BASE: Readonly<Record<string, Table>> = {
  X: coordinates([0, 0, 2], [1, 3, 0], [0.5, -1, 7]),
  obs: obs({}),
  var: tableFromArrays({ _index: NAMES.genes }),
};

const scalar = (value: string): Table =>
  described(column("value", vectorFromArray([value], new Utf8())), { kind: "string", shape: [] });

export const SAMPLES: Readonly<Record<ViewElement, Sample>> = {
  X: { element: "X", tables: {} },
  "layers/*": { element: "layers/counts", tables: { "layers/counts": coordinates([0, 1], [0, 2], [3, 4]) } },
  "obs, var: index": { element: "obs", tables: {} },
  "obs, var: columns of numbers or text": {
    element: "obs",
    tables: {
      obs: obs({ depth: vectorFromArray([3, 2, 1], new Int32()), tissue: vectorFromArray(["x", "é", ""], new Utf8()) }),
    },
  },
  "obs, var: boolean columns": {
    element: "obs",
    tables: { obs: obs({ kept: vectorFromArray([true, false, true], new Bool()) }) },
  },
  "obs, var: categorical columns": {
    element: "obs",
    tables: { obs: obs({ type: vectorFromArray(["T", "B", "T"], new Dictionary(new Utf8(), new Int8())) }) },
  },
  "obs, var: missing values": {
    element: "obs",
    tables: { obs: obs({ age: vectorFromArray([34, null, 51], new Int32()) }) },
  },
  "obsm/*, varm/*: arrays": {
    element: "obsm/X_pca",
    tables: {
      "obsm/X_pca": lists([
        [1, 2],
        [3, 4],
        [5, 6],
      ]),
    },
  },
  "obsm/*, varm/*: dataframes": {
    element: "obsm/frame",
    tables: {
      "obsm/frame": described(
        new Table({ a: vectorFromArray([1, 2, 3], new Int32()), b: vectorFromArray([4, 5, 6], new Int32()) }),
        { kind: "dataframe" },
      ),
    },
  },
  "obsm/*, varm/*: sparse matrices": {
    element: "obsm/sparse",
    tables: {
      "obsm/sparse": described(coordinates([0, 2], [1, 0], [1, 2]), {
        ...{ kind: "csr_matrix", shape: [3, 2], order: "row" },
      }),
    },
  },
  "obsm/*, varm/*: ragged arrays": {
    element: "obsm/ragged",
    tables: {
      "obsm/ragged": column("value", vectorFromArray([[1], [], [2, 3]], new List(new Field("item", new Float64())))),
    },
  },
  "obsp/*, varp/*": { element: "obsp/knn", tables: { "obsp/knn": coordinates([0, 1, 2], [1, 2, 2], [0.5, 1, 2]) } },
  "raw/*": {
    element: "raw/X",
    tables: {
      "raw/X": coordinates([0, 1, 2], [0, 4, 4], [1, 2, 3]),
      "raw/var": tableFromArrays({ _index: [...NAMES.genes, "g4"] }),
    },
  },
  "uns/*: scalars, arrays of numbers or text": {
    element: "uns/title",
    tables: { "uns/title": scalar("three cells"), "uns/list": tableFromArrays({ value: Float64Array.of(1, 2.5) }) },
  },
  "uns/*: mappings, and everything else": { element: "uns/params", tables: { "uns/params/method": scalar("umap") } },
  fragments: {
    element: "fragments",
    tables: {
      fragments: new Table({
        chr: vectorFromArray(["chr1", "chr1"], new Dictionary(new Utf8(), new Int32())),
        start: vectorFromArray(Uint32Array.of(0, 5)),
        end: vectorFromArray(Uint32Array.of(4, 9)),
        cell_id: vectorFromArray(["a", "b"], new Dictionary(new Utf8(), new Int32())),
      }),
    },
  },
};
