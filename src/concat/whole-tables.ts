/** Small tables in memory: reads them completely, creates them from columns, and compares them. */

import type { Column, ColumnBatch } from "../arrow/column.js";
import { joinColumns } from "../arrow/join.js";
import { encodeJsonValue } from "../arrow/json.js";
import { createPandasMetadata } from "../arrow/pandas.js";
import { createTextColumn } from "../arrow/text.js";
import { type ArrowField, createField, describeArrowType, UTF8 } from "../arrow/type.js";
import { decodeDictionary } from "../arrow/written-values.js";
import { isBitSet } from "../kernels/values/bitmap.js";
import type { TableMetadata } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { createListingMembers } from "../tables/reshaped-tables.js";
import { createCodedColumn } from "./categories.js";

export interface WholeTable {
  readonly length: number;
  readonly fields: readonly ArrowField[];
  readonly columns: readonly Column[];
  readonly metadata: TableMetadata | null;
  readonly schemaMetadata: ReadonlyMap<string, string>;
}

export async function readWholeTable(table: ColumnTable, signal: AbortSignal | undefined): Promise<WholeTable> {
  const batches: ColumnBatch[] = [];
  for await (const batch of table.batches({ signal })) batches.push(batch);
  const { fields, metadata, schemaMetadata, name } = table;
  if (batches.length === 0) throw new InvalidInputError("not one batch", { element: name });
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  const columns = fields.map((_, i) => joined(batches.map((batch) => batch.columns[i])));
  return { length, fields, columns, metadata, schemaMetadata };
}

function joined(columns: readonly Column[]): Column {
  const [first] = columns;
  if (columns.length === 1 || first.layout !== "dictionary") return joinColumns(columns);
  const { dictionary, type } = first;
  const codes: number[] = [];
  for (const column of columns) {
    if (column.layout !== "dictionary") throw new TypeError("dictionaries expected");
    for (let i = 0; i < column.length; i++) codes.push(isThere(column, i) ? Number(column.indices[i]) : -1);
  }
  return createCodedColumn(Int32Array.from(codes), dictionary, type.value, type.ordered);
}

export function createTableFromRows(
  name: string,
  { length, fields, columns, metadata, schemaMetadata }: WholeTable,
): ColumnTable {
  return {
    ...createListingMembers(name, length),
    ...{ fields, metadata, schemaMetadata, repeatable: true },
    async *batches() {
      yield { length, columns };
    },
  };
}

/** Creates a dataframe in memory from row names, which become the column `index`, and further columns. */
export function createWholeFrame(
  index: string,
  names: readonly string[],
  columns: readonly { readonly field: ArrowField; readonly column: Column }[],
): WholeTable {
  const fields: ArrowField[] = [createField(index, UTF8, false), ...columns.map((one) => one.field)];
  return {
    fields,
    length: names.length,
    columns: [createTextColumn(names), ...columns.map((one) => one.column)],
    metadata: { kind: "dataframe", index },
    schemaMetadata: new Map([["pandas", createPandasMetadata(fields)]]),
  };
}

/**
 * True if two columns have the same type and equal values; NaN equals NaN. Dictionaries that are not ordered may list
 * their categories in any order.
 */
export function areColumnsEqual(a: Column, b: Column): boolean {
  if (a.length !== b.length) return false;
  if (a.layout === "dictionary" && b.layout === "dictionary") return equalDictionaries(a, b);
  if (describeArrowType(a.type) !== describeArrowType(b.type)) return false;
  if (a.layout === "primitive" && b.layout === "primitive" && a.type.id !== "Bool" && a.type.id !== "FixedSizeBinary") {
    for (let i = 0; i < a.length; i++) {
      const there = isThere(a, i);
      if (there !== isThere(b, i)) return false;
      if (there && a.values[i] !== b.values[i] && !(isNotNumber(a.values[i]) && isNotNumber(b.values[i]))) return false;
    }
    return true;
  }
  for (let i = 0; i < a.length; i++) if (encodeJsonValue(a, i) !== encodeJsonValue(b, i)) return false;
  return true;
}

function isNotNumber(value: number | bigint): boolean {
  return typeof value === "number" && Number.isNaN(value);
}

function equalDictionaries(
  a: Extract<Column, { layout: "dictionary" }>,
  b: Extract<Column, { layout: "dictionary" }>,
): boolean {
  if (a.type.ordered !== b.type.ordered) return false;
  const [mine, theirs] = [a, b].map(({ dictionary }) =>
    Array.from({ length: dictionary.length }, (_, i) => encodeJsonValue(dictionary, i)),
  );
  const [one, other] = a.type.ordered ? [mine, theirs] : [mine.toSorted(), theirs.toSorted()];
  if (one.length !== other.length || one.some((category, i) => category !== other[i])) return false;
  return areColumnsEqual(decodeDictionary(a), decodeDictionary(b));
}

function isThere({ validity }: Column, i: number): boolean {
  return validity === null || isBitSet(validity.bitmap, i);
}
