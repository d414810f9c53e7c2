/** Reductions, graphs and neighbours as obsm, varm, obsp and uns. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { createMappedArray, createMemoryArray } from "annarrow/core/containers";
import { findMissingInR } from "annarrow/core/kernels";
import { allocate, type NumberArray, type StoredType } from "annarrow/core/model";
import { getTextListAttribute, waitForBoth } from "annarrow/core/readers";
import type { StoredArray } from "annarrow/format";
import { createArrayTable, createSparseTable, openChild, type TableElement } from "annarrow/format";
import { findNamePositions } from "../seurat-names.js";
import type { Features } from "./assay.js";
import { openArray } from "./column.js";
import { add, type H5SeuratContext, type OpenedGroup } from "./context.js";
import { addAny } from "./lists.js";
import { openMatrix, replaceMissing, reverseDimensions } from "./matrix.js";
import { readNames } from "./names.js";

/** Children of a reduction that become tables of a known kind. */
const KNOWN = new Set([
  ...["cell.embeddings", "feature.loadings", "feature.loadings.projected", "features", "projected.features"],
]);

/** Adds the embeddings of the cells as `obsm/X_<name>`, and the loadings of the features as `varm/<name>`. */
export async function addReduction(
  cx: H5SeuratContext,
  name: string,
  reduction: OpenedGroup,
  prefix: string,
  features: Features,
): Promise<void> {
  const { group, keys } = reduction;
  // Our writer stores the original names of elements that were renamed.
  const origin = getTextListAttribute(group, "annarrow") ?? [];
  const named = (mapping: string) => origin.find((one) => one.startsWith(mapping))?.slice(mapping.length);
  if (keys.includes("cell.embeddings")) {
    const path = `${prefix}obsm/${named("obsm/") ?? `X_${name}`}`;
    await add(cx, path, async () => {
      const matrix = await openMatrix(await openChild(group, "cell.embeddings", cx.reading), null, cx.reading);
      return matrix.table(path, "same");
    });
  }
  const loadings = [
    ["feature.loadings", "features", named("varm/") ?? name],
    ["feature.loadings.projected", "projected.features", `${name}.projected`],
  ] as const;
  for (const [key, names, own] of loadings) {
    if (!keys.includes(key)) continue;
    await add(cx, `${prefix}varm/${own}`, () => loadingsTable(cx, reduction, [key, names], features));
  }
  for (const key of keys) {
    if (KNOWN.has(key)) continue;
    await addAny(cx, `${prefix}uns/${name}/${key}`, group, key);
  }
}

/** Maximum bytes of loadings that are reordered in memory. */
const MAX_BYTES = 2 ** 28;

/** Makes the table of loadings with a row for each feature of the assay. Features without loadings get NaN. */
async function loadingsTable(
  cx: H5SeuratContext,
  { group, keys }: OpenedGroup,
  [key, names]: readonly [string, string],
  features: Features,
): Promise<TableElement> {
  const stored = reverseDimensions(await openArray(group, key, cx.reading));
  const [rows, width] = stored.shape ?? [];
  if (stored.shape?.length !== 2 || (stored.type.kind !== "float" && stored.type.kind !== "int")) {
    throw new InvalidDataError(`loadings of shape ${JSON.stringify(stored.shape)} and type ${stored.type.kind}`);
  }
  const own = keys.includes(names) ? await readNames(await openArray(group, names, cx.reading), cx.reading) : null;
  if (own !== null && own.length !== rows) throw new InvalidDataError(`${own.length} names for ${rows} rows`);
  const places = own === null ? null : findNamePositions(own, await features.names(), "feature");
  if (places === null && rows === features.count) {
    return createArrayTable(replaceMissing(stored), { kind: "array", shape: [rows, width] });
  }
  if (places === null)
    throw new InvalidDataError(`${rows} loadings without names, there are ${features.count} features`);
  if (8 * Math.max(rows, features.count) * width > MAX_BYTES) {
    throw new UnsupportedError(`loadings of ${features.count} x ${width}, which are put in order in memory`);
  }
  const spread = spreadRows(stored, places, [features.count, width]);
  return createArrayTable(spread, { kind: "array", shape: [features.count, width] });
}

/** Moves the rows of a matrix to `places`. All other rows are NaN, and R's NA among integers also becomes NaN. */
function spreadRows(stored: StoredArray, places: Int32Array, shape: readonly [number, number]): StoredArray {
  const { path, id, attributes } = stored;
  const type: StoredType = stored.type.kind === "float" ? stored.type : { kind: "float", bits: 64 };
  const [, width] = shape;
  return {
    ...{ kind: "array", path, id, attributes, type, shape, chunks: null },
    async read(start, end, options) {
      const read = await stored.read(0, places.length, options);
      if (read.kind !== "fixed") throw new InvalidDataError("loadings are no numbers", { element: path });
      const missing = read.values instanceof Int32Array ? findMissingInR(read.values) : null;
      const values: NumberArray = allocate(type, (end - start) * width);
      if (values instanceof Float64Array || values instanceof Float32Array) values.fill(Number.NaN);
      for (const [row, place] of places.entries()) {
        if (place < start || place >= end) continue;
        for (let k = 0; k < width; k++) {
          const from = row * width + k;
          if (missing?.[from] !== 1) values[(place - start) * width + k] = Number(read.values[from]);
        }
      }
      return { kind: "fixed", values };
    },
  };
}

export async function addGraph(
  cx: H5SeuratContext,
  { group }: OpenedGroup,
  path: string,
  cells: number,
): Promise<void> {
  await add(cx, path, async () => (await openMatrix(group, [cells, cells], cx.reading)).table(path, "same"));
}

/** Adds the neighbours of each cell as a CSR matrix. Every cell has the same number of neighbours, nearest first. */
export async function addNeighbors(
  cx: H5SeuratContext,
  { group }: OpenedGroup,
  path: string,
  cells: number,
): Promise<void> {
  await add(cx, path, async () => {
    const [index, distances] = await waitForBoth(
      openArray(group, "nn.idx", cx.reading),
      openArray(group, "nn.dist", cx.reading),
    );
    const [count, rows] = index.shape ?? [];
    const fits = index.shape?.length === 2 && JSON.stringify(index.shape) === JSON.stringify(distances.shape);
    if (!fits || rows !== cells) {
      throw new InvalidDataError(
        `neighbours of shape ${JSON.stringify(index.shape)} and ${JSON.stringify(distances.shape)}, there are ${cells} cells`,
      );
    }
    const size = cells * count;
    const indices = flat(
      createMappedArray(reverseDimensions(index), { kind: "int", bits: 32, signed: true }, fromOne),
      count,
    );
    const pointers = Float64Array.from({ length: cells + 1 }, (_, cell) => cell * count);
    const isWide = size > 2 ** 31 - 1;
    const values = isWide ? BigInt64Array.from(pointers, BigInt) : Int32Array.from(pointers);
    const type = { kind: "int", bits: isWide ? 64 : 32, signed: true } as const;
    const indptr = createMemoryArray(`${path}/indptr`, type, [cells + 1], { kind: "fixed", values });
    const data = flat(reverseDimensions(distances), count);
    return createSparseTable({ kind: "csr_matrix", shape: [cells, cells], data, indices, indptr }, path, {});
  });
}

/** Converts R's 1-based positions to 0-based. NA and other invalid positions are refused where they are used. */
function fromOne(values: NumberArray): Int32Array {
  return Int32Array.from(values, Number).map((one) => one - 1);
}

function flat(array: StoredArray, count: number): StoredArray {
  const { path, id, attributes, type, shape } = array;
  const size = (shape?.[0] ?? 0) * count;
  return {
    ...{ kind: "array", path, id, attributes, type, shape: [size], chunks: null },
    async read(start, end, options) {
      const [first, last] = count === 0 ? [0, 0] : [Math.floor(start / count), Math.ceil(end / count)];
      const read = await array.read(first, last, options);
      if (read.kind !== "fixed") throw new InvalidDataError("neighbours are no numbers", { element: path });
      return { kind: "fixed", values: read.values.subarray(start - first * count, end - first * count) };
    },
  };
}
