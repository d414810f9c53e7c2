import { expect, test } from "vitest";
import { compare } from "../../../../../test/values-of-r.js";
import { open } from "../../../../published/src/node.js";
import { encodeStrings } from "../../../src/containers/rds/model/text.js";
import type { RS4, RValue } from "../../../src/containers/rds/model/value.js";
import { encodeRds } from "../../../src/containers/rds/write/write.js";

/**
 * Slots that R's own objects of the other tests leave empty, and those of classes that extend known ones. Each class has
 * the slots that `slotNames()` lists in the R of Debian 13 (S4Vectors 0.44, IRanges 2.40, Matrix 1.7, HDF5Array 1.34, sp
 * 2.2, SingleCellExperiment 1.28), those of images what Seurat 5.3 and SeuratObject 5.2 add to the 5.0 of Debian, and `OwnMatrix` and some
 * others one that a class of a user would add. `text("…")` is a value that has to be found.
 */
const NULL: RValue = { kind: "null" };
const text = (...all: string[]): RValue => ({ kind: "character", text: encodeStrings(all), attributes: new Map() });
const integer = (...all: number[]): RValue => ({
  kind: "integer",
  values: Int32Array.from(all),
  attributes: new Map(),
});
const logical = (...all: number[]): RValue => ({
  kind: "logical",
  values: Int32Array.from(all),
  attributes: new Map(),
});
const list = (elements: Record<string, RValue>, attributes: Record<string, RValue> = {}): RValue => ({
  kind: "list",
  values: Object.values(elements),
  attributes: new Map([["names", text(...Object.keys(elements))], ...Object.entries(attributes)]),
});
const matrix = (rows: number, columns: number, ...all: number[]): RValue => ({
  kind: "real",
  values: Float64Array.from(all),
  attributes: new Map([["dim", integer(rows, columns)]]),
});
function s4(className: string, pack: string, slots: Record<string, RValue>): RS4 {
  return { kind: "s4", className, package: pack, slots: new Map(Object.entries(slots)) };
}

/** What all vectors of Bioconductor have beside their elements. */
const annotated = (name: string, rows = 2) => ({
  elementMetadata: frame(rows, {}, { metadata: list({ a: text(`${name}-columns-metadata`) }) }),
  metadata: list({ note: text(`${name}-metadata`) }),
});
function frame(rows: number, columns: Record<string, RValue>, slots: Record<string, RValue> = {}): RS4 {
  const own = {
    rownames: NULL,
    nrows: integer(rows),
    elementType: text("ANY"),
    elementMetadata: NULL,
    metadata: list({}),
  };
  return s4("DFrame", "S4Vectors", { listData: list(columns), ...own, ...slots });
}
const simpleList = (elements: Record<string, RValue>, name: string) =>
  s4("SimpleList", "S4Vectors", { listData: list(elements), elementType: text("ANY"), ...annotated(name) });
const intervals = (name: string) =>
  s4("IRanges", "IRanges", {
    ...{ start: integer(1, 5), width: integer(2, 2), NAMES: NULL, elementType: text("ANY") },
    ...annotated(name),
  });
const sparse = (slots: Record<string, RValue>) =>
  s4("OwnMatrix", ".GlobalEnv", {
    ...{ i: integer(0, 1), p: integer(0, 1, 2), Dim: integer(2, 2), Dimnames: list({ a: NULL, b: NULL }) },
    ...{ x: { kind: "real", values: Float64Array.of(1, 2), attributes: new Map() } as const, factors: list({}) },
    ...slots,
  });

/** Objects by a name, with the texts of slots that have to be found. */
const OBJECTS: readonly (readonly [name: string, value: RValue, found: readonly string[]])[] = [
  ["an IRanges in a list", list({ r: intervals("r") }), ["r-metadata", "r-columns-metadata"]],
  ["a SimpleList", simpleList({ a: text("one") }, "l"), ["one", "l-metadata", "l-columns-metadata"]],
  ["a SimpleList in a list", list({ s: simpleList({ a: text("one") }, "s") }), ["s-metadata", "s-columns-metadata"]],
  ["an empty SimpleList", list({ s: simpleList({}, "s"), z: text("z") }), ["s-metadata", "s-columns-metadata"]],
  ["a matrix alone", sparse({ extra: text("matrix-extra") }), ["matrix-extra"]],
  ["a matrix in a list", list({ m: sparse({ extra: text("matrix-extra") }) }), ["matrix-extra"]],
  [
    "a delayed matrix",
    list({
      m: s4("DelayedMatrix", "DelayedArray", {
        seed: s4("DelayedSetDimnames", "DelayedArray", {
          ...{
            dimnames: list({ a: NULL, b: NULL }),
            about: text("step-slot"),
            seed: sparse({ extra: text("seed-slot") }),
          },
        }),
      }),
    }),
    ["seed-slot", "step-slot"],
  ],
  [
    "columns of a frame",
    frame(2, {
      runs: s4("Rle", "S4Vectors", {
        ...{
          values: integer(1),
          lengths: integer(2),
          metadata: list({ a: text("runs-metadata") }),
          elementMetadata: NULL,
        },
      }),
      lists: s4("CompressedIntegerList", "IRanges", {
        ...{ unlistData: integer(1, 2), elementType: text("integer"), metadata: list({ b: text("lists-metadata") }) },
        elementMetadata: NULL,
        partitioning: s4("PartitioningByEnd", "IRanges", {
          ...{ end: integer(1, 2), NAMES: NULL, elementType: text("ANY"), elementMetadata: NULL, metadata: list({}) },
        }),
      }),
      inner: frame(2, { a: integer(1, 2) }, { metadata: list({ c: text("frame-metadata") }) }),
    }),
    ["runs-metadata", "lists-metadata", "frame-metadata"],
  ],
  [
    "ranges",
    list({
      g: s4("GRanges", "GenomicRanges", {
        seqnames: s4("Rle", "S4Vectors", {
          values: integer(1),
          lengths: integer(2),
          elementMetadata: NULL,
          metadata: list({}),
        }),
        ranges: intervals("inner"),
        strand: s4("Rle", "S4Vectors", {
          values: integer(1),
          lengths: integer(2),
          elementMetadata: NULL,
          metadata: list({}),
        }),
        seqinfo: s4("Seqinfo", "GenomeInfoDb", {
          seqnames: text("1"),
          seqlengths: integer(7),
          is_circular: logical(0),
          genome: text("genome-name"),
        }),
        elementType: text("ANY"),
        ...annotated("g"),
      }),
    }),
    ["inner-metadata", "inner-columns-metadata", "g-metadata", "g-columns-metadata", "genome-name"],
  ],
  [
    "an image of Seurat 5",
    list({
      v: s4("VisiumV2", "Seurat", {
        ...{ image: matrix(2, 1, 1, 2), "scale.factors": list({ spot: text("spot-factor") }) },
        molecules: list({
          genes: list(
            {
              g1: s4("SpatialPointsDataFrame", "sp", {
                ...{ data: list({ q: text("point-data") }), "coords.nrs": integer(), coords: matrix(1, 2, 3, 4) },
                ...{
                  bbox: matrix(2, 2, 3, 4, 3, 4),
                  proj4string: s4("CRS", "sp", { projargs: text("points-projection") }),
                },
              }),
            },
            { class: text("Molecules"), key: text("mol_") },
          ),
        }),
        boundaries: list({
          centroids: s4("Centroids", "SeuratObject", {
            ...{
              cells: text("c1"),
              nsides: integer(0),
              radius: integer(3),
              theta: integer(0),
              coords: matrix(1, 2, 5, 6),
            },
            ...{ bbox: matrix(2, 2, 5, 6, 5, 6), proj4string: s4("CRS", "sp", { projargs: text("a-projection") }) },
            misc: text("centroids-slot"),
          }),
          segmentation: s4("Segmentation", "SeuratObject", {
            ...{
              "sf.data": text("sf-slot"),
              compact: logical(0),
              plotOrder: integer(1),
              bbox: matrix(2, 2, 0, 0, 1, 1),
            },
            proj4string: NULL,
            polygons: list({
              a: s4("Polygons", "sp", {
                ID: text("c1"),
                plotOrder: integer(1, 2),
                area: integer(1),
                labpt: integer(1, 1),
                Polygons: list({
                  x: s4("Polygon", "sp", { coords: matrix(2, 2, 1, 2, 3, 4), hole: logical(0), ringDir: integer(1) }),
                  y: s4("Polygon", "sp", { coords: matrix(1, 2, 5, 6), hole: logical(1), ringDir: integer(-1) }),
                }),
              }),
            }),
          }),
        }),
        ...{ assay: text("assay-name"), key: text("image-key"), coords_x_orientation: text("orientation") },
      }),
    }),
    [
      "spot-factor",
      "point-data",
      "points-projection",
      "a-projection",
      "centroids-slot",
      "sf-slot",
      "assay-name",
      "image-key",
      "orientation",
    ],
  ],
  [
    "an experiment",
    s4("SingleCellExperiment", "SingleCellExperiment", {
      colData: frame(2, { n: integer(1, 2) }, annotated("cells", 1)),
      assays: s4("SimpleAssays", "SummarizedExperiment", {
        data: simpleList(
          { counts: sparse({ extra: text("assay-slot") }), more: sparse({ extra: text("layer-slot") }) },
          "assays",
        ),
        about: text("assays-slot"),
      }),
      NAMES: NULL,
      elementMetadata: frame(2, {}, annotated("features", 1)),
      metadata: simpleList({ a: text("experiment-metadata") }, "metadata"),
      int_elementMetadata: frame(2, { rowPairs: frame(2, {}, annotated("rowPairs", 0)) }, annotated("int-features", 1)),
      int_colData: frame(
        2,
        { reducedDims: frame(2, { own: sparse({ extra: text("embedding-slot") }) }, annotated("reducedDims", 1)) },
        annotated("int-cells", 1),
      ),
      int_metadata: list({ empty: simpleList({}, "empty") }),
    }),
    ["assay-slot", "layer-slot", "assays-slot", "experiment-metadata", "embedding-slot"].concat(
      [
        "cells",
        "assays",
        "features",
        "metadata",
        "rowPairs",
        "int-features",
        "reducedDims",
        "int-cells",
        "empty",
      ].flatMap((name) => [`${name}-metadata`, `${name}-columns-metadata`]),
    ),
  ],
  [
    "what holds alternative experiments and pairs",
    s4("SingleCellExperiment", "SingleCellExperiment", {
      ...{
        colData: frame(2, {}),
        assays: s4("SimpleAssays", "SummarizedExperiment", { data: simpleList({}, "main") }),
      },
      ...{ NAMES: NULL, elementMetadata: frame(1, {}), metadata: list({}), int_elementMetadata: frame(1, {}) },
      int_metadata: list({}),
      int_colData: frame(2, {
        altExps: frame(2, {
          other: s4("SummarizedExperimentByColumn", "SingleCellExperiment", {
            about: text("holder-slot"),
            se: s4("SummarizedExperiment", "SummarizedExperiment", {
              colData: frame(2, { a: integer(1, 2) }),
              assays: s4("SimpleAssays", "SummarizedExperiment", { data: simpleList({}, "other") }),
              ...{ NAMES: NULL, elementMetadata: frame(1, {}), metadata: list({}) },
            }),
          }),
        }),
        colPairs: frame(2, {
          knn: s4("DualSubset", "SingleCellExperiment", {
            about: text("pairs-holder-slot"),
            hits: s4("SelfHits", "S4Vectors", {
              ...{ from: integer(1), to: integer(2), nLnode: integer(2), nRnode: integer(2) },
              ...annotated("hits", 1),
            }),
          }),
        }),
      }),
    }),
    ["holder-slot", "pairs-holder-slot", "hits-metadata", "hits-columns-metadata", "other-metadata", "main-metadata"],
  ],
  [
    "a vector with slots",
    list({
      v: {
        kind: "integer",
        values: Int32Array.of(1, 2),
        attributes: new Map([
          ["class", text("Own")],
          ["extra", text("vector-slot")],
        ]),
        isS4: true,
      },
    }),
    ["vector-slot"],
  ],
];

test.each(OBJECTS)("the slots of %s are read", async (_, value, wanted) => {
  const data = await open(await encodeRds(value));
  const found = new Set<string>();
  for (const table of data.tables.values()) {
    if (table.derived) continue;
    const read = await table.read();
    for (const [i] of read.schema.fields.entries()) for (const one of read.getChildAt(i) ?? []) found.add(String(one));
  }
  expect(wanted.filter((one) => !found.has(one))).toEqual([]);
  expect([...data.failures.keys()]).toEqual([]);
  await data.close();
});

test("outlines of one cell and their holes stay apart", async () => {
  const [, value] = OBJECTS.find(([name]) => name === "an image of Seurat 5") ?? [];
  const data = await open(await encodeRds(value ?? NULL));
  await compare(data, "v/boundaries/segmentation/coordinates", {
    ...{ x: [1, 2, 5], y: [3, 4, 6], cell: ["c1", "c1", "c1"] },
    ...{ outline: [1, 1, 2], hole: [false, false, true] },
  });
  await data.close();
});
