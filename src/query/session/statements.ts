/** Splits SQL text into statements, and detects statements that the command line answers itself. */

import { isName, keyword, parseQuotedText, parseSqlTokens, symbol, type Token } from "../tokens.js";

/** The statements that end with a semicolon, and the text after the last semicolon. */
export interface DividedText {
  readonly statements: readonly string[];
  readonly rest: string;
}

/** Splits a text at its semicolons, except those in quotes and comments. */
export function splitStatements(text: string): DividedText {
  const statements: string[] = [];
  let start = 0;
  let isEmpty = true;
  for (const token of parseSqlTokens(text)) {
    if (symbol(token) !== ";") {
      isEmpty = false;
      continue;
    }
    if (!isEmpty) statements.push(text.slice(start, token.start).trim());
    start = token.end;
    isEmpty = true;
  }
  return { statements, rest: isEmpty ? "" : text.slice(start).trim() };
}

/** Returns all statements in a text. The last one needs no semicolon. */
export function listStatements(text: string): readonly string[] {
  const { statements, rest } = splitStatements(text);
  return rest === "" ? statements : [...statements, rest];
}

export type StatementKind =
  | { readonly kind: "tables" }
  | { readonly kind: "describe" }
  | {
      readonly kind: "copy";
      readonly sql: string;
      readonly file: string;
      readonly options: ReadonlyMap<string, string>;
    }
  | { readonly kind: "other" };

/**
 * Returns the kind of a statement: `show tables`, `describe …`, `copy … to 'file'`, or any other statement, which is
 * left to DuckDB.
 */
export function detectStatementKind(sql: string): StatementKind {
  const tokens = parseSqlTokens(sql);
  const [first, second, third] = tokens.map(keyword);
  const isShow = first === "show" || first === "describe" || first === "desc";
  if (isShow && (tokens.length === 1 || (second === "tables" && tokens.length === 2))) return { kind: "tables" };
  if (first === "show" && second === "all" && third === "tables" && tokens.length === 3) return { kind: "tables" };
  if (isShow) return { kind: "describe" };
  return (first === "copy" ? copyOf(sql, tokens) : null) ?? { kind: "other" };
}

/** Parses `copy (statement) to 'file' (options)` and `copy name to 'file' (options)`; null for anything else. */
function copyOf(sql: string, tokens: readonly Token[]): StatementKind | null {
  const to = endOfSource(tokens);
  const file = parseQuotedText(tokens[to + 1]);
  if (keyword(tokens[to]) !== "to" || file === null) return null;
  const isStatement = symbol(tokens[1]) === "(";
  const source = isStatement
    ? sql.slice(tokens[1].end, tokens[to - 1].start)
    : `from ${sql.slice(tokens[1].start, tokens[to - 1].end)}`;
  const options = optionsOf(tokens.slice(to + 2));
  return options === null ? null : { kind: "copy", sql: source.trim(), file, options };
}

/** Returns the index of the token after the source of a `copy`, which is a statement in brackets or a name. */
function endOfSource(tokens: readonly Token[]): number {
  let depth = 0;
  for (let i = 1; i < tokens.length; i++) {
    if (symbol(tokens[i]) === "(") depth++;
    else if (symbol(tokens[i]) === ")") depth--;
    else if (depth === 0 && keyword(tokens[i]) === "to") return i;
  }
  return tokens.length;
}

/** Parses `(format csv, overwrite true)`, also with `=` and without brackets; null for invalid options. */
function optionsOf(tokens: readonly Token[]): ReadonlyMap<string, string> | null {
  const options = new Map<string, string>();
  const words = tokens.filter((token) => !["(", ")", ",", "=", ";"].includes(symbol(token)));
  for (let i = 0; i < words.length; ) {
    if (!isName(words[i])) return null;
    const value = words[i + 1];
    const isSwitch = keyword(words[i]) === "overwrite" && !["true", "false"].includes(keyword(value));
    options.set(words[i].text.toLowerCase(), isSwitch ? "true" : (value?.text.toLowerCase() ?? "true"));
    i += isSwitch ? 1 : 2;
  }
  return options;
}
