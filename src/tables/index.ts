/** The part of `tables/` that is exported to packages as `annarrow/core/tables`. */

export { type AxisName, getElementAxes, getRowAxis } from "./axes.js";
export { BatchTable, createBatchTable, overrideTable, type TableProperties } from "./batch-table.js";
export { ColumnDataTable } from "./column-data-table.js";
export { type ColumnOutline, describeColumns } from "./column-outline.js";
export { type ColumnTable, type FromDataset, ORIGIN } from "./column-table.js";
export {
  describeRenamedColumns,
  describeRenamedTable,
  getOriginalName,
  listRenamedColumns,
} from "./distinct-columns.js";
export { encodeRows } from "./encoded-table.js";
export { FileTable } from "./files/file-table.js";
export { describeUnnamedRows, findFrameIndex, indexSource, toNames, toNameTexts, toTextIndex } from "./frame-index.js";
export { convertInputToColumns } from "./given/arrow-column-table.js";
export { toColumnTable, toDataTable } from "./given/table-forms.js";
export { PlannedTable } from "./planned-table.js";
export { findColumnPositions, projectSchema, recordBatch, sliceBatch } from "./record-batch.js";
export { createListingMembers, readColumnsAt } from "./reshaped-tables.js";
export { toRowlessTable } from "./rowless.js";
export { readTableBatches } from "./rows.js";
export { readSingleValue } from "./single-value.js";
export { ListCounts, type MatrixLayout } from "./sparse/list-counts.js";
export { countStoredEntries, hasStoredRows, planRepositionedRows } from "./sparse/repositioned-rows.js";
export {
  checkNoMissing,
  createSparseEntries,
  type EntryBatch,
  findCoordinateColumns,
  findEntriesValue,
  getIntValues,
  listOrder,
} from "./sparse/sparse-entries.js";
export { type Origin, type PartOptions, StoredTable } from "./stored-table.js";
export { findPositionColumn, hasEntryRows, selectColumns } from "./table-columns.js";
