/** Concatenates dense matrices of text, complex numbers and records vertically, by numpy's type rules. */

import type { Column, FixedSizeListColumn, StructColumn } from "../arrow/column.js";
import { getListItems } from "../arrow/dense.js";
import { takeColumn } from "../arrow/take.js";
import { type ArrowField, type ArrowType, createField, describeArrowType, nestType } from "../arrow/type.js";
import type { TableMetadata } from "../model/dataset.js";
import { isJsonObject } from "../model/json-object.js";
import type { ColumnTable } from "../tables/column-table.js";
import { createListingMembers } from "../tables/reshaped-tables.js";
import type { Rounding } from "./cast-numbers.js";
import { getCommonNumericType, isNumericType, type NumericType } from "./common-type.js";
import { lacksPositions, type MatrixPart, sumPartLengths } from "./matrix-part.js";
import { castStored } from "./ragged-columns.js";

interface StructuredOptions {
  readonly name: string;
  /** Number of columns. */
  readonly across: number;
  readonly lossy: boolean;
  readonly warn: (text: string) => void;
}

/**
 * Concatenates the matrices of all parts. Returns null if a part has no lists of values or lacks columns, or if the
 * values have no common type. As in numpy, complex numbers and records with equal field names are widened, and
 * fixed-width text gets the greatest width.
 */
export function concatStructured(
  parts: readonly MatrixPart[],
  { name, across, lossy, warn }: StructuredOptions,
): ColumnTable | null {
  const there = parts.flatMap(({ table, places }) => (table === null ? [] : [{ table, places }]));
  if (there.length < parts.length || parts.some((part) => lacksPositions(part, across))) return null;
  const items = there.map(({ table }) => itemOf(table.fields[0].type));
  const type = items.reduce<ArrowType | null>((a, b) => (a === null || b === null ? null : commonType(a, b)), items[0]);
  if (type === null) return null;
  const from = [...new Set(items.map((item) => (item === null ? "" : describeArrowType(item))))];
  if (from.length > 1) warn(`${name}: becomes ${describeArrowType(type)}, from ${from.join(" and ")}`);
  const rows = sumPartLengths(parts);
  const fields = there.map(({ table }) => table.fields[0]);
  const rounding = { lossy, element: name };
  return {
    ...createListingMembers(name, rows),
    fields: [{ ...withCommonStorage(fields), type: nestType(type, [across]) }],
    metadata: commonMetadata(
      there.map(({ table }) => table.metadata),
      [rows, across],
    ),
    repeatable: there.every(({ table }) => table.repeatable),
    async *batches(options) {
      for (const { table, places } of there) {
        const positions = places === null ? null : positionsOf(places, across);
        for await (const { length, columns } of table.batches(options)) {
          const [lists] = columns;
          if (lists.layout !== "fixed-size-list") throw new TypeError("lists of fixed size expected");
          const chosen = chosenItems(lists, positions);
          const child = castItems(chosen, type, rounding);
          const listType = nestType(type, [across]);
          if (listType.id !== "FixedSizeList") throw new TypeError("a list is nested");
          yield { length, columns: [{ layout: "fixed-size-list", type: listType, length, validity: null, child }] };
        }
      }
    },
  };
}

/** Returns the type of the values in a row; null if a row is not a list or has further dimensions. */
function itemOf(type: ArrowType): ArrowType | null {
  if (type.id !== "FixedSizeList" || type.item.type.id === "FixedSizeList") return null;
  return type.item.type;
}

function isComplex(type: ArrowType): boolean {
  return type.id === "Struct" && type.fields.map((one) => one.name).join() === "real,imag";
}

function commonType(a: ArrowType, b: ArrowType): ArrowType | null {
  if (describeArrowType(a) === describeArrowType(b)) return a;
  if (isNumericType(a) && isNumericType(b)) return getCommonNumericType([a, b]);
  if ((isComplex(a) || isNumericType(a)) && (isComplex(b) || isNumericType(b))) return commonComplex([a, b]);
  if (a.id !== "Struct" || b.id !== "Struct" || a.fields.length !== b.fields.length) return null;
  const fields: ArrowField[] = [];
  for (const [i, own] of a.fields.entries()) {
    const other = b.fields[i];
    const type = own.name === other.name ? commonType(own.type, other.type) : null;
    if (type === null) return null;
    fields.push({ ...withCommonStorage([own, other]), type });
  }
  return { id: "Struct", fields };
}

function commonComplex(types: readonly ArrowType[]): ArrowType {
  const parts = types.map((type) => (type.id === "Struct" ? type.fields[0].type : type)).filter(isNumericType);
  const real = getCommonNumericType(parts);
  const part: NumericType = { id: "Float", bits: real.id === "Float" && real.bits < 64 ? 32 : 64 };
  return { id: "Struct", fields: [createField("real", part, false), createField("imag", part, false)] };
}

/** Returns the source position for each column of the result. */
function positionsOf(places: Int32Array, across: number): Int32Array {
  const positions = new Int32Array(across);
  for (const [position, place] of places.entries()) if (place >= 0) positions[place] = position;
  return positions;
}

function chosenItems(lists: FixedSizeListColumn, positions: Int32Array | null): Column {
  const items = getListItems(lists);
  if (positions === null) return items;
  const { size } = lists.type;
  const places = new Int32Array(lists.length * positions.length);
  for (let row = 0, to = 0; row < lists.length; row++) {
    for (const position of positions) places[to++] = row * size + position;
  }
  return takeColumn(items, places);
}

function castItems(column: Column, type: ArrowType, rounding: Rounding): Column {
  if (describeArrowType(column.type) === describeArrowType(type)) return column;
  if (column.layout !== "struct" || type.id !== "Struct" || isComplex(type)) return castStored(column, type, rounding);
  const children = column.children.map((child, i) => castItems(child, type.fields[i].type, rounding));
  return { ...column, type, children } satisfies StructColumn;
}

/** Returns the first field, with a text storage that fits the values of all fields. */
function withCommonStorage(fields: readonly ArrowField[]): ArrowField {
  const [first] = fields;
  const { metadata } = first;
  if (metadata === undefined) return first;
  return {
    ...first,
    metadata: withStorage(
      metadata,
      fields.map((one) => one.metadata ?? {}),
    ),
  };
}

type Json = Readonly<Record<string, unknown>>;

function commonMetadata(all: readonly (TableMetadata | null)[], shape: readonly number[]): TableMetadata | null {
  const [first] = all;
  if (first === null) return null;
  const merged = withStorage(
    first,
    all.map((one) => one ?? {}),
  );
  return { ...merged, kind: first.kind, shape };
}

/**
 * Returns the first metadata with the widest storage, including within records; without a storage if the kinds of
 * storage differ.
 */
function withStorage(first: Json, all: readonly Json[]): Json {
  const { storage: _, fields, ...rest } = first;
  const storage = commonStorage(all.map((one) => one.storage));
  const own = Array.isArray(fields)
    ? {
        fields: fields.map((one: unknown, i) =>
          isJsonObject(one)
            ? withStorage(
                one,
                all.map((other) => fieldOf(other, i)),
              )
            : one,
        ),
      }
    : {};
  return { ...rest, ...own, ...(storage === null ? {} : { storage }) };
}

function fieldOf({ fields }: Json, i: number): Json {
  const one: unknown = Array.isArray(fields) ? fields[i] : null;
  return isJsonObject(one) ? one : {};
}

function commonStorage(all: readonly unknown[]): Json | null {
  let widest: Json | null = null;
  for (const storage of all) {
    if (!isJsonObject(storage)) return null;
    if (widest === null) {
      widest = storage;
      continue;
    }
    const [mine, theirs] = [widest, storage].map((one) => JSON.stringify({ ...one, width: 0 }));
    if (mine !== theirs) return null;
    if (Number(storage.width) > Number(widest.width)) widest = storage;
  }
  return widest;
}
