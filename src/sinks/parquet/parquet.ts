/**
 * Parquet: flat tables by the encoder in `parquet/`, all others through parquet-wasm. The Arrow schema is embedded
 * (`ARROW:schema`), so that dictionaries, fixed-size lists and all metadata come back. Our own encoder writes
 * dictionaries as they are; parquet-wasm keeps neither their order nor their unused values.
 */

import { DataType, type RecordBatch, type Schema, util } from "apache-arrow";
import { messageOf, streamBytes } from "../../ipc/write/apache-writer.js";
import type { DataTable } from "../../model/dataset.js";
import {
  InvalidInputError,
  isAnnarrowError,
  isCancellation,
  locateError,
  UnsupportedError,
} from "../../model/errors.js";
import { loadParquetEngine, type ParquetEngine } from "../../parquet/read/engine.js";
import { TABLE_SCHEMA } from "../../parquet/thrift/format.js";
import { isCodec, PARQUET_COMPRESSIONS, type ParquetCompression } from "../../parquet/write/compression.js";
import { ROW_GROUP_BYTES, ROW_GROUP_ROWS } from "../../parquet/write/row-groups.js";
import { batchesOf, type SinkOptions } from "../stream.js";
import { substitution } from "../substitute.js";
import { flatTable } from "./apache-table.js";
import { canHoldInParquet, parquetRule } from "./parquet-types.js";
import { base64, plainParquet } from "./plain-parquet.js";

export type { ParquetCompression } from "../../parquet/write/compression.js";
export { canHoldInParquet } from "./parquet-types.js";

export interface ParquetOptions extends SinkOptions {
  /** `zstd` by default. */
  readonly compression?: ParquetCompression;
}

/**
 * `table` as a Parquet file, written row group by row group.
 * @throws {UnsupportedError} where Parquet cannot hold a type of the table.
 */
export async function* parquetFile(table: DataTable, options: ParquetOptions = {}): AsyncGenerator<Uint8Array> {
  if (!canHoldInParquet(table.schema)) {
    throw new UnsupportedError("Parquet cannot hold its types; write the table as .arrow", { element: table.name });
  }
  const { compression = "zstd" } = options;
  const flat = isCodec(compression) ? flatTable(table, compression, options) : null;
  if (flat !== null) {
    try {
      return yield* plainParquet(flat.description, flat.batches, options.signal);
    } catch (error) {
      throw locateError(error, { element: table.name });
    }
  }
  const engine = await loadParquetEngine();
  const changed = substitution(table.schema, parquetRule);
  const schema = changed?.schema ?? table.schema;
  const batches = batchesOf(table, options);
  const failure: { error?: unknown } = {};
  const input = engineBatches(engine, schema, batches, changed?.batch, failure);
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

/** The batches inside the engine's memory. What goes wrong on the way is kept: the engine turns it into "Dyn casting error". */
function engineBatches(
  engine: ParquetEngine,
  schema: Schema,
  batches: AsyncGenerator<RecordBatch>,
  change: ((batch: RecordBatch) => RecordBatch) | undefined,
  failure: { error?: unknown },
): ReadableStream {
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const next = await batches.next();
          if (next.done) return controller.close();
          const batch = change ? change(next.value) : next.value;
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

/** The table's own schema, where what is written has another. */
function tableSchema(schema: Schema, written: Schema): Map<string, string> {
  return util.compareSchemas(schema, written) ? new Map() : new Map([[TABLE_SCHEMA, base64(messageOf(schema))]]);
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
    // Positions grow by small steps: as differences they take a tenth of the bytes.
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
