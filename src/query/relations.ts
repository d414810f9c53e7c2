/** Finds the places where a statement can name a table, and replaces parts of a statement. */

import { isName, keyword, parseQuotedText, symbol, type Token } from "./tokens.js";

/** Words before a table name. */
const BEFORE = new Set(["from", "join", "describe", "desc", "summarize", "into", "pivot", "unpivot", "table", "show"]);

/** Words that end a list of tables. */
const ENDS = new Set(
  "select where group order having limit offset qualify window union intersect except on using set values".split(" "),
);

/** Returns the indices of the tokens that begin a table name or a table function. */
export function findRelationStarts(tokens: readonly Token[]): ReadonlySet<number> {
  const found = new Set<number>();
  const outer: boolean[] = [];
  let inList = false;
  let isNext = false;
  for (const [i, token] of tokens.entries()) {
    const word = keyword(token);
    const isBefore = BEFORE.has(word) && ![symbol(tokens[i - 1]), symbol(tokens[i + 1])].includes(".");
    if (isNext && !isBefore && !ENDS.has(word) && (isName(token) || parseQuotedText(token) !== null)) found.add(i);
    const wasNext: boolean = isNext;
    isNext = false;
    if (isBefore) inList = isNext = true;
    else if (ENDS.has(word)) inList = false;
    else if (symbol(token) === "(") {
      outer.push(inList);
      // The arguments of a function are not tables, but brackets around a join contain tables.
      inList = isNext = wasNext;
    } else if (symbol(token) === ")") inList = outer.pop() ?? false;
    else if (symbol(token) === ",") isNext = inList;
    else if (symbol(token) === ";") inList = false;
  }
  return found;
}

const DESCRIBING = new Set(["describe", "desc", "summarize", "show"]);

/**
 * Returns the prefix that turns an expression into a query. It is needed because `describe t` takes a name or a query
 * (`from …`).
 */
export function getQueryPrefix(tokens: readonly Token[], start: number): "from " | "" {
  return DESCRIBING.has(keyword(tokens[start - 1])) ? "from " : "";
}

/** A text that replaces the characters [start, end) of a statement. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies replacements to a statement. They must not overlap. */
export function applyReplacements(sql: string, replacements: readonly Replacement[]): string {
  let out = "";
  let at = 0;
  for (const { start, end, text } of [...replacements].sort((a, b) => a.start - b.start)) {
    out += sql.slice(at, start) + text;
    at = end;
  }
  return out + sql.slice(at);
}
