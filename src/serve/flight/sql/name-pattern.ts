/** Patterns of names: `%` stands for any characters, `_` for one, and `\` before either for itself. */

type Part = "any" | "one" | { readonly text: string };

/** Whether `name` matches `pattern`, in the time of their lengths' product at most; null matches all names. */
export function matchesPattern(name: string, pattern: string | null): boolean {
  if (pattern === null) return true;
  const parts = partsOf(pattern);
  const letters = [...name];
  let [at, part] = [0, 0];
  // Where to go on if the rest does not match: one letter more for the last `%`.
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

/** The beginning that all names of a pattern share. */
export function patternPrefix(pattern: string | null): string {
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
