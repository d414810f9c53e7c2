/**
 * Parses the filters of a scan in DuckDB's plan. It parses only simple conditions on a single column. Other filters are
 * ignored, so more rows are read than necessary. Columns have the names that they have in stand-in tables (`c0`, `c1`,
 * …), which do not occur in the user's statements.
 */

import { quoteSqlText } from "../sinks/duckdb/engine.js";
import {
  type AxisRanges,
  complementAxisRanges,
  createAxisRange,
  intersectConditions,
  toAxisRanges,
  uniteConditions,
} from "./positions.js";

export type Condition =
  | { readonly kind: "and" | "or"; readonly terms: readonly Condition[] }
  | { readonly kind: "comparison"; readonly column: number; readonly operator: Operator; readonly value: string }
  | { readonly kind: "in"; readonly column: number; readonly values: readonly string[]; readonly isNegated: boolean }
  | { readonly kind: "null"; readonly column: number; readonly isNegated: boolean }
  | { readonly kind: "call"; readonly call: TextCall; readonly column: number; readonly value: string }
  /** A term in any other form. It is not interpreted, so any row may satisfy it. */
  | { readonly kind: "other" };

type Operator = "=" | "!=" | "<" | "<=" | ">" | ">=";
type TextCall = "contains" | "prefix" | "suffix";

export interface Conditions {
  /** Conditions that hold for every row of the scan. */
  readonly known: readonly Condition[];
  /** Whether `known` determines the rows of the scan exactly. */
  readonly isExact: boolean;
}

export function parseConditions(filters: readonly string[]): Conditions {
  // DuckDB splits filters at line feeds, including those within texts.
  if (filters.some((filter) => filter.split("'").length % 2 === 0)) return { known: [], isExact: false };
  const known: Condition[] = [];
  let isExact = true;
  for (const filter of filters) {
    for (const term of splitAtAnd(tokensOf(filter))) {
      // An optional filter follows from conditions that DuckDB checks above the scan anyway.
      const isOptional = term?.[0] === "optional" && term[1] === ":";
      const condition = term === null ? null : new Reader(isOptional ? term.slice(2) : term).condition();
      if (condition === null || isOptional || !isUnderstood(condition)) isExact = false;
      if (condition !== null) known.push(condition);
    }
  }
  return { known, isExact };
}

function isUnderstood(condition: Condition): boolean {
  if (condition.kind === "and" || condition.kind === "or") return condition.terms.every(isUnderstood);
  return condition.kind !== "other";
}

const TOKEN = /\s+|('(?:[^']|'')*'|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\w+|[!<>]=|::|[=<>(),:%*/+~.|-])/giy;

/** Returns the tokens of a filter; null if the filter has unknown tokens. */
function tokensOf(text: string): readonly string[] | null {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match === null) return null;
    if (match[1] !== undefined) tokens.push(match[1]);
  }
  return tokens;
}

/** Returns the terms of a filter. A mix of AND and OR without parentheses is ambiguous. */
function splitAtAnd(tokens: readonly string[] | null): readonly (readonly string[] | null)[] {
  if (tokens === null) return [null];
  const terms: string[][] = [[]];
  let depth = 0;
  let hasOr = false;
  for (const token of tokens) {
    if (token === "(") depth++;
    if (token === ")") depth--;
    if (depth === 0 && token === "OR") hasOr = true;
    if (depth === 0 && token === "AND") terms.push([]);
    else terms.at(-1)?.push(token);
  }
  return hasOr && terms.length > 1 ? [null] : terms;
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  /** Parses all tokens as one condition; null if that fails. */
  condition(): Condition | null {
    const condition = this.#terms();
    return this.#at === this.#tokens.length ? condition : null;
  }

  #terms(): Condition | null {
    const terms: Condition[] = [];
    let joined: string | null = null;
    for (;;) {
      const term = this.#term();
      if (term === null) return null;
      terms.push(term);
      const next = this.#tokens[this.#at];
      if ((next !== "AND" && next !== "OR") || (joined !== null && joined !== next)) {
        if (next === "AND" || next === "OR") return null;
        return joined === null ? term : { kind: joined === "AND" ? "and" : "or", terms };
      }
      joined = next;
      this.#at++;
    }
  }

  #term(): Condition | null {
    const start = this.#at;
    if (!this.#takes("(")) return this.#simple();
    const inner = this.#terms();
    if (inner !== null && this.#takes(")")) return inner;
    // DuckDB puts brackets around each operand of AND and OR, unless the operand is a name.
    this.#at = this.#endOfBrackets(start);
    return { kind: "other" };
  }

  /** Returns the position after the bracket that closes the one at `start`. */
  #endOfBrackets(start: number): number {
    let depth = 0;
    for (let at = start; at < this.#tokens.length; at++) {
      if (this.#tokens[at] === "(") depth++;
      if (this.#tokens[at] === ")" && --depth === 0) return at + 1;
    }
    return this.#tokens.length;
  }

  /** Parses a condition on one column that is not in brackets. */
  #simple(): Condition | null {
    const call = (["contains", "prefix", "suffix"] as const).find((name) => this.#tokens[this.#at] === name);
    if (call !== undefined) return this.#call(call);
    const column = this.#column();
    if (column === null) return null;
    if (this.#takes("IS")) {
      const isNegated = this.#takes("NOT");
      return this.#takes("NULL") ? { kind: "null", column, isNegated } : null;
    }
    const isNegated = this.#takes("NOT");
    if (this.#takes("IN")) return this.#list(column, isNegated);
    const operator = isNegated ? undefined : OPERATORS.find((one) => this.#takes(one));
    const value = operator === undefined ? null : this.#literal();
    return operator === undefined || value === null ? null : { kind: "comparison", column, operator, value };
  }

  #call(call: TextCall): Condition | null {
    this.#at++;
    if (!this.#takes("(")) return null;
    const column = this.#column();
    if (column === null || !this.#takes(",")) return null;
    const value = this.#literal();
    return value === null || !this.#takes(")") ? null : { kind: "call", call, column, value };
  }

  #list(column: number, isNegated: boolean): Condition | null {
    if (!this.#takes("(")) return null;
    const values: string[] = [];
    do {
      const value = this.#literal();
      if (value === null) return null;
      values.push(value);
    } while (this.#takes(","));
    return this.#takes(")") ? { kind: "in", column, values, isNegated } : null;
  }

  #column(): number | null {
    const [, digits] = /^c(\d+)$/.exec(this.#tokens[this.#at] ?? "") ?? [];
    if (digits === undefined) return null;
    this.#at++;
    return Number(digits);
  }

  /** Parses a number, a text, or a text with a type, and returns it as text. */
  #literal(): string | null {
    const token = this.#tokens[this.#at] ?? "";
    if (!/^(?:'|-?\d|true$|false$)/.test(token)) return null;
    this.#at++;
    if (this.#takes("::") && !/^\w+$/.test(this.#tokens[this.#at++] ?? "")) return null;
    return token.startsWith("'") ? token.slice(1, -1).replaceAll("''", "'") : token;
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }
}

const OPERATORS = ["=", "!=", "<=", ">=", "<", ">"] as const;

/**
 * Returns the positions that satisfy a condition on a column of positions without nulls; null if the condition does not
 * restrict the positions.
 * @param markers the positions that each marker number represents in a condition `<> number`; null for all positions.
 */
export function findConditionPositions(
  condition: Condition,
  column: number,
  size: number,
  markers: ReadonlyMap<number, AxisRanges | null> = new Map(),
): AxisRanges | null {
  switch (condition.kind) {
    case "and": {
      const found = condition.terms.map((term) => findConditionPositions(term, column, size, markers));
      return found.reduce(intersectConditions, null);
    }
    case "or": {
      const found = condition.terms.map((term) => findConditionPositions(term, column, size, markers));
      return found.reduce(uniteConditions);
    }
    case "comparison": {
      if (condition.column !== column) return null;
      const marked = condition.operator === "!=" ? markers.get(Number(condition.value)) : undefined;
      return marked === undefined ? compared(condition.operator, condition.value, size) : marked;
    }
    case "in": {
      if (condition.column !== column || !condition.values.every(isWhole)) return null;
      const given = toAxisRanges(condition.values.map(Number).filter((value) => value >= 0 && value < size));
      return condition.isNegated ? complementAxisRanges(given, size) : given;
    }
    case "null":
      return condition.column !== column || condition.isNegated ? null : [];
    case "call":
    case "other":
      return null;
    default:
      return condition satisfies never;
  }
}

/**
 * Whether a condition depends on nothing but a column of positions, so that `findConditionPositions` covers it
 * completely.
 */
export function isOnPositions(condition: Condition, column: number): boolean {
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.terms.every((term) => isOnPositions(term, column));
    case "comparison":
      return condition.column === column && isWhole(condition.value);
    case "in":
      return condition.column === column && condition.values.every(isWhole);
    case "null":
      return condition.column === column;
    case "call":
    case "other":
      return false;
    default:
      return condition satisfies never;
  }
}

const isWhole = (text: string) => /^-?\d{1,15}$/.test(text);

function compared(operator: Operator, text: string, size: number): AxisRanges | null {
  if (!isWhole(text)) return null;
  const value = Number(text);
  switch (operator) {
    case "=":
      return createAxisRange(value, value + 1, size);
    case "!=":
      return complementAxisRanges(createAxisRange(value, value + 1, size), size);
    case "<":
      return createAxisRange(0, value, size);
    case "<=":
      return createAxisRange(0, value + 1, size);
    case ">":
      return createAxisRange(value + 1, size, size);
    case ">=":
      return createAxisRange(value, size, size);
    default:
      return operator satisfies never;
  }
}

/**
 * Returns the condition in SQL. Literals are written as texts, which DuckDB converts to the column's type.
 * @param columns the names of the columns in SQL, by column number.
 */
export function formatCondition(condition: Condition, columns: readonly string[]): string {
  switch (condition.kind) {
    case "and":
    case "or":
      return `(${condition.terms.map((term) => formatCondition(term, columns)).join(` ${condition.kind} `)})`;
    case "comparison":
      return `${columns[condition.column]} ${condition.operator} ${quoteSqlText(condition.value)}`;
    case "in":
      return `${columns[condition.column]} ${condition.isNegated ? "not " : ""}in (${condition.values.map(quoteSqlText).join(", ")})`;
    case "null":
      return `${columns[condition.column]} is ${condition.isNegated ? "not " : ""}null`;
    case "call":
      return `${condition.call}(${columns[condition.column]}, ${quoteSqlText(condition.value)})`;
    case "other":
      return "true";
    default:
      return condition satisfies never;
  }
}

/** Splits a condition into terms that must all be true. */
export function listConditionTerms(condition: Condition): readonly Condition[] {
  return condition.kind === "and" ? condition.terms.flatMap(listConditionTerms) : [condition];
}

/** Returns the column of a condition that excludes only the value `value`; null for other conditions. */
export function findExcludingColumn(condition: Condition, value: number): number | null {
  const { kind } = condition;
  return kind === "comparison" && condition.operator === "!=" && condition.value === String(value)
    ? condition.column
    : null;
}
