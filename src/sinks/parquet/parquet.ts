/**
 * Writes Parquet. The encoder in `parquet/` writes flat tables, and parquet-wasm writes all others. The Arrow schema is
 * embedded (`ARROW:schema`), so that dictionaries, fixed-size lists and all metadata are restored. The library's own
 * encoder preserves dictionaries; parquet-wasm loses their order and their unused values.
 */

import { DataType, type Field, type RecordBatch, type Schema, util } from "apache-arrow";
import { toColumns, toSchemaField, toTimestampUnit } from "../../arrow/apache/apache-columns.js";
import { emptyData } from "../../arrow/apache/raw-data.js";
import type { ColumnBatch } from "../../arrow/column.js";
import type { ArrowType } from "../../arrow/type.js";
import { encodeApacheSchema, streamBytes } from "../../ipc/write/apache-writer.js";
import type { DataTable } from "../../model/dataset.js";
import {
  InvalidInputError,
  isAnnarrowError,
  isCancellation,
  locateError,
  UnsupportedError,
} from "../../model/errors.js";
import { checkOptions, type NamesOf } from "../../model/option-names.js";
import { loadParquetEngine, type ParquetEngine } from "../../parquet/read/engine.js";
import { FILE_SCHEMA, TABLE_SCHEMA } from "../../parquet/thrift.js";
import { type Codec, isCodec, PARQUET_COMPRESSIONS, type ParquetCompression } from "../../parquet/write/compression.js";
import { createSchemaKeyValues, encodeBase64, type FileDescription } from "../../parquet/write/file-description.js";
import { findParquetColumn, getTimestampStorage, type ParquetColumn } from "../../parquet/write/parquet-column.js";
import { ROW_GROUP_BYTES, ROW_GROUP_ROWS } from "../../parquet/write/row-group.js";
import type { ColumnTableInput } from "../../tables/given/arrow-column-table.js";
import { recordBatch } from "../../tables/record-batch.js";
import { encodeInputTable, SINK_OPTIONS, type SinkOptions, streamBatches } from "../stream.js";
import { findSubstitution } from "../substitute.js";
import { canHoldInParquet, findParquetSubstitute } from "./parquet-types.js";
import { encodeFlatParquet } from "./plain-parquet.js";

export type { ParquetCompression } from "../../parquet/write/compression.js";
export { canHoldInParquet } from "./parquet-types.js";

export interface ParquetOptions extends SinkOptions {
  /** `zstd` by default. */
  readonly compression?: ParquetCompression;
}

const PARQUET_OPTIONS = { ...SINK_OPTIONS, compression: true } as const satisfies NamesOf<ParquetOptions>;

/**
 * Writes `table` as a Parquet file, row group by row group.
 * @param table a dataset's table, an apache-arrow `Table`, a schema with a stream of batches, or any other table that
 * `write` takes.
 * @example
 * ```ts
 * for await (const bytes of parquetFile({ schema, batches })) file.write(bytes);
 * ```
 * @throws {UnsupportedError} where Parquet cannot hold a type of the table.
 * @throws {InvalidInputError} for an option that does not exist.
 */
export function parquetFile(table: ColumnTableInput, options: ParquetOptions = {}): AsyncGenerator<Uint8Array> {
  checkOptions(options, "parquetFile", PARQUET_OPTIONS);
  return encodeInputTable(table, (given) => encodeParquet(given, options));
}

/** `parquetFile` with internal options, which are not checked. */
export async function* encodeParquet(table: DataTable, options: ParquetOptions = {}): AsyncGenerator<Uint8Array> {
  if (!canHoldInParquet(table.schema)) {
    throw new UnsupportedError("Parquet cannot hold its types; write the table as .arrow", { element: table.name });
  }
  const { compression = "zstd" } = options;
  const flat = isCodec(compression) ? toFlatTable(table, compression, options) : null;
  if (flat !== null) {
    try {
      return yield* encodeFlatParquet(flat.description, flat.batches, options.signal);
    } catch (error) {
      throw locateError(error, { element: table.name });
    }
  }
  const engine = await loadParquetEngine();
  const changed = findSubstitution(table.schema, findParquetSubstitute);
  const schema = changed?.schema ?? table.schema;
  const batches = streamBatches(table, options);
  const failure: { error?: unknown } = {};
  const input = engineBatches(engine, { schema, batches, change: changed?.batch }, failure);
  try {
    const output = await engine.transformParquetStream(
      input,
      writerProperties(engine, schema, tableSchema(table.schema, schema), options.compression),
    );
    const reader: ReadableStreamDefaultReader<Uint8Array> = output.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    } finally {
      await reader.cancel().catch(() => undefined);
    }
    if (failure.error !== undefined) throw failure.error;
  } catch (error) {
    throw realError(failure.error ?? error, table.name);
  } finally {
    await batches.return(undefined);
  }
}

/** Batches for the engine. `change` converts them to the types of `schema`. */
interface EngineInput {
  readonly schema: Schema;
  readonly batches: AsyncGenerator<RecordBatch>;
  readonly change: ((batch: RecordBatch) => RecordBatch) | undefined;
}

/**
 * Copies the batches into the engine's memory. Any error is stored in `failure`, because the engine replaces it with
 * "Dyn casting error".
 */
function engineBatches(
  engine: ParquetEngine,
  { schema, batches, change }: EngineInput,
  failure: { error?: unknown },
): ReadableStream {
  let isFirst = true;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const next = await batches.next();
          if (next.done && !isFirst) return controller.close();
          // The engine takes the types from a batch, so even an empty table needs one.
          const batch = next.done ? emptyBatch(schema) : change ? change(next.value) : next.value;
          isFirst = false;
          const table = engine.Table.fromIPCStream(streamBytes(schema, [batch]));
          try {
            for (const part of table.recordBatches()) controller.enqueue(part);
          } finally {
            table.free();
          }
        } catch (error) {
          failure.error ??= error;
          throw error;
        }
      },
    },
    { highWaterMark: 0 },
  );
}

function emptyBatch(schema: Schema): RecordBatch {
  return recordBatch(
    schema,
    0,
    schema.fields.map(({ type }) => emptyData(type)),
  );
}

/** Returns the table's own schema as metadata if it differs from the written schema. */
function tableSchema(schema: Schema, written: Schema): Map<string, string> {
  return util.compareSchemas(schema, written)
    ? new Map()
    : new Map([[TABLE_SCHEMA, encodeBase64(encodeApacheSchema(schema))]]);
}

function writerProperties(
  engine: ParquetEngine,
  schema: Schema,
  more: ReadonlyMap<string, string>,
  compression: ParquetCompression = "zstd",
) {
  let properties = new engine.WriterPropertiesBuilder()
    .setCreatedBy("annarrow")
    // Readers take the schema's metadata from here, not from the embedded Arrow schema.
    .setKeyValueMetadata(new Map([...schema.metadata, ...more]))
    .setCompression(engineCompression(engine, compression))
    .setMaxRowGroupSize(ROW_GROUP_ROWS)
    .setMaxRowGroupBytes(ROW_GROUP_BYTES);
  for (const field of schema.fields) {
    // Positions grow in small steps, so delta encoding needs a tenth of the bytes.
    if (isPosition(field.name) && DataType.isInt(field.type)) {
      properties = properties
        .setColumnDictionaryEnabled(field.name, false)
        .setColumnEncoding(field.name, engine.Encoding.DELTA_BINARY_PACKED);
    }
  }
  return properties.build();
}

const isPosition = (name: string) => name === "row" || name === "col";

function engineCompression(engine: ParquetEngine, compression: ParquetCompression): number {
  switch (compression) {
    case "zstd":
      return engine.Compression.ZSTD;
    case "snappy":
      return engine.Compression.SNAPPY;
    case "gzip":
      return engine.Compression.GZIP;
    case "lz4":
      return engine.Compression.LZ4_RAW;
    case "none":
      return engine.Compression.UNCOMPRESSED;
    default:
      compression satisfies never;
      throw new InvalidInputError(`no compression "${compression}"; there are ${PARQUET_COMPRESSIONS.join(", ")}`);
  }
}

function realError(error: unknown, element: string): unknown {
  if (isAnnarrowError(error) || isCancellation(error)) return locateError(error, { element });
  const problem = error instanceof Error ? error.message : String(error);
  return new UnsupportedError(`parquet-wasm cannot write it (${problem}); write the table as .arrow`, {
    element,
    cause: error,
  });
}

interface Taken {
  readonly column: ParquetColumn;
  readonly type: ArrowType;
}

/** Whether the encoder accepts tables of `schema`, which must have flat columns of the usual types. */
export function canEncodeSchema(schema: Schema): boolean {
  return schema.fields.length > 0 && schema.fields.every((field) => taken(field) !== null);
}

/**
 * Describes a table's file and converts the table's batches to generic columns; null if another encoder must be used.
 */
export function toFlatTable(
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
  const plain = toSchemaField(field);
  if (plain !== null) {
    const column = findParquetColumn(plain);
    return column === null ? null : { column, type: plain.type };
  }
  const { name, nullable } = field;
  const { type }: { readonly type: DataType } = field;
  const base = { name, nullable, annotation: null, coded: false, position: false, conversion: "none" } as const;
  if (DataType.isTimestamp(type)) {
    const unit = toTimestampUnit(type.unit);
    return {
      column: { ...base, ...getTimestampStorage(unit, Boolean(type.timezone)) },
      type: { id: "Timestamp", unit },
    };
  }
  return null;
}

/**
 * Returns the embedded schemas. If the fields are simple enough, this library encodes the schemas itself, so that every
 * encoder writes the same bytes.
 */
function keyValuesOf(schema: Schema): readonly (readonly [key: string, value: string])[] {
  const fields = schema.fields.flatMap((field) => toSchemaField(field) ?? []);
  if (fields.length === schema.fields.length) return createSchemaKeyValues(fields, schema.metadata);
  const written = findSubstitution(schema, findParquetSubstitute)?.schema ?? schema;
  return [
    [FILE_SCHEMA, encodeBase64(encodeApacheSchema(written))],
    ...(util.compareSchemas(schema, written)
      ? []
      : [[TABLE_SCHEMA, encodeBase64(encodeApacheSchema(schema))] as const]),
    ...schema.metadata,
  ];
}

async function* columnBatches(
  table: DataTable,
  types: readonly ArrowType[],
  options: SinkOptions,
): AsyncGenerator<ColumnBatch> {
  for await (const batch of streamBatches(table, options)) {
    if (!util.compareSchemas(table.schema, batch.schema)) {
      throw new InvalidInputError(`a batch has the schema ${batch.schema}, its table ${table.schema}`);
    }
    yield { length: batch.numRows, columns: toColumns(batch, types) };
  }
}
