/** The part of `writers/` that is exported to packages as `annarrow/core/writers`. */

export { createTextsAttribute, TEXT } from "./attributes.js";
export type { StoreGroups } from "./bpcells/context.js";
export { type ColumnSink, closeSinks, type TableColumnSink, writeBatch, writeFirstColumn } from "./column-sink.js";
export {
  createWriterContext,
  type LossyContext,
  reportLoss,
  type WriterContext,
  type WriterOptions,
  type WrittenTables,
} from "./context.js";
export { GroupsByPath, readListedPaths, splitPath } from "./groups.js";
export { openEntries, writeSparseArrays } from "./sparse-groups.js";
