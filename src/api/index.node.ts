/** Exports of `api/` for other packages, only for Node: `annarrow/node/api`. */

export {
  type CompanionOptions,
  type CompanionResult,
  type ListedCompanion,
  listCompanionMatrices,
  listCompanions,
  removeCompanion,
  writeCompanion,
} from "./companion.node.js";
export { convertTo } from "./convert.node.js";
export { openNamedTables } from "./named-tables.node.js";
export { open, openBytes, openStored, type StoredOptions } from "./open.node.js";
export { refuseInputs } from "./overlap.node.js";
export { createReopenedInput } from "./reopened-input.node.js";
export { splitInto } from "./split.node.js";
export { write, writeToPath } from "./write.node.js";
export { writeTable } from "./write-table.node.js";
