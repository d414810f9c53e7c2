/**
 * Loom attributes <-> a dataframe and the matrices beside it: `col_attrs` <-> `obs`, `obsm`; `row_attrs` <-> `var`,
 * `varm`.
 */

import { type ArrowField, describeArrowType } from "../../../arrow/type.js";
import { InvalidInputError } from "../../../model/errors.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import { describeUnnamedRows, dropFieldMetadata, findFrameIndex, indexAsColumn } from "../../../tables/frame-index.js";
import { joinColumnTables } from "../../../tables/joined-columns.js";
import { type ChosenColumn, selectTableColumns } from "../../../tables/reshaped-tables.js";
import type { ViewOptions } from "../view/format-conversion.js";
import { formatNameList, type UnsupportedElements } from "../view/unsupported-elements.js";
import { isScalar, isScalarOrFixedList } from "./graph.js";

/** One axis of a Loom file, with its counterpart in the view. */
export interface Side {
  readonly axis: "obs" | "var";
  /** The table that contains the axis's attributes, and the group that contains its graphs. */
  readonly own: string;
  readonly graphs: string;
  /** The view's mapping that contains the arrays along the axis. */
  readonly matrices: "obsm" | "varm";
  /** Attributes that may contain the names of the axis, in order of preference: loompy's, anndata's and loomR's. */
  readonly names: readonly [string, ...string[]];
  readonly what: string;
  readonly option: string;
}

export const SIDES: readonly [cells: Side, genes: Side] = [
  {
    ...{ axis: "obs", own: "col_attrs", graphs: "col_graphs", matrices: "obsm" },
    ...{ names: ["CellID", "obs_names", "cell_names"], what: "cells", option: "--obs-attr" },
  },
  {
    ...{ axis: "var", own: "row_attrs", graphs: "row_graphs", matrices: "varm" },
    ...{ names: ["Gene", "var_names", "gene_names"], what: "genes", option: "--var-attr" },
  },
];

export interface SideTables {
  readonly side: Side;
  readonly frame: ColumnTable | null;
  /** Arrays by their names below `obsm` or `varm`. */
  readonly matrices: Map<string, ColumnTable>;
}

type Add = (name: string, table: ColumnTable, origin: string) => void;

/**
 * Converts attributes to a dataframe, and attributes with several dimensions or fields to elements beside it.
 * @throws {InvalidInputError} if no attribute has the name specified for the index.
 */
export function addLoomAttributes(table: ColumnTable, side: Side, options: ViewOptions, add: Add): void {
  const { fields, rows } = table;
  const index = indexPlace(table, side, options.names[side.axis]);
  const flat: ChosenColumn[] = index === null ? [] : [chosen(fields, index)];
  const beside: ColumnTable[] = [];
  for (const [place, field] of fields.entries()) {
    if (place === index) continue;
    const name = `${side.matrices}/${field.name}`;
    const { type } = field;
    if (type.id === "FixedSizeList") {
      const column = { place, field: { ...dropFieldMetadata(field), name: "value" } };
      beside.push(
        selectTableColumns(table, name, [column], {
          kind: "array",
          shape: rows === null ? undefined : shapeOf(rows, field),
        }),
      );
    } else if (type.id === "Struct") {
      if (type.fields.every((one) => isScalar(one.type))) beside.push(fieldsOf(table, place, name));
      else options.losses.add(`${side.own}/${field.name}`, "records within records");
    } else flat.push(chosen(fields, place));
  }
  if (beside.length > 0 && !table.repeatable) {
    throw new InvalidInputError(
      "a stream is read once, and its attributes become several elements: give it as a table",
      {
        element: table.name,
      },
    );
  }
  add(side.axis, frameOf(table, side, flat, index), side.own);
  for (const one of beside) add(one.name, one, `${side.own}/${one.name.slice(side.matrices.length + 1)}`);
  if (index === null && fields.length > 0) {
    options.losses.note(
      side.own,
      `no attribute ${side.names.join(", ")}: the names of ${side.what} are their positions; ${side.option} names another`,
    );
  }
}

/** Reduces the table of attributes to the attribute that contains the names; null if there is none. */
export function findNamesAttribute(table: ColumnTable, side: Side, wanted: string | null): ColumnTable | null {
  const index = indexPlace(table, side, wanted);
  return index === null ? null : selectTableColumns(table, table.name, [chosen(table.fields, index)], table.metadata);
}

/** Converts a dataframe to an attribute that contains only the index; null if the rows have no names. */
export function toNamesAttribute(frame: ColumnTable, side: Side): ColumnTable | null {
  const index = findFrameIndex(frame);
  if (index.field === null) return null;
  const name = indexName(index.name, side, new Set());
  return { ...indexAsColumn(frame, { index, name, remedy: "" }, []), name: side.own };
}

function indexPlace({ fields, name }: ColumnTable, { names }: Side, wanted: string | null): number | null {
  if (wanted === null) {
    const found = names.map((one) => fields.findIndex((field) => field.name === one && isName(field)));
    return found.find((place) => place >= 0) ?? null;
  }
  const place = fields.findIndex((field) => field.name === wanted);
  if (place >= 0 && isName(fields[place])) return place;
  const problem =
    place >= 0
      ? `the attribute ${JSON.stringify(wanted)} is no list of names`
      : `no attribute ${JSON.stringify(wanted)}`;
  throw new InvalidInputError(
    `${problem}; there are ${formatNameList(fields.filter(isName).map((field) => field.name))}`,
    {
      element: name,
    },
  );
}

function isName({ type }: ArrowField): boolean {
  return type.id === "Utf8" || type.id === "Int" || (type.id === "Dictionary" && type.value.id === "Utf8");
}

function chosen(fields: readonly ArrowField[], place: number): ChosenColumn {
  return { place, field: dropFieldMetadata(fields[place]) };
}

function shapeOf(rows: number, { type }: ArrowField): readonly number[] {
  const shape = [rows];
  for (let inner = type; inner.id === "FixedSizeList"; inner = inner.item.type) shape.push(inner.size);
  return shape;
}

function frameOf(table: ColumnTable, side: Side, columns: readonly ChosenColumn[], index: number | null): ColumnTable {
  if (index !== null) {
    const metadata = { kind: "dataframe", index: table.fields[index].name };
    return selectTableColumns(table, side.axis, columns, metadata);
  }
  // No column is named like an index, so the rows have no names.
  const range = { kind: "range", name: null, start: 0, stop: table.rows ?? 0, step: 1 };
  return {
    ...selectTableColumns(table, side.axis, columns, { kind: "dataframe" }),
    schemaMetadata: new Map([["pandas", JSON.stringify({ index_columns: [range], columns: [] })]]),
  };
}

/** Returns the fields of a compound attribute as the columns of a dataframe. */
function fieldsOf(table: ColumnTable, place: number, name: string): ColumnTable {
  const { type } = table.fields[place];
  if (type.id !== "Struct") throw new TypeError("records expected");
  const { only: _, ...records } = selectTableColumns(table, name, [chosen(table.fields, place)], null);
  return {
    ...records,
    fields: type.fields.map(dropFieldMetadata),
    metadata: { kind: "dataframe" },
    async *batches(options) {
      for await (const { length, columns } of records.batches(options)) {
        const [column] = columns;
        if (column.layout !== "struct") throw new TypeError("records expected");
        yield { length, columns: column.children };
      }
    },
  };
}

/**
 * Converts a dataframe and the arrays beside it to attributes; null if there are none. Elements that are neither a list
 * of values nor an array are added to `losses`.
 * @throws {InvalidInputError} if two attributes would have the same name, or have different numbers of rows.
 */
export function toLoomAttributes(
  { side, frame, matrices }: SideTables,
  { index, names, losses }: ViewOptions,
): ColumnTable | null {
  const parts: ColumnTable[] = [];
  if (frame !== null)
    parts.push(attributesOfFrame(frame, side, { wanted: index[frame.name], name: names[side.axis] }, losses));
  for (const [name, table] of matrices) {
    const [field, ...others] = table.fields;
    const isNamed = table.metadata?.kind === "dataframe" || table.metadata?.kind === "rec-array";
    const isArray = others.length === 0 && !isNamed && isScalarOrFixedList(field.type);
    if (isArray)
      parts.push(
        selectTableColumns(table, table.name, [{ place: 0, field: { ...dropFieldMetadata(field), name } }], null),
      );
    else losses.add(table.name, notHeld(table));
  }
  return parts.every(({ fields }) => fields.length === 0)
    ? null
    : joinColumnTables(side.own, parts, { kind: "dataframe" });
}

interface Wanted {
  /** The column that the caller selects as the index. */
  readonly wanted: string | undefined;
  /** Name of the index attribute that the caller selects. */
  readonly name: string | null;
}

function attributesOfFrame(
  frame: ColumnTable,
  side: Side,
  { wanted, name }: Wanted,
  losses: UnsupportedElements,
): ColumnTable {
  const index = findFrameIndex(frame, wanted);
  const places = frame.fields.flatMap((_, i) => (i === index.field && index.asColumn === null ? [] : [i]));
  const held = places.filter((i) => isScalarOrFixedList(frame.fields[i].type));
  const others = places.filter((i) => !held.includes(i));
  if (others.length > 0) {
    const columns = others.map((i) => `${frame.fields[i].name}: ${describeArrowType(frame.fields[i].type)}`);
    losses.add(frame.name, `its columns (${formatNameList(columns)})`);
  }
  const unnamed = describeUnnamedRows(frame, index);
  if (unnamed !== null) losses.note(frame.name, unnamed);
  const taken = new Set(held.map((i) => frame.fields[i].name));
  const remedy = `choose another name (${side.option})`;
  return indexAsColumn(frame, { index, name: name ?? indexName(index.name, side, taken), remedy }, held);
}

/** Keeps `own` if readers recognize the index by this name, unless they would prefer another column in `taken`. */
function indexName(own: string, { names }: Side, taken: ReadonlySet<string>): string {
  const place = names.indexOf(own);
  return place < 0 || names.slice(0, place).some((name) => taken.has(name)) ? names[0] : own;
}

/** Describes an element that Loom cannot store, for messages; `""` if no description is needed. */
function notHeld({ fields, metadata }: ColumnTable): string {
  if (metadata?.kind === "dataframe") return "a dataframe";
  if (metadata?.kind === "rec-array") return "records";
  if (metadata?.kind === "awkward-array") return "a ragged array";
  if (fields.some(({ name }) => name === "row") || fields[0]?.name === "entries") {
    return "a sparse matrix beside the matrix (--layout dense writes it)";
  }
  return "";
}
