/** The slots of sparse matrices of the package Matrix: compressed by columns or rows, or triplets. */

import type { RS4, RValue } from "../../../containers/rds/model/value.js";
import { NA_INTEGER } from "../../../containers/rds/model/value.js";
import type { SparsePlan } from "../../../jobs/plan/plan.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { StoredType } from "../../../model/stored.js";
import { FLOAT64, INT32, numberArray } from "../values/arrays.js";
import { called, slot } from "../values/value.js";

type SparseSlots = Pick<SparsePlan, "order" | "data" | "indices" | "indptr">;

/** Whether an object has the slots of a sparse matrix: also classes that others derive, as Seurat's `Graph`. */
export function isSparse(value: RS4): boolean {
  if (!value.slots.has("Dim")) return false;
  return value.slots.has("p") || (value.slots.has("i") && value.slots.has("j"));
}

/**
 * The entries of a matrix as it is stored; triplets are sorted by columns first.
 * @throws {UnsupportedError} for matrices that store only one half of a symmetric matrix.
 * @throws {InvalidDataError} for lengths that do not fit; positions are checked when they are read, but for triplets.
 */
export function sparseSlots(value: RS4, [rows, columns]: readonly [number, number], path: string): SparseSlots {
  if (value.slots.has("uplo")) throw new UnsupportedError(`${called(value)}, of which a half is stored`);
  const order = value.slots.has("i") ? "column" : "row";
  const pointers = slot(value, "p");
  const first = integers(value, order === "column" ? "i" : "j");
  const x = slot(value, "x");
  const typed = valuesOf(x, first.length);
  if (pointers.kind === "null")
    return fromTriplets({ i: first, j: integers(value, "j"), typed }, [rows, columns], path);
  if (pointers.kind !== "integer" && pointers.kind !== "real") {
    throw new InvalidDataError(`the pointers are ${called(pointers)}, no numbers`);
  }
  return {
    order,
    data: numberArray(`${path}/x`, typed.type, typed.values),
    indices: numberArray(`${path}/${order === "column" ? "i" : "j"}`, INT32, first),
    indptr: numberArray(`${path}/p`, INT32, pointers.kind === "integer" ? pointers.values : whole(pointers.values)),
  };
}

function integers(value: RS4, name: string): Int32Array {
  const found = slot(value, name);
  if (found.kind === "integer") return found.values;
  throw new InvalidDataError(`${name} is ${called(found)}, no integers`);
}

function whole(values: Float64Array): Int32Array {
  const integers = Int32Array.from(values);
  if (integers.every((one, i) => one === values[i])) return integers;
  throw new InvalidDataError("the pointers are no whole numbers");
}

interface Values {
  readonly type: StoredType;
  readonly values: Float64Array | Int32Array | Uint8Array;
}

/** The values of the entries; a pattern has none, and all of its entries are TRUE. */
function valuesOf(x: RValue, count: number): Values {
  switch (x.kind) {
    case "null":
      return { type: { kind: "bool" }, values: new Uint8Array(count).fill(1) };
    case "real":
      return { type: FLOAT64, values: x.values };
    case "integer":
      return { type: INT32, values: x.values };
    case "logical":
      if (x.values.includes(NA_INTEGER)) throw new UnsupportedError("NA in a sparse matrix of TRUE and FALSE");
      return { type: { kind: "bool" }, values: Uint8Array.from(x.values, (one) => (one === 0 ? 0 : 1)) };
    default:
      throw new InvalidDataError(`the values are ${called(x)}`);
  }
}

interface Triplets {
  readonly i: Int32Array;
  readonly j: Int32Array;
  readonly typed: Values;
}

/** Most rows and columns of triplets that are sorted, beside those that the number of triplets justifies. */
const MAX_SORTED = 2 ** 24;

/** Sorts triplets by columns, and within a column by rows; duplicates stay. */
function fromTriplets(
  { i, j, typed }: Triplets,
  [rows, columns]: readonly [number, number],
  path: string,
): SparseSlots {
  const { type, values } = typed;
  if (i.length !== j.length || values.length !== i.length) {
    throw new InvalidDataError(`${i.length} rows, ${j.length} columns and ${values.length} values of triplets`);
  }
  if (rows + columns > MAX_SORTED + 16 * i.length) {
    throw new UnsupportedError(`${i.length} triplets of a matrix of ${rows} x ${columns}`);
  }
  checkPositions(i, rows, "row");
  checkPositions(j, columns, "column");
  // Two stable passes: by the rows, then by the columns.
  const byRow = sortedBy(
    i,
    rows,
    Int32Array.from({ length: i.length }, (_, at) => at),
  ).order;
  const { order, starts } = sortedBy(j, columns, byRow);
  return {
    order: "column",
    data: numberArray(
      `${path}/x`,
      type,
      values.map((_, at) => values[order[at]]),
    ),
    indices: numberArray(
      `${path}/i`,
      INT32,
      i.map((_, at) => i[order[at]]),
    ),
    indptr: numberArray(`${path}/p`, INT32, starts),
  };
}

function checkPositions(positions: Int32Array, size: number, what: string): void {
  for (const position of positions) {
    if (position < 0 || position >= size) throw new InvalidDataError(`${what} ${position} of ${size}`);
  }
}

/** Sorts places by their keys, equal ones in the given order. */
function sortedBy(
  keys: Int32Array,
  size: number,
  places: Int32Array,
): { readonly order: Int32Array; readonly starts: Int32Array } {
  const starts = new Int32Array(size + 1);
  for (const key of keys) starts[key + 1]++;
  for (let key = 0; key < size; key++) starts[key + 1] += starts[key];
  const next = starts.slice();
  const order = new Int32Array(places.length);
  for (const place of places) order[next[keys[place]]++] = place;
  return { order, starts };
}
