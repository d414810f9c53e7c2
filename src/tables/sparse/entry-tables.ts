/** Tables of a sparse matrix: lists of entries, one list for each row or column, or coordinates (`row`, `col`, `value`). */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { majorColumn } from "../../arrow/sparse.js";
import { sliceColumn } from "../../arrow/take.js";
import { type ArrowField, coordinateType, field, typeText } from "../../arrow/type.js";
import { InvalidInputError, RefusedError } from "../../model/errors.js";
import type { IntArray } from "../../model/stored.js";
import type { ColumnTable } from "../column-table.js";
import { grownSize } from "./slice-counts.js";

/** The entries of some lists, from the first offset to the last. */
export interface EntryLists {
  readonly offsets: Int32Array;
  readonly index: Column;
  readonly values: Column;
}

/** The field of the values in a table of lists of entries; null for another table. */
export function entriesValue({ fields }: Pick<ColumnTable, "fields">): ArrowField | null {
  return entryFields(fields)?.[1] ?? null;
}

function entryFields(fields: readonly ArrowField[]): readonly [index: ArrowField, value: ArrowField] | null {
  if (fields.length !== 1) return null;
  const [{ type }] = fields;
  if (type.id !== "List" || type.item.type.id !== "Struct") return null;
  const [index, value, ...rest] = type.item.type.fields;
  if (index?.name !== "index" || value?.name !== "value" || rest.length > 0) return null;
  return [index, value];
}

/** @throws {InvalidInputError} for lists or entries that are missing. */
export function entryLists({ columns: [lists], length }: ColumnBatch, element: string): EntryLists {
  if (lists.layout !== "list" || lists.child.layout !== "struct") throw new TypeError("lists of entries expected");
  noNulls(lists, "list", element);
  noNulls(lists.child, "entry", element);
  const offsets = lists.offsets.subarray(0, length + 1);
  const [index, values] = lists.child.children.map((child) => sliceColumn(child, offsets[0], offsets[length]));
  return { offsets, index, values };
}

function noNulls({ validity, length }: Column, what: string, element: string): void {
  if (validity === null || validity.nullCount === 0) return;
  throw new RefusedError(`${validity.nullCount} of ${length} values are missing: a ${what} is always there`, {
    element,
  });
}

/** Whether lists are rows or columns; null where the table does not say. */
export function listOrder({ metadata }: Pick<ColumnTable, "metadata">): "row" | "column" | null {
  if (metadata?.order === "row" || metadata?.order === "column") return metadata.order;
  if (metadata?.kind === "csr_matrix") return "row";
  return metadata?.kind === "csc_matrix" ? "column" : null;
}

/**
 * The entries of a table of lists as `row`, `col`, `value`, in the order of the lists.
 * @returns the table itself where it is none of lists, or does not say what its lists are.
 */
export async function coordinatesOfLists(table: ColumnTable): Promise<ColumnTable> {
  const entry = entryFields(table.fields);
  if (entry === null) return table;
  if (table.layouts.includes("coordinate")) return await table.layout("coordinate");
  const order = listOrder(table);
  if (order === null) return table;
  const { name, metadata, rows } = table;
  const [index, value] = entry;
  const shape = metadata?.shape;
  // Where nothing says how many lists there are, any position fits into 64 bits.
  const lists = (shape?.length === 2 ? shape[order === "row" ? 0 : 1] : rows) ?? 2 ** 32;
  const major = coordinateType(lists);
  const positions = order === "row" ? [major, index.type] : [index.type, major];
  return {
    ...{ name, schemaMetadata: table.schemaMetadata, derived: table.derived, repeatable: table.repeatable },
    fields: [field("row", positions[0], false), field("col", positions[1], false), value],
    metadata: { ...metadata, kind: metadata?.kind ?? "coordinates", layout: "coordinate" },
    rows: null,
    layouts: [],
    layout: async () => {
      throw new InvalidInputError("the entries of a caller's lists have one layout", { element: name });
    },
    async *batches(options): AsyncGenerator<ColumnBatch> {
      const take = options?.reuse ? reusedBytes() : undefined;
      let first = 0;
      for await (const batch of table.batches(options)) {
        if (first + batch.length > lists) {
          const what = order === "row" ? "rows" : "columns";
          throw new InvalidInputError(`${first + batch.length} ${what} of entries, the matrix has ${lists}`, {
            element: name,
          });
        }
        yield expanded(batch, order, first, lists, name, take);
        first += batch.length;
      }
    },
  };
}

function expanded(
  batch: ColumnBatch,
  order: "row" | "column",
  first: number,
  lists: number,
  element: string,
  take: ((bytes: number) => Uint8Array) | undefined,
): ColumnBatch {
  const { offsets, index, values } = entryLists(batch, element);
  const [start, end] = [offsets[0], offsets[offsets.length - 1]];
  const major = majorColumn({ pointers: Float64Array.from(offsets), first }, [start, end], lists, take);
  return { length: end - start, columns: order === "row" ? [major, index, values] : [index, major, values] };
}

/** Memory that the next batch is made in again. */
function reusedBytes(): (bytes: number) => Uint8Array {
  let memory = new Uint8Array(0);
  return (bytes) => {
    if (memory.length < bytes) memory = new Uint8Array(bytes);
    return memory;
  };
}

export const COORDINATES = ["row", "col", "value"] as const;

/** The places of the three columns among the fields; null for another table. */
export function coordinatesOf(
  fields: readonly ArrowField[],
): readonly [row: number, col: number, value: number] | null {
  if (fields.length !== 3) return null;
  const [row, col, value] = COORDINATES.map((name) => fields.findIndex((field) => field.name === name));
  const found = row >= 0 && col >= 0 && value >= 0;
  return found && fields[row].type.id === "Int" && fields[col].type.id === "Int" ? [row, col, value] : null;
}

/** Positions as integers. @throws {InvalidInputError} for other types, and for a null. */
export function intValues(column: Column, name: string, element: string): IntArray {
  const { type, validity, length } = column;
  if (column.layout !== "primitive" || type.id !== "Int") {
    throw new InvalidInputError(`${name} is ${typeText(type)}, positions are integers`, { element });
  }
  if (validity !== null && validity.nullCount > 0) {
    throw new InvalidInputError(`${validity.nullCount} of ${length} values of ${name} are missing`, { element });
  }
  const { values } = column;
  if (values instanceof Float32Array || values instanceof Float64Array) throw new TypeError("integers are integers");
  return values.length === length ? values : values.subarray(0, length);
}

/** `shape`, enlarged so that all entries lie in it. What becomes too large stays, and is an error of the writer. */
export async function grownShape(
  table: ColumnTable,
  shape: [number, number],
  signal?: AbortSignal,
): Promise<[number, number]> {
  const coordinates = await coordinatesOfLists(table);
  const places = coordinatesOf(coordinates.fields);
  if (places === null) return shape;
  const size: [number, number] = [...shape];
  for await (const { columns } of coordinates.batches({ reuse: true, ...(signal ? { signal } : {}) })) {
    for (const dimension of [0, 1] as const) {
      const positions = intValues(columns[places[dimension]], COORDINATES[dimension], table.name);
      size[dimension] = grownSize(size[dimension], positions);
    }
  }
  return size;
}
