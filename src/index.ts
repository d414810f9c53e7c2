/**
 * annarrow: annotated matrices as Apache Arrow. The entry for browsers and other runtimes without a file system;
 * Node.js gets the same and paths besides (`node.ts`).
 *
 * @example
 * ```ts
 * import { open } from "annarrow";
 *
 * const data = await open(await (await fetch("pbmc.h5ad")).blob());
 * for (const [name, table] of data.tables) console.log(name, String(table.schema), table.rows);
 * for await (const batch of data.table("X").batches({ rows: [0, 1000] })) console.log(batch.numRows);
 * ```
 * @module
 */

export { axisSums } from "./axis-sums.js";
export type { ContainerKind } from "./containers/container.js";
export type { ConvertOptions, ConvertResult } from "./convert.js";
export type {
  BatchOptions,
  Dataset,
  DataTable,
  Format,
  FragmentSelection,
  Layout,
  Progress,
  TableMetadata,
} from "./dataset.js";
export {
  AnnarrowError,
  type AnnarrowErrorOptions,
  type AnnarrowErrorTag,
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  type Location,
  MissingDependencyError,
  NotFoundError,
  UnsupportedError,
} from "./errors.js";
export type { FlightOptions } from "./flight/connection.js";
export { type Input, type OpenOptions, open } from "./open.js";
export { type CsvOptions, csv } from "./sinks/csv.js";
export { type DuckDBConnection, type DuckDBOptions, type DuckDBResult, loadIntoDuckDB } from "./sinks/duckdb.js";
export { ipcFile, ipcStream } from "./sinks/ipc.js";
export { type ParquetCompression, type ParquetOptions, parquetFile } from "./sinks/parquet.js";
export type { SinkOptions } from "./sinks/stream.js";
export type { HttpOptions } from "./sources/http-exchange.js";
export type { StoreCompression } from "./stores/compression.js";
export type { StoreOptions, WriteResult } from "./stores/write.js";
export type { BatchStream, ColumnTableInput } from "./tables/arrow-column-table.js";
export { withPositions } from "./tables/positions.js";
export type { WritableStore } from "./targets/store.js";
export { type FileFormat, type StoreWriteOptions, type WriteInput, write, writeBytes } from "./write.js";
