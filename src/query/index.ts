/** The part of `query/` that packages can use: `annarrow/core/query`. */

export { answerStatement } from "./answer.js";
export type { GeneIndexState } from "./gene-index/dataset-gene-index.js";
export { findIdentityDifference, type SourceIdentity } from "./gene-index/identity.js";
export { SUFFIX } from "./gene-index/web-location.js";
export { findNamedTables } from "./named-tables.js";
export { findStatementTables, type SqlRelation } from "./names.js";
export { hasParameters, inferParameterTypes, replaceParameters } from "./parameters.js";
export type { NamedDataset } from "./session/datasets.js";
export { Session } from "./session/session.js";
export { listStatements, splitStatements } from "./session/statements.js";
export { checkExpression, findQueryProblem, QUERY_VERBS, trimStatement } from "./statement-text.js";
export { createSqlTableNames, findRenamings, toSqlDataset, toSqlTable } from "./tables-in-sql.js";
