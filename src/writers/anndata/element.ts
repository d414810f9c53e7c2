/** Selects the element in which a table is stored, based on its metadata, or on its name and columns. */

import type { ArrowField } from "../../arrow/type.js";
import { toWrittenForm } from "../../arrow/written-type.js";
import { UnsupportedElementError } from "../../model/errors.js";
import { getElementAxes } from "../../tables/axes.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import type { MatrixLayout } from "../../tables/sparse/list-counts.js";
import { findCoordinateColumns } from "../../tables/sparse/sparse-entries.js";
import type { EncodingType } from "../attributes.js";
import { writeFirstColumn } from "../column-sink.js";
import { type ElementDestination, getElementPath, writeNull, writeScalar } from "./array.js";
import { type AxisSizes, isMatrix, type KnownAxes } from "./axes.js";
import { areUncompressed, findCopyableArray, keepArray, warnAnew, warnNotCopied } from "./chunk-copies.js";
import { openColumn } from "./column.js";
import { type FrameOptions, writeDataframe } from "./dataframe.js";
import { writeDenseFromColumns, writeDenseFromCoordinates } from "./dense.js";
import { writeRecordColumn, writeRecords } from "./records.js";
import { writeSparse } from "./sparse.js";
import { toSupportedColumn } from "./unsupported-types.js";

export type ElementEncoding =
  | { readonly kind: "dataframe" | "null" | "records" | "record-column" | "column" }
  | { readonly kind: "scalar"; readonly encoding: EncodingType }
  | { readonly kind: "sparse"; readonly order: "row" | "column" }
  | { readonly kind: "unstacked" | "scattered" };

const FRAMES = new Set(["obs", "var", "raw/var"]);

/**
 * Returns the kind of element for a table: the kind in its metadata if the columns still match, otherwise the kind that
 * the columns determine.
 */
export function detectElementForm({ name, fields, metadata }: ColumnTable): ElementEncoding {
  const kind = metadata?.kind;
  if (kind === "dataframe" || FRAMES.has(name)) return { kind: "dataframe" };
  const lists = fields.length === 1 && fields[0].name === "entries" && fields[0].type.id === "List";
  const coordinates = findCoordinateColumns(fields) !== null;
  switch (kind) {
    case "csr_matrix":
    case "csc_matrix":
      if (lists || coordinates) return { kind: "sparse", order: kind === "csr_matrix" ? "row" : "column" };
      break;
    case "array":
      if (coordinates && metadata?.layout === "coordinate") return { kind: "scattered" };
      if (metadata?.layout === "columns" && fields.length > 0) return { kind: "unstacked" };
      break;
    case "rec-array":
      return fields.length === 1 && metadata?.shape?.length !== 1 ? { kind: "record-column" } : { kind: "records" };
    case "null":
      if (fields.length === 1 && fields[0].type.id === "Null") return { kind: "null" };
      break;
    case "string":
    case "numeric-scalar":
    case "bytes":
      if (fields.length === 1) return { kind: "scalar", encoding: kind };
      break;
    default:
      break;
  }
  if (coordinates) return { kind: "sparse", order: metadata?.order === "column" ? "column" : "row" };
  if (fields.length === 1) return { kind: "column" };
  return isMatrix(name) ? { kind: "unstacked" } : { kind: "dataframe" };
}

/** Returns the element's sizes that are known before any rows are read. Ignores a remembered shape. */
export function getKnownSizes(table: ColumnTable, form: ElementEncoding): AxisSizes {
  const { metadata, rows, fields } = table;
  if (form.kind === "sparse" && table.remembered === true) return [null, null];
  const shape = metadata?.shape;
  switch (form.kind) {
    case "sparse":
    case "scattered":
      return [shape?.[0] ?? null, shape?.[1] ?? null];
    case "unstacked":
      return [rows, fields.length];
    case "column": {
      const [{ type }] = fields;
      return [rows, type.id === "FixedSizeList" ? type.size : null];
    }
    default:
      return [rows, null];
  }
}

/**
 * Writes a table as an element.
 * @returns the number of rows in the element along its first axis (null if it has none), and in the table.
 */
export async function writeElement(
  place: ElementDestination,
  table: ColumnTable,
  form: ElementEncoding,
  axes: KnownAxes,
  frame: FrameOptions,
): Promise<{ readonly sizes: AxisSizes; readonly rows: number }> {
  const { cx } = place;
  const { metadata } = table;
  checkMatrix(table, form);
  switch (form.kind) {
    case "dataframe": {
      const rows = await writeDataframe(place, table, frame);
      return { sizes: [rows, null], rows };
    }
    case "null":
      for await (const _ of readTableBatches(table, cx));
      await writeNull(place);
      return { sizes: [null, null], rows: 1 };
    case "records": {
      const rows = await writeRecords(place, table);
      return { sizes: [rows, null], rows };
    }
    case "record-column": {
      const rows = await writeRecordColumn(place, table);
      return { sizes: [rows, null], rows };
    }
    case "scalar":
      await writeOne(place, table, form.encoding);
      return { sizes: [null, null], rows: 1 };
    case "sparse": {
      const stored = { indices: metadata?.indices, indptr: metadata?.indptr };
      const sized = sizedForm(table, axes);
      const { entries, shape } = await writeSparse(place, table, { ...sized, order: form.order, ...stored });
      return { sizes: shape, rows: entries };
    }
    case "scattered": {
      const dense = table.layouts.includes("dense") ? await table.layout("dense") : null;
      if (dense !== null) return writeElement(place, dense, { kind: "column" }, axes, frame);
      const shape = shapeOf(table, axes);
      return { sizes: shape, rows: await writeDenseFromCoordinates(place, table, shape) };
    }
    case "unstacked": {
      const rows = await writeDenseFromColumns(place, table);
      return { sizes: [rows, table.fields.length], rows };
    }
    case "column":
      return writeSingle(place, table);
    default:
      return form satisfies never;
  }
}

/**
 * Checks the dimensions of a matrix.
 * @throws {InvalidInputError} if an element that must be a matrix is not.
 */
function checkMatrix({ name, fields }: ColumnTable, form: ElementEncoding): void {
  if (!isMatrix(name) || form.kind === "sparse" || form.kind === "scattered" || form.kind === "unstacked") return;
  const type = fields[0]?.type;
  const dimensions = form.kind === "column" && type !== undefined ? rank({ name: "", type, nullable: false }) : 0;
  if (dimensions === 2) return;
  throw new UnsupportedElementError(
    `a matrix of ${dimensions === 0 ? "no" : dimensions} dimensions; it has two: coordinates (row, col, value), lists of fixed size, or several columns of numbers`,
    { element: name },
  );
}

function rank({ type }: ArrowField): number {
  let dimensions = 1;
  for (let inner = type; inner.id === "FixedSizeList"; inner = inner.item.type) dimensions++;
  return dimensions;
}

async function writeSingle(place: ElementDestination, table: ColumnTable) {
  const field: ArrowField = { ...table.fields[0], metadata: table.metadata ?? {} };
  const stored = place.cx.keep === null ? null : findCopyableArray(table);
  if (stored !== null) {
    if (await keepArray(place, table, stored)) {
      const [length = 0, width = null] = stored.shape ?? [];
      return { sizes: [length, width] as const, rows: length };
    }
    await warnNotCopied(place, [stored]);
  } else warnAnew(place, table);
  const compressed = stored !== null && areUncompressed([stored]) ? false : place.compressed;
  const sink = await openColumn({ ...place, compressed, rows: table.rows }, field);
  const { rows } = await writeFirstColumn(sink, table, place.cx);
  const columns = field.type.id === "FixedSizeList" ? field.type.size : null;
  return { sizes: [rows, columns] as const, rows };
}

async function writeOne(place: ElementDestination, table: ColumnTable, encoding: EncodingType) {
  const { cx } = place;
  const element = getElementPath(place);
  const { field, change } = toSupportedColumn({ ...table.fields[0], metadata: table.metadata ?? {} }, element, cx);
  // R's writers store scalars as one-value arrays.
  const asArray = Array.isArray(table.metadata?.dims);
  let written = false;
  for await (const { columns, length } of readTableBatches(table, cx)) {
    if (length === 0 && table.rows !== 0) continue;
    if (written) throw new UnsupportedElementError("more than one row for a scalar", { element });
    const tag = field.type.id === "Utf8" ? "string" : encoding;
    await writeScalar({ ...place, asArray }, toWrittenForm(field), tag, change(columns[0]));
    written = true;
  }
}

/** Returns a sparse matrix's shape. The lengths of other elements override the remembered shape, which may grow. */
function sizedForm(table: ColumnTable, axes: KnownAxes): Pick<MatrixLayout, "shape" | "axes" | "grows"> {
  const names = getElementAxes(table.name);
  const shape = shapeOf(table, axes);
  if (table.remembered !== true || table.metadata?.shape?.length !== 2) return { shape, axes: names };
  const known = names.map((axis) => (axis === null ? null : axes.length(axis)));
  return {
    shape: [known[0] ?? shape[0], known[1] ?? shape[1]],
    axes: names,
    grows: [known[0] === null, known[1] === null],
  };
}

function shapeOf({ name, metadata }: ColumnTable, axes: KnownAxes): readonly [number, number] {
  const shape = metadata?.shape;
  if (shape?.length === 2) return [shape[0], shape[1]];
  return axes.shape(name);
}
