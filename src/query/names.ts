/**
 * Finds the tables and columns that an SQL statement names, so that only these are loaded. This is not a parser: it may
 * find too many names, but it never misses one. Comments and string literals are skipped.
 */

import { fold, isName, keyword, parseSqlTokens, symbol, type Token } from "./tokens.js";

export interface SqlNames {
  /** Names at places where a relation is expected, with their schemas: `"pbmc.h5ad".obs`. */
  readonly relations: readonly SqlRelation[];
  /** Whether a table with this name occurs at a place where a relation is expected. */
  hasTable(name: string): boolean;
  /** Whether `name` occurs anywhere as an identifier. */
  hasWord(name: string): boolean;
  /**
   * Returns the columns among `available` to which the statement can refer. These are all columns if the statement
   * contains `*` or a similar expression.
   */
  columnsOf(table: string, available: readonly string[]): readonly string[];
}

export interface SqlRelation {
  /** Null for a name without a schema. */
  readonly schema: string | null;
  readonly name: string;
}

/** Returns the names at places where a statement expects a relation. */
export function findStatementTables(sql: string): readonly SqlRelation[] {
  return relationsOf(parseSqlTokens(sql));
}

export function parseSqlNames(sql: string): SqlNames {
  const tokens = parseSqlTokens(sql);
  const relations = relationsOf(tokens);
  const relationNames = new Set(relations.map(({ name }) => fold(name)));
  const folded = new Set(tokens.filter(isName).map((token) => fold(token.text)));
  const everything = meansAllColumns(tokens);
  return {
    relations,
    hasTable: (name) => relationNames.has(fold(name)),
    hasWord: (name) => folded.has(fold(name)),
    columnsOf(table, available) {
      if (everything || namesWholeRow(tokens, fold(table))) return available;
      return available.filter((name) => folded.has(fold(name)));
    },
  };
}

/** Keywords that begin a list of relations. The list ends at one of the words in `ENDS`. */
const STARTS = new Set([
  "from",
  "join",
  "describe",
  "desc",
  "summarize",
  "table",
  "pivot",
  "unpivot",
  "show",
  "into",
  "using",
]);
const ENDS = new Set(
  "select where group order having limit offset qualify window union intersect except on set values sample returning when".split(
    " ",
  ),
);

function relationsOf(tokens: readonly Token[]): SqlRelation[] {
  const found: SqlRelation[] = [];
  const outer: boolean[] = [];
  let inFrom = false;
  tokens.forEach((token, i) => {
    const word = keyword(token);
    if (STARTS.has(word) && !isOrder(tokens, i)) inFrom = true;
    else if (ENDS.has(word)) inFrom = false;
    else if (symbol(token) === "(") {
      outer.push(inFrom);
    } else if (symbol(token) === ")") inFrom = outer.pop() ?? false;
    else if (symbol(token) === ";") inFrom = false;
    else if (inFrom && isName(token) && symbol(tokens[i + 1]) !== "(") {
      const before = symbol(tokens[i - 1]) === "." ? tokens[i - 2] : undefined;
      found.push({ schema: before !== undefined && isName(before) ? before.text : null, name: token.text });
    }
  });
  return found;
}

/** Statements and functions that use columns without naming them. */
const TAKES_ALL = new Set(["describe", "desc", "summarize", "table", "pivot", "unpivot", "show", "columns", "natural"]);
const OPERAND_ENDS = new Set(["end", "null", "true", "false"]);
const AFTER_STAR = new Set(["from", "exclude", "replace", "rename", "like", "ilike", "glob", "similar", "not"]);

function meansAllColumns(tokens: readonly Token[]): boolean {
  const count = (text: string) => tokens.filter((token) => keyword(token) === text).length;
  // "from obs" without a select means all columns of the table.
  if (count("from") > count("select") && count("select") === 0) return true;
  if (tokens.some((token, i) => symbol(token) === "(" && keyword(tokens[i + 1]) === "from")) return true;
  return tokens.some((token, i) => {
    const takesAll = TAKES_ALL.has(keyword(token)) && !isOrder(tokens, i);
    if (takesAll && (keyword(token) !== "columns" || symbol(tokens[i + 1]) === "(")) return true;
    return symbol(token) === "*" && !isCount(tokens, i) && !isProduct(tokens[i - 1], tokens[i + 1]);
  });
}

/** Whether `desc` is a sort direction. As a statement (DESCRIBE), `desc` would be the first word. */
function isOrder(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (keyword(tokens[at]) !== "desc" || before === undefined) return false;
  return !["(", ";"].includes(symbol(before)) && !["explain", "analyze"].includes(keyword(before));
}

function isCount(tokens: readonly Token[], star: number): boolean {
  return symbol(tokens[star - 1]) === "(" && keyword(tokens[star - 2]) === "count" && symbol(tokens[star + 1]) === ")";
}

/** Whether `*` is a multiplication, as in `a * b`: it has operands on both sides. */
function isProduct(before: Token | undefined, after: Token | undefined): boolean {
  const left =
    before?.kind === "literal" ||
    before?.kind === "quoted" ||
    [")", "]"].includes(symbol(before)) ||
    (before?.kind === "word" &&
      (OPERAND_ENDS.has(keyword(before)) ||
        (!ENDS.has(keyword(before)) && !["distinct", "all"].includes(keyword(before)))));
  const right =
    after?.kind === "literal" ||
    after?.kind === "quoted" ||
    ["(", "-", "+", "[", "?", "$"].includes(symbol(after)) ||
    (after?.kind === "word" && !AFTER_STAR.has(keyword(after)));
  return left && right;
}

/** Whether the table or its alias is used to mean a whole row, as in `select o from obs o`. */
function namesWholeRow(tokens: readonly Token[], table: string): boolean {
  const names = new Set([table]);
  tokens.forEach((token, i) => {
    if (!isName(token) || fold(token.text) !== table) return;
    const next = keyword(tokens[i + 1]) === "as" ? tokens[i + 2] : tokens[i + 1];
    if (next !== undefined && isName(next)) names.add(fold(next.text));
  });
  let inFrom = false;
  return tokens.some((token, i) => {
    const word = keyword(token);
    if (STARTS.has(word) && !isOrder(tokens, i)) inFrom = true;
    else if (ENDS.has(word)) inFrom = false;
    if (inFrom || !isName(token) || symbol(tokens[i - 1]) === "." || symbol(tokens[i + 1]) === ".") return false;
    return names.has(fold(token.text)) && !STARTS.has(word) && !ENDS.has(word);
  });
}
