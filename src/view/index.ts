/**
 * Building blocks of `annarrow view`: the requests of its page, and the code that answers them without a server.
 *
 * @module
 */

export { isAnnarrowError } from "../model/errors.js";
export { type AsyncConnection, type AsyncDatabase, asyncDuckDB } from "../sinks/duckdb/async-duckdb.js";
export type { DuckDBEngine } from "../sinks/duckdb/engine.js";
export { type GivenInput, isAddress, nameOfInput, openInput } from "./opened-input.js";
export { PageStatements } from "./page-statements.js";
export * from "./view-request.js";
export { type StatementInput, Viewer, type ViewerOptions } from "./viewer.js";
