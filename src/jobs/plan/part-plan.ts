/** Selects rows and columns of a table's plan by position, in any order and with repetition. */

import { type ArrowField, INT32, nestType } from "../../arrow/type.js";
import { createMemoryArray } from "../../containers/picked/memory-array.js";
import { createPickedArray } from "../../containers/picked/picked-array.js";
import { joinRowRanges, toRowRanges } from "../../containers/picked/row-ranges.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { checkIntegers, convertPointersToNumbers } from "../../kernels/sparse/indptr.js";
import { computeStoredPositions, createMinorMap, type MinorMap } from "../../kernels/sparse/minor-map.js";
import { InvalidDataError, runWithLocation, UnsupportedError } from "../../model/errors.js";
import { allocate, type NumberArray, type StoredType } from "../../model/stored.js";
import { createSparseRows, findDenseMatrix, findSparsePart, MAX_MINOR } from "./matrix-plan.js";
import { pickColumnPart } from "./picked-column.js";
import type { SparsePlan, TablePlan } from "./plan.js";

/** Positions along an axis, in output order; null selects the whole axis. */
export type AxisPositions = Int32Array | null;

/**
 * Selects rows and columns of a table. For a sparse matrix, only the pointers are read, not the values.
 * @param rows positions along the first axis of the element, in range.
 * @param cols positions along the second axis of a matrix, in range.
 * @throws {UnsupportedError} if the table has no such axis.
 * @throws {InvalidDataError} if a sparse matrix has broken pointers.
 */
export async function createPartPlan(
  table: TablePlan,
  rows: AxisPositions,
  cols: AxisPositions,
  options: ReadOptions = {},
): Promise<TablePlan> {
  if (rows === null && cols === null) return table;
  // Objects that are written back unchanged contain all rows, so they are dropped here.
  const { kept: _, ...rest } = table;
  const part = { ...rest, metadata: partMetadata(table, rows, cols) };
  const { plan } = table;
  const sparse = findSparsePart(plan);
  if (sparse !== null) {
    const taken = await sparsePlan(sparse, rows, cols, options);
    const layout = plan.kind === "entries" ? "list" : plan.kind === "dense-rows" ? "dense" : "coordinate";
    return { ...part, ...createSparseRows(taken.matrix, layout, taken.minor) };
  }
  const runs = rows === null ? null : toRowRanges(rows);
  switch (plan.kind) {
    case "columns": {
      if (isGraph(table)) {
        const [row, col, ...values] = table.fields;
        const nodes = rows ?? cols ?? new Int32Array(0);
        const fields = [{ ...row, type: INT32 }, { ...col, type: INT32 }, ...values];
        const kept = createMinorMap(nodes, nodesOf(table));
        return { ...part, fields, rows: null, plan: { kind: "edges", columns: plan.columns, nodes: kept } };
      }
      if (cols !== null && findDenseMatrix(plan) === null) throw noColumns(table);
      const columns = plan.columns.map((column) => pickColumnPart(column, runs, cols));
      const fields = cols === null ? table.fields : table.fields.map((field) => ofWidth(field, cols.length));
      return {
        ...part,
        fields,
        rows: rows?.length ?? table.rows,
        plan: { ...plan, columns },
        ...pickedNames(table, cols),
      };
    }
    case "matrix-columns": {
      const array = createPickedArray(plan.array, runs, cols);
      const fields = cols === null ? table.fields : Array.from(cols, (col) => table.fields[col]);
      return {
        ...part,
        fields,
        rows: rows?.length ?? table.rows,
        plan: { ...plan, array },
        ...pickedNames(table, cols),
      };
    }
    case "nonzeros": {
      if (plan.row !== null || plan.col !== null) throw noColumns(table);
      return {
        ...part,
        plan: { ...plan, array: createPickedArray(plan.array, runs, cols) },
        ...pickedNames(table, cols),
      };
    }
    case "edges": {
      const nodes = rows ?? cols ?? new Int32Array(0);
      return { ...part, plan: { ...plan, nodes: takenAgain(plan.nodes, nodes) } };
    }
    default:
      throw noColumns(table);
  }
}

/** Returns the table with new values in its single column, which has one number per row. */
export function withNumbers(table: TablePlan, numbers: Int32Array): TablePlan {
  const { plan, name } = table;
  const [column, ...others] = plan.kind === "columns" ? plan.columns : [];
  if (column?.kind !== "array" || others.length > 0) throw noColumns(table);
  const { path, type, plan: stored } = column.array;
  if (type.kind !== "int" && !(type.kind === "float" && type.bits > 16)) throw noColumns(table);
  const values = allocate(type, numbers.length);
  if (isBig(values)) for (let i = 0; i < numbers.length; i++) values[i] = BigInt(numbers[i]);
  else values.set(numbers);
  const array = createMemoryArray(path, type, [numbers.length], { kind: "fixed", values }, stored?.source);
  const metadata = partMetadata(table, numbers, null);
  return {
    ...table,
    name,
    metadata,
    rows: numbers.length,
    plan: { kind: "columns", columns: [{ kind: "array", array }] },
  };
}

function isBig(values: NumberArray): values is BigInt64Array | BigUint64Array {
  return values instanceof BigInt64Array || values instanceof BigUint64Array;
}

function noColumns({ name }: TablePlan): UnsupportedError {
  return new UnsupportedError("no part of this element can be taken by positions", { element: name });
}

/** Whether the table lists the edges of a graph. The rows of such a table are not positions along an axis. */
function isGraph({ fields, metadata }: TablePlan): boolean {
  const names = fields.map(({ name }) => name);
  return metadata.kind === "coo_matrix" && names.join() === "row,col,value";
}

/**
 * Returns the number of nodes in a graph.
 * @throws {UnsupportedError} if there are more nodes than a map in memory can have.
 */
function nodesOf({ metadata, name }: TablePlan): number {
  const [size = 0] = metadata.shape ?? [];
  if (size <= MAX_MINOR) return size;
  throw new UnsupportedError(`a graph of ${size} nodes, at most ${MAX_MINOR} to choose from`, { element: name });
}

function partMetadata({ metadata }: TablePlan, rows: AxisPositions, cols: AxisPositions): TablePlan["metadata"] {
  const { shape } = metadata;
  if (shape === undefined) return metadata;
  const [height, width, ...inner] = shape;
  const taken = [rows?.length ?? height, ...(width === undefined ? [] : [cols?.length ?? width]), ...inner];
  return { ...metadata, shape: taken };
}

/** Returns the field of a dense matrix with a different number of columns. */
function ofWidth(field: ArrowField, width: number): ArrowField {
  return field.type.id === "FixedSizeList" ? { ...field, type: nestType(field.type.item.type, [width]) } : field;
}

function pickedNames({ columnNames }: TablePlan, cols: AxisPositions): Pick<TablePlan, "columnNames"> {
  if (columnNames === null || cols === null) return { columnNames };
  return {
    columnNames: async () => {
      const names = await columnNames();
      return Array.from(cols, (col) => names[col]);
    },
  };
}

interface SparsePart {
  readonly matrix: SparsePlan;
  readonly minor?: MinorMap;
}

async function sparsePlan(
  { matrix, minor }: SparsePart,
  rows: AxisPositions,
  cols: AxisPositions,
  options: ReadOptions,
): Promise<SparsePart> {
  const [major, kept] = matrix.order === "row" ? [rows, cols] : [cols, rows];
  const picked = major === null ? matrix : await pickedMajors(matrix, major, options);
  if (kept === null) return minor === undefined ? { matrix: picked } : { matrix: picked, minor };
  return { matrix: picked, minor: keptMinors(matrix, kept, minor) };
}

function keptMinors({ shape, order, indices }: SparsePlan, positions: Int32Array, earlier?: MinorMap): MinorMap {
  const stored = earlier?.stored ?? shape[order === "row" ? 1 : 0];
  if (stored > MAX_MINOR) {
    throw new UnsupportedError(`positions along an axis of ${stored}, at most ${MAX_MINOR} of this axis`, {
      element: indices.path,
    });
  }
  return earlier === undefined ? createMinorMap(positions, stored) : takenAgain(earlier, positions);
}

/** Composes maps: returns the map for `positions` within the result of an earlier map. */
function takenAgain(earlier: MinorMap, positions: Int32Array): MinorMap {
  const before = computeStoredPositions(earlier);
  return createMinorMap(
    positions.map((position) => before[position]),
    earlier.stored,
  );
}

/**
 * Returns the sparse matrix limited to some major positions. Pointers are copied to memory; entries are read on demand.
 */
async function pickedMajors(matrix: SparsePlan, majors: Int32Array, options: ReadOptions): Promise<SparsePlan> {
  const { indptr, nnz, order } = matrix;
  const [from, to] = await runWithLocation({ element: indptr.path }, async () => {
    const starts = await pointersAt(indptr, majors, options);
    const ends = await pointersAt(
      indptr,
      majors.map((major) => major + 1),
      options,
    );
    for (let i = 0; i < majors.length; i++) {
      const [start, end] = [starts[i], ends[i]];
      const isFirst = majors[i] === 0 && start !== 0;
      if (!(start >= 0 && start <= end && end <= nnz) || isFirst) {
        throw new InvalidDataError(`position ${majors[i]} has the pointers ${start} and ${end} of ${nnz} values`);
      }
    }
    return [starts, ends];
  });
  const pointers = new Float64Array(majors.length + 1);
  for (let i = 0; i < majors.length; i++) pointers[i + 1] = pointers[i] + to[i] - from[i];
  const total = pointers[majors.length];
  const isNarrow = total < 2 ** 31;
  const values = isNarrow ? Int32Array.from(pointers) : BigInt64Array.from(pointers, BigInt);
  const type: StoredType = { kind: "int", bits: isNarrow ? 32 : 64, signed: true };
  const entries = joinRowRanges(from, to);
  return {
    shape: order === "row" ? [majors.length, matrix.shape[1]] : [matrix.shape[0], majors.length],
    order,
    nnz: total,
    data: createPickedArray(matrix.data, entries),
    indices: createPickedArray(matrix.indices, entries),
    indptr: createMemoryArray(indptr.path, type, [pointers.length], { kind: "fixed", values }, indptr.plan?.source),
  };
}

async function pointersAt(indptr: StoredArray, positions: Int32Array, options: ReadOptions): Promise<Float64Array> {
  if (positions.length === 0) return new Float64Array(0);
  return convertPointersToNumbers(
    checkIntegers(await createPickedArray(indptr, toRowRanges(positions)).read(0, positions.length, options)),
  );
}
