/** The exports of `arrow/` for packages: `annarrow/core/arrow`. */

export { toRecordBatch } from "./apache/apache.js";
export { toColumns } from "./apache/apache-columns.js";
export { toColumnFields } from "./apache/apache-fields.js";
export { createCellFormatter } from "./apache/cell-text.js";
export { createRawData, emptyData } from "./apache/raw-data.js";
export { toCategoricalCodes, UnifiedDictionary } from "./categorical.js";
export {
  type Column,
  type ColumnBatch,
  type DictionaryColumn,
  emptyColumn,
  emptyNumbers,
  type FixedSizeListColumn,
  type PrimitiveColumn,
} from "./column.js";
export { computeColumnSum } from "./column-sum.js";
export { type EncodedTableChunk, encodeFile } from "./encoder.js";
export { encodeJsonValue } from "./json.js";
export { createPandasMetadata } from "./pandas.js";
export type { RaggedForm } from "./ragged/form.js";
export { createCheckedMinorColumn } from "./sparse.js";
export { sliceColumn, takeColumn } from "./take.js";
export {
  createTextColumn,
  cutTextsAtNul,
  decodeTextValues,
  encodeStoredTexts,
  formatDecimals,
  toTextColumn,
} from "./text.js";
export {
  type ArrowField,
  type ArrowType,
  createField,
  type DictionaryType,
  describeArrowType,
  estimateValueSize,
  getCoordinateType,
  INT32,
  INT64,
  mayBeNull,
  nestType,
  type TimestampUnit,
  UTF8,
} from "./type.js";
export { toWrittenForm } from "./written-type.js";
export { createMissingMask, decodeDictionary, toStoredValues } from "./written-values.js";
