/**
 * Refuses all statements except queries, by keyword. The refusal only gives a clear message. The actual protection is
 * DuckDB's locked configuration, in a database that is discarded after the statement.
 */

import { keyword, parseSqlTokens, symbol, type Token } from "../../query/tokens.js";
import { RequestError } from "../requests/failure.js";

/** First words of read-only statements. */
const QUERIES = "select with from values table describe desc show summarize pivot unpivot".split(" ");

const WRITES = ["insert", "update", "delete", "merge"];

/**
 * Checks that `sql` is one query.
 * @throws {RequestError} for an empty text, several statements, and any other statement.
 */
export function checkQuery(sql: string): void {
  const tokens = parseSqlTokens(sql);
  while (symbol(tokens.at(-1)) === ";") tokens.pop();
  if (tokens.length === 0) throw new RequestError("invalid", "the statement is empty");
  if (tokens.some((token) => symbol(token) === ";")) {
    throw new RequestError("invalid", "there are several statements: send one at a time");
  }
  const explained = keyword(tokens[0]) === "explain" ? afterExplain(tokens) : tokens;
  const first = explained.find((token) => symbol(token) !== "(");
  const verb = keyword(first) === "with" ? verbOfWith(explained) : keyword(first);
  if (QUERIES.includes(verb)) return;
  throw new RequestError(
    "forbidden",
    `${first === undefined ? "this" : (verb || first.text).toUpperCase().slice(0, 50)} is refused: this server takes queries alone, which begin with ${QUERIES.join(", ")} or explain`,
  );
}

/** Returns the tokens after `explain`, `analyze` and options in parentheses. */
function afterExplain(tokens: readonly Token[]): readonly Token[] {
  let at = keyword(tokens[1]) === "analyze" ? 2 : 1;
  if (symbol(tokens[at]) === "(" && !QUERIES.includes(keyword(tokens[at + 1]))) {
    while (at < tokens.length && symbol(tokens[at]) !== ")") at++;
    at++;
  }
  return tokens.slice(at);
}

/** Returns the word after the list of common table expressions; `with` if that word does not write data. */
function verbOfWith(tokens: readonly Token[]): string {
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (symbol(token) === "(") depth++;
    else if (symbol(token) === ")") depth--;
    else if (depth === 0 && symbol(tokens[i - 1]) === ")" && WRITES.includes(keyword(token))) return keyword(token);
  }
  return "with";
}
