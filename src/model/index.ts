/** The part of `model/` that packages can use: `annarrow/core/model`. */

export type { DatasetContainer } from "./dataset.js";
export { closeAfterUse } from "./disposal.js";
export {
  isCancellation,
  locateError,
  NothingToWriteError,
  runWithLocation,
  UnsupportedElementError,
} from "./errors.js";
export { bpcells } from "./formats/bpcells.js";
export { listOptionValues } from "./formats/option-table.js";
export {
  type AnyFormatOptions,
  fileEndings,
  findEnding,
  findFormat,
  formatNamed,
  listFormats,
  versionInWords,
} from "./formats/registry.js";
export { createInputKeys, getInputStem, hasScheme } from "./input-name.js";
export { isJsonObject, parseJsonObject, readJson } from "./json-object.js";
export { findNearestNames, findSimilarNames } from "./nearest.js";
export { checkOptions, type NamesOf } from "./option-names.js";
export {
  allocate,
  countElements,
  createZeros,
  type EnumMember,
  getDecodedSize,
  type IntArray,
  type IntType,
  type NumberArray,
  type StoredType,
  type StoredValues,
  type VariableValues,
  viewAsBytes,
  viewLike,
} from "./stored.js";
export { MAX_MANIFEST_BYTES } from "./table-metadata.js";
export { VERSION } from "./version.js";
