/**
 * The matrices of an assay as X and layers. If a sparse layer lacks some cells or features, these have no entries. If a
 * dense layer lacks features, or orders them differently, as scaled data do, it becomes an element of obsm, and its
 * feature names go to uns.
 */

import { InvalidDataError, UnsupportedError } from "annarrow";
import type { IntArray } from "annarrow/core/model";
import type { StoredArray } from "annarrow/format";
import { findNamePositions, hasSameNames, pickMainLayer } from "../../seurat-names.js";
import type { RTables } from "../collect/tables.js";
import { createColumnTable, createSparseRMatrix, type RMatrix } from "../matrices/forms.js";
import { INT32 } from "../values/arrays.js";
import { createRCharacter } from "../values/frame.js";
import { type Assay, type AssayAxis, openLayer } from "./assay.js";

export async function addLayers({ layers }: Assay, axis: AssayAxis, prefix: string, tables: RTables): Promise<void> {
  const main = pickMainLayer(layers.map(({ name }) => name));
  for (const layer of layers) {
    const isMain = layer.name === main;
    const own = isMain ? "X" : `layers/${layer.name}`;
    await tables.attempt(`${prefix}${own}`, async () => {
      const matrix = await openLayer(layer);
      // Features that a sparse layer lacks have no entries, but a dense layer needs a value for every feature.
      const hasAll = isMain || matrix.sparse !== null || hasSameNames(layer.features, axis.features);
      const path = `${prefix}${hasAll ? own : `obsm/${layer.name}`}`;
      const cells = findNamePositions(layer.cells, axis.cells, "cell");
      const features = hasAll ? findNamePositions(layer.features, axis.features, "feature") : null;
      const added = await tables.add(path, () => spread(matrix, cells, features, axis).table(path, "transposed"));
      if (added === null || hasAll) return;
      const names = `${prefix}uns/${layer.name}.features`;
      await tables.add(names, () => createColumnTable(names, createRCharacter(layer.features)));
    });
  }
}

/**
 * Returns the matrix with all cells and features. Entries are not moved; cells without entries are empty.
 * @throws {UnsupportedError} for a dense matrix, and for cells in another order.
 */
function spread(matrix: RMatrix, cells: Int32Array | null, features: Int32Array | null, axis: AssayAxis): RMatrix {
  if (cells === null && features === null) return matrix;
  const { sparse } = matrix;
  if (sparse === null) throw new UnsupportedError("a dense layer of some cells, or of features in another order");
  if (sparse.order !== "column") throw new UnsupportedError("a layer of some cells that is stored by features");
  if (cells?.some((place, i) => i > 0 && place <= cells[i - 1])) {
    throw new UnsupportedError("a layer with cells in another order than those of the object");
  }
  const shape = [features === null ? matrix.shape[0] : axis.features.length, axis.cells.length] as const;
  const indptr = cells === null ? sparse.indptr : spreadPointers(sparse.indptr, cells, axis.cells.length);
  const indices = features === null ? sparse.indices : mapped(sparse.indices, features);
  return createSparseRMatrix(shape, [null, null], { ...sparse, indptr, indices });
}

/** Extends the pointers to all cells. A cell that the layer lacks has no entries. */
function spreadPointers(indptr: StoredArray, cells: Int32Array, count: number): StoredArray {
  const stored = cells.length + 1;
  const before = new Int32Array(count + 1);
  let own = 0;
  for (let cell = 0; cell < count; cell++) {
    if (cells[own] === cell) own++;
    before[cell + 1] = own;
  }
  return {
    ...withoutPlan(indptr),
    shape: [count + 1],
    async read(start, end, options) {
      if ((indptr.shape?.[0] ?? 0) !== stored)
        throw new InvalidDataError(`${indptr.shape?.[0]} pointers of ${cells.length} cells`);
      if (start === end) return indptr.read(0, 0, options);
      const from = before[start];
      const read = await indptr.read(from, before[end - 1] + 1, options);
      if (read.kind !== "fixed") throw new InvalidDataError("the pointers are no numbers");
      const { values } = read;
      const to = new BigInt64Array(end - start);
      for (let i = start; i < end; i++) to[i - start] = BigInt(values[before[i] - from]);
      return { kind: "fixed", values: to };
    },
    type: { kind: "int", bits: 64, signed: true },
  };
}

/** Maps indices of a layer's features to indices among all features. */
function mapped(indices: StoredArray, features: Int32Array): StoredArray {
  return {
    ...withoutPlan(indices),
    type: INT32,
    async read(start, end, options) {
      const read = await indices.read(start, end, options);
      if (read.kind !== "fixed") throw new InvalidDataError("the indices are no numbers");
      return { kind: "fixed", values: mappedValues(read.values, features) };
    },
  };
}

function mappedValues(values: IntArray | Float32Array | Float64Array, features: Int32Array): Int32Array {
  const to = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const place = features[Number(values[i])];
    if (place === undefined) throw new InvalidDataError(`index ${values[i]} of ${features.length} features`);
    to[i] = place;
  }
  return to;
}

/** Returns an array without optional read methods, which would return the unchanged data. */
function withoutPlan({ path, id, attributes, shape, type, read }: StoredArray): StoredArray {
  return { kind: "array", path, id, attributes, shape, type, read, chunks: null };
}
