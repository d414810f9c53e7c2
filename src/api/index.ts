/** Exports of `api/` for other packages: `annarrow/core/api`. */

export { concatDatasets } from "./concat.js";
export { toAnnDataTables } from "./concat-inputs.js";
export type { AnyConvertOptions } from "./convert.js";
export { escapeHtml } from "./display/html.js";
export { type Displayed, escapeControlChars, INSPECT, JUPYTER, truncateText } from "./display/plain.js";
export { createNodeStub, FOLDERS } from "./only-in-node.js";
export { type GenericFileOptions, OPEN_OPTIONS, openSource, toDataset } from "./open.js";
export { OpenedDataset, type OpenedTable } from "./opened-dataset.js";
export { getPositionColumnName, readAxisLength } from "./select.js";
export { findWherePositions, tableWhere } from "./where.js";
