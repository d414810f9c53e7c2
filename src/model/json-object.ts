/** Reads JSON from external sources. */

/** Maximum nesting depth of JSON. Copying and formatting a value recurses once per level. */
const MAX_DEPTH = 512;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses JSON.
 * @throws {SyntaxError} for text that is not JSON, and for JSON nested more than 512 levels deep.
 */
export function readJson(text: string): unknown {
  checkNesting(text);
  return JSON.parse(text);
}

function checkNesting(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at + 1);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    if (depth > MAX_DEPTH) throw new SyntaxError(`JSON is nested more than ${MAX_DEPTH} deep`);
  }
}

/** Returns the position of the quote that ends a string; the end of the text if there is none. */
function endOfText(text: string, start: number): number {
  for (let at = start; ; at++) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
}

/** Returns the object in a JSON text; null if the text is not JSON or contains another value. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = readJson(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns whether a parsed value is a JSON object: neither an array nor null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
