/**
 * Hints that are added to DuckDB's error messages, because DuckDB knows only the tables and columns that were loaded.
 */

import type { TableSet } from "../model/dataset.js";
import { findSimilarNames } from "../model/nearest.js";
import { quoteSqlName } from "../sinks/duckdb/engine.js";
import { parseSqlTokens } from "./tokens.js";

/**
 * Returns a hint that names tables and columns of the dataset; null if there is no hint.
 * @param tables the names of the tables that were loaded.
 */
export function findSuggestion(
  problem: string,
  sql: string,
  dataset: TableSet,
  tables: readonly string[],
): string | null {
  const bare = nameWithoutQuotes(sql, dataset, tables);
  if (bare !== null) return `Put the name in double quotes: ${bare}`;
  const words = wordsWithoutQuotes(problem, sql);
  if (words !== null) return ifText(words);
  const table = /Table with name "?(.*?)"? does not exist/.exec(problem);
  const names = [...dataset.tables.keys()];
  if (table !== null) return `${meant(table[1], names)}The file has ${listed(names)}`;
  const called = findUnknownFunction(problem);
  if (called !== null) return /^(gene|cells)$/i.test(called) ? `${called} is for annarrow query alone` : null;
  const dense = positionsOfDense(problem, dataset, tables);
  if (dense !== null) return dense;
  const column = /Referenced column "(.*?)" not found/.exec(problem);
  if (column === null || tables.length === 0) return null;
  const columns = new Map(tables.map((name) => [name, columnsOf(dataset, name)]));
  const lists = [...columns].map(([name, all]) => `${name} has ${listed(all)}`);
  const known = [...columns.values()].flat();
  return (meant(column[1], known) || text(column[1], sql)) + lists.join("; ");
}

/** Returns the name of a table function that does not exist according to DuckDB's message; otherwise null. */
export function findUnknownFunction(problem: string): string | null {
  return /Table Function with name "?(.*?)"? does not exist/.exec(problem)?.[1] ?? null;
}

/**
 * Returns a hint about the positions of a dense matrix. It has both position columns only if a statement names both.
 */
function positionsOfDense(problem: string, dataset: TableSet, tables: readonly string[]): string | null {
  const [, position] = /column (?:named )?"(row|col)"/i.exec(problem) ?? [];
  if (position === undefined) return null;
  const dense = tables.find((name) => {
    const { axis, layouts, schema } = dataset.table(name);
    const isThere = axis === position || schema.fields.some((field) => field.name === position);
    return layouts.includes("coordinate") && !isThere;
  });
  return dense === undefined
    ? null
    : `${written(dense)} is dense: a statement that names both row and col has it as row, col and value of its non-zeros`;
}

/** Finds text without quotes after a comparison, as in `cell_type = B cell`, for which the parser fails at `cell`. */
function wordsWithoutQuotes(problem: string, sql: string): string | null {
  const found = /syntax error at or near "([\p{L}\p{N}_]+)"/u.exec(problem);
  if (found === null) return null;
  const texts = /[=>]\s*([\p{L}\p{N}_]+(?:[ +-]+(?!(?:and|or|order|group|limit|having)\b)[\p{L}\p{N}_]+)+)/giu;
  for (const [, words] of sql.matchAll(texts)) if (words.split(/[ +-]+/).includes(found[1], 1)) return words;
  return null;
}

/** Returns a hint for text that SQL interprets as a name, because it is in double quotes or unquoted. */
function text(name: string, sql: string): string {
  const isQuoted = sql.includes(quoteSqlName(name));
  return isQuoted
    ? `Double quotes are for names; text stands in single quotes: ${literal(name)}. `
    : `${ifText(name)}. `;
}

const ifText = (words: string) => `If ${words} is text, put it in single quotes: ${literal(words)}`;

const literal = (words: string) => `'${words.replaceAll("'", "''")}'`;

function columnsOf(dataset: TableSet, name: string): readonly string[] {
  return dataset.table(name).schema.fields.map((field) => field.name);
}

function meant(name: string, known: readonly string[]): string {
  const found = [...new Set(findSimilarNames(name, known))].map(written);
  return found.length === 0 ? "" : `Did you mean ${found.join(" or ")}? `;
}

/** Finds a name that needs quotes but is not quoted in the statement. */
function nameWithoutQuotes(sql: string, dataset: TableSet, tables: readonly string[]): string | null {
  let code = sql;
  for (const { kind, start, end } of parseSqlTokens(sql)) {
    if (kind === "quoted" || kind === "literal")
      code = code.slice(0, start) + " ".repeat(end - start) + code.slice(end);
  }
  const folded = code.toLowerCase();
  const names = [...dataset.tables.keys(), ...tables.flatMap((name) => columnsOf(dataset, name))];
  const found = names.filter((name) => !isPlain(name) && hasName(folded, name.toLowerCase()));
  // This prefers longer names, such as "layers/counts/data" to "layers/counts".
  const [longest] = found.sort((a, b) => b.length - a.length);
  return longest === undefined ? null : written(longest);
}

function hasName(code: string, name: string): boolean {
  const isPart = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_/]/u.test(character);
  for (let at = code.indexOf(name); at >= 0; at = code.indexOf(name, at + 1)) {
    if (!isPart(code[at - 1]) && !isPart(code[at + name.length])) return true;
  }
  return false;
}

const isPlain = (name: string) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name);

/** Returns a name as it must be written in a statement. */
const written = (name: string) => (isPlain(name) ? name : quoteSqlName(name));

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 20).map(written);
  return [...new Set(shown), ...(names.length > 20 ? ["…"] : [])].join(", ");
}
