/** The limits of a statement, which DuckDB's plan does not tell. */

import { fold, keyword, symbol, tokensOf } from "./tokens.js";

const AFTER = new Set(["offset", "limit", "union", "except", "intersect", "using"]);

/**
 * A number of rows that no limit of the statement exceeds, its offset included; null where a limit is no plain number.
 * @param limits the number of limits in DuckDB's plan.
 */
export function mostRowsOf(sql: string, limits: number): number | null {
  const tokens = tokensOf(sql);
  let [most, found] = [0, 0];
  for (const [at, token] of tokens.entries()) {
    const word = fold(token.text);
    if (keyword(token) !== "limit" && keyword(token) !== "offset") continue;
    const [value, next] = [tokens[at + 1], tokens[at + 2]];
    if (value?.kind !== "literal" || !/^\d{1,9}$/.test(value.text)) return null;
    const ends = next === undefined || symbol(next) === ")" || symbol(next) === ";" || AFTER.has(keyword(next) || "-");
    if (!ends) return null;
    most += Number(value.text);
    if (word === "limit") found++;
  }
  return found < limits || found === 0 ? null : most;
}

/** Whether the text has more than one statement. */
export function hasSeveralStatements(sql: string): boolean {
  const tokens = tokensOf(sql);
  const end = tokens.findIndex((token) => symbol(token) === ";");
  return end !== -1 && tokens.slice(end).some((token) => symbol(token) !== ";");
}
