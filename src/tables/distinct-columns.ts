/**
 * Renames a table's columns if their names would be confused, and restores the original names. A renamed column's
 * original name is stored in the field's metadata (`name`), from which writers and readers restore it.
 */

import { Field, type RecordBatch, Schema } from "apache-arrow";
import { findRepeatedName, makeDistinctNames } from "../kernels/text/names.js";
import type { DataTable } from "../model/dataset.js";
import { isJsonObject, parseJsonObject } from "../model/json-object.js";
import { toElementMetadata } from "../model/table-metadata.js";
import { overrideTable } from "./batch-table.js";
import { projectSchema, recordBatch } from "./record-batch.js";

/** A column that was renamed. */
export interface RenamedColumn {
  readonly own: string;
  readonly name: string;
}

/**
 * Makes column names distinct for DuckDB, which ignores case. If an earlier column has the same name, or the name is
 * `reserved`, the column gets the next free number. A table with distinct names is returned unchanged.
 */
export function makeColumnsDistinct(table: DataTable, reserved: readonly string[] = []): DataTable {
  const own = table.schema.fields.map(({ name }) => name);
  const names = makeDistinctNames([...reserved, ...own]).slice(reserved.length);
  return withNames(table, names, (laid) => makeColumnsDistinct(laid, reserved));
}

/** Renames columns whose name is in `reserved`, ignoring case, by adding the next free number. */
export function renameReservedColumns(table: DataTable, reserved: readonly string[]): DataTable {
  const own = table.schema.fields.map(({ name }) => name);
  const free = makeDistinctNames([...reserved, ...own]).slice(reserved.length);
  const names = own.map((name, i) => (reserved.includes(name.toLowerCase()) ? free[i] : name));
  return withNames(table, names, (laid) => renameReservedColumns(laid, reserved));
}

export function listRenamedColumns({ schema }: Pick<DataTable, "schema">): readonly RenamedColumn[] {
  return schema.fields.flatMap((field) => {
    const own = getOriginalName(field.name, metadataOf(field));
    return own === field.name ? [] : [{ own, name: field.name }];
  });
}

/** Returns a warning that lists the renamed columns; null if there are none. */
export function describeRenamedColumns(table: Pick<DataTable, "name" | "schema">): string | null {
  const renamed = listRenamedColumns(table).map(({ own, name }) => `${JSON.stringify(own)} is ${JSON.stringify(name)}`);
  if (renamed.length === 0) return null;
  const some = renamed.length > 5 ? [...renamed.slice(0, 5), "…"] : renamed;
  return `${table.name}: columns whose names others have are called otherwise here: ${some.join(", ")}`;
}

export function describeRenamedTable(element: string, name: string): string {
  return `${element}: is ${JSON.stringify(name)} here, because the name of another table differs in case alone`;
}

/** Returns a column's name before a number was added, or its current name if it has no number or was renamed later. */
export function getOriginalName(name: string, metadata: Readonly<Record<string, unknown>> | null | undefined): string {
  const own = metadata?.name;
  return typeof own === "string" && name.startsWith(own) && /^_[0-9]+$/.test(name.slice(own.length)) ? own : name;
}

const metadataOf = ({ metadata }: Field) => parseJsonObject(metadata.get("annarrow") ?? "{}");

/** @param laid returns another layout of the table, renamed in the same way. */
function withNames(table: DataTable, names: readonly string[], laid: (table: DataTable) => DataTable): DataTable {
  const { fields } = table.schema;
  if (names.every((one, i) => one === fields[i].name)) return table;
  const schema = renamedSchema(table.schema, names);
  const own = new Map(names.map((one, i) => [one, fields[i].name]));
  const isRepeated = findRepeatedName(fields.map((field) => field.name)) !== null;
  const { index } = table.metadata;
  const metadata =
    typeof index === "string" ? { ...table.metadata, index: nameIn(fields, names, index) } : table.metadata;
  return overrideTable(table, {
    schema,
    metadata: toElementMetadata(metadata),
    layout: async (layout) => laid(await table.layout(layout)),
    async *batches(options = {}) {
      const { columns, ...rest } = options;
      const wanted = columns === undefined ? schema : projectSchema(schema, columns, table.name);
      // If columns share a name, they cannot be selected by it.
      const some =
        columns === undefined || isRepeated ? rest : { ...rest, columns: columns.map((one) => own.get(one) ?? one) };
      for await (const batch of table.batches(some)) yield renamedBatch(batch, schema, wanted, own);
    },
  });
}

/** @param own original column names by the names in `schema`. */
function renamedBatch(
  batch: RecordBatch,
  schema: Schema,
  wanted: Schema,
  own: ReadonlyMap<string, string>,
): RecordBatch {
  const { children } = batch.data;
  if (children.length === wanted.fields.length) return recordBatch(wanted, batch.numRows, [...children]);
  if (children.length === schema.fields.length) {
    const places = wanted.fields.map((field) => schema.fields.indexOf(field));
    return recordBatch(
      wanted,
      batch.numRows,
      places.map((place) => children[place]),
    );
  }
  // A batch with selected columns of a dense matrix has fewer columns.
  const found = new Map(batch.schema.fields.map((field, i) => [field.name, i]));
  const there = wanted.fields.flatMap((field) => {
    const place = found.get(own.get(field.name) ?? field.name);
    return place === undefined ? [] : [{ field, data: children[place] }];
  });
  const fewer = new Schema(
    there.map(({ field }) => field),
    wanted.metadata,
  );
  return recordBatch(
    fewer,
    batch.numRows,
    there.map(({ data }) => data),
  );
}

function renamedSchema({ fields, metadata }: Schema, names: readonly string[]): Schema {
  const nameOf = (name: string) => nameIn(fields, names, name);
  return new Schema(
    fields.map((field, i) => (field.name === names[i] ? field : renamedField(field, names[i]))),
    new Map([...metadata].map(([key, text]) => [key, renameInMetadata(key, text, nameOf)])),
  );
}

function nameIn(fields: readonly Field[], names: readonly string[], name: string): string {
  const place = fields.findIndex((field) => field.name === name);
  return place < 0 ? name : names[place];
}

function renamedField(field: Field, name: string): Field {
  const known = metadataOf(field);
  const annotated = JSON.stringify({ ...known, name: getOriginalName(field.name, known) });
  return new Field(name, field.type, field.nullable, new Map([...field.metadata, ["annarrow", annotated]]));
}

/** Renames the columns that a schema's metadata mention. */
export function renameInMetadata(key: string, text: string, nameOf: (name: string) => string): string {
  const content = key === "annarrow" || key === "pandas" ? parseJsonObject(text) : null;
  if (content === null) return text;
  if (key === "annarrow") {
    const { index } = content;
    return typeof index === "string" ? JSON.stringify({ ...content, index: nameOf(index) }) : text;
  }
  const { index_columns: index, columns } = content;
  const named = (value: unknown) => (typeof value === "string" ? nameOf(value) : value);
  const column = (value: unknown): unknown => {
    if (!isJsonObject(value)) return value;
    const { name, field_name: field } = value;
    return { ...value, name: name === field ? named(name) : name, field_name: named(field) };
  };
  return JSON.stringify({
    ...content,
    ...(Array.isArray(index) ? { index_columns: index.map(named) } : {}),
    ...(Array.isArray(columns) ? { columns: columns.map(column) } : {}),
  });
}
