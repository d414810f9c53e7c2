/** The parameters of a statement (`?`, `$1`), and their types if the statement determines them. */

import { applyReplacements } from "./relations.js";
import { fold, isName, keyword, parseSqlTokens, type Token } from "./tokens.js";

/** Whether `sql` has a `?` or `$1`. */
export function hasParameters(sql: string): boolean {
  return findParameters(parseSqlTokens(sql)).length > 0;
}

/** Replaces each parameter in the statement with an expression, or with `null` if there are too few expressions. */
export function replaceParameters(sql: string, values: readonly string[]): string {
  const tokens = parseSqlTokens(sql);
  const found = findParameters(tokens).map(({ at, end, position }) => {
    return { start: tokens[at].start, end: tokens[end - 1].end, text: values[position] ?? "null" };
  });
  return applyReplacements(sql, found);
}

/** Words that may occur between a parameter and the column with which it is compared. */
const BETWEEN = new Set(["in", "like", "ilike", "between", "and", "not", "is", "distinct", "from"]);
const COMPARING = new Set(["=", "<", ">", "!", "(", ",", "?", "$"]);

/**
 * Infers parameter types from the statement where possible. DuckDB itself determines them only if values are given.
 * @param columns DuckDB types by lower-case column name.
 */
export function inferParameterTypes(sql: string, columns: ReadonlyMap<string, string>): readonly (string | null)[] {
  const tokens = parseSqlTokens(sql);
  const types: (string | null)[] = [];
  for (const { at, end, position } of findParameters(tokens)) {
    types[position] =
      castTo(tokens, at, end) ?? comparedAfter(tokens, end, columns) ?? comparedBefore(tokens, at, columns);
  }
  return Array.from(types, (type) => type ?? null);
}

/**
 * Finds parameters. For each, returns the index of its first token, the index of the token after it, and the position
 * of its value.
 */
function findParameters(tokens: readonly Token[]): readonly { at: number; end: number; position: number }[] {
  let unnamed = 0;
  return tokens.flatMap((token, at) => {
    const next = tokens[at + 1];
    if (token.kind !== "symbol") return [];
    if (token.text === "?") return [{ at, end: at + 1, position: unnamed++ }];
    if (token.text !== "$" || next?.kind !== "literal" || !/^[1-9]\d{0,3}$/.test(next.text)) return [];
    return [{ at, end: at + 2, position: Number(next.text) - 1 }];
  });
}

/** Returns the type in `?::date` and `cast(? as date)`. */
function castTo(tokens: readonly Token[], at: number, end: number): string | null {
  const [first, second, third] = tokens.slice(end, end + 3);
  const isCast = ["cast", "try_cast"].includes(keyword(tokens[at - 2])) && keyword(first) === "as";
  const type = first?.text === ":" && second?.text === ":" ? third : isCast ? second : undefined;
  return type?.kind === "word" ? type.text : null;
}

function comparedAfter(tokens: readonly Token[], end: number, columns: ReadonlyMap<string, string>): string | null {
  let at = end;
  while (tokens[at]?.kind === "symbol" && ["=", "<", ">", "!"].includes(tokens[at].text)) at++;
  return at === end ? null : columnType(tokens[at], columns);
}

function comparedBefore(tokens: readonly Token[], start: number, columns: ReadonlyMap<string, string>): string | null {
  for (let at = start - 1; at >= 0; at--) {
    const token = tokens[at];
    if (["limit", "offset"].includes(keyword(token))) return "BIGINT";
    if (token.kind === "literal" || BETWEEN.has(keyword(token))) continue;
    if (token.kind === "symbol" && COMPARING.has(token.text)) continue;
    return columnType(token, columns);
  }
  return null;
}

function columnType(token: Token | undefined, columns: ReadonlyMap<string, string>): string | null {
  return token !== undefined && isName(token) ? (columns.get(fold(token.text)) ?? null) : null;
}
