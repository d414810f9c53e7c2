/** The part of `query/` that packages can use in Node only: `annarrow/node/query`. */

export { cacheFolder } from "./gene-index/local-location.node.js";
export { type EngineOptions, openEngine, pickEngineKind } from "./open-engine.node.js";
export { type AnsweredPositionsOptions, computeAnsweredPositions } from "./session/answered-positions.node.js";
export { type CachedDatasets, openCachedDatasets } from "./session/cached-datasets.node.js";
export { openTableFile } from "./session/table-files.node.js";
