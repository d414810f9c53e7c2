/** The exports of `concat/` for packages: `annarrow/core/concat`. */

export { castNumbers, createFilledColumn } from "./cast-numbers.js";
export { getCommonNumericType, isNumericType, type NumericType } from "./common-type.js";
export {
  type ColumnConversion,
  type ColumnFields,
  createNullColumn,
  joinColumnFields,
  planColumn,
} from "./frame-columns.js";
export { type ConvertedRows, indexColumns, listFrameColumns, readConvertedRows, readDictionaries } from "./frames.js";
export { NumberedNames } from "./joined-names.js";
export { getMatrixEntryType, type MatrixPart } from "./matrix-part.js";
export { concatSparse } from "./sparse-matrices.js";
