/** Tables of apache-arrow's batches for the encoder of this folder. */

import { DataType, DateUnit, type Field, type Schema, util } from "apache-arrow";
import { plainColumns, plainField, unitOf } from "../../arrow/apache/apache-columns.js";
import type { ColumnBatch } from "../../arrow/column.js";
import type { ArrowType } from "../../arrow/type.js";
import { messageOf } from "../../ipc/write/apache-writer.js";
import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { FILE_SCHEMA, TABLE_SCHEMA } from "../../parquet/thrift/format.js";
import type { Codec } from "../../parquet/write/compression.js";
import type { FileDescription } from "../../parquet/write/file.js";
import { type ParquetColumn, PHYSICAL, parquetColumn, timestampColumn } from "../../parquet/write/parquet-column.js";
import { batchesOf, type SinkOptions } from "../stream.js";
import { substitution } from "../substitute.js";
import { parquetRule } from "./parquet-types.js";
import { base64, schemaKeyValues } from "./plain-parquet.js";

/** One column of a table, as the encoder is given it. */
interface Taken {
  readonly column: ParquetColumn;
  /** The type whose layout the batches have. */
  readonly type: ArrowType;
}

/** Whether the encoder takes tables of `schema`: flat columns of the usual types. */
export function encodesSchema(schema: Schema): boolean {
  return schema.fields.length > 0 && schema.fields.every((field) => taken(field) !== null);
}

/** What the file of a table says of it, and its batches as plain columns; null where another encoder must take it. */
export function flatTable(
  table: DataTable,
  compression: Codec,
  options: SinkOptions,
): { readonly description: FileDescription; readonly batches: AsyncIterable<ColumnBatch> } | null {
  const { schema } = table;
  const columns: Taken[] = [];
  for (const field of schema.fields) {
    const one = taken(field);
    if (one === null) return null;
    columns.push(one);
  }
  if (columns.length === 0) return null;
  const keyValues = keyValuesOf(schema);
  return {
    description: { columns: columns.map(({ column }) => column), compression, keyValues },
    batches: columnBatches(
      table,
      columns.map(({ type }) => type),
      options,
    ),
  };
}

function taken(field: Field): Taken | null {
  const plain = plainField(field);
  if (plain !== null) {
    const column = parquetColumn(plain);
    return column === null ? null : { column, type: plain.type };
  }
  const { name, nullable } = field;
  const { type }: { readonly type: DataType } = field;
  const base = { name, nullable, annotation: null, coded: false, position: false, conversion: "none" } as const;
  if (DataType.isDate(type) && type.unit === DateUnit.DAY) {
    const values = { kind: "words", order: "int32", bytes: 4 } as const;
    const column = { ...base, physical: PHYSICAL.INT32, annotation: { kind: "date" }, values } as const;
    return { column, type: { id: "Int", bits: 32, signed: true } };
  }
  if (DataType.isTimestamp(type)) {
    const unit = unitOf(type.unit);
    return { column: { ...base, ...timestampColumn(unit, Boolean(type.timezone)) }, type: { id: "Timestamp", unit } };
  }
  return null;
}

/** In our own messages where plain fields say all, so that a table has the same bytes wherever it is encoded. */
function keyValuesOf(schema: Schema): readonly (readonly [key: string, value: string])[] {
  const fields = schema.fields.flatMap((field) => plainField(field) ?? []);
  if (fields.length === schema.fields.length) return schemaKeyValues(fields, schema.metadata);
  const written = substitution(schema, parquetRule)?.schema ?? schema;
  return [
    [FILE_SCHEMA, base64(messageOf(written))],
    ...(util.compareSchemas(schema, written) ? [] : [[TABLE_SCHEMA, base64(messageOf(schema))] as const]),
    ...schema.metadata,
  ];
}

async function* columnBatches(
  table: DataTable,
  types: readonly ArrowType[],
  options: SinkOptions,
): AsyncGenerator<ColumnBatch> {
  for await (const batch of batchesOf(table, options)) {
    if (!util.compareSchemas(table.schema, batch.schema)) {
      throw new InvalidInputError(`a batch has the schema ${batch.schema}, its table ${table.schema}`);
    }
    yield { length: batch.numRows, columns: plainColumns(batch, types) };
  }
}
