/** Slots of the package Matrix's sparse matrices, which are compressed by columns or rows, or stored as triplets. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import type { SparsePlan } from "annarrow/core/jobs";
import type { StoredType } from "annarrow/core/model";
import type { StoredArray } from "annarrow/format";
import { createSpilledArray } from "../../../containers/rds/container.js";
import type { RS4, RValue } from "../../../containers/rds/model/value.js";
import { findOnlyString, NA_INTEGER } from "../../../containers/rds/model/value.js";
import { createRNumberVector, FLOAT64, INT32 } from "../values/arrays.js";
import { describeRValue, getRSlot, toWholeNumbers } from "../values/value.js";

type SparseSlots = Pick<SparsePlan, "order" | "data" | "indices" | "indptr">;

/** Whether an object has the slots of a sparse matrix. This includes derived classes such as Seurat's `Graph`. */
export function isSparse(value: RS4): boolean {
  if (!value.slots.has("Dim")) return false;
  return value.slots.has("p") || (value.slots.has("i") && value.slots.has("j"));
}

/**
 * Returns the entries of a matrix as stored. Triplets are sorted by column first. If R stores only half of a matrix, or
 * omits its diagonal of ones, all of its entries are returned.
 * @throws {InvalidDataError} for lengths that do not fit, and for invalid positions in triplets. Other positions are
 * checked when they are read.
 */
export function getSparseSlots(value: RS4, [rows, columns]: readonly [number, number], path: string): SparseSlots {
  if (findOnlyString(getRSlot(value, "diag")) === "U" || isHalf(value)) return completed(value, [rows, columns], path);
  const order = value.slots.has("i") ? "column" : "row";
  const pointers = getRSlot(value, "p");
  const minor = order === "column" ? "i" : "j";
  if (pointers.kind === "null") {
    const i = integers(value, minor);
    const typed = valuesOf(getRSlot(value, "x"), i.length);
    return fromTriplets({ i, j: integers(value, "j"), typed }, [rows, columns], path);
  }
  if (pointers.kind !== "integer" && pointers.kind !== "real") {
    throw new InvalidDataError(`the pointers are ${describeRValue(pointers)}, no numbers`);
  }
  const indices = getRSlot(value, minor);
  if (indices.kind !== "integer" && !(indices.kind === "spilled" && indices.of === "integer")) {
    throw new InvalidDataError(`${minor} is ${describeRValue(indices)}, no integers`);
  }
  const x = getRSlot(value, "x");
  const count = indices.kind === "spilled" ? indices.length : indices.values.length;
  return {
    order,
    data: entriesArray(`${path}/x`, x, count),
    indices: entriesArray(`${path}/${minor}`, indices, count),
    indptr: createRNumberVector(
      `${path}/p`,
      INT32,
      pointers.kind === "integer" ? pointers.values : whole(pointers.values),
    ),
  };
}

/** Whether the entries are read as they are stored in the file, without loading them into memory. */
export function isStoredWhole(value: RS4): boolean {
  return getRSlot(value, "p").kind !== "null" && findOnlyString(getRSlot(value, "diag")) !== "U" && !isHalf(value);
}

/** Makes the array of values or indices of all entries. If there is no vector, all `count` values are TRUE. */
function entriesArray(path: string, vector: RValue, count: number): StoredArray {
  if (vector.kind === "spilled") {
    const node = { kind: "array", path, id: path, attributes: new Map(), chunks: null } as const;
    return { ...node, ...createSpilledArray(vector, path) };
  }
  const { type, values } = valuesOf(vector, count);
  return createRNumberVector(path, type, values);
}

/**
 * Whether the matrix is symmetric, so that R stores only one half. Triangular matrices have an additional slot `diag`.
 */
function isHalf(value: RS4): boolean {
  return value.slots.has("uplo") && !value.slots.has("diag");
}

/** Returns the entries of both halves and the diagonal, sorted by column. */
function completed(value: RS4, [rows, columns]: readonly [number, number], path: string): SparseSlots {
  if (rows !== columns) throw new InvalidDataError(`${describeRValue(value)} of ${rows} x ${columns}`);
  const { i, j, x } = tripletsOf(value, columns);
  const isUnit = findOnlyString(getRSlot(value, "diag")) === "U";
  if (isUnit && columns > MAX_SORTED) throw new UnsupportedError(`a diagonal of ${columns} ones`);
  const mirrored = isHalf(value) ? [...i.keys()].filter((at) => i[at] !== j[at]) : [];
  const ones = isUnit ? columns : 0;
  const count = i.length + mirrored.length + ones;
  const [allRows, allColumns] = [new Int32Array(count), new Int32Array(count)];
  const values = emptyLike(x.values, count);
  allRows.set(i);
  allColumns.set(j);
  for (let at = 0; at < i.length; at++) values[at] = x.values[at];
  let at = i.length;
  for (const from of mirrored) {
    [allRows[at], allColumns[at], values[at]] = [j[from], i[from], x.values[from]];
    at++;
  }
  for (let one = 0; one < ones; one++, at++) [allRows[at], allColumns[at], values[at]] = [one, one, 1];
  return fromTriplets({ i: allRows, j: allColumns, typed: { type: x.type, values } }, [rows, columns], path);
}

function emptyLike(values: Values["values"], count: number): Values["values"] {
  if (values instanceof Float64Array) return new Float64Array(count);
  return values instanceof Int32Array ? new Int32Array(count) : new Uint8Array(count);
}

/** Returns the stored entries as triplets. @throws {InvalidDataError} for pointers that do not fit. */
function tripletsOf(value: RS4, size: number): { readonly i: Int32Array; readonly j: Int32Array; readonly x: Values } {
  const pointers = getRSlot(value, "p");
  const first = integers(value, value.slots.has("i") ? "i" : "j");
  const x = valuesOf(getRSlot(value, "x"), first.length);
  if (x.values.length !== first.length)
    throw new InvalidDataError(`${x.values.length} values at ${first.length} places`);
  if (pointers.kind === "null") return { i: first, j: integers(value, "j"), x };
  const starts = toWholeNumbers(pointers, "p");
  if (starts.length !== size + 1 || starts[0] !== 0 || starts[size] !== first.length) {
    throw new InvalidDataError(`${starts.length} pointers of a matrix of ${size} columns`);
  }
  const second = new Int32Array(first.length);
  for (let one = 0; one < size; one++) {
    if (starts[one + 1] < starts[one]) throw new InvalidDataError(`pointer ${starts[one + 1]} behind ${starts[one]}`);
    second.fill(one, starts[one], starts[one + 1]);
  }
  return value.slots.has("i") ? { i: first, j: second, x } : { i: second, j: first, x };
}

function integers(value: RS4, name: string): Int32Array {
  const found = getRSlot(value, name);
  if (found.kind === "integer") return found.values;
  throw new InvalidDataError(`${name} is ${describeRValue(found)}, no integers`);
}

function whole(values: Float64Array): Int32Array {
  const integers = Int32Array.from(values);
  if (integers.every((one, i) => one === values[i])) return integers;
  throw new InvalidDataError("the pointers are no whole numbers");
}

/** Logicals with missing values. Stored as an enum, which becomes Bool with nulls. */
const LOGICAL: StoredType = {
  kind: "enum",
  base: { kind: "int", bits: 32, signed: true },
  members: [
    { name: "FALSE", value: 0 },
    { name: "TRUE", value: 1 },
    { name: "NA", value: NA_INTEGER },
  ],
};

interface Values {
  readonly type: StoredType;
  readonly values: Float64Array | Int32Array | Uint8Array;
}

/** Returns the values of the entries. A pattern matrix stores no values, so all its entries are TRUE. */
function valuesOf(x: RValue, count: number): Values {
  switch (x.kind) {
    case "null":
      return { type: { kind: "bool" }, values: new Uint8Array(count).fill(1) };
    case "real":
      return { type: FLOAT64, values: x.values };
    case "integer": {
      const { values } = x;
      if (!values.includes(NA_INTEGER)) return { type: INT32, values };
      return { type: FLOAT64, values: Float64Array.from(values, (one) => (one === NA_INTEGER ? Number.NaN : one)) };
    }
    case "logical":
      if (x.values.includes(NA_INTEGER)) return { type: LOGICAL, values: x.values };
      return { type: { kind: "bool" }, values: Uint8Array.from(x.values, (one) => (one === 0 ? 0 : 1)) };
    default:
      throw new InvalidDataError(`the values are ${describeRValue(x)}`);
  }
}

interface Triplets {
  readonly i: Int32Array;
  readonly j: Int32Array;
  readonly typed: Values;
}

/** Maximum number of rows and columns for which triplets are sorted, unless there are more triplets. */
const MAX_SORTED = 2 ** 24;

/** Sorts triplets by column, and by row within a column. Duplicates are kept. */
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
  // Two stable passes: the first by row, the second by column.
  const byRow = sortedBy(
    i,
    rows,
    Int32Array.from({ length: i.length }, (_, at) => at),
  ).order;
  const { order, starts } = sortedBy(j, columns, byRow);
  return {
    order: "column",
    data: createRNumberVector(
      `${path}/x`,
      type,
      values.map((_, at) => values[order[at]]),
    ),
    indices: createRNumberVector(
      `${path}/i`,
      INT32,
      i.map((_, at) => i[order[at]]),
    ),
    indptr: createRNumberVector(`${path}/p`, INT32, starts),
  };
}

function checkPositions(positions: Int32Array, size: number, what: string): void {
  for (const position of positions) {
    if (position < 0 || position >= size) throw new InvalidDataError(`${what} ${position} of ${size}`);
  }
}

/** Sorts indices stably by their keys. */
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
