/**
 * Derives column tables from another table: a selection of its columns, a vector folded to a matrix, the nonzero
 * entries of a dense matrix, or a mapping's listing under another path.
 */

import type { Column, ColumnBatch, PrimitiveColumn } from "../arrow/column.js";
import { createFixedSizeLists, findDenseNonZeros, getListItems } from "../arrow/dense.js";
import { joinColumns } from "../arrow/join.js";
import { decodeTextValues, encodeStoredTexts } from "../arrow/text.js";
import { type ArrowField, createField, describeArrowType, getCoordinateType, INT32, nestType } from "../arrow/type.js";
import { findFirstMissing } from "../arrow/written-values.js";
import { packBits, unpackBits } from "../kernels/values/bitmap.js";
import type { TableMetadata } from "../model/dataset.js";
import { InvalidInputError, UnsupportedElementError } from "../model/errors.js";
import { viewAsBytes } from "../model/stored.js";
import type { ColumnBatchOptions, ColumnTable } from "./column-table.js";

export interface ChosenColumn {
  readonly place: number;
  readonly field: ArrowField;
}

/** Returns the table `name` with only these columns. The other columns are not read if the table allows this. */
export function selectTableColumns(
  table: ColumnTable,
  name: string,
  columns: readonly ChosenColumn[],
  metadata: TableMetadata | null,
): ColumnTable {
  const places = columns.map(({ place }) => place);
  return {
    ...createListingMembers(name, table.rows),
    ...{ repeatable: table.repeatable, metadata },
    fields: columns.map(({ field }) => field),
    only: (fields) =>
      selectTableColumns(
        table,
        name,
        fields.map((field) => columns[field]),
        metadata,
      ),
    batches: (options) => readColumnsAt(table, places, options),
  };
}

/** Reads the columns at `places`, in this order. The other columns are not read if the table allows this. */
export async function* readColumnsAt(
  table: ColumnTable,
  places: readonly number[],
  options?: ColumnBatchOptions,
): AsyncGenerator<ColumnBatch> {
  const alone = table.only?.(places);
  for await (const { length, columns } of (alone ?? table).batches(options)) {
    yield { length, columns: alone === undefined ? places.map((place) => columns[place]) : columns };
  }
}

/** Properties that all tables of this file share. */
export function createListingMembers(name: string, rows: number | null) {
  return {
    ...{ name, rows },
    schemaMetadata: new Map<string, string>(),
    derived: false,
    layouts: [],
    layout: () => Promise.reject(new InvalidInputError("columns have one layout", { element: name })),
  } as const;
}

/** Maximum number of values in a row, because a row is held in memory. */
const MAX_VALUES = 2 ** 27;

/**
 * Folds a one-column table to a matrix of `shape` with one row or one column.
 * @throws {InvalidInputError} if a row is too long to be held in memory, or if the number of values does not match the
 * shape.
 */
export function foldTableRows(table: ColumnTable, shape: readonly [rows: number, columns: number]): ColumnTable {
  const [rows, width] = shape;
  const [field] = table.fields;
  const type = nestType(field.type, [width]);
  if (width > MAX_VALUES) {
    throw new UnsupportedElementError(`one row of ${width} values, of which ${MAX_VALUES} are held`, {
      element: table.name,
    });
  }
  return {
    ...createListingMembers(table.name, rows),
    metadata: table.metadata,
    repeatable: table.repeatable,
    fields: [{ ...field, type, nullable: false }],
    async *batches(options) {
      const held = [];
      for await (const { length, columns } of table.batches(width === 1 ? options : { ...options, reuse: false })) {
        if (width === 1) yield { length, columns: [createFixedSizeLists(columns[0], [1], length)] };
        else held.push(columns[0]);
      }
      if (width === 1) return;
      const row = joinColumns(held);
      if (row.length !== width) {
        throw new UnsupportedElementError(`${row.length} values for a row of ${width}`, { element: table.name });
      }
      yield { length: 1, columns: [createFixedSizeLists(row, [width], 1)] };
    },
  };
}

/**
 * Returns the nonzero entries of `dense` in row order. Its number of rows becomes part of the shape if it is known.
 * @throws {InvalidInputError} if `dense` is not a table of number lists; while the table is read, for a missing value.
 */
export function toNonZeroTable(dense: ColumnTable): ColumnTable {
  const [lists, ...others] = dense.fields;
  const { type } = lists;
  const value = type.id === "FixedSizeList" ? type.item.type : null;
  const isNumber = value?.id === "Bool" || value?.id === "Int" || value?.id === "Float";
  if (others.length > 0 || type.id !== "FixedSizeList" || !isNumber) {
    throw new UnsupportedElementError(`${describeArrowType(type)} is no matrix of numbers`, { element: dense.name });
  }
  const fields: ArrowField[] = [
    createField("row", INT32, false),
    createField("col", INT32, false),
    createField("value", value, false),
  ];
  const shape = dense.rows === null ? {} : { shape: [dense.rows, type.size] };
  return {
    ...{ name: dense.name, fields, rows: null, derived: dense.derived, repeatable: dense.repeatable },
    metadata: { ...shape, ...dense.metadata, kind: "array", layout: "coordinate", order: "row" },
    schemaMetadata: dense.schemaMetadata,
    layouts: [],
    layout: async () => {
      throw new InvalidInputError("the entries have one layout", { element: dense.name });
    },
    async *batches(options): AsyncGenerator<ColumnBatch> {
      let row = 0;
      for await (const { columns, length } of dense.batches(options)) {
        const entries = findNonZeroEntries(columns[0], row, dense.name);
        yield {
          length: entries.value.length,
          columns: [positions(entries.row), entries.col, entries.value],
        };
        row += length;
      }
    },
  };
}

/** The nonzero entries of some matrix rows, in row order. */
export interface NonZeroEntries {
  readonly row: Int32Array;
  readonly col: PrimitiveColumn;
  readonly value: PrimitiveColumn;
}

/**
 * Returns the nonzero entries in the rows of a matrix. Each row is a list of numbers.
 * @param firstRow position of the first row in the matrix.
 * @throws {InvalidInputError} for a missing value.
 */
export function findNonZeroEntries(lists: Column, firstRow: number, element: string): NonZeroEntries {
  if (lists.layout !== "fixed-size-list") throw new TypeError("lists of fixed size expected");
  const width = lists.type.size;
  const flat = getListItems(lists);
  const missing = findFirstMissing(flat);
  if (missing >= 0) {
    throw new UnsupportedElementError(`row ${firstRow + Math.floor(missing / width)} has a missing value`, { element });
  }
  if (flat.layout !== "primitive") throw new TypeError("numbers expected");
  const isBool = flat.type.id === "Bool";
  const block = isBool ? unpackBits(viewAsBytes(flat.values), flat.length) : flat.values.subarray(0, flat.length);
  const { row, col, value } = findDenseNonZeros(block, lists.length, width, firstRow);
  const values = isBool ? packBits(viewAsBytes(value)) : value;
  return {
    row,
    col: positions(col),
    value: { layout: "primitive", type: flat.type, length: row.length, validity: null, values },
  };
}

function positions(values: Int32Array): PrimitiveColumn {
  return { layout: "primitive", type: getCoordinateType(0), length: values.length, validity: null, values };
}

/** Kinds of MATLAB values that contain other values. */
const HOLDERS: ReadonlySet<string | null> = new Set(["struct", "cell", "object"]);

/** Replaces the path `from` with `to` in every row. Structs, cells and objects are listed as mappings (`dict`). */
export function replaceListedPaths(table: ColumnTable, from: string, to: string): ColumnTable {
  const places = ["path", "kind", "type"].map((name) => table.fields.findIndex((field) => field.name === name));
  const [path, kind, type] = places;
  if (places.includes(-1)) {
    throw new InvalidInputError("a derived table has the columns path, kind and type", { element: table.name });
  }
  return {
    ...table,
    name: to,
    asRead: null,
    layout: () => Promise.reject(new InvalidInputError("columns have one layout", { element: to })),
    async *batches(options) {
      for await (const { length, columns } of table.batches(options)) {
        const paths = texts(columns[path], table.name);
        const kinds = texts(columns[kind], table.name);
        const own = paths.map((one) => (one?.startsWith(`${from}/`) ? `${to}${one.slice(from.length)}` : one));
        const types = texts(columns[type], table.name);
        // An entry with a type is a table, not a mapping. The mapping itself is listed only if it is empty, and then
        // retains its kind.
        const isMapping = (i: number) => HOLDERS.has(kinds[i]) && types[i] === null && paths[i] !== from;
        const turned = kinds.map((one, i) => (isMapping(i) ? "dict" : one));
        yield {
          length,
          columns: columns.map((column, i) => changed(column, i === path ? own : i === kind ? turned : null)),
        };
      }
    },
  };
}

function texts(column: Column, element: string): readonly (string | null)[] {
  if (column.layout === "variable") return decodeTextValues(column);
  throw new InvalidInputError("the columns path, kind and type of a derived table are text", { element });
}

function changed(column: Column, values: readonly (string | null)[] | null): Column {
  if (values === null || column.layout !== "variable") return column;
  const { offsets, bytes } = encodeStoredTexts(values.map((one) => one ?? ""));
  return { ...column, offsets, bytes };
}
