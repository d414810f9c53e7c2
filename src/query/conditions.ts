/**
 * Understands the filters of a scan in DuckDB's plan. Whatever has another form than a simple condition on a column is
 * not understood, so that more is read. Columns have the names of stand-ins (`c0`, `c1`, …), which no text of a user has.
 */

import { textLiteral } from "../sinks/duckdb/engine.js";
import { type AxisRanges, both, complement, either, positionsOf, range } from "./positions.js";

export type Condition =
  | { readonly kind: "and" | "or"; readonly terms: readonly Condition[] }
  | { readonly kind: "comparison"; readonly column: number; readonly operator: Operator; readonly value: string }
  | { readonly kind: "in"; readonly column: number; readonly values: readonly string[]; readonly isNegated: boolean }
  | { readonly kind: "null"; readonly column: number; readonly isNegated: boolean }
  | { readonly kind: "call"; readonly call: TextCall; readonly column: number; readonly value: string }
  /** A part of another form, which may hold for any row. */
  | { readonly kind: "other" };

type Operator = "=" | "!=" | "<" | "<=" | ">" | ">=";
type TextCall = "contains" | "prefix" | "suffix";

export interface Conditions {
  /** All of them hold for every row that the scan gives. */
  readonly known: readonly Condition[];
  /** Whether `known` says exactly which rows the scan gives. */
  readonly isExact: boolean;
}

/** Splits the filters of a scan into conditions. */
export function conditionsOf(filters: readonly string[]): Conditions {
  // DuckDB breaks filters at line feeds, also at those within texts.
  if (filters.some((filter) => filter.split("'").length % 2 === 0)) return { known: [], isExact: false };
  const known: Condition[] = [];
  let isExact = true;
  for (const filter of filters) {
    for (const term of splitAtAnd(tokensOf(filter))) {
      // An optional filter follows from conditions that DuckDB checks above the scan.
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

/** The tokens of a filter; null where it has others. */
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

/** The terms of a filter; a filter that mixes AND and OR without parentheses has no certain meaning. */
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

  /** The condition that all tokens make; null where they make none. */
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
    // DuckDB puts each operand of AND and OR that is no name in brackets.
    this.#at = this.#endOfBrackets(start);
    return { kind: "other" };
  }

  /** The place behind the brackets that open at `start`. */
  #endOfBrackets(start: number): number {
    let depth = 0;
    for (let at = start; at < this.#tokens.length; at++) {
      if (this.#tokens[at] === "(") depth++;
      if (this.#tokens[at] === ")" && --depth === 0) return at + 1;
    }
    return this.#tokens.length;
  }

  /** A condition on one column without brackets around it. */
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

  /** A number, a text, or a text with its type, as a text. */
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
 * The positions that a condition leaves of a column of positions that has no nulls; null where it says nothing of it.
 * @param markers the positions that a number stands for in a condition that leaves out this one number, null for all.
 */
export function positionsWhere(
  condition: Condition,
  column: number,
  size: number,
  markers: ReadonlyMap<number, AxisRanges | null> = new Map(),
): AxisRanges | null {
  switch (condition.kind) {
    case "and": {
      const found = condition.terms.map((term) => positionsWhere(term, column, size, markers));
      return found.reduce(both, null);
    }
    case "or": {
      const found = condition.terms.map((term) => positionsWhere(term, column, size, markers));
      return found.reduce(either);
    }
    case "comparison": {
      if (condition.column !== column) return null;
      const marked = condition.operator === "!=" ? markers.get(Number(condition.value)) : undefined;
      return marked === undefined ? compared(condition.operator, condition.value, size) : marked;
    }
    case "in": {
      if (condition.column !== column || !condition.values.every(isWhole)) return null;
      const given = positionsOf(condition.values.map(Number).filter((value) => value >= 0 && value < size));
      return condition.isNegated ? complement(given, size) : given;
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

/** Whether a condition depends on one column of positions alone, so that `positionsWhere` says all of it. */
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
      return range(value, value + 1, size);
    case "!=":
      return complement(range(value, value + 1, size), size);
    case "<":
      return range(0, value, size);
    case "<=":
      return range(0, value + 1, size);
    case ">":
      return range(value + 1, size, size);
    case ">=":
      return range(value, size, size);
    default:
      return operator satisfies never;
  }
}

/**
 * The condition in SQL. Literals stand as texts, which DuckDB reads as values of the type of their column.
 * @param columns the columns' names in SQL, by their numbers.
 */
export function conditionText(condition: Condition, columns: readonly string[]): string {
  switch (condition.kind) {
    case "and":
    case "or":
      return `(${condition.terms.map((term) => conditionText(term, columns)).join(` ${condition.kind} `)})`;
    case "comparison":
      return `${columns[condition.column]} ${condition.operator} ${textLiteral(condition.value)}`;
    case "in":
      return `${columns[condition.column]} ${condition.isNegated ? "not " : ""}in (${condition.values.map(textLiteral).join(", ")})`;
    case "null":
      return `${columns[condition.column]} is ${condition.isNegated ? "not " : ""}null`;
    case "call":
      return `${condition.call}(${columns[condition.column]}, ${textLiteral(condition.value)})`;
    case "other":
      return "true";
    default:
      return condition satisfies never;
  }
}

/** The terms of a condition that all hold. */
export function termsOf(condition: Condition): readonly Condition[] {
  return condition.kind === "and" ? condition.terms.flatMap(termsOf) : [condition];
}

/** The column of a condition that leaves out the one value `value`; null for other conditions. */
export function columnWithout(condition: Condition, value: number): number | null {
  const { kind } = condition;
  return kind === "comparison" && condition.operator === "!=" && condition.value === String(value)
    ? condition.column
    : null;
}
