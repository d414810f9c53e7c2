/** Dense matrices, which R stores by columns. */

import { InvalidInputError } from "annarrow";
import type { Column } from "annarrow/core/arrow";
import { type ArrowType, describeArrowType } from "annarrow/core/arrow";
import { runWithLocation, UnsupportedElementError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import { readTableBatches } from "annarrow/core/tables";
import type { RValue } from "../../containers/rds/model/value.js";
import type { Section } from "../../containers/rds/write/spooled.js";
import { toIntegers, toLogicals, toReals, withMissingReals } from "../r-values.js";
import { createIntegerVector, type RWriterContext, type WrittenValue } from "./context.js";

export interface DenseLayout {
  /** Shape of the table's matrix; the number of columns is null if the table determines it. */
  readonly sizes: readonly [rows: number, columns: number | null];
  /** Names of the rows and columns in R; null for none. */
  readonly dimnames: RValue | null;
  /** Whether the matrix is transposed. */
  readonly isTransposed: boolean;
  /** Column indices, in the order in which they become rows. Present only if the matrix is transposed. */
  readonly order?: Int32Array;
}

type Numbers = "logical" | "integer" | "real";

/**
 * Returns the matrix of a table whose column contains fixed-size lists.
 * @throws {UnsupportedElementError} for a table that is not a matrix of numbers.
 */
export async function createRDenseMatrix(
  given: ColumnTable,
  form: DenseLayout,
  cx: RWriterContext,
): Promise<WrittenValue> {
  const { name } = given;
  const table =
    given.metadata?.layout === "columns" && given.layouts.includes("dense") ? await given.layout("dense") : given;
  const [field, ...others] = table.fields;
  const item = field?.type.id === "FixedSizeList" ? field.type : null;
  if (item === null || others.length > 0) throw refused(table);
  const numbers = numbersIn(item.item.type);
  if (numbers === null) throw refused(table);
  const [rows] = form.sizes;
  const columns = form.sizes[1] ?? item.size;
  if (item.size !== columns)
    throw new InvalidInputError(`${item.size} columns, ${columns} are expected`, { element: name });
  const wordBytes = numbers === "real" ? 8 : 4;
  const sections = Array.from({ length: form.isTransposed ? 1 : columns }, () => cx.document.section(wordBytes));
  let done = 0;
  for await (const {
    columns: [lists],
    length,
  } of readTableBatches(table, cx, true)) {
    await runWithLocation({ element: name, table: name }, () =>
      addRows(sections, valuesOf(lists, numbers), columns, form),
    );
    done += length;
  }
  if (done !== rows) throw new InvalidInputError(`${done} rows, ${rows} are expected`, { element: name });
  const attributes = new Map<string, RValue>([
    ["dim", createIntegerVector(...(form.isTransposed ? [columns, rows] : [rows, columns]))],
  ]);
  if (form.dimnames !== null) attributes.set("dimnames", form.dimnames);
  return { value: cx.document.vector(numbers, rows * columns, sections, attributes), rows };
}

async function addRows(
  sections: readonly Section[],
  values: Int32Array | Float64Array,
  columns: number,
  { isTransposed, order }: DenseLayout,
): Promise<void> {
  if (isTransposed) {
    await sections[0].add(order === undefined ? values : inOrder(values, order));
    return;
  }
  const rows = columns === 0 ? 0 : values.length / columns;
  const column = values.slice(0, rows);
  for (const [j, section] of sections.entries()) {
    gather(values, column, j, columns);
    await section.add(column);
  }
}

/** Reorders the values within each row. */
function inOrder(values: Int32Array | Float64Array, order: Int32Array): Int32Array | Float64Array {
  const to = values.slice();
  const [source, target] = [wordsOf(values), wordsOf(to)];
  const size = order.length;
  const words = values.BYTES_PER_ELEMENT / 4;
  for (let i = 0; i < to.length; i++) {
    const from = i - (i % size) + order[i % size];
    for (let word = 0; word < words; word++) target[i * words + word] = source[from * words + word];
  }
  return to;
}

/** Views values as integer words. They are copied bit by bit, so that NA is preserved. */
function wordsOf({ buffer, byteOffset, byteLength }: Int32Array | Float64Array): Int32Array {
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}

function gather(from: Int32Array | Float64Array, to: Int32Array | Float64Array, first: number, step: number): void {
  const words = from.BYTES_PER_ELEMENT / 4;
  const [source, target] = [wordsOf(from), wordsOf(to)];
  for (let i = 0; i < to.length; i++) {
    for (let word = 0; word < words; word++) target[i * words + word] = source[(first + i * step) * words + word];
  }
}

function numbersIn(type: ArrowType): Numbers | null {
  switch (type.id) {
    case "Bool":
      return "logical";
    case "Int":
      return type.bits < 32 ? "integer" : type.bits === 32 && type.signed ? "integer" : "real";
    case "Float":
      return "real";
    default:
      return null;
  }
}

function valuesOf(lists: Column, numbers: Numbers): Int32Array | Float64Array {
  if (lists.layout !== "fixed-size-list") throw new TypeError("lists of fixed size expected");
  if (lists.validity !== null && lists.validity.nullCount > 0)
    throw new UnsupportedElementError("rows that are missing");
  const { child } = lists;
  switch (numbers) {
    case "logical":
      return toLogicals(child);
    case "integer":
      return toIntegers(
        child,
        () => new UnsupportedElementError("the integer -2147483648 is NA in R: make the values floats"),
      );
    case "real":
      return withMissingReals(toReals(child), child);
    default:
      return numbers satisfies never;
  }
}

function refused({ name, fields }: ColumnTable): UnsupportedElementError {
  const types = fields
    .slice(0, 3)
    .map(({ type }) => describeArrowType(type))
    .join(", ");
  return new UnsupportedElementError(`no dense matrix of numbers (${types}); R takes no other here`, {
    element: name,
    table: name,
  });
}
