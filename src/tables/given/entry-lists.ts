/**
 * Entry lists as other programs write them: each row has a list of positions and a list of values, without metadata.
 */

import type { Column, ColumnBatch, ListColumn } from "../../arrow/column.js";
import { sliceColumn } from "../../arrow/take.js";
import { type ArrowField, type ArrowType, createField, describeArrowType } from "../../arrow/type.js";
import { InvalidInputError } from "../../model/errors.js";
import type { ColumnTable } from "../column-table.js";
import { checkNoMissing } from "../sparse/sparse-entries.js";

/** Usual names of the position and value fields, starting with the library's own names. */
const POSITIONS = ["index", "col", "column", "indices", "gene", "j"];
const VALUES = ["value", "data", "values", "count", "counts", "x"];

/** Elements that are matrices along two axes. In other elements, lists of records remain unchanged. */
const MATRIX = /^(mod\/[^/]+\/)?(X|raw\/X|matrix|(layers|obsp|varp)\/.+)$/;

/**
 * Converts a matrix of lists to the form that writers accept: a column `entries`, whose lists contain the `index` and
 * `value` of each entry in a row. The input has one column of lists with two fields, or two columns of lists.
 * @returns the table itself if it is not such a matrix, or if its metadata declare its kind.
 * @throws {InvalidInputError} if neither names nor types show which field contains the positions; while batches are
 * read, if a row's lists of positions and values differ in length.
 */
export function withEntryLists(table: ColumnTable): ColumnTable {
  const { name, fields, metadata } = table;
  if (!MATRIX.test(name) || (metadata !== null && metadata.kind !== "table")) return table;
  const form = formOf(fields, name);
  if (form === null) return table;
  const [position, value] = form.places.map((place) => form.fields[place]);
  const entry = {
    id: "Struct",
    fields: [createField("index", position.type), createField("value", value.type)],
  } as const;
  const entries: ArrowField = createField("entries", { id: "List", item: createField("item", entry, false) }, false);
  const { asRead: _, only: __, ...given } = table;
  return {
    ...given,
    fields: [entries],
    metadata: { kind: "csr_matrix", order: "row", layout: "list" },
    layouts: [],
    async *batches(options): AsyncGenerator<ColumnBatch> {
      for await (const batch of table.batches(options)) {
        const { offsets, positions, values } = form.isOneColumn
          ? inStructs(batch, form.places, name)
          : inColumns(batch, form.places, name);
        const child: Column = {
          layout: "struct",
          type: entry,
          length: positions.length,
          validity: null,
          children: [positions, values],
        };
        const lists: ListColumn = {
          layout: "list",
          type: { id: "List", item: createField("item", entry, false) },
          length: batch.length,
          validity: null,
          offsets,
          child,
        };
        yield { length: batch.length, columns: [lists] };
      }
    },
  };
}

interface ListForm {
  /** True if one column contains lists of both fields. */
  readonly isOneColumn: boolean;
  readonly fields: readonly ArrowField[];
  readonly places: readonly [position: number, value: number];
}

function formOf(fields: readonly ArrowField[], element: string): ListForm | null {
  const items = fields.map(({ type }) => (type.id === "List" ? type.item : null));
  const [item] = items;
  if (fields.length === 1 && item?.type.id === "Struct") {
    return { isOneColumn: true, fields: item.type.fields, places: placesOf(item.type.fields, element) };
  }
  const lists = items.flatMap((one, i) => (one === null ? [] : [{ ...one, name: fields[i].name }]));
  if (fields.length !== 2 || lists.length !== 2) {
    if (lists.length === 0 || fields.length === 1) return null;
    const others = fields.filter((_, i) => items[i] === null).map(({ name }) => name);
    throw new InvalidInputError(
      `lists of entries are one column of positions and values, or two; leave out ${others.join(", ") || "the others"}`,
      { element },
    );
  }
  return { isOneColumn: false, fields: lists, places: placesOf(lists, element) };
}

function placesOf(fields: readonly ArrowField[], element: string): readonly [number, number] {
  const isPosition = (at: number) => POSITIONS.includes(fields[at].name.toLowerCase());
  const isValue = (at: number) => VALUES.includes(fields[at].name.toLowerCase());
  if (fields.length === 2) {
    for (const [position, value] of [[0, 1] as const, [1, 0] as const]) {
      const isNamed = (isPosition(position) && !isPosition(value)) || (isValue(value) && !isValue(position));
      const isAlone = isInteger(fields[position].type) && !isInteger(fields[value].type);
      const hasNames = [0, 1].some((at) => isPosition(at) || isValue(at));
      if (isInteger(fields[position].type) && (isNamed || (!hasNames && isAlone))) return [position, value];
    }
  }
  const found = fields.map(({ name, type }) => `${name}: ${describeArrowType(type)}`).join(", ");
  throw new InvalidInputError(
    `lists of entries have an integer for the column and a value, called index and value; these have ${found}`,
    { element },
  );
}

function isInteger(type: ArrowType): boolean {
  return type.id === "Int";
}

/** The positions and values in a batch's lists, from the first offset to the last. */
interface Lists {
  readonly offsets: Int32Array;
  readonly positions: Column;
  readonly values: Column;
}

function inStructs({ columns: [lists], length }: ColumnBatch, places: ListForm["places"], element: string): Lists {
  if (lists.layout !== "list" || lists.child.layout !== "struct") throw new TypeError("lists of structs expected");
  checkNoMissing(lists, "list", element);
  const { offsets, child } = lists;
  const [first, last] = [offsets[0], offsets[length]];
  if (child.validity !== null) checkNoMissing(sliceColumn(child, first, last), "entry", element);
  const [positions, values] = places.map((place) => sliceColumn(child.children[place], first, last));
  return { offsets: offsets.subarray(0, length + 1).map((offset) => offset - first), positions, values };
}

function inColumns({ columns, length }: ColumnBatch, places: ListForm["places"], element: string): Lists {
  const [one, other] = places.map((place) => columns[place]);
  if (one.layout !== "list" || other.layout !== "list") throw new TypeError("two columns of lists expected");
  checkNoMissing(one, "list", element);
  checkNoMissing(other, "list", element);
  const offsets = one.offsets.subarray(0, length + 1).map((offset) => offset - one.offsets[0]);
  for (let row = 0; row <= length; row++) {
    if (offsets[row] === other.offsets[row] - other.offsets[0]) continue;
    const sizes = [one, other].map((lists) => lists.offsets[row] - lists.offsets[row - 1]);
    throw new InvalidInputError(`a list of ${sizes[0]} positions beside a list of ${sizes[1]} values`, { element });
  }
  const [positions, values] = [one, other].map((lists) =>
    sliceColumn(lists.child, lists.offsets[0], lists.offsets[length]),
  );
  return { offsets, positions, values };
}
