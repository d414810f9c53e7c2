/** The places of a statement where a table can stand, and the statement with other text at some places. */

import { isName, keyword, quotedText, symbol, type Token } from "./tokens.js";

/** Words that a table follows. */
const BEFORE = new Set(["from", "join", "describe", "desc", "summarize", "into", "pivot", "unpivot", "table", "show"]);

/** Words that end a list of tables. */
const ENDS = new Set(
  "select where group order having limit offset qualify window union intersect except on using set values".split(" "),
);

/** The positions of the tokens with which a table, or a function that gives a table, begins. */
export function relationStarts(tokens: readonly Token[]): ReadonlySet<number> {
  const found = new Set<number>();
  const outer: boolean[] = [];
  let inList = false;
  let isNext = false;
  for (const [i, token] of tokens.entries()) {
    const word = keyword(token);
    const isBefore = BEFORE.has(word) && ![symbol(tokens[i - 1]), symbol(tokens[i + 1])].includes(".");
    if (isNext && !isBefore && !ENDS.has(word) && (isName(token) || quotedText(token) !== null)) found.add(i);
    const wasNext: boolean = isNext;
    isNext = false;
    if (isBefore) inList = isNext = true;
    else if (ENDS.has(word)) inList = false;
    else if (symbol(token) === "(") {
      outer.push(inList);
      // The arguments of a function are no tables; brackets around a join hold tables.
      inList = isNext = wasNext;
    } else if (symbol(token) === ")") inList = outer.pop() ?? false;
    else if (symbol(token) === ",") isNext = inList;
    else if (symbol(token) === ";") inList = false;
  }
  return found;
}

const DESCRIBING = new Set(["describe", "desc", "summarize", "show"]);

/** What makes a query of an expression in the place of a table: `describe t` takes a name, or a query (`from …`). */
export function beforeExpression(tokens: readonly Token[], start: number): "from " | "" {
  return DESCRIBING.has(keyword(tokens[start - 1])) ? "from " : "";
}

/** Another text for the characters [start, end) of a statement. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The statement with its replacements, which do not overlap. */
export function replaced(sql: string, replacements: readonly Replacement[]): string {
  let out = "";
  let at = 0;
  for (const { start, end, text } of [...replacements].sort((a, b) => a.start - b.start)) {
    out += sql.slice(at, start) + text;
    at = end;
  }
  return out + sql.slice(at);
}
