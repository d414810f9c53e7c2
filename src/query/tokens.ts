/** The tokens of an SQL statement, without comments. */

export interface Token {
  readonly kind: "word" | "quoted" | "literal" | "symbol";
  /** The token as it stands in the statement, of a quoted name the name. */
  readonly text: string;
  /** The place of the token in the statement. */
  readonly start: number;
  readonly end: number;
}

/** As DuckDB cuts a statement: a comment ends with a carriage return, too, and `$tag$` has no digit in front. */
const TOKEN =
  /\s+|--[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|(\$(?:[A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*)?\$)[\s\S]*?(?:\1|$)|[eE]'(?:\\[\s\S]|''|[^'\\])*(?:'|$)|('(?:''|[^'])*(?:'|$)|\d[\w.]*)|"((?:""|[^"])*)(?:"|$)|([\p{L}_][\p{L}\p{N}_$]*)|([\s\S])/gu;

export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  for (const match of sql.matchAll(TOKEN)) {
    const [all, dollar, literal, quoted, word, symbol] = match;
    const place = { start: match.index, end: match.index + all.length };
    if (quoted !== undefined) tokens.push({ kind: "quoted", text: quoted.replaceAll('""', '"'), ...place });
    else if (word !== undefined) tokens.push({ kind: "word", text: word, ...place });
    else if (symbol !== undefined) tokens.push({ kind: "symbol", text: symbol, ...place });
    else if (dollar !== undefined || literal !== undefined || /^e'/i.test(all))
      tokens.push({ kind: "literal", text: all, ...place });
  }
  return tokens;
}

/** A name in the form in which DuckDB compares it. */
export const fold = (name: string) => name.toLowerCase();

export const isName = (token: Token) => token.kind === "word" || token.kind === "quoted";

/** The word that stands there, folded; empty for other tokens. */
export const keyword = (token: Token | undefined) => (token?.kind === "word" ? fold(token.text) : "");

/** The symbol that stands there; empty for other tokens. */
export const symbol = (token: Token | undefined) => (token?.kind === "symbol" ? token.text : "");

/** The text that a literal in quotes stands for; null for numbers and other tokens. */
export function quotedText(token: Token | undefined): string | null {
  if (token?.kind !== "literal") return null;
  const { text } = token;
  if (text.startsWith("'")) return text.slice(1, text.endsWith("'") ? -1 : undefined).replaceAll("''", "'");
  const dollar = /^(\$[^$]*\$)([\s\S]*?)(?:\1)?$/.exec(text);
  return dollar === null ? null : dollar[2];
}
