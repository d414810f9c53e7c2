/**
 * Finds subqueries that do not depend on the rest of the statement and whose rows must contain a column's value:
 * `col in (select …)`, `exists (select … where o.row = x.row)`, `semi join o using (row)`.
 */

import { fold, isName, keyword, parseSqlTokens, symbol, type Token } from "./tokens.js";

export interface ComparedSubquery {
  readonly start: number;
  readonly end: number;
  /** The column, as written in the statement. */
  readonly column: string;
  /** The subquery without its parentheses. Its first column contains the values. */
  readonly text: string;
  /** Whether the comparison is a term of a condition, or a join. */
  readonly kind: "term" | "join";
}

/** Words that come before an operand that does not belong to a preceding operator. */
const BEFORE = new Set(["where", "and", "or", "on", "not", "when"]);

/** Words that come after a comparison that is a whole term. */
const BEHIND = new Set(
  `and or group order limit having qualify union except intersect then window join inner left right full cross semi anti
   where`.split(/\s+/),
);

/** Words in subqueries whose rows can differ between runs, or depend on the rest of the statement. */
const UNCERTAIN =
  /^(?:random|uuid\w*|gen_random_uuid|nextval|currval|now|current_\w+|today|sample|tablesample|using|limit|first|last|any_value|arbitrary|list|array_agg|string_agg|lateral)$/;

/**
 * Finds the subqueries from left to right. None of them is inside another.
 * @param isAsked returns whether DuckDB can run a subquery on its own. Other subqueries are skipped, but inner
 * subqueries are looked for in them.
 */
export function findComparedSubqueries(sql: string, isAsked: (text: string) => boolean): readonly ComparedSubquery[] {
  const tokens = parseSqlTokens(sql);
  const withNames = namesOfCommonTables(tokens);
  const isCertain = (token: Token) =>
    !UNCERTAIN.test(keyword(token)) && !(isName(token) && withNames.has(fold(token.text)));
  const found: ComparedSubquery[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const one = listed(sql, tokens, at) ?? existing(sql, tokens, at) ?? semiJoined(sql, tokens, at);
    if (one === null || !parseSqlTokens(one.text).every(isCertain) || !isAsked(one.text)) continue;
    found.push(one);
    while (at + 1 < tokens.length && tokens[at + 1].start < one.end) at++;
  }
  return found;
}

/** Parses `col in (select …)` and `col = (select …)`. `at` is the index of the operator. */
function listed(sql: string, tokens: readonly Token[], at: number): ComparedSubquery | null {
  if (keyword(tokens[at]) !== "in" && symbol(tokens[at]) !== "=") return null;
  if (symbol(tokens[at + 1]) !== "(" || keyword(tokens[at + 2]) !== "select") return null;
  const first = startOfColumn(tokens, at);
  const close = closing(tokens, at + 1);
  if (first === null || close === null || !endsTerm(tokens[close + 1])) return null;
  return {
    start: tokens[first].start,
    end: tokens[close].end,
    column: sql.slice(tokens[first].start, tokens[at - 1].end),
    text: sql.slice(tokens[at + 2].start, tokens[close - 1].end),
    kind: "term",
  };
}

/**
 * Parses `exists (select … from … where inner.row = outer.row and …)`, whose first word is at `at`. Without the
 * equality, the subquery has the same rows for every outer row.
 */
function existing(sql: string, tokens: readonly Token[], at: number): ComparedSubquery | null {
  if (keyword(tokens[at]) !== "exists" || symbol(tokens[at + 1]) !== "(" || keyword(tokens[at + 2]) !== "select")
    return null;
  const close = closing(tokens, at + 1);
  if (close === null) return null;
  const parts = new Map<string, number>();
  for (const [place, word] of outerWords(tokens, at + 2, close)) {
    if (!["select", "from", "where"].includes(word)) {
      if (NO_PLAIN_SELECT.has(word)) return null;
    } else if (parts.has(word)) return null;
    else parts.set(word, place);
  }
  const [from, where] = [parts.get("from"), parts.get("where")];
  if (from === undefined || where === undefined || where < from) return null;
  // An aggregate returns a row even if the table is empty.
  if (tokens.slice(at + 2, from).some((token) => symbol(token) === "(")) return null;
  const inner = namesBetween(tokens, from, where);
  for (const equality of equalities(tokens, where, close)) {
    const sides = sidesOf(sql, equality, inner);
    if (sides === null) continue;
    const [head, tail] = [sql.slice(tokens[from].start, equality.start), sql.slice(equality.end, tokens[close].start)];
    const text = `select ${sides.inner} ${head}true${tail}`;
    return { start: tokens[at].start, end: tokens[close].end, column: sides.outer, text, kind: "term" };
  }
  return null;
}

/** Parses `semi join o using (row)` and `semi join o on o.row = x.row and …`. `at` is the index of the first word. */
function semiJoined(sql: string, tokens: readonly Token[], at: number): ComparedSubquery | null {
  if (keyword(tokens[at]) !== "semi" || keyword(tokens[at + 1]) !== "join") return null;
  const isSubquery = symbol(tokens[at + 2]) === "(";
  const relationEnd = isSubquery ? closing(tokens, at + 2) : isName(tokens[at + 2] ?? NOTHING) ? at + 2 : null;
  if (relationEnd === null) return null;
  const isCondition = (token: Token | undefined) => keyword(token) === "using" || keyword(token) === "on";
  const end = tokens.findIndex((token, place) => place > relationEnd && isCondition(token));
  // Only an alias of the relation may come between them.
  if (end === -1 || end - relationEnd > 3) return null;
  const relation = sql.slice(tokens[at + 2].start, tokens[end - 1].end);
  if (keyword(tokens[end]) === "using") {
    const column = tokens[end + 2];
    if (symbol(tokens[end + 1]) !== "(" || column === undefined || !isName(column) || symbol(tokens[end + 3]) !== ")") {
      return null;
    }
    const name = sql.slice(column.start, column.end);
    const text = `select ${name} from ${relation}`;
    return { start: tokens[at].start, end: tokens[end + 3].end, column: name, text, kind: "join" };
  }
  const close = endOfCondition(tokens, end + 1);
  for (const equality of equalities(tokens, end, close)) {
    const sides = sidesOf(sql, equality, namesBetween(tokens, at + 1, end));
    if (sides === null) continue;
    const conditions = [sql.slice(tokens[end].end, equality.start), sql.slice(equality.end, tokens[close - 1].end)];
    const text = `select ${sides.inner} from ${relation} where ${conditions.join(" true ")}`;
    return { start: tokens[at].start, end: tokens[close - 1].end, column: sides.outer, text, kind: "join" };
  }
  return null;
}

const NOTHING: Token = { kind: "symbol", text: "", start: 0, end: 0 };

/** Words that allow a statement to return rows other than those rows of its tables that satisfy all terms. */
const NO_PLAIN_SELECT = new Set(
  `or union except intersect group having qualify window limit offset order sample tablesample left right full anti asof
   positional natural lateral with values`.split(/\s+/),
);

/** Yields the words in [start, end) that are outside brackets, with their indices. */
function* outerWords(tokens: readonly Token[], start: number, end: number): Generator<[number, string]> {
  let depth = 0;
  for (let at = start; at < end; at++) {
    if (symbol(tokens[at]) === "(") depth++;
    if (symbol(tokens[at]) === ")") depth--;
    if (depth === 0 && keyword(tokens[at]) !== "") yield [at, keyword(tokens[at])];
  }
}

interface Equality {
  readonly start: number;
  readonly end: number;
  readonly sides: readonly [left: readonly Token[], right: readonly Token[]];
}

/**
 * Yields the equalities between two qualified columns, such as `a.row = b.row`, that are AND terms in (start, end).
 */
function* equalities(tokens: readonly Token[], start: number, end: number): Generator<Equality> {
  let depth = 0;
  for (let at = start; at < end; at++) {
    if (symbol(tokens[at]) === "(") depth++;
    if (symbol(tokens[at]) === ")") depth--;
    const isBefore = at === start || (keyword(tokens[at]) === "and" && !endsRange(tokens, at));
    if (depth > 0 || !isBefore) continue;
    const [left, right] = [tokens.slice(at + 1, at + 4), tokens.slice(at + 5, at + 8)];
    const isTerm = at + 8 === end || (at + 8 < end && keyword(tokens[at + 8]) === "and");
    if (!isTerm || !isQualified(left) || symbol(tokens[at + 4]) !== "=" || !isQualified(right)) continue;
    yield { start: left[0].start, end: right[2].end, sides: [left, right] };
  }
}

const isQualified = ([table, dot, column]: readonly Token[]) => isName(table) && symbol(dot) === "." && isName(column);

/** Returns the columns of an equality if exactly one of them belongs to the tables `inner`; otherwise null. */
function sidesOf(
  sql: string,
  { sides }: Equality,
  inner: ReadonlySet<string>,
): { inner: string; outer: string } | null {
  const texts = sides.map((side) => sql.slice(side[0].start, side[2].end));
  const [isLeft, isRight] = sides.map(([table]) => inner.has(fold(table.text)));
  if (isLeft === isRight) return null;
  return isLeft ? { inner: texts[0], outer: texts[1] } : { inner: texts[1], outer: texts[0] };
}

/** Returns all names between two token indices, including the names of tables. */
function namesBetween(tokens: readonly Token[], start: number, end: number): ReadonlySet<string> {
  return new Set(
    tokens
      .slice(start + 1, end)
      .filter(isName)
      .map(({ text }) => fold(text)),
  );
}

/** Returns the end of an AND condition that begins at `start`; `start` itself if the condition contains OR. */
function endOfCondition(tokens: readonly Token[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const [word, sign] = [keyword(tokens[at]), symbol(tokens[at])];
    if (sign === "(") depth++;
    if (depth === 0 && (sign === ")" || sign === ";" || sign === "," || (word !== "and" && BEHIND.has(word)))) {
      return word === "or" ? start : at;
    }
    if (sign === ")") depth--;
  }
  return tokens.length;
}

/** Returns the first token of the column (`col` or `x.col`) that ends before `end`; null if there is no column. */
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

/** Whether the AND at an index is part of a BETWEEN. */
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

/** Returns the names of common table expressions, along with all other names before `as (`. */
function namesOfCommonTables(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>();
  if (!tokens.some((token) => keyword(token) === "with")) return names;
  tokens.forEach((token, at) => {
    if (keyword(token) !== "as") return;
    let before = at - 1;
    // Skips the column list of a common table expression: `with t(a, b) as (…)`.
    if (symbol(tokens[before]) === ")") while (before > 0 && symbol(tokens[before]) !== "(") before--;
    for (const place of [before, before - 1]) {
      const name = tokens[place];
      if (name !== undefined && isName(name)) names.add(fold(name.text));
    }
  });
  return names;
}

/**
 * Returns the statement with a condition added at each comparison: the column does not equal the comparison's marker.
 * If the comparison is a join, the condition is attached to an additional join with a one-row table.
 */
export function markSubqueries(
  sql: string,
  subqueries: readonly ComparedSubquery[],
  markerOf: (index: number) => number,
): string {
  let [marked, at] = ["", 0];
  for (const [index, { start, end, column, kind }] of subqueries.entries()) {
    const [text, condition] = [sql.slice(start, end), `${column} <> ${markerOf(index)}`];
    marked += sql.slice(at, start);
    marked += kind === "term" ? `(${text} and ${condition})` : `${text} join (select 1) on (${condition})`;
    at = end;
  }
  return marked + sql.slice(at);
}
