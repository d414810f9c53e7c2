/** Names of tables of several files: `pbmc.obs` in a statement is the table `pbmc.obs` of DuckDB. */

import { type Replacement, relationStarts } from "../query/relations.js";
import { isName, keyword, symbol, type Token } from "../query/tokens.js";
import { quotedName } from "../sinks/duckdb/engine.js";

const fold = (name: string) => name.toLowerCase();

/**
 * Replaces `file.table` by the name of the one table: where a table can stand, and before the name of a column.
 * @param known the table of a file and a name, both in small letters; undefined where there is none.
 */
export function qualifiedNames(
  tokens: readonly Token[],
  known: (file: string, table: string) => string | undefined,
): readonly Replacement[] {
  const starts = relationStarts(tokens);
  const found: Replacement[] = [];
  for (const [i, token] of tokens.entries()) {
    const table = tokens[i + 2];
    if (
      !isName(token) ||
      symbol(tokens[i + 1]) !== "." ||
      table === undefined ||
      !isName(table) ||
      symbol(tokens[i - 1]) === "."
    )
      continue;
    if (!starts.has(i) && symbol(tokens[i + 3]) !== ".") continue;
    const name = known(fold(token.text), fold(table.text));
    if (name !== undefined) found.push({ start: token.start, end: table.end, text: quotedName(name) });
  }
  return found;
}

/** Words between the head of a statement and the query within: `explain`, `create table t as`. */
const HEADS = new Set(["explain", "analyze", "summarize", "describe", "desc"]);
const QUERIES = new Set(["select", "from", "values", "pivot", "unpivot", "table", "with"]);

/**
 * The statement with common table expressions before its query.
 * @param expressions each as `name as (query)`.
 */
export function withExpressions(tokens: readonly Token[], expressions: readonly string[]): Replacement {
  const list = expressions.join(", ");
  const head = HEADS.has(keyword(tokens[0])) ? tokens.findIndex((token) => !HEADS.has(keyword(token))) : 0;
  const at =
    head > 0
      ? head
      : Math.max(
          0,
          tokens.findIndex((token) => QUERIES.has(keyword(token))),
        );
  const first = tokens[at];
  if (keyword(first) === "with") {
    const recursive = keyword(tokens[at + 1]) === "recursive" ? tokens[at + 1] : first;
    return { start: recursive.end, end: recursive.end, text: ` ${list},` };
  }
  // `summarize obs` takes a name, or a query.
  const isTable = head > 0 && !QUERIES.has(keyword(first)) && symbol(first) !== "(";
  return { start: first.start, end: first.start, text: `with ${list} ${isTable ? "from " : ""}` };
}
