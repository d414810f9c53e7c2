/** The tokens of an SQL statement, without comments. */

export interface Token {
  readonly kind: "word" | "quoted" | "literal" | "symbol";
  /** The token as written in the statement. For a quoted name, this is the name without its quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Follows DuckDB's rules: a carriage return also ends a comment, and the tag in `$tag$` does not begin with a digit.
 */
const TOKEN =
  /\s+|--[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|(\$(?:[A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*)?\$)[\s\S]*?(?:\1|$)|[eE]'(?:\\[\s\S]|''|[^'\\])*(?:'|$)|('(?:''|[^'])*(?:'|$)|\d[\w.]*)|"((?:""|[^"])*)(?:"|$)|([\p{L}_][\p{L}\p{N}_$]*)|([\s\S])/gu;

export function parseSqlTokens(sql: string): Token[] {
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

/** Normalizes a name in the way in which DuckDB compares names. */
export const fold = (name: string) => name.toLowerCase();

export const isName = (token: Token) => token.kind === "word" || token.kind === "quoted";

/** Returns a word in lower case; an empty text for other tokens. */
export const keyword = (token: Token | undefined) => (token?.kind === "word" ? fold(token.text) : "");

/** Returns a symbol; an empty text for other tokens. */
export const symbol = (token: Token | undefined) => (token?.kind === "symbol" ? token.text : "");

/** Returns the text that a quoted literal represents; null for numbers and other tokens. */
export function parseQuotedText(token: Token | undefined): string | null {
  if (token?.kind !== "literal") return null;
  const { text } = token;
  if (text.startsWith("'")) return text.slice(1, text.endsWith("'") ? -1 : undefined).replaceAll("''", "'");
  const dollar = /^(\$[^$]*\$)([\s\S]*?)(?:\1)?$/.exec(text);
  return dollar === null ? null : dollar[2];
}
