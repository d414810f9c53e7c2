/** The part of `readers/` that packages can use: `annarrow/core/readers`. */

export { createAnnotatedPlans } from "./annotated-plans.js";
export { getFlagAttribute, getShapeAttribute, getTextAttribute, getTextListAttribute } from "./attributes.js";
export { type DatasetStores, getVersionText, readStores } from "./bpcells/read.js";
export {
  convertArray,
  createTextArray,
  FLOAT32,
  FLOAT64,
  getLength,
  type MatrixVersion,
  type NumberType,
  parseVersion,
  reinterpretArray,
  type StoreVersion,
  UINT32,
  UINT64,
} from "./bpcells/stores/arrays.js";
export { type FoundStore, type ListLevel, storeVersion } from "./bpcells/stores/find-stores.js";
export { openFragments } from "./bpcells/stores/fragments.js";
export { openMatrix } from "./bpcells/stores/matrix.js";
export { mapConcurrently, waitForBoth } from "./concurrency.js";
export { type ColumnElement, createNullTable, type Element, hasNullableRows } from "./element.js";
export type { Follow, ReadPlans } from "./reader.js";
export { createDerivedPlan, createMappingNode, FoundElements, walkMapping } from "./tree.js";
