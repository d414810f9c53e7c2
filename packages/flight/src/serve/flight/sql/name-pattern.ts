/** Name patterns: `%` matches any characters, `_` a single character, and `\` escapes either of them. */

type Part = "any" | "one" | { readonly text: string };

/**
 * Whether `name` matches `pattern`; null matches all names. The time is at most proportional to the product of both
 * lengths.
 */
export function matchesPattern(name: string, pattern: string | null): boolean {
  if (pattern === null) return true;
  const parts = partsOf(pattern);
  const letters = [...name];
  let [at, part] = [0, 0];
  // Position to resume at if the rest does not match: the last `%` then matches one more letter.
  let again: readonly [at: number, part: number] | null = null;
  while (at < letters.length || part < parts.length) {
    const wanted = parts[part];
    if (wanted === "any") {
      again = [at + 1, part];
      part++;
    } else if (wanted !== undefined && at < letters.length && (wanted === "one" || wanted.text === letters[at])) {
      at++;
      part++;
    } else if (again !== null && again[0] <= letters.length) {
      [at, part] = again;
    } else {
      return false;
    }
  }
  return true;
}

/** Returns the common prefix of all names that match a pattern. */
export function getPatternPrefix(pattern: string | null): string {
  let prefix = "";
  for (const part of pattern === null ? [] : partsOf(pattern)) {
    if (typeof part === "string") break;
    prefix += part.text;
  }
  return prefix;
}

function partsOf(pattern: string): Part[] {
  const found = pattern.matchAll(/\\([%_\\])|([\s\S])/gu);
  return Array.from(found, ([, escaped, letter]): Part => {
    if (escaped !== undefined) return { text: escaped };
    return letter === "%" ? "any" : letter === "_" ? "one" : { text: letter };
  });
}
