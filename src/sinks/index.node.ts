/** What `sinks/` offers packages, for Node alone: `annarrow/node/sinks`. */

export { type InProcessDuckDB, type LoadedDuckDB, loadDuckDB } from "./duckdb/duckdb.node.js";
