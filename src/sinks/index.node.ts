/** The part of `sinks/` that is exported to packages for Node only, as `annarrow/node/sinks`. */

export { type InProcessDuckDB, type LoadedDuckDB, loadDuckDB } from "./duckdb/duckdb.node.js";
