/** Reorders in-memory columns and matrices along an axis to match the joined names. */

import type { Column, PrimitiveColumn } from "../arrow/column.js";
import { createCheckedMinorColumn } from "../arrow/sparse.js";
import { takeColumn } from "../arrow/take.js";
import { type ArrowField, createField, describeArrowType, getCoordinateType } from "../arrow/type.js";
import { isBitSet } from "../kernels/values/bitmap.js";
import { encodeFloat16 } from "../kernels/values/number-bits.js";
import { UnsupportedError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { findFrameIndex } from "../tables/frame-index.js";
import { convertListsToCoordinates, findCoordinateColumns, getIntValues } from "../tables/sparse/sparse-entries.js";
import { castNumbers, createNumbersColumn } from "./cast-numbers.js";
import { FLOAT64, isNumericType } from "./common-type.js";
import { concatDense, getInnerDimensions } from "./dense-matrices.js";
import type { MissingIntegers } from "./frame-columns.js";
import type { AxisNames } from "./joined-names.js";
import { findDenseForm, getMatrixEntryType, isSparse } from "./matrix-part.js";
import { areColumnsEqual, createWholeFrame, readWholeTable, type WholeTable } from "./whole-tables.js";

export interface Alignment {
  /** The new index of each position, -1 if the position is dropped; null if all indices stay the same. */
  readonly places: Int32Array | null;
  /** The position for each new index, -1 if no position maps to it; null if all indices stay the same. */
  readonly positions: Int32Array | null;
  /** True if both dimensions of the element lie along the axis. */
  readonly isPair: boolean;
  /** How to handle integers in a dataframe that has no value for some names. */
  readonly missingIntegers: MissingIntegers;
  /** True if such integers may be rounded when they are converted to floats. */
  readonly lossy: boolean;
}

/** Returns a column in the order of the joined names. Missing floats become NaN, other missing values null. */
export function alignColumn(
  own: ArrowField,
  column: Column,
  positions: Int32Array | null,
  { missingIntegers, lossy }: Pick<Alignment, "missingIntegers" | "lossy">,
): { readonly field: ArrowField; readonly column: Column } {
  if (positions === null) return { field: own, column };
  if (!positions.includes(-1)) return { field: own, column: takeColumn(column, positions) };
  const isNullable = own.nullable || column.validity !== null;
  const isFloat = missingIntegers === "float" && column.type.id === "Int" && !isNullable;
  const taken = takeColumn(isFloat ? castNumbers(column, FLOAT64, { lossy, element: own.name }) : column, positions);
  if (taken.layout === "primitive" && taken.type.id === "Float") {
    const field = isFloat ? { ...own, type: FLOAT64, metadata: { kind: "array" } } : own;
    return { field, column: { ...withNaN(taken, positions), validity: null } };
  }
  const { id } = own.type;
  const metadata =
    id === "Int" ? { kind: "nullable-integer" } : id === "Bool" ? { kind: "nullable-boolean" } : (own.metadata ?? {});
  return { field: { ...own, nullable: true, metadata }, column: taken };
}

function withNaN(column: PrimitiveColumn, positions: Int32Array): PrimitiveColumn {
  const { values } = column;
  const nan = values instanceof Uint16Array ? encodeFloat16(Number.NaN) : Number.NaN;
  for (const [i, position] of positions.entries()) {
    if (position < 0) values[i] = nan;
  }
  return column;
}

/**
 * Aligns a dataframe or a matrix to the order of the joined names. As in anndata, positions without a value become 0 in
 * a sparse matrix; a dense matrix with such positions becomes float64, with NaN.
 * @throws {UnsupportedError} for values of another type, if some positions have no value.
 */
export async function alignElement(
  table: ColumnTable,
  { places, positions, isPair, ...rules }: Alignment,
  joined: AxisNames,
  signal: AbortSignal | undefined,
): Promise<WholeTable> {
  if (isSparse(table)) return alignedEntries(table, { places, isPair }, joined.length, signal);
  if (positions === null) return readWholeTable(table, signal);
  if (table.metadata?.kind === "dataframe") return alignedFrame(table, { positions, ...rules }, joined, signal);
  const dense = await findDenseForm(table);
  const type = dense === null ? null : getMatrixEntryType(dense);
  const lacks = positions.includes(-1);
  if (dense === null || type === null || !isNumericType(type)) {
    if (lacks || isPair) {
      throw new UnsupportedError(`${describeArrowType(table.fields[0].type)} has no value for names that it lacks`, {
        element: table.name,
      });
    }
    return taken(await readWholeTable(table, signal), positions);
  }
  const rows = table.rows ?? positions.length;
  const width = dense.fields[0].type.id === "FixedSizeList" ? dense.fields[0].type.size : 0;
  const result = {
    name: table.name,
    across: isPair ? joined.length : width,
    inner: getInnerDimensions(dense),
    type: lacks ? FLOAT64 : type,
    fill: lacks ? Number.NaN : 0,
    lossy: true,
  };
  const part = { source: "", table: dense, length: rows, across: width, places: isPair ? places : null };
  const whole = taken(await readWholeTable(concatDense([part], result), signal), positions);
  return lacks ? { ...whole, columns: whole.columns.map(filledLists) } : whole;
}

function taken(whole: WholeTable, positions: Int32Array): WholeTable {
  const { metadata } = whole;
  const shape = metadata?.shape;
  return {
    ...whole,
    length: positions.length,
    columns: whole.columns.map((column) => takeColumn(column, positions)),
    metadata:
      metadata === null || shape === undefined
        ? metadata
        : { ...metadata, shape: [positions.length, ...shape.slice(1)] },
  };
}

/** Replaces null lists by lists of NaN. */
function filledLists(column: Column): Column {
  if (column.layout === "fixed-size-list") return { ...column, validity: null, child: filledLists(column.child) };
  if (column.layout !== "primitive" || column.validity === null) return column;
  const { bitmap } = column.validity;
  const values = Float64Array.from({ length: column.length }, (_, i) =>
    isBitSet(bitmap, i) ? Number(column.values[i]) : Number.NaN,
  );
  return createNumbersColumn(values, FLOAT64);
}

async function alignedFrame(
  frame: ColumnTable,
  { positions, ...rules }: Pick<Alignment, "positions" | "missingIntegers" | "lossy">,
  joined: AxisNames,
  signal: AbortSignal | undefined,
): Promise<WholeTable> {
  const index = findFrameIndex(frame);
  const whole = await readWholeTable(frame, signal);
  const rest = whole.fields.flatMap((own, i) =>
    i === index.field ? [] : [alignColumn(own, whole.columns[i], positions, rules)],
  );
  return createWholeFrame(index.name, joined, rest);
}

/** The entries of a sparse matrix in row order. */
async function alignedEntries(
  table: ColumnTable,
  { places, isPair }: Pick<Alignment, "places" | "isPair">,
  length: number,
  signal: AbortSignal | undefined,
): Promise<WholeTable> {
  const coordinates = await convertListsToCoordinates(table);
  const at = findCoordinateColumns(coordinates.fields);
  if (at === null) throw new UnsupportedError("no matrix of numbers", { element: table.name });
  const { columns } = await readWholeTable(coordinates, signal);
  const rows = getIntValues(columns[at[0]], "row", table.name);
  const cols = getIntValues(columns[at[1]], "col", table.name);
  const place = (position: number) => (places === null ? position : places[position]);
  const row = Int32Array.from({ length: rows.length }, (_, i) => place(Number(rows[i])));
  const col = Int32Array.from({ length: cols.length }, (_, i) => (isPair ? place(Number(cols[i])) : Number(cols[i])));
  const order = Int32Array.from(row.keys())
    .filter((i) => row[i] >= 0 && col[i] >= 0)
    .sort((a, b) => row[a] - row[b] || col[a] - col[b] || a - b);
  const width = isPair ? length : (table.metadata?.shape?.[1] ?? 0);
  const values = columns[at[2]];
  return {
    length: order.length,
    fields: [
      createField("row", getCoordinateType(length), false),
      createField("col", getCoordinateType(width), false),
      createField("value", values.type, false),
    ],
    columns: [
      createCheckedMinorColumn(
        order.map((i) => row[i]),
        length,
      ),
      createCheckedMinorColumn(
        order.map((i) => col[i]),
        width,
      ),
      takeColumn(values, order),
    ],
    metadata: {
      kind: table.metadata?.kind === "csc_matrix" ? "csc_matrix" : "csr_matrix",
      shape: [length, width],
      order: "row",
    },
    schemaMetadata: new Map(),
  };
}

/** True if two elements have the same form and equal values. */
export function areElementsEqual(a: WholeTable, b: WholeTable): boolean {
  const isFrame = a.metadata?.kind === "dataframe";
  if (isFrame !== (b.metadata?.kind === "dataframe") || a.columns.length !== b.columns.length) return false;
  if (JSON.stringify(a.metadata?.shape) !== JSON.stringify(b.metadata?.shape)) return false;
  return a.columns.every(
    (column, i) => (!isFrame || a.fields[i].name === b.fields[i].name) && areColumnsEqual(column, b.columns[i]),
  );
}
