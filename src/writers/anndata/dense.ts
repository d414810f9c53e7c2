/**
 * Writes dense matrices from other layouts: the coordinates of their nonzero values, or one table column for each
 * matrix column.
 */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { type ArrowField, describeArrowType } from "../../arrow/type.js";
import { toWrittenForm } from "../../arrow/written-type.js";
import { toStoredValues } from "../../arrow/written-values.js";
import { LongWork } from "../../io/sources/event-loop.js";
import { unpackBits } from "../../kernels/values/bitmap.js";
import { InvalidInputError, runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import { allocate, type NumberArray, type StoredType, viewAsBytes } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { findCoordinateColumns, getIntValues } from "../../tables/sparse/sparse-entries.js";
import { toArrayValues } from "../array-values.js";
import { createEncodingAttributes } from "../attributes.js";
import { ArraySink, type ElementDestination, getElementPath } from "./array.js";
import type { AnnDataWriterContext } from "./context.js";

/** Size of a block of rows in bytes. */
const BLOCK_BYTES = 2 ** 22;

/**
 * Writes k columns of one type as rows with k values each.
 * @returns the number of rows.
 */
export async function writeDenseFromColumns(place: ElementDestination, table: ColumnTable): Promise<number> {
  const element = getElementPath(place);
  const { fields } = table;
  const type = commonType(fields, element);
  const options = { attributes: createEncodingAttributes("array") };
  const sink = await ArraySink.open({ ...place, rows: table.rows }, { type, shape: [fields.length] }, options);
  let rows = 0;
  for await (const batch of readTableBatches(table, place.cx)) {
    const values = await runWithLocation({ element }, () => interleaved(batch, type, element, place.cx));
    await sink.writeValues({ kind: "fixed", values }, batch.length);
    rows += batch.length;
  }
  await sink.close();
  return rows;
}

function interleaved(
  { columns, length }: ColumnBatch,
  type: StoredType,
  element: string,
  cx: AnnDataWriterContext,
): NumberArray {
  const out = allocate(type, length * columns.length);
  const width = columns.length;
  for (const [k, column] of columns.entries()) {
    const stored = toArrayValues({ type, shape: [] }, column, element, cx);
    if (stored.kind !== "fixed") throw new TypeError("numbers are of fixed width");
    const { values } = stored;
    for (let i = 0, at = k; i < length; i++, at += width) out[at] = values[i];
  }
  return out;
}

/** Returns the common type of all columns. @throws {InvalidInputError} for different or non-numeric types. */
function commonType(fields: readonly ArrowField[], element: string): StoredType {
  const [first] = fields;
  for (const field of fields) {
    if (describeArrowType(field.type) !== describeArrowType(first.type)) {
      const isText = [first, field].some(({ type }) => describeArrowType(type).endsWith("Utf8"));
      const remedy = isText ? "; a column of names belongs into obs" : "";
      throw new UnsupportedElementError(
        `columns of one matrix are of one type: ${JSON.stringify(first.name)} is ${describeArrowType(first.type)}, ${JSON.stringify(field.name)} is ${describeArrowType(field.type)}${remedy}`,
        { element },
      );
    }
  }
  const { type, shape } = toWrittenForm(first);
  if (shape.length === 0 && (type.kind === "bool" || type.kind === "int" || type.kind === "float")) return type;
  throw new UnsupportedElementError(`a matrix of ${describeArrowType(first.type)}; it holds numbers or booleans`, {
    element,
  });
}

/**
 * Writes a dense matrix from the coordinates of its nonzero values, which arrive in row order.
 * @returns the number of rows.
 * @throws {InvalidInputError} for coordinates outside the shape, or out of order.
 */
export async function writeDenseFromCoordinates(
  place: ElementDestination,
  table: ColumnTable,
  [height, width]: readonly [number, number],
): Promise<number> {
  const element = getElementPath(place);
  const places = findCoordinateColumns(table.fields);
  if (places === null) throw new TypeError("coordinates expected");
  const { type } = toWrittenForm(table.fields[places[2]]);
  const options = { attributes: createEncodingAttributes("array") };
  const sink = await ArraySink.open({ ...place, rows: height }, { type, shape: [width] }, options);
  const blockRows = Math.max(1, Math.floor(BLOCK_BYTES / Math.max(1, width * 8)));
  // Blocks without entries have no chunks, so no file access interrupts the loop that passes them.
  const work = new LongWork(place.cx.signal);
  let start = 0;
  let block = newBlock();
  function newBlock(): NumberArray {
    return allocate(type, Math.min(blockRows, height - start) * width);
  }
  const flush = async () => {
    const rows = Math.min(blockRows, height - start);
    await sink.writeValues({ kind: "fixed", values: block }, rows);
    start += rows;
    block = newBlock();
    await work.pause();
  };
  let entries = 0;
  for await (const { columns, length } of readTableBatches(table, place.cx)) {
    const row = getIntValues(columns[places[0]], "row", element);
    const col = getIntValues(columns[places[1]], "col", element);
    const values = numbersOf(columns[places[2]], type, element);
    for (let i = 0; i < length; i++) {
      const [r, c] = [Number(row[i]), Number(col[i])];
      if (!(r >= start && r < height && c >= 0 && c < width)) {
        const problem = r >= 0 && r < start ? "behind rows that follow it" : `outside the shape [${height}, ${width}]`;
        throw new InvalidInputError(`entry ${entries + i} at row ${r}, col ${c} lies ${problem}`, { element });
      }
      while (r >= start + blockRows) await flush();
      block[(r - start) * width + c] = values[i];
    }
    entries += length;
  }
  while (start < height) await flush();
  await sink.close();
  return height;
}

function numbersOf(column: Column, type: StoredType, element: string): NumberArray {
  if (type.kind === "bool" && column.layout === "primitive" && column.validity === null) {
    return unpackBits(viewAsBytes(column.values), column.length);
  }
  const stored = toStoredValues({ type, shape: [] }, column);
  if (stored.kind === "fixed" && type.kind !== "complex") return stored.values;
  throw new UnsupportedElementError(`a matrix of ${describeArrowType(column.type)}; it holds numbers or booleans`, {
    element,
  });
}
