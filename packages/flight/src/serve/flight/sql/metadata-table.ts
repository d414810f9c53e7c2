/** Answers about the server and its tables. Each is a small table with the schema that Flight SQL requires. */

import { recordBatch } from "annarrow/core/tables";
import {
  Bool,
  type DataType,
  Field,
  Int32,
  List,
  type RecordBatch,
  Schema,
  Uint8,
  Utf8,
  vectorFromArray,
} from "apache-arrow";

export interface MetadataTable {
  readonly schema: Schema;
  batches(signal: AbortSignal): Iterable<RecordBatch> | AsyncIterable<RecordBatch>;
}

export const text = (name: string) => new Field(name, new Utf8(), false);
export const optionalText = (name: string) => new Field(name, new Utf8(), true);
export const int32 = (name: string) => new Field(name, new Int32(), false);
export const optionalInt32 = (name: string) => new Field(name, new Int32(), true);
export const bool = (name: string) => new Field(name, new Bool(), false);
export const optionalBool = (name: string) => new Field(name, new Bool(), true);
export const textList = (name: string) => new Field(name, new List(text("item")), true);

export type RowValue = string | number | boolean | Uint8Array | readonly string[] | null;

export function createRowBatch(schema: Schema, rows: readonly (readonly RowValue[])[]): RecordBatch {
  const columns = schema.fields.map(({ type }, i) =>
    columnData(
      type,
      rows.map((row) => row[i]),
    ),
  );
  return recordBatch(schema, rows.length, columns);
}

function columnData(type: DataType, values: readonly RowValue[]) {
  return vectorFromArray<DataType>(values, type).data[0];
}

export function createMetadataTable(fields: readonly Field[], rows: readonly (readonly RowValue[])[]): MetadataTable {
  const schema = new Schema([...fields]);
  return { schema, batches: () => [createRowBatch(schema, rows)] };
}

/** Creates an empty table: each dataset is a schema, and there are no catalogs. */
export function createCatalogsTable(): MetadataTable {
  return createMetadataTable([text("catalog_name")], []);
}

export const TABLE_TYPE = "TABLE";

export function createTableTypesTable(): MetadataTable {
  return createMetadataTable([text("table_type")], [[TABLE_TYPE]]);
}

/** Creates an empty table, because files declare no keys. */
export function createPrimaryKeysTable(): MetadataTable {
  return createMetadataTable(
    [
      ...createSchemaNameFields("", true),
      text("table_name"),
      text("column_name"),
      optionalText("key_name"),
      int32("key_sequence"),
    ],
    [],
  );
}

export function createForeignKeysTable(): MetadataTable {
  const rule = (name: string) => new Field(name, new Uint8(), false);
  const side = (prefix: string) => [
    ...createSchemaNameFields(prefix, true),
    text(`${prefix}table_name`),
    text(`${prefix}column_name`),
  ];
  const keys = [int32("key_sequence"), optionalText("fk_key_name"), optionalText("pk_key_name")];
  return createMetadataTable([...side("pk_"), ...side("fk_"), ...keys, rule("update_rule"), rule("delete_rule")], []);
}

/** Returns the fields that name a catalog and a schema. */
export function createSchemaNameFields(prefix: string, isOptional: boolean): readonly Field[] {
  const schema = `${prefix}db_schema_name`;
  return [optionalText(`${prefix}catalog_name`), isOptional ? optionalText(schema) : text(schema)];
}
