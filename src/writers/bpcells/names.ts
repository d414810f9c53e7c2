/** Writes `row_names` and `col_names`. */

import type { ColumnBatch } from "../../arrow/column.js";
import type { NameIds } from "../../arrow/name-ids.js";
import { describeArrowType } from "../../arrow/type.js";
import { decodeDictionary, findFirstMissing, toStoredValues } from "../../arrow/written-values.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { InvalidInputError, runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import type { VariableValues } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { TEXT } from "../attributes.js";
import { type BpcellsWriterContext, getArrayPath } from "./context.js";

export type AxisArray = "row_names" | "col_names";

/**
 * Yields an axis's names, in parts.
 * @param size number of positions along the axis.
 * @throws {InvalidInputError} if the number of names differs from `size`, or if a name is missing or BPCells cannot
 * read it.
 */
async function* encodeAxisNames(
  table: ColumnTable,
  size: number,
  cx: BpcellsWriterContext,
): AsyncGenerator<VariableValues> {
  checkCount(table, size);
  let names = 0;
  for await (const batch of readTableBatches(table, cx)) {
    names += batch.length;
    if (names > size) throw wrongCount(table, `more than ${size}`, size);
    const part = runWithLocation({ element: table.name, table: table.name }, async () => textsOf(batch, table));
    if (batch.length > 0) yield await part;
  }
  if (names < size) throw wrongCount(table, String(names), size);
}

/**
 * Checks the number of names, if it is known.
 * @throws {InvalidInputError} if the number differs from `size`.
 */
export function checkCount(table: ColumnTable, size: number): void {
  if (table.rows !== null && table.rows !== size) throw wrongCount(table, String(table.rows), size);
}

function wrongCount({ name }: ColumnTable, names: string, size: number): InvalidInputError {
  const axis = name.endsWith("row_names") ? "rows" : "columns";
  return new InvalidInputError(`${names} names for ${size} ${axis} of the matrix`, { element: name });
}

function textsOf({ columns }: ColumnBatch, { name, fields }: ColumnTable): VariableValues {
  const [given, ...others] = columns;
  if (given === undefined || others.length > 0)
    throw new UnsupportedElementError(`${fields.length} columns; names are one`);
  const column = given.layout === "dictionary" ? decodeDictionary(given) : given;
  if (column.type.id !== "Utf8")
    throw new UnsupportedElementError(`is ${describeArrowType(column.type)}; names are text`);
  const missing = findFirstMissing(column);
  if (missing >= 0) throw new UnsupportedElementError(`name ${missing} of ${column.length} is missing`);
  const values = toStoredValues({ type: TEXT, shape: [] }, column);
  if (values.kind !== "variable") throw new TypeError("text is of variable width");
  checkNames(values, name);
  return values;
}

/** Writes the names as an array, which is empty if there are no names. */
export async function writeAxisNames(
  group: GroupWriter,
  name: AxisArray,
  table: ColumnTable | null,
  size: number,
  cx: BpcellsWriterContext,
): Promise<void> {
  const element = getArrayPath(group, name);
  const rows = table === null ? 0 : size;
  const array = await runWithLocation({ element }, () =>
    group.array(name, { type: TEXT, shape: [rows], compressed: false }),
  );
  if (table !== null) {
    for await (const names of encodeAxisNames(table, size, cx)) {
      await runWithLocation({ element }, () => array.write(names, names.offsets.length - 1));
    }
  }
  await runWithLocation({ element }, () => array.close());
}

const NEWLINE = 10;

/**
 * Writes the names in the order of their numbers.
 * @throws {InvalidInputError} for a name with a newline or a NUL, at which BPCells would end the name in any container.
 */
export async function writeNameList(group: GroupWriter, name: string, names: NameIds): Promise<void> {
  const array = await group.array(name, { type: TEXT, shape: [names.count] });
  for (const part of names.names()) {
    checkNames(part, name);
    const count = part.offsets.length - 1;
    if (count > 0) await array.write(part, count);
  }
  await array.close();
}

export function checkNames({ offsets, bytes }: VariableValues, name: string): void {
  for (const [byte, what] of [
    [NEWLINE, "newline"],
    [0, "NUL"],
  ] as const) {
    const at = bytes.indexOf(byte);
    if (at < 0) continue;
    const i = offsets.findIndex((offset) => offset > at) - 1;
    const text = JSON.stringify(new TextDecoder().decode(bytes.subarray(offsets[i], offsets[i + 1])));
    throw new UnsupportedElementError(`${text}, one of ${name}, has a ${what} in it, which BPCells cannot read`);
  }
}
