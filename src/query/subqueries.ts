/** Comparisons of a column with a subquery that needs nothing of the rest of the statement: `col in (select …)`. */

import { fold, isName, keyword, symbol, type Token, tokensOf } from "./tokens.js";

export interface ComparedSubquery {
  /** The place of the comparison in the statement. */
  readonly start: number;
  readonly end: number;
  /** The column, as it stands in the statement. */
  readonly column: string;
  /** The subquery without its parentheses. */
  readonly text: string;
}

/** What stands before an operand that no operator before it takes. */
const BEFORE = new Set(["where", "and", "or", "on", "not", "when"]);

/** What stands behind a comparison that is a whole term. */
const BEHIND = new Set(
  `and or group order limit having qualify union except intersect then window join inner left right full cross semi anti
   where`.split(/\s+/),
);

/** Words of subqueries that may give other rows each time, or that need the rest of the statement. */
const UNCERTAIN =
  /^(?:random|uuid\w*|gen_random_uuid|nextval|currval|now|current_\w+|today|sample|tablesample|using|limit|first|last|any_value|arbitrary|list|array_agg|string_agg|lateral)$/;

/** Finds them from left to right, none within another. */
export function comparedSubqueries(sql: string): readonly ComparedSubquery[] {
  const tokens = tokensOf(sql);
  const withNames = namesOfCommonTables(tokens);
  const found: ComparedSubquery[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const isIn = keyword(tokens[at]) === "in";
    if (!isIn && symbol(tokens[at]) !== "=") continue;
    if (symbol(tokens[at + 1]) !== "(" || keyword(tokens[at + 2]) !== "select") continue;
    const first = startOfColumn(tokens, at);
    const close = closing(tokens, at + 1);
    if (first === null || close === null || !endsTerm(tokens[close + 1])) continue;
    const inner = tokens.slice(at + 2, close);
    if (inner.some((token) => UNCERTAIN.test(keyword(token)) || (isName(token) && withNames.has(fold(token.text))))) {
      continue;
    }
    found.push({
      start: tokens[first].start,
      end: tokens[close].end,
      column: sql.slice(tokens[first].start, tokens[at - 1].end),
      text: sql.slice(tokens[at + 2].start, tokens[close - 1].end),
    });
    at = close;
  }
  return found;
}

/** The token at which a column begins that ends before `end`: `col`, or `x.col`; null where something else stands there. */
function startOfColumn(tokens: readonly Token[], end: number): number | null {
  let first = end - 1;
  if (first < 0 || !isName(tokens[first])) return null;
  while (first >= 2 && symbol(tokens[first - 1]) === "." && isName(tokens[first - 2])) first -= 2;
  const before = tokens[first - 1];
  if (symbol(before) === "(") return first;
  return BEFORE.has(keyword(before)) && !endsRange(tokens, first - 1) ? first : null;
}

function endsTerm(next: Token | undefined): boolean {
  return next === undefined || [")", ";"].includes(symbol(next)) || BEHIND.has(keyword(next));
}

/** Whether the AND at a place belongs to a BETWEEN. */
function endsRange(tokens: readonly Token[], at: number): boolean {
  if (keyword(tokens[at]) !== "and") return false;
  for (let before = at - 1; before >= 0; before--) {
    const word = keyword(tokens[before]);
    if (word === "between") return true;
    if (["and", "or", "where", "on", "having", "select"].includes(word)) return false;
  }
  return false;
}

function closing(tokens: readonly Token[], open: number): number | null {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (symbol(tokens[at]) === "(") depth++;
    if (symbol(tokens[at]) === ")" && --depth === 0) return at;
  }
  return null;
}

/** The names of common table expressions, and of all else that `as (` follows. */
function namesOfCommonTables(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>();
  if (!tokens.some((token) => keyword(token) === "with")) return names;
  tokens.forEach((token, at) => {
    if (keyword(token) !== "as") return;
    let before = at - 1;
    // The columns of a common table: `with t(a, b) as (…)`.
    if (symbol(tokens[before]) === ")") while (before > 0 && symbol(tokens[before]) !== "(") before--;
    for (const place of [before, before - 1]) {
      const name = tokens[place];
      if (name !== undefined && isName(name)) names.add(fold(name.text));
    }
  });
  return names;
}

/** The statement with a condition beside each comparison: the column is not the comparison's marker. */
export function markedStatement(
  sql: string,
  subqueries: readonly ComparedSubquery[],
  markerOf: (index: number) => number,
): string {
  let [marked, at] = ["", 0];
  for (const [index, { start, end, column }] of subqueries.entries()) {
    marked += `${sql.slice(at, start)}(${sql.slice(start, end)} and ${column} <> ${markerOf(index)})`;
    at = end;
  }
  return marked + sql.slice(at);
}
