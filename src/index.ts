/** The entry of the core for browsers and other runtimes without a file system. */

export { type ConcatInputs, type ConcatOptions, concat } from "./api/concat.js";
export type { ConvertOptions, ConvertResult } from "./api/convert.js";
export {
  convert,
  fromPolars,
  listCompanions,
  removeCompanion,
  split,
  toPolars,
  writeCompanion,
} from "./api/only-in-node.js";
export { type Input, type OpenOptions, open } from "./api/open.js";
export { axisSums, withPositions } from "./api/table-functions.js";
export { type FileFormat, type WriteInput, write, writeBytes } from "./api/write.js";
export type { MergeStrategy } from "./concat/merged.js";
export type { StoreCompression } from "./formats/compression.js";
export type { WriteResult } from "./formats/format.js";
export type { StoreOptions } from "./formats/store-options.js";
export type { HttpOptions } from "./io/http/http-exchange.js";
export type { ReadableStore, StoreKey, StoreRange, StoreReadOptions, StoreValue } from "./io/sources/store.js";
export type { WritableStore } from "./io/targets/store.js";
export type {
  BatchOptions,
  ContainerKind,
  Dataset,
  DataTable,
  Format,
  FragmentSelection,
  Layout,
  Progress,
  TableMetadata,
  TableSet,
  VectorOptions,
} from "./model/dataset.js";
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
} from "./model/errors.js";
export {
  type AxisSelector,
  type AxisSlice,
  type ColumnPredicate,
  type PositionArray,
  type Selection,
  type SqlPredicate,
  slice,
  sql,
  where,
} from "./model/selection.js";
export type {
  CategoricalMetadata,
  DataframeMetadata,
  ElementMetadata,
  FragmentsMetadata,
  GraphMetadata,
  MappingMetadata,
  NullMetadata,
  NumbersMetadata,
  RaggedMetadata,
  SparseMetadata,
  TextMetadata,
  ValuesMetadata,
} from "./model/table-metadata.js";
export {
  type DuckDBOptions,
  type DuckDBResult,
  loadIntoDuckDB,
  type NativeDuckDBConnection,
} from "./query/load-into-duckdb.js";
export type { DuckDBConnection } from "./sinks/duckdb/load-table.js";
export { ipcFile, ipcStream } from "./sinks/ipc/ipc.js";
export { type ParquetCompression, type ParquetOptions, parquetFile } from "./sinks/parquet/parquet.js";
export type { SinkOptions } from "./sinks/stream.js";
export { type CsvOptions, csv } from "./sinks/text/csv.js";
export type { ColumnValues, TableColumns } from "./tables/given/array-columns.js";
export type { BatchStream, ColumnTableInput } from "./tables/given/arrow-column-table.js";
