/** `/matrix` and the arrays of `/layers`: dense, genes x cells, in loompy's chunks. */

import type { ArrowField } from "../../arrow/type.js";
import type { ArrayWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import { InvalidInputError, located } from "../../model/errors.js";
import type { StoredType } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { rowsOf } from "../../tables/rows.js";
import { matrixChunks } from "./array-types.js";
import type { LoomWriterContext } from "./context.js";
import { stampOf } from "./groups.js";
import { flat } from "./missing.js";
import type { Notes } from "./notes.js";
import { Numbers, type OpenMatrix } from "./numbers.js";
import type { LoomShape } from "./shape.js";
import { writeEntries } from "./sparse-matrix.js";

/**
 * Writes a matrix, from rows of all values, or from entries in any order.
 * @returns the number of rows of the table.
 * @throws {InvalidInputError} for missing values, entries outside the shape, and another number of rows.
 * @throws {UnsupportedError} for values that are no numbers.
 */
export async function writeMatrix(
  group: GroupWriter,
  name: string,
  given: ColumnTable,
  shape: LoomShape,
  notes: Notes,
  cx: LoomWriterContext,
): Promise<number> {
  const table = await readableForm(given);
  /** A matrix that is filled along one of its dimensions; cells can be added to it later. */
  const open = (type: StoredType, along: 0 | 1): Promise<ArrayWriter> =>
    located({ element: table.name }, () =>
      group.array(name, {
        ...{ type, shape, along, chunks: matrixChunks(shape), extendable: [1], sparse: true },
        ...stampOf(given.metadata, cx.version),
      }),
    );
  const numbers = (value: ArrowField) => new Numbers(value, table.name, notes, cx);
  if (!isDense(table)) return await writeEntries(table, shape, open, numbers, cx);
  const [{ type }] = table.fields;
  if (type.id !== "FixedSizeList") throw new TypeError("lists of fixed size expected");
  return await writeRows(table, shape, open, numbers(type.item), cx);
}

async function writeRows(
  table: ColumnTable,
  [height]: LoomShape,
  open: OpenMatrix,
  numbers: Numbers,
  cx: LoomWriterContext,
): Promise<number> {
  const array = await open(numbers.type, 0);
  let rows = 0;
  for await (const { columns, length } of rowsOf(table, cx, true)) {
    rows += length;
    if (rows > height) throw wrongRows(table, rows, height);
    if (length === 0) continue;
    await located({ element: table.name }, () =>
      array.write({ kind: "fixed", values: numbers.of(flat(columns[0])) }, length),
    );
  }
  if (rows < height) throw wrongRows(table, rows, height);
  await located({ element: table.name }, () => array.close());
  return rows;
}

function wrongRows({ name }: ColumnTable, rows: number, height: number): InvalidInputError {
  return new InvalidInputError(`${rows} rows, the matrix has ${height}`, { element: name });
}

/** One column per column of the matrix is no form that is written; most such tables have another. */
async function readableForm(table: ColumnTable): Promise<ColumnTable> {
  if (table.metadata?.layout === "columns" && table.layouts.includes("dense")) return await table.layout("dense");
  return table;
}

function isDense({ fields }: ColumnTable): boolean {
  return fields.length === 1 && fields[0].type.id === "FixedSizeList";
}
