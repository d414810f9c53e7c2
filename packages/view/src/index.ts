/**
 * Building blocks of `annarrow view`: the requests that its page makes, and the code that answers them without a
 * server.
 *
 * @module
 */

export { isAnnarrowError } from "annarrow";
export type { DuckDBEngine } from "annarrow/core/sinks";
export { type AsyncConnection, type AsyncDatabase, asyncDuckDB } from "annarrow/core/sinks";
export { type GivenInput, isAddress, nameOfInput, openInput } from "./opened-input.js";
export { PageStatements } from "./page-statements.js";
export * from "./view-request.js";
export { type StatementInput, Viewer, type ViewerOptions } from "./viewer.js";
