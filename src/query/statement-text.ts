/** Classifies the text of a statement or a condition, for callers that need neither its tables nor a plan. */

import { InvalidInputError } from "../model/errors.js";
import { keyword, parseSqlTokens, symbol, type Token } from "./tokens.js";

/** Whether a text is a statement rather than a condition. No condition begins with these words. */
export function isStatementText(text: string): boolean {
  return ["select", "from", "with"].includes(keyword(parseSqlTokens(text)[0]));
}

/**
 * Returns the first word of one statement in lower case, and the statement's text without the semicolons and comments
 * around it.
 */
export function trimStatement(sql: string): { readonly verb: string; readonly text: string } {
  const tokens = parseSqlTokens(sql).filter((token) => symbol(token) !== ";");
  const verb = keyword(tokens.find((token) => symbol(token) !== "("));
  return { verb, text: sql.slice(tokens.at(0)?.start, tokens.at(-1)?.end) };
}

const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/**
 * Rejects semicolons and unbalanced brackets, which could end the expression and start another one. Other text that is
 * not an expression is rejected when the statement is run.
 * @throws {InvalidInputError} if the text is not a single expression.
 */
export function checkExpression(text: string): void {
  const tokens = parseSqlTokens(text);
  if (tokens.length === 0) throw new InvalidInputError("the condition is empty");
  const open: string[] = [];
  for (const token of tokens) {
    const sign = symbol(token);
    if (sign === ";") throw new InvalidInputError("the condition is one expression, without a semicolon");
    if (["(", "[", "{"].includes(sign)) open.push(sign);
    const opening = CLOSING[sign];
    if (opening !== undefined && open.pop() !== opening) {
      throw new InvalidInputError(`the condition closes a bracket that it has not opened: ${sign}`);
    }
  }
  if (open.length > 0) throw new InvalidInputError(`the condition does not close its bracket ${open.at(-1)}`);
}

/** First words of read-only statements, besides `explain`. */
export const QUERY_VERBS: readonly string[] =
  "select with from values table describe desc show summarize pivot unpivot".split(" ");

const WRITES = ["insert", "update", "delete", "merge"];

/** The reason why a text is not one read-only statement. `verb` is the first word of the text, if any. */
export type QueryProblem =
  | { readonly kind: "empty" }
  | { readonly kind: "several" }
  | { readonly kind: "other"; readonly verb: string | null };

/** Checks by keywords whether `sql` is a single read-only statement; returns null if it is. */
export function findQueryProblem(sql: string): QueryProblem | null {
  const tokens = parseSqlTokens(sql);
  while (symbol(tokens.at(-1)) === ";") tokens.pop();
  if (tokens.length === 0) return { kind: "empty" };
  if (tokens.some((token) => symbol(token) === ";")) return { kind: "several" };
  const explained = keyword(tokens[0]) === "explain" ? afterExplain(tokens) : tokens;
  const first = explained.find((token) => symbol(token) !== "(");
  const verb = keyword(first) === "with" ? verbOfWith(explained) : keyword(first);
  if (QUERY_VERBS.includes(verb)) return null;
  return { kind: "other", verb: first === undefined ? null : verb || first.text };
}

/** Returns the tokens after `explain`, `analyze` and options in parentheses. */
function afterExplain(tokens: readonly Token[]): readonly Token[] {
  let at = keyword(tokens[1]) === "analyze" ? 2 : 1;
  if (symbol(tokens[at]) === "(" && !QUERY_VERBS.includes(keyword(tokens[at + 1]))) {
    while (at < tokens.length && symbol(tokens[at]) !== ")") at++;
    at++;
  }
  return tokens.slice(at);
}

/** Returns the word after the list of common table expressions, or `with` if that word does not write data. */
function verbOfWith(tokens: readonly Token[]): string {
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (symbol(token) === "(") depth++;
    else if (symbol(token) === ")") depth--;
    else if (depth === 0 && symbol(tokens[i - 1]) === ")" && WRITES.includes(keyword(token))) return keyword(token);
  }
  return "with";
}
