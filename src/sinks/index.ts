/** The part of `sinks/` that is exported to packages as `annarrow/core/sinks`. */

export { encodeTable } from "./directory/encode.js";
export { encodeSegment } from "./directory/table-files.js";
export { CELL_BYTES } from "./duckdb/answer-limit.js";
export { type AsyncConnection, type AsyncDatabase, asyncDuckDB } from "./duckdb/async-duckdb.js";
export {
  createFileAccessSql,
  type DuckDBEngine,
  type LimitAdvice,
  quoteSqlName,
  quoteSqlText,
} from "./duckdb/engine.js";
export { checkForDuckDB } from "./duckdb/held-types.js";
export { toDuckDBResultSchema } from "./duckdb/result-schema.js";
export { encodeColumnParquet, encodeFlatParquet } from "./parquet/plain-parquet.js";
export { streamBatches } from "./stream.js";
export { isNumber } from "./text/markdown.js";
