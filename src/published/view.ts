/**
 * Building blocks of `annarrow view`: the requests of its page, and the code that answers them without a server.
 *
 * @module
 */

import "./register.js";

export { isAnnarrowError } from "../model/errors.js";
export { type AsyncConnection, type AsyncDatabase, asyncDuckDB } from "../sinks/duckdb/async-duckdb.js";
export type { DuckDBEngine } from "../sinks/duckdb/engine.js";
export { type GivenInput, isAddress, nameOfInput, openInput } from "../view/opened-input.js";
export { PageStatements } from "../view/page-statements.js";
export * from "../view/view-request.js";
export { type StatementInput, Viewer, type ViewerOptions } from "../view/viewer.js";
