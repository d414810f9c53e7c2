/** Names: their order by code points, repeated names, and names that differ only in case. */

/**
 * Compares names by code point, as Python and HDF5 do. UTF-16 orders surrogates differently relative to U+E000 to
 * U+FFFF.
 */
export function compareByCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    // Surrogates encode code points above all other code units.
    return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}

/** Returns the first name that occurs more than once in `names`; null if all are distinct. */
export function findRepeatedName(names: readonly string[]): string | null {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size) ?? null;
}

/**
 * Makes names distinct, ignoring case: a later duplicate gets the next free number (`batch_1`). A new name is never
 * equal to another name in the list.
 */
export function makeDistinctNames(names: readonly string[]): readonly string[] {
  const given = new Set(names.map(folded));
  const taken = new Set<string>();
  return names.map((name) => {
    let [distinct, number] = [name, 0];
    while (taken.has(folded(distinct)) || (number > 0 && given.has(folded(distinct)))) distinct = `${name}_${++number}`;
    taken.add(folded(distinct));
    return distinct;
  });
}

const folded = (name: string) => name.toLowerCase();
